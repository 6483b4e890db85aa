import Foundation
import Keepsake
import TestSupport
import Testing

/// The archiver knows weak properties by numbers, which are reused after an error.
@Suite struct WeakAfterErrors {
  final class Failing: Codable {
    weak var next: Failing?
    init() {}

    enum CodingKeys: CodingKey { case next }

    convenience init(from decoder: any Decoder) throws { self.init() }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(next, forKey: .next)
      throw Refusal(reason: "never")
    }
  }

  final class Strong: Codable {
    var next: Strong?
    weak var other: Strong?
    init(_ next: Strong?) { self.next = next }
  }

  @Test("a strong property is archived after a weak one of the same key was undone")
  func takenBack() throws {
    let archiver = KeyedArchiver()
    let (failing, target) = (Failing(), Failing())
    failing.next = target
    #expect(throws: Refusal(reason: "never")) { try archiver.encode(failing, forKey: "value") }
    try archiver.encode(Strong(Strong(nil)), forKey: "other")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let strong = try unarchiver.decode(Strong.self, forKey: "other")
    #expect(strong.next != nil)
    withExtendedLifetime(target) {}
  }

  final class Equal: Codable, Hashable {
    var name: String
    var friend: Equal?
    init(_ name: String) { self.name = name }

    static func == (left: Equal, right: Equal) -> Bool { left.friend?.name == right.friend?.name }
    func hash(into hasher: inout Hasher) { hasher.combine(friend?.name) }
  }

  final class Watching: Codable {
    weak var watched: Equal?
    @WeakReference var other: Equal?
  }

  final class Club: Codable { var members: Set<Equal> = [] }

  @Test("weak properties of an earlier key get the final object if a later key is decoded twice")
  func decodedAgain() throws {
    let (one, two, watching, club) = (Equal("one"), Equal("two"), Watching(), Club())
    (one.friend, two.friend) = (two, one)
    (watching.watched, watching.other) = (one, two)
    club.members = [one, two]
    let archiver = KeyedArchiver()
    try archiver.encode(watching, forKey: "watching")
    try archiver.encode(club, forKey: "club")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let back = try unarchiver.decode(Watching.self, forKey: "watching")
    #expect(back.watched == nil && back.other == nil)
    // Until their friends are assigned, the members are equal, so the set must be read last.
    let members = try unarchiver.decode(Club.self, forKey: "club").members
    #expect(members.count == 2)
    #expect(members.contains { $0 === back.watched } && members.contains { $0 === back.other })
    for member in members.union(club.members) { member.friend = nil }
  }

  final class Owner: Codable {
    weak var chosen: Part?
    init() {}

    private enum CodingKeys: CodingKey { case chosen }

    init(from decoder: any Decoder) throws {
      chosen = try? decoder.container(keyedBy: CodingKeys.self).decode(Part.self, forKey: .chosen)
    }
  }

  /// A class that encodes its owner in a separate container, and omits it if it cannot be read.
  final class Part: Codable {
    var owner: Owner?
    init(_ owner: Owner) { self.owner = owner }

    private enum CodingKeys: CodingKey { case references, owner }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
        .nestedContainer(keyedBy: CodingKeys.self, forKey: .references)
      owner = try? container.decode(Owner.self, forKey: .owner)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var references = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .references)
      try references.encode(owner, forKey: .owner)
    }
  }

  @Test("a weak property waits if initializers on the way back catch the error of the cycle")
  func caughtOnTheWay() throws {
    let owner = Owner()
    let parts = [Part(owner), Part(owner)]
    owner.chosen = parts[1]
    let back = try KeyedArchiver.copy(of: parts)
    #expect(back[0].owner != nil && back[0].owner === back[1].owner)
    #expect(back[0].owner?.chosen === back[1])
  }
}
