internal import Foundation
internal import Keepsake

// Values: structures and enumerations with synthesized coding, and structures that declare their fields.

/// Every primitive, optionals, native types of Foundation, nesting.
struct FuzzedRecord: Codable, Equatable {
  var flag = true
  var int = -5
  var int8: Int8 = -100
  var int16: Int16 = 30_000
  var int32: Int32 = -70_000
  var int64: Int64 = .min
  var int128: Int128 = .max
  var uint: UInt = 200
  var uint8: UInt8 = 255
  var uint16: UInt16 = 65_535
  var uint32: UInt32 = 4_000_000_000
  var uint64: UInt64 = .max
  var uint128: UInt128 = .max
  var float: Float = 1.5
  var double = -0.0
  var text = "text that is said twice"
  var again = "text that is said twice"
  var third = "text that is said twice"
  var none: Int?
  var some: String? = "some"
  var twice: Int?? = .some(.none)
  var date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
  var data = Data([0, 1, 2, 255])
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var url = URL(string: "https://example.org/a?b#c")
  var relative = URL(string: "x/y", relativeTo: URL(string: "https://example.org/"))
  var decimal = Decimal(sign: .minus, exponent: -3, significand: 12_345_678)
  var character: FuzzedLetter = .b
  var nested: [FuzzedPoint] = [FuzzedPoint(x: 1, y: 2), FuzzedPoint(x: 3, y: nil)]
  var deep: [[[Int]]] = [[[1, 300], []], []]
}

struct FuzzedPoint: Codable, Hashable {
  var x = 0
  var y: Int?
}

enum FuzzedLetter: String, Codable { case a, b, c }

/// A structure with more shapes than there are short tags: one for each set of keys.
struct FuzzedOptions: Codable {
  var a: Int?
  var b: String?
  var c: Bool?
  var d: Double?
  var e: Int?

  static let sample = (0..<24).map { bits in
    FuzzedOptions(
      a: bits & 1 == 0 ? nil : 1,
      b: bits & 2 == 0 ? nil : "b",
      c: bits & 4 == 0 ? nil : true,
      d: bits & 8 == 0 ? nil : 0.5,
      e: bits & 16 == 0 ? nil : 1_000
    )
  }
}

/// Payloads of every kind: keyed, unkeyed, none, the enumeration itself.
indirect enum FuzzedTree: Codable, Equatable {
  case leaf
  case number(Int)
  case pair(FuzzedTree, FuzzedTree)
  case named(name: String, FuzzedTree?, tags: [String])
  case other(FuzzedPoint)
}

/// Dictionaries with several types of keys, and sets.
struct FuzzedTables: Codable, Equatable {
  var byText = ["a": 1, "seven": 7, "": 0]
  var byNumber = [1: "one", -5: "minus five", 1_000_000: "many"]
  var byPoint = [FuzzedPoint(x: 1, y: 1): "p", FuzzedPoint(x: 2, y: nil): "q"]
  var byLetter: [FuzzedLetter: [Int]] = [.a: [1, 2], .c: []]
  var byUUID = [UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)): 1.5]
  var nested = ["outer": ["inner": [FuzzedPoint(x: 4, y: 4)]]]
  var optional: [String: Int?] = ["none": nil, "some": 1]
  var numbers: Set<Int> = [1, 2, 300]
  var texts: Set<String> = ["x", "y"]
  var points: Set<FuzzedPoint> = [FuzzedPoint(x: 7, y: nil)]
}

/// Packed arrays of every element type, one of them longer than a block of 128.
struct FuzzedPacked: Codable, Equatable {
  var bools = (0..<11).map { $0 % 3 == 0 }
  var int8s: [Int8] = [-1, 0, 127]
  var int16s: [Int16] = [-1, 300]
  var int32s: [Int32] = [-1, 70_000]
  var int64s: [Int64] = [.min, .max, 0]
  var ints = (0..<140).map { $0 * 3 - 70 }
  var uint8s: [UInt8] = [0, 255]
  var uint16s: [UInt16] = [65_535]
  var uint32s: [UInt32] = [1 << 31]
  var uint64s: [UInt64] = [.max, 1]
  var uints: [UInt] = [1, 2, 3]
  var floats: [Float] = [1.5, -0.0]
  var doubles: [Double] = [1.5, .infinity]
  var empty: [Int] = []
  var wide: [Int128] = [.min, 5]
  var dates = [Date(timeIntervalSinceReferenceDate: 1)]
  var optional: [Int?] = [1, nil, 3]
  var contiguous: ContiguousArray<Double> = [1, 2]
}

/// A structure that declares its fields, with another in it and a list of itself.
struct FuzzedFields: ArchivedFields {
  var name = "n"
  var flag = false
  var number = 5
  var small: UInt8 = 3
  var wide: Int32 = 70_000
  var real = 0.5
  var maybe: String?
  var kept: Int? = 9
  var inner = FuzzedInnerFields()
  var optionalInner: FuzzedInnerFields?
  var children: [FuzzedFields] = []
  var table: [String: Int] = [:]
  var numbers: [Int] = []
  var date = Date(timeIntervalSinceReferenceDate: 5)
  var point = FuzzedPoint()

  static func sample(_ depth: Int) -> FuzzedFields {
    var fields = FuzzedFields()
    fields.maybe = depth > 0 ? "here" : nil
    fields.optionalInner = depth > 0 ? FuzzedInnerFields(a: 1, b: "b", c: [1.5]) : nil
    fields.table = ["one": 1, "2": 2]
    fields.numbers = [1, 2, 70_000]
    fields.kept = depth > 0 ? nil : 9
    fields.children = depth > 0 ? [sample(depth - 1), sample(0)] : []
    return fields
  }
}

struct FuzzedInnerFields: ArchivedFields {
  var a = 0
  var b: String?
  var c: [Double] = []
}

/// A type as which archives of ``FuzzedRecord`` and of objects are also read: it reads objects as structures, and
/// refers to itself.
///
/// A cycle of objects is thus read repeatedly, until the library refuses that. Its own steps end it earlier, since the
/// library's limit takes a second, which is too long for each of a million mutants.
struct FuzzedAnything: Codable {
  var name: String?
  var friends: [FuzzedAnything]?
  var children: [String: FuzzedAnything]?
  var next: [FuzzedAnything]?
}

extension FuzzedAnything {
  init(from decoder: any Decoder) throws {
    try HostileLeash.step(decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    friends = try container.decodeIfPresent([FuzzedAnything].self, forKey: .friends)
    children = try container.decodeIfPresent([String: FuzzedAnything].self, forKey: .children)
    next = try container.decodeIfPresent([FuzzedAnything].self, forKey: .next)
  }
}
