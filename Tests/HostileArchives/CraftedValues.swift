internal import Foundation
internal import Keepsake

/// Values that state more than there is, are nested too deep, or have invalid spellings (Format §3, §4).
extension CraftedArchive {
  static let values: [CraftedArchive] = [
    CraftedArchive("an unknown tag", .damaged, as: Int.self, archive(of: [0x7F])),
    CraftedArchive("the tag 0", .damaged, as: Int.self, archive(of: [0])),
    CraftedArchive(
      "an unknown tag in an array",
      .damaged,
      as: CraftedSkipper.self,
      archive(of: [0x52, 0x70, 0x90])
    ),
    CraftedArchive(
      "text that is not UTF-8",
      .damaged,
      as: String.self,
      archive(of: [0x23, 0x61, 0xC3, 0x28])
    ),
    CraftedArchive(
      "a key that is not UTF-8",
      .damaged,
      as: [String: Int].self,
      archive(of: [Tag.map, 1, 0x22, 0xED, 0xA0, 0x90])
    ),
    CraftedArchive(
      "shared text that is not UTF-8",
      .damaged,
      as: String.self,
      HandmadeArchive.data(topLevel: root([Tag.stringReference, 0]), strings: [[0xFF, 0xFE]])
    ),
    CraftedArchive(
      "a string that is not in the table",
      .damaged,
      as: String.self,
      archive(of: [Tag.stringReference, 5])
    ),
    CraftedArchive(
      "a duplicate key in a map",
      .damaged,
      as: [String: Int].self,
      archive(of: [Tag.map, 2, 0x21, 0x61, 0x90, 0x21, 0x61, 0x91])
    ),
    CraftedArchive(
      "a duplicate key in a map, as an integer and as text",
      .damaged,
      as: [Int: Int].self,
      archive(of: [Tag.map, 2, 0x95, 0x90, 0x21, 0x35, 0x91])
    ),
    CraftedArchive(
      "a key that is an array",
      .damaged,
      as: [String: Int].self,
      archive(of: [Tag.map, 1, 0x50, 0x90])
    ),
    CraftedArchive(
      "a shape that does not exist",
      .damaged,
      as: CraftedChain.self,
      archive(of: [Tag.record, 3])
    ),
    CraftedArchive(
      "a decimal whose exponent is a text",
      .damaged,
      as: Decimal.self,
      archive(of: [Tag.decimal, 0x21, 0x61, 0x90])
    ),
    CraftedArchive(
      "a decimal with an exponent of 200",
      .damaged,
      as: Decimal.self,
      archive(of: [Tag.decimal, Tag.integer + 1, 0xC8, 0, 0x91])
    ),
    CraftedArchive(
      "a block of numbers with nine bytes each",
      .damaged,
      as: [Int].self,
      archive(of: [Tag.packedArray, 2, 1, 9] + [UInt8](repeating: 0, count: 9))
    ),
    CraftedArchive(
      "a mixed block without its widths",
      .damaged,
      as: [Int].self,
      archive(of: [Tag.packedArray, 2, 100, 0])
    ),
    CraftedArchive(
      "a mixed block without its last number",
      .damaged,
      as: [Int].self,
      archive(of: [Tag.packedArray, 2, 5, 0, 0xFF, 0x03] + [UInt8](repeating: 0, count: 39))
    ),
    CraftedArchive(
      "a mixed block with more widths than numbers",
      .damaged,
      as: [Int].self,
      archive(of: [Tag.packedArray, 2, 1, 0, 4, 0, 0, 0])
    ),
    CraftedArchive(
      "packed numbers of an unknown type",
      .damaged,
      as: [Int].self,
      archive(of: [Tag.packedArray, 9, 1, 1, 0])
    ),
    CraftedArchive(
      "a number that extends beyond the top level",
      .damaged,
      as: Int.self,
      archive(of: [Tag.integer + 7, 1])
    ),
  ]

