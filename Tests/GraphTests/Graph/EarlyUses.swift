import Foundation
import Keepsake
import TestSupport
import Testing

/// A @Deferred value that is used before it is decoded makes decoding throw, wherever this can be detected.
@Suite struct EarlyUses {
  @Test("a set that hashes a deferred value of its elements makes decoding throw")
  func hashedInASet() throws {
    let owner = EntryOwner("owner")
    owner.entries = [Entry(owner: owner)]
    defer { owner.entries = [] }
    let found = try failure { try roundTrip(owner) }
    #expect(found.kind == .dataCorrupted && found.code == .misuse && found.path == "entries/[0]/owner")
    #expect(found.description.contains("@Deferred"))

    let other = EntryOwner("other")
    other.entries = [Entry(owner: nil)]
    #expect(try roundTrip(other).entries == [Entry(owner: nil)])
  }

  @Test("elements of a deferred set may hash a deferred value")
  func deferredSet() throws {
    let owner = LateEntryOwner("owner")
    owner.entries = [LateEntry(owner: owner)]
    let back = try roundTrip(owner)
    #expect(back.entries.map { $0.owner === back } == [true] && back.entries == [LateEntry(owner: back)])
    for one in [owner, back] { one.entries = [] }
  }

  @Test("a deferred set that hashes a deferred value to which only its elements refer makes decoding throw")
  func hashedInADeferredSet() throws {
    let found = try failure { try roundTrip(LateSet(entries: [Entry(owner: EntryOwner("x"))])) }
    #expect(found.code == .misuse && found.path == "entries/[0]/owner")
    #expect(try roundTrip(LateSet(entries: [Entry(owner: nil)])).entries == [Entry(owner: nil)])
  }

  @Test("a dictionary that hashes a non-optional deferred value of its keys makes decoding throw")
  func hashedInADictionary() throws {
    let owner = EntryOwner("owner")
    let found = try failure { try roundTrip([StrictEntry(owner: owner): 1]) }
    #expect(found.kind == .dataCorrupted && found.code == .misuse)
    // The object is already there, so it is not deferred.
    let both = try roundTrip(EntryPair(first: owner, second: [StrictEntry(owner: owner)]))
    #expect(both.second == [StrictEntry(owner: both.first)])
  }

  @Test("an initializer that compares deferred values makes decoding throw")
  func compared() throws {
    for (left, right) in [(EntryOwner("a"), EntryOwner("b")), (EntryOwner("a"), nil), (nil, EntryOwner("b"))]
    {
      let written = Compared(left: left, right: right)
      #expect(try failure { try roundTrip(written) }.code == .misuse)
    }
    #expect(try roundTrip(Compared(left: nil, right: nil)).wasEqual == true)
  }

  @Test("a deferred value is equal to itself before it is decoded")
  func comparedWithItself() throws {
    let log = EarlyLog()
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("log")] = log
    let data = try ArchiveEncoder().encode(Compared(left: EntryOwner("a"), right: EntryOwner("b")))
    #expect(try failure { try decoder.decode(Compared.self, from: data) }.code == .misuse)
    #expect(log.answers == [true, false])
  }

  @Test("an optional deferred value reads as nil in an initializer, and the outermost decode throws")
  func readByAnInitializer() throws {
    let log = EarlyLog()
    let data = try ArchiveEncoder().encode([Reader(value: EntryOwner("a"))])
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("log")] = log
    let found = try failure { try decoder.decode([Reader].self, from: data) }
    #expect(found.code == .misuse && found.path == "[0]/value" && log.answers == [true])
    #expect(try roundTrip([Reader(value: nil)])[0].value == nil)
  }

  @Test("after an early use, the unarchiver continues with other keys and another type")
  func goesOn() throws {
    let owner = EntryOwner("owner")
    owner.entries = [Entry(owner: owner)]
    defer { owner.entries = [] }
    let archiver = KeyedArchiver()
    try archiver.encode(owner, forKey: "owner")
    try archiver.encode("text", forKey: "text")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for _ in 1...2 {
      #expect(
        try failure { try unarchiver.decode(EntryOwner.self, forKey: "owner") }.path
          == "owner/entries/[0]/owner"
      )
      #expect(try unarchiver.decode(String.self, forKey: "text") == "text")
    }
    let back = try unarchiver.decode(LateEntryOwner.self, forKey: "owner")
    #expect(back.entries.first?.owner === back)
    back.entries = []
  }

  @Test("reading a deferred value of a failed decode does not make later calls throw")
  func keptAfterAFailure() throws {
    let log = EarlyLog()
    let archiver = KeyedArchiver()
    try archiver.encode([Reader(value: EntryOwner("a"))], forKey: "readers")
    try archiver.encode(["a": 1], forKey: "good")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[.named("log")] = log
    #expect(throws: DecodingError.self) { try unarchiver.decode([Reader].self, forKey: "readers") }
    #expect(log.kept?.value == nil)
    #expect(try unarchiver.decode([String: Int].self, forKey: "good") == ["a": 1])
  }
}

// MARK: - Types

private struct Entry: Codable, Hashable {
  @Deferred var owner: EntryOwner?
}

private class NamedOwner: Hashable {
  var name: String

  init(_ name: String) {
    self.name = name
  }

  static func == (left: NamedOwner, right: NamedOwner) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private final class EntryOwner: NamedOwner, Codable {
  var entries: Set<Entry> = []
  private enum CodingKeys: CodingKey { case name, entries }

  override init(_ name: String) { super.init(name) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    entries = try container.decode(Set<Entry>.self, forKey: .entries)
    super.init(try container.decode(String.self, forKey: .name))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(entries, forKey: .entries)
  }
}

private struct LateEntry: Codable, Hashable {
  @Deferred var owner: LateEntryOwner?
}

private final class LateEntryOwner: Codable, Hashable {
  var name: String
  @Deferred var entries: Set<LateEntry>

  init(_ name: String) {
    self.name = name
    entries = []
  }

  static func == (left: LateEntryOwner, right: LateEntryOwner) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private struct LateSet: Codable {
  @Deferred var entries: Set<Entry>
}

private struct StrictEntry: Codable, Hashable {
  @Deferred var owner: EntryOwner
}

private struct EntryPair: Codable {
  var first: EntryOwner
  var second: Set<StrictEntry>
}

private final class EarlyLog: @unchecked Sendable {
  var answers: [Bool] = []
  var kept: Reader?
}

private struct Compared: Codable {
  @Deferred var left: EntryOwner?
  @Deferred var right: EntryOwner?
  private(set) var wasEqual: Bool?
  private enum CodingKeys: CodingKey { case left, right }

  init(left: EntryOwner?, right: EntryOwner?) {
    self.left = left
    self.right = right
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _left = try container.decode(Deferred<EntryOwner?>.self, forKey: .left)
    _right = try container.decode(Deferred<EntryOwner?>.self, forKey: .right)
    wasEqual = _left == _right
    (decoder.userInfo[.named("log")] as? EarlyLog)?.answers = [_left == _left, _left == _right]
  }
}

private final class Reader: Codable {
  @Deferred var value: EntryOwner?
  private enum CodingKeys: CodingKey { case value }

  init(value: EntryOwner?) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    _value = try decoder.container(keyedBy: CodingKeys.self).decode(
      Deferred<EntryOwner?>.self,
      forKey: .value
    )
    let log = decoder.userInfo[.named("log")] as? EarlyLog
    log?.answers.append(value == nil)
    log?.kept = self
  }
}
