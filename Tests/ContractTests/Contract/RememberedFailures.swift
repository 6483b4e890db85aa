import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// An error in a call that cannot throw is thrown by the outermost call, and never reads as "missing".
@Suite struct RememberedFailures {
  /// A map whose second key is not UTF-8.
  private static let invalidKey = HandmadeArchive.data(
    topLevel: CraftedArchive.root(
      [Tag.map, 3, 0x21, 0x61, Tag.true, 0x22, 0xFF, 0xFE, Tag.true, 0x21, 0x63, Tag.true]
    )
  )

  private static func keyed(_ count: Int) throws -> Data {
    try ArchiveEncoder().encode(
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
    )
  }

  @Test("contains and allKeys of a damaged container make the outermost decode throw")
  func invalidKeys() throws {
    let contains = try failure { try readKeyed(Self.invalidKey) { $0.contains("c") } }
    #expect(contains.kind == .dataCorrupted && contains.code == .damaged)
    let allKeys = try failure { try readKeyed(Self.invalidKey) { $0.allKeys.count } }
    #expect(allKeys.kind == .dataCorrupted && allKeys.code == .damaged)
    // Values that do not need the damaged key can be read.
    #expect(try readKeyed(Self.invalidKey) { try $0.decode(Bool.self, forKey: "a") })
  }

