import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// What a reader rejects in values (Format §10, rules 19 to 29) when it decodes them as a type: each fault alone, in a
/// body that nothing read before, with the offset of the error.
@Suite struct ValueFaults {
  /// The offset of the value: behind the header and the class number 0.
  private static let start = 17

  private static let largest = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
  private static let many: [[UInt8]] = [largest, [0xFF, 0xFF, 0x7F], [0x80, 0x80, 0x04]]

  private static func archive(
    _ value: [UInt8],
    _ more: [[UInt8]] = [],
    strings: [[UInt8]] = []
  ) -> Data {
    HandmadeArchive.data(
      bodies: [[0] + value] + more,
      topLevel: [0, 0x1C, 1, 0x24] + Array("root".utf8) + [0x48, 1],
      strings: strings
    )
  }

  private func error<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> ArchiveError {
    let thrown = try #require(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(type, from: data)
    }
    switch thrown {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      return try #require(context.underlyingError as? ArchiveError)
    @unknown default: throw thrown
    }
  }

  private func expect<Value: Decodable>(
    _ value: [UInt8],
    as type: Value.Type,
    _ code: ArchiveError.Code = .damaged,
    at place: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try error(type, Self.archive(value))
    #expect(found.code == code, "\(type): \(found)", sourceLocation: sourceLocation)
    #expect(found.byteOffset == Self.start + place, "\(type): \(found)", sourceLocation: sourceLocation)
  }

  private struct Keys: Decodable {
    enum CodingKeys: String, CodingKey { case a }
    let a: Int
  }

  private struct List: Decodable {
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while !list.isAtEnd { _ = try list.decode(Int.self) }
    }
  }

  private final class Thing: Decodable {
    let a: Int
  }

  @Test("a text or bytes with a length beyond the end are damage", arguments: many)
  func longRuns(count: [UInt8]) throws {
    try expect([0x18] + count, as: String.self, at: 1 + count.count)
    try expect([0x19] + count, as: Data.self, at: 1 + count.count)
    try expect([0x19] + count, as: [UInt8].self, at: 1 + count.count)
    try expect([0x51, 0x18] + count, as: [String].self, at: 2 + count.count)
    for key in [[0x18] + count, [0x18] + count + [0x95]] {
      try expect([0x1C, 1] + key, as: Keys.self, at: 3 + count.count)
      try expect([0x1C, 1] + key, as: [String: Int].self, at: 3 + count.count)
    }
  }

  @Test("a collection with more parts than bytes is damage", arguments: many)
  func manyParts(count: [UInt8]) throws {
    let elements = [UInt8](repeating: 0x95, count: 8)
    try expect([0x1A] + count + elements, as: [Int].self, at: 1 + count.count)
    try expect([0x1A] + count + elements, as: [String].self, at: 1 + count.count)
    try expect([0x1A] + count + elements, as: Set<Int>.self, at: 1 + count.count)
    try expect([0x1A] + count + elements, as: [[Int]].self, at: 1 + count.count)
    try expect([0x1A] + count + elements, as: List.self, at: 1 + count.count)
    try expect([0x1C] + count + elements, as: [String: Int].self, at: 1 + count.count)
    try expect([0x1C] + count + elements, as: [Int: Int].self, at: 1 + count.count)
    try expect([0x1C] + count + elements, as: Keys.self, at: 1 + count.count)
    for element in [1, 2, 3, 4, 5] as [UInt8] {
      for type in [[Int].self, [UInt8].self, [Double].self, [Float].self, [Bool].self] as [any Decodable.Type]
      {
        #expect(try self.error(type, Self.archive([0x1B, element] + count)).code == .damaged)
      }
    }
  }

  @Test("unknown element types and widths of packed arrays are damage")
  func packed() throws {
    for element in [0, 6, 255] as [UInt8] {
      try expect([0x1B, element, 1, 1, 5], as: [Int].self, at: 1)
      try expect([0x1B, element, 1, 1, 5], as: List.self, at: 1)
    }
    for width in [9, 255] as [UInt8] {
      try expect([0x1B, 2, 1, width, 5], as: [Int].self, at: 3)
      try expect([0x1B, 2, 1, width, 5], as: [Int8].self, at: 3)
      try expect([0x1B, 2, 1, width, 5], as: [Double].self, at: 3)
      try expect([0x1B, 3, 1, width, 5], as: [UInt16].self, at: 3)
      try expect([0x1B, 3, 1, width, 5], as: List.self, at: 3)
    }
    // Mixed blocks: without widths, without a number, and with the width of a number that does not exist.
    for type in [[Int].self, [Int8].self, [Double].self, [UInt16].self, List.self] as [any Decodable.Type] {
      try expect([0x1B, 2, 1, 0], as: type, at: 4)
      try expect([0x1B, 2, 1, 0, 0], as: type, at: 5)
      try expect([0x1B, 2, 5, 0, 0xFF, 3] + [UInt8](repeating: 0, count: 39), as: type, at: 45)
      try expect([0x1B, 2, 1, 0, 0x04, 5], as: type, at: 4)
    }
  }

  @Test(
    "a reserved tag is damage when read as a number or skipped, and a type mismatch as a container",
    arguments: [0x00, 0x1F, 0x70, 0x7F] as [UInt8]
  )
  func reserved(tag: UInt8) throws {
    try expect([tag], as: Int.self, at: 0)
    try expect([tag], as: Keys.self, .typeMismatch, at: 0)
    try expect([0x1C, 2, 0x21, 0x62, tag, 0x21, 0x61, 0x95], as: Keys.self, at: 4)
    let data = Self.archive([tag])
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveImage(data: data, verification: .everything).verifyStructure()
    }
    #expect(error?.code == .damaged && error?.byteOffset == Self.start)
  }

  @Test("a map key that is neither text nor number, or not UTF-8, is damage")
  func mapKeys() throws {
    for key in [[0x07, 0, 0, 0, 0, 0, 0, 0, 0], [0x10, 0, 0, 0, 0, 0, 0, 0, 0], [0x02], [0x01]] as [[UInt8]] {
      try expect([0x1C, 1] + key + [0x95], as: Keys.self, at: 2)
      try expect([0x1C, 1] + key + [0x95], as: [String: Int].self, at: 2)
      try expect([0x1C, 1] + key + [0x95], as: [Int: Int].self, at: 2)
    }
    try expect([0x1C, 1, 0x21, 0xFF, 0x95], as: [String: Int].self, at: 3)
    // The search for another key reads all keys.
    try expect([0x1C, 2, 0x21, 0xFF, 0x95, 0x21, 0x61, 0x95], as: Keys.self, at: 3)
    // The number of a string that does not exist.
    try expect([0x1C, 1, 0x44, 3, 0x95], as: Keys.self, at: 2)
    try expect([0x1C, 1, 0x44, 3, 0x95], as: [String: Int].self, at: 2)
    try expect([0x44, 3], as: String.self, at: 0)
    try expect([0x21, 0xFF], as: String.self, at: 1)
  }

  @Test("a duplicate key is damage where the whole map is read")
  func keyTwice() throws {
    let twice: [UInt8] = [0x1C, 3, 0x21, 0x62, 0x95, 0x21, 0x62, 0x95, 0x21, 0x61, 0x95]
    try expect(twice, as: Keys.self, at: 5)
    try expect(twice, as: [String: Int].self, at: 5)
    try expect([0x1C, 2, 0x95, 0x90, 0x08, 0x05, 0x90], as: [Int: Int].self, at: 4)
  }

  @Test("a decimal with an exponent beyond -128 to 127 or a negative mantissa is damage")
  func decimals() throws {
    let found = try KeyedUnarchiver.unarchive(Decimal.self, from: Self.archive([0x16, 0x8F, 0x95]))
    #expect(found == Decimal(string: "-0.5"))
    let largest = [0x12] + [UInt8](repeating: 0xFF, count: 16)
    for exponent in [[0x09, 0x80, 0x00], [0x09, 0x7F, 0xFF], [0x21, 0x61], [0x01], largest] as [[UInt8]] {
      try expect([0x15] + exponent + [0x95], as: Decimal.self, at: 0)
    }
    for mantissa in [[0x80], [0x21, 0x61], [0x02], [0x08, 0x80]] as [[UInt8]] {
      try expect([0x15, 0x90] + mantissa, as: Decimal.self, at: 0)
      let data = Self.archive([0x15, 0x90] + mantissa)
      #expect(throws: ArchiveError.self) {
        try ArchiveImage(data: data, verification: .everything).verifyStructure()
      }
    }
  }

  @Test("an object ends with its body")
  func objectEnd() throws {
    let content: [UInt8] = [0x1C, 1, 0x21, 0x61, 0x95]
    func archive(_ object: [UInt8]) -> Data {
      HandmadeArchive.data(
        bodies: [[1] + object],
        topLevel: [0, 0x1C, 1, 0x24] + Array("root".utf8) + [0x40, 1]
      )
    }
    #expect(try KeyedUnarchiver.unarchive(Thing.self, from: archive(content)).a == 5)
    let longer = try error(Thing.self, archive(content + [0x95]))
    #expect(longer.code == .damaged && longer.byteOffset == Self.start + content.count)
    // The value of the last key would be behind the body.
    let shorter = try error(Thing.self, archive([0x1C, 2] + content.dropFirst(2) + [0x21, 0x62]))
    #expect(shorter.code == .damaged)
  }

  @Test("a reference to an object must lead to an object, whatever type is requested")
  func references() throws {
    let toValue = HandmadeArchive.data(
      bodies: [[0, 0x1C, 1, 0x21, 0x61, 0x95]],
      topLevel: [0, 0x1C, 1, 0x24] + Array("root".utf8) + [0x40, 1]
    )
    for type in [Thing.self, Keys.self, [String: Int].self, WeakReference<Thing>.self] as [any Decodable.Type]
    {
      let found = try error(type, toValue)
      #expect(found.code == .damaged, "\(type): \(found)")
    }
    let toObject = HandmadeArchive.data(
      bodies: [[1, 0x1C, 1, 0x21, 0x61, 0x95]],
      topLevel: [0, 0x1C, 1, 0x24] + Array("root".utf8) + [0x48, 1]
    )
    for type in [Thing.self, Keys.self, [String: Int].self, Int.self] as [any Decodable.Type] {
      #expect(try error(type, toObject).code == .damaged, "\(type)")
    }
    // Below the top level, a reference to a value is not allowed.
    let deeper = HandmadeArchive.data(
      bodies: [[0, 0x95]],
      topLevel: [0, 0x1C, 1, 0x24] + Array("root".utf8) + [0x1C, 1, 0x21, 0x61, 0x48, 1]
    )
    #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive(Keys.self, from: deeper) }
  }

  @Test("a value that is no reference is a type mismatch where a reference is expected")
  func noReference() throws {
    for value in [[0x95], [0x21, 0x61], [0x1C, 0], [0x09, 1, 0]] as [[UInt8]] {
      try expect(value, as: WeakReference<Thing>.self, .typeMismatch, at: 0)
      try expect([0x51] + value, as: [WeakReference<Thing>].self, .typeMismatch, at: 1)
    }
    try expect([0x01], as: Thing.self, .typeMismatch, at: 0)
  }

  private final class Link: Decodable {
    @Deferred var next: Link?
  }

  @Test("thousands of nested deferred values are read", arguments: [2_000, 12_000])
  func deferredInDeferred(levels: Int) throws {
    let chain = Bytes.repeating([0x1C, 1, 0x24] + Array("next".utf8), count: levels) + [0x01]
    var link = try KeyedUnarchiver.unarchive(Link.self, from: Self.archive(chain)).next
    var count = 1
    while let next = link {
      count += 1
      // So that they are released one by one.
      link = next.next
      next.next = nil
    }
    #expect(count == levels)
  }

  @Test("a top-level value ends with its body")
  func valueEnd() throws {
    // Texts, bytes and numbers that continue in the top level.
    try expect([0x25, 0x61], as: String.self, at: 2)
    try expect([0x18, 5, 0x61], as: String.self, at: 3)
    try expect([0x51, 0x25, 0x61], as: [String].self, at: 3)
    try expect([0x19, 5, 1], as: Data.self, at: 3)
    try expect([0x0F, 1], as: Int.self, at: 2)
    try expect([0x1C, 1, 0x21, 0x61, 0x0F, 1], as: Keys.self, at: 6)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: Self.archive([0x1C, 1, 0x21, 0x61, 0x0F, 1]))
    let container = try unarchiver.container(keyedBy: AnyKey.self)
    let nested = try failure { try container.nestedContainer(keyedBy: AnyKey.self, forKey: "root") }
    #expect(nested.code == .damaged && nested.path == "root")
    let data = HandmadeArchive.data(
      bodies: [[0, 0x1C, 1, 0x21, 0x61, 0x0F, 1]],
      topLevel: [0, 0x1C, 1, 0x25] + Array("super".utf8) + [0x48, 1]
    )
    let above = try KeyedUnarchiver(forReadingFrom: data).container(keyedBy: AnyKey.self)
    #expect(try failure { try above.superDecoder() }.code == .damaged)
    // Nor does it end earlier.
    try expect([0x95, 0x95], as: Int.self, at: 1)
    #expect(try KeyedUnarchiver.unarchive(String.self, from: Self.archive([0x21, 0x61])) == "a")
  }

  @Test("an object that is read as a value ends with its body")
  func objectAsValue() throws {
    func archive(_ object: [UInt8]) -> Data {
      HandmadeArchive.data(
        bodies: [[1] + object],
        topLevel: [0, 0x1C, 1, 0x24] + Array("root".utf8) + [0x40, 1]
      )
    }
    let whole: [UInt8] = [0x1C, 1, 0x21, 0x61, 0x95]
    #expect(try KeyedUnarchiver.unarchive(Keys.self, from: archive(whole)).a == 5)
    for (object, place) in [(whole + [0x95], 5), ([0x1C, 1, 0x21, 0x61, 0x0F, 1], 13)] as [([UInt8], Int)] {
      let found = try error(Keys.self, archive(object))
      #expect(found.code == .damaged && found.byteOffset == Self.start + place, "\(found)")
    }
    let found = try error(List.self, archive([0x51, 0x95, 0x95]))
    #expect(found.code == .damaged && found.byteOffset == Self.start + 2, "\(found)")
  }
}
