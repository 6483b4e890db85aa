import Foundation
import Keepsake
import TestSupport

// Types that declare their fields, and types with the same properties and synthesized code.

struct Street: ArchivedFields, Hashable {
  var name = ""
  var number = 0
}

struct PlainStreet: Codable, Hashable {
  var name = ""
  var number = 0
}

/// A field of every kind that the coders tell apart.
struct Everything: ArchivedFields, Equatable {
  var bool = false
  var int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var wide: Int128 = 0
  var float: Float = 0
  var double = 0.0
  var string = ""
  var strings: [String] = []
  var maybeBool: Bool?
  var maybeInt: Int?
  var maybeSmall: Int8?
  var maybeDouble: Double?
  var maybeString: String?
  var twice: Int??
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var url: URL?
  var numbers: [Int] = []
  var street = Street()
  var maybeStreet: Street?
  var streets: [Street] = []
  var byName: [String: Street] = [:]
  var some: Set<Street> = []
  var choice = Choice.none

  enum Choice: String, Codable { case none, one }

  static var full: Everything {
    Everything(
      bool: true,
      int: -5_000_000,
      int8: -100,
      int16: 30_000,
      int32: -70_000,
      int64: .min,
      uint: 77,
      uint8: 255,
      uint16: 65_535,
      uint32: .max,
      uint64: .max,
      wide: Int128.max,
      float: 1.5,
      double: -2.25,
      string: "Łódź, with more than fifteen bytes",
      strings: ["a", "more", "more", ""],
      maybeBool: true,
      maybeInt: 12,
      maybeSmall: -3,
      maybeDouble: 0.1,
      maybeString: "some",
      twice: .some(4),
      date: Date(timeIntervalSinceReferenceDate: 1_000.5),
      data: Data([1, 2, 3]),
      url: URL(string: "https://example.com/a"),
      numbers: [1, 2, 300],
      street: Street(name: "Main", number: 1),
      maybeStreet: Street(name: "Side", number: -1),
      streets: [Street(name: "A", number: 1), Street(name: "B", number: 2)],
      byName: ["x": Street(name: "X", number: 9)],
      some: [Street(name: "S", number: 3)],
      choice: .one
    )
  }
}

/// The same properties with synthesized code.
struct PlainEverything: Codable, Equatable {
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var wide: Int128
  var float: Float
  var double: Double
  var string: String
  var strings: [String]
  var maybeBool: Bool?
  var maybeInt: Int?
  var maybeSmall: Int8?
  var maybeDouble: Double?
  var maybeString: String?
  var twice: Int??
  var date: Date
  var data: Data
  var url: URL?
  var numbers: [Int]
  var street: PlainStreet
  var maybeStreet: PlainStreet?
  var streets: [PlainStreet]
  var byName: [String: PlainStreet]
  var some: Set<PlainStreet>
  var choice: Everything.Choice
}

/// A tree of values, nested through arrays.
struct Twig: ArchivedFields, Equatable {
  var name = ""
  var branches: [Twig] = []
}

/// A value whose coding may throw an error that contains its path.
struct RefusingValue: Codable, Equatable {
  var refuses = false

  init(_ refuses: Bool = false) {
    self.refuses = refuses
  }

  init(from decoder: any Decoder) throws {
    refuses = try decoder.singleValueContainer().decode(Bool.self)
    if refuses { throw Refusal(reason: spelled(decoder.codingPath)) }
  }

  func encode(to encoder: any Encoder) throws {
    if refuses { throw Refusal(reason: spelled(encoder.codingPath)) }
    var container = encoder.singleValueContainer()
    try container.encode(refuses)
  }
}

struct Holding: ArchivedFields, Equatable {
  var before = "before"
  var refusing = RefusingValue()
  var after = 1
}