  @Test("containsValue of a damaged top level makes the unarchiver's next call throw")
  func topLevel() throws {
    for body in [[0, Tag.map, 9, 0x21, 0x61, Tag.true], [0, Tag.shortRecord + 3]] as [[UInt8]] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: HandmadeArchive.data(topLevel: body))
      #expect(unarchiver.error == nil)
      #expect(!unarchiver.containsValue(forKey: "b") && unarchiver.allKeys.isEmpty)
      #expect(unarchiver.error is DecodingError)
      let found = try failure { try unarchiver.decodeIfPresent(Int.self, forKey: "b") }
      #expect(found.kind == .dataCorrupted && found.code == .damaged)
    }
  }

  /// A map with a repeated key, one with a count that is too large, and one whose last key is cut short.
  private static let mapsWithWrongKeys: [[UInt8]] = [
    [Tag.map, 3, 0x21, 0x61, Tag.true, 0x21, 0x61, Tag.false, 0x21, 0x63, Tag.true],
    [Tag.map, 9, 0x21, 0x61, Tag.true, 0x21, 0x63, Tag.true],
    [Tag.map, 3, 0x21, 0x61, Tag.true, 0x21, 0x63, Tag.true, 0x28, 0x64],
  ]

  @Test(
    "allKeys of a map with a repeated key, or cut short, makes the outermost decode throw",
    arguments: mapsWithWrongKeys
  )
  func wrongKeys(map: [UInt8]) throws {
    let data = HandmadeArchive.data(topLevel: CraftedArchive.root(map))
    let allKeys = try failure { try readKeyed(data) { $0.allKeys.map(\.stringValue) } }
    #expect(allKeys.kind == .dataCorrupted && allKeys.code == .damaged)
    let nested = try failure {
      try read(data) { decoder in
        let keys = (try? decoder.container(keyedBy: AnyKey.self))?.allKeys.count ?? 0
        throw Refusal(reason: "there are \(keys)")
      }
    }
    #expect(nested.code == .damaged)
  }

  @Test("the remembered error is thrown although initializers catch errors, and instead of theirs")
  func caught() throws {
    struct Forgiving: Decodable {
      var inner: Inner?
      init(from decoder: any Decoder) throws {
        inner = try? decoder.singleValueContainer().decode(Inner.self)
      }
    }
    struct Inner: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        if !container.contains("c") { throw Refusal(reason: "c is missing") }
      }
    }
    #expect(
      try failure { try ArchiveDecoder().decode(Forgiving.self, from: Self.invalidKey) }.code == .damaged
    )
    #expect(try failure { try ArchiveDecoder().decode(Inner.self, from: Self.invalidKey) }.code == .damaged)
  }

  @Test("decodeNil of damaged data makes the outermost decode throw")
  func singleValue() throws {
    // A conditional reference without an entry.
    let data = HandmadeArchive.data(topLevel: CraftedArchive.root([0x51, Tag.conditionalReference, 7]))
    let found = try failure {
      try readUnkeyed(data) { try $0.superDecoder().singleValueContainer().decodeNil() }
    }
    #expect(found.code == .damaged)
  }

  @Test("allKeys beyond the memory limit makes the outermost decode, or the next one, throw")
  func tooManyKeys() throws {
    var decoder = ArchiveDecoder()
    decoder.limits.maximumAllocation = 2_000
    struct Keys: Decodable {
      init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: AnyKey.self).allKeys }
    }
    let data = try Self.keyed(100)
    #expect(try failure { try decoder.decode(Keys.self, from: data) }.code == .limitExceeded)

    var limits = ArchiveLimits()
    limits.maximumAllocation = 2_000
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    let container = try unarchiver.container(keyedBy: AnyKey.self)
      .nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(KeyedArchiver.rootKey))
    #expect(container.allKeys.isEmpty && unarchiver.error != nil)
    #expect(try failure { try unarchiver.decode([String: Int].self, forKey: "root") }.code == .limitExceeded)
  }

  @Test("allKeys charges its memory once, however often it is called")
  func askedAgainAndAgain() throws {
    struct Keys: Decodable {
      var keys: Set<String> = []
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for index in 0..<300 { keys.insert(container.allKeys[index].stringValue) }
      }
    }
    var decoder = ArchiveDecoder()
    decoder.limits.maximumAllocation = 40_000
    #expect(try decoder.decode(Keys.self, from: Self.keyed(300)).keys.count == 300)
  }

  /// Two values, the second in its own blocks, one of which is damaged.
  private func damagedArchive() throws -> Data {
    let archiver = KeyedArchiver()
    try archiver.encode("small", forKey: "good")
    try archiver.encode(String(repeating: "x", count: 300_000), forKey: "bad")
    var data = try archiver.encodedData
    data[150_000] ^= 1
    return data
  }

  @Test("containsValue of a damaged block makes the next call throw, once")
  func damagedBlock() throws {
    let calls: [(KeyedUnarchiver) throws -> Void] = [
      { _ = try $0.decode(String.self, forKey: "good") },
      { _ = try $0.decodeIfPresent(String.self, forKey: "good") },
      { _ = try $0.decodeIfPresent(String.self, forKey: "none") },
      { _ = try $0.container(keyedBy: AnyKey.self) },
      { _ = try $0.unkeyedContainer() },
      { _ = try $0.singleValueContainer() },
    ]
    for call in calls {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: damagedArchive())
      #expect(!unarchiver.containsValue(forKey: "bad") && unarchiver.containsValue(forKey: "good"))
      #expect(unarchiver.allKeys == ["good", "bad"])
      #expect(unarchiver.error.flatMap { Failure($0) }?.code == .damaged)
      #expect(try failure { try call(unarchiver) }.code == .damaged)
      #expect(unarchiver.error == nil)
      #expect(try unarchiver.decode(String.self, forKey: "good") == "small")
      #expect(try failure { try unarchiver.decode(String.self, forKey: "bad") }.code == .damaged)
    }
  }

  @Test("error remains after finishDecoding, and an archive without keys has none")
  func withoutAnotherCall() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: damagedArchive())
    #expect(!unarchiver.containsValue(forKey: "bad"))
    unarchiver.finishDecoding()
    #expect(unarchiver.error.flatMap { Failure($0) }?.code == .damaged)

    let archiver = KeyedArchiver()
    try [1, 2].encode(to: archiver)
    let list = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(!list.containsValue(forKey: "a") && list.allKeys.isEmpty && list.error == nil)
    #expect(try [Int](from: list) == [1, 2])
  }

  @Test("a kept container remembers its failure in the unarchiver")
  func keptContainer() throws {
    final class Keeper: Decodable {
      let container: KeyedDecodingContainer<AnyKey>
      init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: AnyKey.self) }
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: Self.invalidKey)
    let kept = try unarchiver.decode(Keeper.self, forKey: KeyedArchiver.rootKey)
    #expect(!kept.container.contains("c") && unarchiver.error != nil)
    #expect(
      try failure { try unarchiver.decode(Keeper.self, forKey: KeyedArchiver.rootKey) }.code == .damaged
    )
  }
}
