import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// `ArchiveLimits` holds for each kind of cost, and ordinary archives stay below the defaults.
@Suite struct Limits {
  private func code<Value: Decodable>(
    _ type: Value.Type,
    _ data: Data,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout ArchiveLimits) -> Void
  ) throws -> ArchiveError.Code? {
    var limits = ArchiveLimits()
    change(&limits)
    return try failure(sourceLocation: sourceLocation) {
      try KeyedUnarchiver.unarchive(type, from: data, limits: limits)
    }.code
  }

  private func accepts<Value: Decodable>(
    _ type: Value.Type,
    _ data: Data,
    _ change: (inout ArchiveLimits) -> Void
  ) throws -> Bool {
    var limits = ArchiveLimits()
    change(&limits)
    _ = try KeyedUnarchiver.unarchive(type, from: data, limits: limits)
    return true
  }

  // MARK: Each limit

  @Test("the limit of string length applies to values, shared strings and keys, but not to short ones")
  func strings() throws {
    let text = String(repeating: "x", count: 40)
    let archives: [(any Decodable.Type, Data)] = [
      (String.self, try KeyedArchiver.archivedData(withRootObject: text)),
      ([String].self, try KeyedArchiver.archivedData(withRootObject: [text, text, text])),
      ([String: Int].self, try KeyedArchiver.archivedData(withRootObject: [text: 1])),
    ]
    for (type, data) in archives {
      #expect(try code(type, data) { $0.maximumStringByteCount = 39 } == .limitExceeded)
      #expect(try accepts(type, data) { $0.maximumStringByteCount = 40 })
    }
    let shared = HandmadeArchive.data(
      topLevel: CraftedArchive.root([Tag.stringReference, 0]),
      strings: [Array(text.utf8)]
    )
    #expect(try code(String.self, shared) { $0.maximumStringByteCount = 39 } == .limitExceeded)
    #expect(try accepts(String.self, shared) { $0.maximumStringByteCount = 40 })
    let short = try KeyedArchiver.archivedData(withRootObject: String(repeating: "x", count: 31))
    #expect(try accepts(String.self, short) { $0.maximumStringByteCount = 0 })
  }

  @Test("the limit of elements applies to arrays of any kind, sets, dictionaries and data")
  func elements() throws {
    let archives: [(any Decodable.Type, Data)] = [
      ([Int].self, try KeyedArchiver.archivedData(withRootObject: Array(1...20))),
      ([Int?].self, try KeyedArchiver.archivedData(withRootObject: [Int?](repeating: nil, count: 20))),
      ([String].self, try KeyedArchiver.archivedData(withRootObject: (1...20).map { "\($0)" })),
      ([Bool].self, try KeyedArchiver.archivedData(withRootObject: Array(repeating: true, count: 20))),
      ([Double].self, try KeyedArchiver.archivedData(withRootObject: Array(repeating: 0.5, count: 20))),
      ([UInt8].self, try KeyedArchiver.archivedData(withRootObject: [UInt8](1...20))),
      (Set<String>.self, try KeyedArchiver.archivedData(withRootObject: Set((1...20).map { "\($0)" }))),
      (
        [Int: Int].self,
        try KeyedArchiver.archivedData(
          withRootObject: Dictionary(uniqueKeysWithValues: (1...20).map { ($0, 1) })
        )
      ),
      (Data.self, try KeyedArchiver.archivedData(withRootObject: Data(count: 20))),
      (
        ContiguousArray<String>.self, try KeyedArchiver.archivedData(withRootObject: (1...20).map { "\($0)" })
      ),
    ]
    for (type, data) in archives {
      #expect(try code(type, data) { $0.maximumElementCount = 19 } == .limitExceeded, "\(type)")
      #expect(try accepts(type, data) { $0.maximumElementCount = 20 })
    }
  }

  private final class Item: Codable {
    var next: Item?
  }

  @Test("the limit of objects counts each object once")
  func objects() throws {
    let items = (0..<5).map { _ in Item() }
    let data = try KeyedArchiver.archivedData(withRootObject: items + items + items)
    #expect(try code([Item].self, data) { $0.maximumObjectCount = 4 } == .limitExceeded)
    #expect(try accepts([Item].self, data) { $0.maximumObjectCount = 5 })
  }

  /// Requests itself again at the same offset, until that is refused.
  private struct Loop: Decodable {
    final class Depth: @unchecked Sendable {
      static let key = CodingUserInfoKey(rawValue: "depth")
      var reached = 0
    }

    init(from decoder: any Decoder) throws {
      let depth = Depth.key.flatMap { decoder.userInfo[$0] as? Depth }
      depth?.reached += 1
      // Far above each limit, so that a missing limit fails the test.
      guard depth.map({ $0.reached < 5_000 }) ?? false else { return }
      _ = try decoder.singleValueContainer().decode(Loop.self)
    }
  }

  @Test(
    "the limits of depth apply to all values and to one object, even if no bytes are nested",
    arguments: [true, false]
  )
  func depth(isOfAll: Bool) throws {
    let depth = Loop.Depth()
    let key = try #require(Loop.Depth.key)
    var limits = ArchiveLimits()
    if isOfAll { limits.maximumDepth = 2_000 } else { limits.maximumValueDepth = 2_000 }
    let data = try KeyedArchiver.archivedData(withRootObject: 1)
    let found = try failure {
      try KeyedUnarchiver.unarchive(Loop.self, from: data, limits: limits, userInfo: [key: depth])
    }
    #expect(found.code == .limitExceeded)
    #expect((1_990...2_010).contains(depth.reached))
  }

  @Test("the limit of depth applies to a number in an array, which has no offset")
  func depthOfNumber() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [1, 2, 3])
    #expect(try failure { try KeyedUnarchiver.unarchive([Endless].self, from: data) }.code == .limitExceeded)
    let missing = try writeKeyed { try $0.encode(1, forKey: "a") }
    let found = try failure {
      try readKeyed(missing) { try $0.superDecoder().singleValueContainer().decode(Endless.self) }
    }
    #expect(found.code == .limitExceeded)
  }

  private struct Endless: Decodable {
    init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Endless.self) }
  }

  /// An object that consists of its data.
  private final class Blob: Decodable {
    let data: Data

    init(from decoder: any Decoder) throws {
      data = try decoder.singleValueContainer().decode(Data.self)
    }
  }

  @Test("many overlapping bodies exceed a limit, even if the offsets that are read are in order")
  func overlappingBodies() throws {
    let groupCount = 300
    let large = [1, Tag.bytes] + Bytes.varint(200_000) + [UInt8](repeating: 7, count: 200_000)
    let firsts = (0..<groupCount / 2).map { $0 * 128 + 1 }
    func archive(_ references: [Int]) -> Data {
      HandmadeArchive.data(
        bodies: [large] + Array(repeating: [1, 0x50], count: groupCount * 64 - 1),
        topLevel: CraftedArchive.root(CraftedArchive.array(references.map(CraftedArchive.reference))),
        moving: { places in
          // Every second group has the offsets of the first one; the ones between lead on, and are not read.
          let end = places[63].upperBound
          for first in firsts.dropFirst() {
            for index in 0..<64 { places[first - 1 + index] = places[index] }
          }
          for first in firsts { places[first + 63] = end..<(end + 2) }
        }
      )
    }
    // One-line functions read all offsets, an unarchiver only the requested ones.
    func blobs(_ data: Data) throws -> [Blob] {
      try KeyedUnarchiver(forReadingFrom: data).decode([Blob].self, forKey: "root")
    }
    // 30 MB are read from 400 KB.
    let refused = try failure { try blobs(archive(firsts)) }
    #expect(refused.code == .limitExceeded)
    let few = archive(Array(firsts.prefix(10)))
    #expect(try blobs(few).map(\.data.count) == Array(repeating: 200_000, count: 10))
    #expect(try failure { try KeyedUnarchiver.unarchive([Blob].self, from: few) }.code == .damaged)
  }

  @Test("a long shared text that is hashed at each reference exceeds a limit")
  func sharedTexts() throws {
    let text = String(repeating: "x", count: 20_000)
    func code(_ count: Int, _ read: (Data) throws -> Void, _ value: some Encodable) throws -> ArchiveError
      .Code?
    {
      let data = try KeyedArchiver.archivedData(withRootObject: Array(repeating: value, count: count))
      #expect(data.count < 3 * text.utf8.count, "the text is not shared")
      if count < 100 {
        try read(data)
        return nil
      }
      return try failure { try read(data) }.code
    }
    // 200 times 20,000 bytes from an archive of about that size.
    for (count, expected) in [(20, nil), (200, .limitExceeded)] as [(Int, ArchiveError.Code?)] {
      let sets = try code(count, { _ = try KeyedUnarchiver.unarchive([Set<String>].self, from: $0) }, [text])
      let keys = try code(
        count,
        { _ = try KeyedUnarchiver.unarchive([[String: Int]].self, from: $0) },
        [text: 1]
      )
      #expect([sets, keys] == [expected, expected])
    }
  }

  @Test("the limit of bytes applies to the archive")
  func bytes() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [1, 2, 3])
    #expect(try code([Int].self, data) { $0.maximumByteCount = data.count - 1 } == .limitExceeded)
    #expect(try accepts([Int].self, data) { $0.maximumByteCount = data.count })
  }

  @Test("the limit of memory counts elements of arrays, instances of objects, and hash tables")
  func allocation() throws {
    let rows = [[Int]](repeating: Array(1...1_000), count: 10)
    let numbers = try KeyedArchiver.archivedData(withRootObject: rows)
    #expect(try code([[Int]].self, numbers) { $0.maximumAllocation = 79_000 } == .limitExceeded)
    #expect(try accepts([[Int]].self, numbers) { $0.maximumAllocation = 90_000 })
    let items = try KeyedArchiver.archivedData(withRootObject: (0..<1_000).map { _ in Item() })
    #expect(try code([Item].self, items) { $0.maximumAllocation = 30_000 } == .limitExceeded)
    #expect(try accepts([Item].self, items) { $0.maximumAllocation = 200_000 })
    // Each array has its own memory.
    let nested = try KeyedArchiver.archivedData(withRootObject: [[[Int]]](repeating: [[1]], count: 1_000))
    #expect(try code([[[Int]]].self, nested) { $0.maximumAllocation = 80_000 } == .limitExceeded)
    #expect(try accepts([[[Int]]].self, nested) { $0.maximumAllocation = 150_000 })
    // Hash tables have more buckets than elements.
    let set = try KeyedArchiver.archivedData(withRootObject: Set((1...1_000).map(String.init)))
    #expect(try code(Set<String>.self, set) { $0.maximumAllocation = 30_000 } == .limitExceeded)
    #expect(try accepts(Set<String>.self, set) { $0.maximumAllocation = 60_000 })
    let pairs = Dictionary(uniqueKeysWithValues: (1...1_000).map { (Double($0), "\($0)") })
    let map = try KeyedArchiver.archivedData(withRootObject: pairs)
    #expect(try code([Double: String].self, map) { $0.maximumAllocation = 45_000 } == .limitExceeded)
    #expect(try accepts([Double: String].self, map) { $0.maximumAllocation = 100_000 })
  }

  @Test("the limit of memory counts the texts of URLs, also shared ones")
  func urls() throws {
    let url = try #require(URL(string: "https://example.com/" + String(repeating: "x", count: 2_000)))
    let data = try KeyedArchiver.archivedData(withRootObject: [URL](repeating: url, count: 100))
    #expect(data.count < 10_000)
    #expect(try code([URL].self, data) { $0.maximumAllocation = 150_000 } == .limitExceeded)
    #expect(try accepts([URL].self, data) { $0.maximumAllocation = 400_000 })
    let short = try KeyedArchiver.archivedData(withRootObject: [String](repeating: "a", count: 1_000))
    #expect(try code([URL].self, short) { $0.maximumAllocation = 200_000 } == .limitExceeded)
  }

  @Test("the limit of memory counts large values behind a protocol by their size")
  func boxes() throws {
    typealias Boxes = [Polymorphic<any Boxable>]
    let data = try KeyedArchiver.archivedData(withRootObject: Boxes(repeating: .init(Boxed()), count: 100))
    #expect(try code(Boxes.self, data) { $0.maximumAllocation = 20_000 } == .limitExceeded)
    #expect(try accepts(Boxes.self, data) { $0.maximumAllocation = 40_000 })
  }

  /// Large values, each under a key.
  private struct Shelf: Codable {
    static let keys = (0..<100).map { AnyKey("\($0)") }

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      for key in Shelf.keys { try container.encode(Boxed(), forKey: key) }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      for key in Shelf.keys { _ = try container.decode(Boxed.self, forKey: key) }
    }
  }

  @Test("the limit of memory counts large values that an initializer requests")
  func requested() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Shelf())
    let size = MemoryLayout<Boxed>.stride
    var limits = ArchiveLimits()
    limits.maximumAllocation = 50 * size
    let found = try failure { try KeyedUnarchiver.unarchive(Shelf.self, from: data, limits: limits) }
    #expect(found.code == .limitExceeded && found.path == "50", "\(found)")
    #expect(try accepts(Shelf.self, data) { $0.maximumAllocation = 100 * size })
  }

  private protocol Boxable: Codable {}
  private struct Boxed: Boxable, ArchivableClass {
    static var archivedClassName: String { "Limits.Boxed" }
    var fields: InlineOptionals?
  }

  // MARK: The defaults

  /// Takes much more memory than bytes of an archive.
  private struct Sparse: Codable {
    var fields: InlineOptionals?
    var name = "a"
  }

  private struct InlineOptionals: Codable {
    var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p: String?
  }

  @Test("a hundred thousand structures that are nearly all nil are read by default")
  func sparse() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Array(repeating: Sparse(), count: 100_000))
    #expect(data.count < 1_000_000)
    #expect(try KeyedUnarchiver.unarchive([Sparse].self, from: data).count == 100_000)
  }

  @Test("the default limit of memory allows 100,000 large structures that are nil, and refuses a million")
  func defaultAllocation() throws {
    let family = try #require(HostileFamily.all.first { $0.name == "nil instead of large structures" })
    try family.read(family.archive(byteCount: 100_000))
    // 512 bytes for each.
    let large = family.archive(byteCount: 1_000_000)
    #expect(try failure { try family.read(large) }.code == .limitExceeded)
  }

  @Test("the same key can be read repeatedly, while other keys add up")
  func repeatedly() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Array(1...1_000), forKey: "a")
    try archiver.encode(Array(1...1_000), forKey: "b")
    var limits = ArchiveLimits()
    limits.maximumAllocation = 12_000
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData, limits: limits)
    for _ in 0..<100 { #expect(try unarchiver.decode([Int].self, forKey: "a").count == 1_000) }
    #expect(try failure { try unarchiver.decode([Int].self, forKey: "b") }.code == .limitExceeded)
    // The failed read released its memory.
    for _ in 0..<10 { #expect(try unarchiver.decode([Int].self, forKey: "a").count == 1_000) }
  }

  /// Was a class when it was archived.
  private struct ItemValue: Decodable {
    var next: String?
  }

  @Test("a key that fails, or reads objects as values, can be read repeatedly")
  func triedAgain() throws {
    let archiver = KeyedArchiver()
    try archiver.encode((0..<200).map { _ in Item() }, forKey: "items")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for _ in 0..<100 {
      let found = try failure { try unarchiver.decode([String].self, forKey: "items") }
      #expect(found.code == .typeMismatch)
      #expect(try unarchiver.decode([ItemValue].self, forKey: "items").count == 200)
    }
  }

  // MARK: Counts that containers report

  /// Adds up the counts that containers report, and ignores all errors.
  private struct Counter: Decodable {
    final class Sum: @unchecked Sendable {
      static let key = CodingUserInfoKey(rawValue: "sum")
      var told = 0
      var containers = 0
    }

    init(from decoder: any Decoder) throws {
      let sum = Sum.key.flatMap { decoder.userInfo[$0] as? Sum }
      var elements = try decoder.unkeyedContainer()
      sum?.told += elements.count ?? 0
      sum?.containers += 1
      while !elements.isAtEnd, (try? elements.decode(Counter.self)) != nil {}
    }
  }

  @Test("the counts that containers report add up to a small multiple of the archive")
  func toldCounts() throws {
    let levels = 900
    let heads = (0..<levels).map { [Tag.array] + Bytes.varint(400_000 - $0 * 4) }
    let data = HandmadeArchive.data(
      bodies: [[0] + heads.flatMap(\.self) + Bytes.repeating([0x50], count: 400_000)],
      topLevel: [0, Tag.map, 1, 0x24] + Array("root".utf8) + [Tag.valueReference, 1]
    )
    let sum = Counter.Sum()
    let key = try #require(Counter.Sum.key)
    _ = try? KeyedUnarchiver.unarchive(Counter.self, from: data, userInfo: [key: sum])
    // 900 times 400,000 is 360 million.
    #expect(sum.containers >= levels)
    #expect(sum.told < 3 * data.count + 500_000)
  }

  @Test("a container of a valid archive reports its count as often as it is asked")
  func askedOften() throws {
    struct Asker: Decodable {
      init(from decoder: any Decoder) throws {
        var elements = try decoder.unkeyedContainer()
        while elements.currentIndex < (elements.count ?? 0) { _ = try elements.decode(String.self) }
        #expect(elements.currentIndex == 3_000)
      }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: (0..<3_000).map { "\($0)" })
    _ = try KeyedUnarchiver.unarchive(Asker.self, from: data)
  }
}