  static let numbers: [CraftedArchive] =
    [1 << 31, 1 << 62, Int.max].flatMap { count -> [CraftedArchive] in
      let number = Bytes.varint(count)
      return [
        CraftedArchive("an array of \(count)", .damaged, as: [Int].self, archive(of: [Tag.array] + number)),
        CraftedArchive(
          "a list of \(count)",
          .damaged,
          as: ContiguousArray<Int>.self,
          archive(of: [Tag.array] + number)
        ),
        CraftedArchive(
          "a map of \(count)",
          .damaged,
          as: [String: Int].self,
          archive(of: [Tag.map] + number)
        ),
        CraftedArchive("a string of \(count)", .damaged, as: String.self, archive(of: [Tag.string] + number)),
        CraftedArchive("bytes, \(count) of them", .damaged, as: Data.self, archive(of: [Tag.bytes] + number)),
        CraftedArchive(
          "a shape numbered \(count)",
          .damaged,
          as: CraftedChain.self,
          archive(of: [Tag.record] + number)
        ),
        CraftedArchive(
          "a typed value numbered \(count)",
          .damaged,
          as: CraftedChain.self,
          archive(of: [Tag.typed] + number + [0x90])
        ),
        CraftedArchive(
          "packed numbers, \(count) of them",
          .damaged,
          as: [Int].self,
          archive(of: [Tag.packedArray, 2] + number)
        ),
        CraftedArchive(
          "packed Booleans, \(count) of them",
          .damaged,
          as: [Bool].self,
          archive(of: [Tag.packedArray, 1] + number)
        ),
        CraftedArchive(
          "packed floats, \(count) of them",
          .damaged,
          as: [Double].self,
          archive(of: [Tag.packedArray, 5] + number)
        ),
        CraftedArchive(
          "\(count) bodies",
          .damaged,
          as: Int.self,
          HandmadeArchive.data(topLevel: root([0x90]), bodyCount: count)
        ),
      ]
    } + [
      CraftedArchive(
        "a negative count",
        .damaged,
        as: [Int].self,
        archive(of: [Tag.array] + [UInt8](repeating: 0xFF, count: 9) + [1])
      ),
      CraftedArchive("an overlong count", .damaged, as: [Int].self, archive(of: [Tag.array, 0x80, 0])),
      CraftedArchive(
        "an overlong shape",
        .damaged,
        as: CraftedChain.self,
        archive(of: [Tag.record, 0x80, 0x80, 0])
      ),
    ]

  private static let depth = 1_000_000

  static let nesting: [CraftedArchive] = [
    CraftedArchive(
      "a million nested arrays",
      .limitExceeded,
      as: CraftedTree.self,
      nested([0x51], [0x50])
    ),
    CraftedArchive(
      "a million nested lists, each with a count of a million",
      .damaged,
      as: CraftedLists.self,
      nested([Tag.array] + Bytes.varint(depth), [0x50])
    ),
    CraftedArchive(
      "a million nested records",
      .limitExceeded,
      as: CraftedChain.self,
      HandmadeArchive.data(
        bodies: [[0] + [UInt8](repeating: 0x60, count: depth) + [Tag.none]],
        topLevel: root([Tag.valueReference, 1]),
        keys: [Array("next".utf8)],
        shapes: [[1, 0]]
      )
    ),
    CraftedArchive(
      "a million nested maps",
      .limitExceeded,
      as: CraftedChain.self,
      nested([Tag.map, 1] + text("next"), [Tag.none])
    ),
    CraftedArchive(
      "a million nested optionals",
      .typeMismatch,
      as: Int?.self,
      nested([Tag.some], [Tag.true])
    ),
    CraftedArchive(
      "a million nested URLs",
      .damaged,
      as: URL.self,
      nested([Tag.url], [Tag.none])
    ),
  ]

  /// A value in its own body: `level` a million times, and `last`.
  private static func nested(_ level: [UInt8], _ last: [UInt8]) -> Data {
    HandmadeArchive.data(
      bodies: [[0] + Bytes.repeating(level, count: depth) + last],
      topLevel: root([Tag.valueReference, 1])
    )
  }
}

/// Requests a decoder for the first of two elements, which skips it.
struct CraftedSkipper: Decodable {
  private enum CodingKeys: CodingKey { case none }

  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    _ = try elements.superDecoder()
  }
}

/// At each level, reserves as many elements as the archive states.
struct CraftedLists: Decodable {
  let lists: [CraftedLists]

  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    var lists: [CraftedLists] = []
    lists.reserveCapacity(elements.count ?? 0)
    while !elements.isAtEnd { lists.append(try elements.decode(CraftedLists.self)) }
    self.lists = lists
  }
}
