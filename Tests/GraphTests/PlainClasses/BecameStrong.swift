import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of weak properties that are now strong.
@Suite struct BecameStrong {
  private enum Before {
    final class Member: Codable {
      let number: Int
      weak var friend: Member?

      init(_ number: Int) { self.number = number }
    }
  }

  private enum Now {
    final class Member: Codable {
      let number: Int
      var friend: Member?

      init(_ number: Int) { self.number = number }
    }
  }

  private class Numbered: Codable {
    let number: Int
    var next: AnyObject? { nil }
  }

  private final class Open: Numbered {
    @Polymorphic var friend: AnyObject?
    override var next: AnyObject? { friend }

    private enum CodingKeys: CodingKey { case friend }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      _friend = try container.decode(Polymorphic<AnyObject?>.self, forKey: .friend)
      try super.init(from: decoder)
    }
  }

  private final class Twice: Numbered {
    var friend: Twice??
    override var next: AnyObject? { friend ?? nil }

    private enum CodingKeys: CodingKey { case friend }

    required init(from decoder: any Decoder) throws {
      friend = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Twice?.self, forKey: .friend)
      try super.init(from: decoder)
    }
  }

  @Test("polymorphic or doubly optional properties may have been weak", arguments: [Open.self, Twice.self])
  private func otherTypes(type: Numbered.Type) throws {
    for (number, friend) in [0: 1, 1: 2, 2: 0, 3: 3] { members[number].friend = members[friend] }
    let archiver = KeyedArchiver()
    archiver.setClassName("Member", for: Before.Member.self)
    try archiver.encode(members, forKey: "all")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.setClass(type, forClassName: "Member")
    let back = try unarchiver.decode([Numbered].self, forKey: "all")
    for (index, next) in [1, 2, 0, 3].enumerated() { #expect(back[index].next === back[next]) }
    #expect(back[4].next == nil)
    for case let open as Open in back { open.friend = nil }
    for case let twice as Twice in back { twice.friend = nil }
  }

  /// Stores its own friend if there is none yet.
  private final class Sociable: Codable {
    let number: Int
    var friend: Sociable?

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      friend = try container.decodeIfPresent(Sociable.self, forKey: .friend) ?? Sociable(-1)
    }
  }

  private let members = (0..<5).map { Before.Member($0) }

  private func archive(_ friends: [Int: Int], _ keys: KeyValuePairs<String, [Int]>) throws -> Data {
    for (number, friend) in friends { members[number].friend = members[friend] }
    let archiver = KeyedArchiver()
    for (key, numbers) in keys { try archiver.encode(numbers.map { members[$0] }, forKey: key) }
    return try archiver.encodedData
  }

  @Test("properties that became strong have their objects after decoding")
  func ring() throws {
    let data = try archive([0: 1, 1: 2, 2: 3, 3: 4, 4: 0], ["all": [0, 1, 2, 3, 4]])
    let back = try KeyedUnarchiver(forReadingFrom: data).decode([Now.Member].self, forKey: "all")
    #expect(back.map(\.number) == [0, 1, 2, 3, 4])
    for (index, member) in back.enumerated() { #expect(member.friend === back[(index + 1) % 5]) }
    for member in back { member.friend = nil }
  }

  @Test("an object under another key is read with the reference, and later calls return it")
  func elsewhere() throws {
    let data = try archive([0: 3, 1: 4], ["members": [0, 1], "friends": [3, 4]])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let members = try unarchiver.decode([Now.Member].self, forKey: "members")
    #expect(members.map { $0.friend?.number } == [3, 4])
    let friends = try unarchiver.decode([Now.Member].self, forKey: "friends")
    for (member, friend) in zip(members, friends) { #expect(member.friend === friend) }
  }

  @Test("decoding throws if an initializer stores another object")
  func storedMeanwhile() throws {
    let data = try archive([0: 1], ["both": [0, 1], "one": [0], "other": [1]])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    for key in ["both", "one"] {
      let found = try failure { try unarchiver.decode([Sociable].self, forKey: key) }
      #expect(found.code == .misuse, "\(found)")
      #expect(found.description.contains("Sociable.friend closes a cycle"), "\(found)")
    }
    #expect(try unarchiver.decode([Sociable].self, forKey: "other")[0].friend?.number == -1)
  }
}
