import Foundation
import Keepsake
import TestSupport
import Testing

/// What is known of weak properties goes by numbers, which are given out anew after an error.
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

  @Test("a strong property is archived where a weak one of the same key was taken back")
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

  @Test("weak properties of an earlier key get the object that stays if a later key is decoded twice")
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
    // Before their friends are there the members are equal, so the set has to be read last.
    let members = try unarchiver.decode(Club.self, forKey: "club").members
    #expect(members.count == 2)
    #expect(members.contains { $0 === back.watched } && members.contains { $0 === back.other })
    for member in members.union(club.members) { member.friend = nil }
  }
}
