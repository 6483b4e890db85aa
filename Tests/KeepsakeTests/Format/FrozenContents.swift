import Foundation
import Keepsake

// The contents of the frozen archives of version 1. The types and values here belong to the files in Fixtures/Version1
// and must not change, as the files do not: new features of the format get new types, and files of their own.

/// The frozen archives by name: `scalars` is Fixtures/Version1/scalars.keepsake.
enum FrozenSample: String, CaseIterable {
  case empty, scalars, integers, floats, strings, foundation, packed, containers, shapes, objects, keys,
    record, large, unchecked

  /// The samples that are also frozen in the short form; the others are too large for it.
  static let short = allCases.filter { ![.large, .unchecked].contains($0) }
}

struct FrozenScalars: Codable, Equatable {
  var yes = true
  var no = false
  var small = [-16, -1, 0, 1, 111].map { Int?.some($0) }
  var byte: Int8 = -17
  var unsigned: UInt8 = 200
  var short: Int16 = 300
  var word: UInt32 = 4_000_000_000
  var int = -1_234_567_890_123
  var float: Float = 1.5
  var double = -0.1
  var text = "keepsake"
  var absent: Int?
  var options: [Int?] = [nil, 1, nil]
  var levels: [Int???] = [
    .none, .some(.none), .some(.some(.none)), .some(.some(.some(7))),
  ]
}

struct FrozenIntegers: Codable, Equatable {
  var int8: [Int8?] = [.min, -17, -16, 111, 112, .max]
  var int16: [Int16?] = [.min, -129, -128, 127, 128, .max]
  var int32: [Int32?] = [.min, -8_388_609, -8_388_608, -32_769, 32_768, 8_388_607, 8_388_608, .max]
  var int64: [Int64?] = [
    .min, -36_028_797_018_963_969, -140_737_488_355_329, -549_755_813_889, -2_147_483_649,
    2_147_483_648, 549_755_813_888, 140_737_488_355_328, 36_028_797_018_963_968, .max,
  ]
  var uint8: [UInt8?] = [0, 127, 128, .max]
  var uint16: [UInt16?] = [0, 32_768, .max]
  var uint32: [UInt32?] = [0, 2_147_483_648, .max]
  var uint64: [UInt64?] = [0, 9_223_372_036_854_775_807, 9_223_372_036_854_775_808, .max]
  var int128: [Int128] = [.min, -9_223_372_036_854_775_809, -1, 18_446_744_073_709_551_616, .max]
  var uint128: [UInt128] = [
    0, 18_446_744_073_709_551_615, UInt128(Int128.max), UInt128(Int128.max) + 1, .max,
  ]
}

/// Compared by bit patterns, since NaN equals nothing.
struct FrozenFloats: Codable {
  static let floatBits: [UInt32] = [
    0, 0x8000_0000, 0x3F80_0000, 0xFF80_0000, 0x7F80_0000, 0x0000_0001, 0x7F7F_FFFF, 0x7FC0_0000, 0xFFC1_2345,
  ]
  static let doubleBits: [UInt64] = [
    0, 0x8000_0000_0000_0000, 0x3FF0_0000_0000_0000, 0x7FF0_0000_0000_0000, 0xFFF0_0000_0000_0000,
    0x0000_0000_0000_0001, 0x7FEF_FFFF_FFFF_FFFF, 0x7FF8_0000_0000_0000, 0xFFF8_0000_1234_5678,
  ]

  var floats = floatBits.map { Float?.some(Float(bitPattern: $0)) }
  var doubles = doubleBits.map { Double?.some(Double(bitPattern: $0)) }
  var packedFloats = floatBits.map { Float(bitPattern: $0) }
  var packedDoubles = doubleBits.map { Double(bitPattern: $0) }
}

struct FrozenStrings: Codable, Equatable {
  var empty = ""
  var lengths = [2, 3, 30, 31, 32, 33, 127, 128, 300].map { String(repeating: "x", count: $0) }
  var shared = ["ab", "ab", "abc", "abc", "abc", "日本語", "日本語"]
  var spellings = FrozenSpellings()
  var scripts = ["Grüße", "Ελλάδα", "مرحبا", "🏳️‍🌈", "a\u{0}b", "\u{FEFF}"]
  var data = [Data(), Data([1, 2, 3]), Data((0..<200).map { UInt8($0) })]
  var bytes: [UInt8] = [0, 127, 128, 255]

  static func == (left: FrozenStrings, right: FrozenStrings) -> Bool {
    left.exact == right.exact && left.data == right.data && left.bytes == right.bytes
      && left.spellings == right.spellings
  }

  private var exact: [[UInt8]] { ([empty] + lengths + shared + scripts).map { Array($0.utf8) } }
}

/// Two canonically equal keys, which must stay two.
struct FrozenSpellings: Codable, Equatable {
  var composed = 1
  var decomposed = 2

  enum CodingKeys: CodingKey, CaseIterable {
    case composed, decomposed

    var stringValue: String { self == .composed ? "\u{E9}tude" : "e\u{301}tude" }
    var intValue: Int? { nil }

    init?(stringValue: String) {
      guard
        let key = CodingKeys.allCases.first(where: { $0.stringValue.utf8.elementsEqual(stringValue.utf8) })
      else { return nil }
      self = key
    }

    init?(intValue: Int) { nil }
  }
}

struct FrozenFoundation: Codable {
  static let decimals = [
    "0", "1", "-1", "0.1", "-12345.678", "1E127", "-1E-128", "34028236692093846346337460743176821145",
  ]

  var dates = [
    Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: -63_114_076_800.25),
  ]
  var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
  var url = URL(string: "https://example.org/path?query=1#part")
  var relative = URL(string: "page.html", relativeTo: URL(string: "https://example.org/folder/"))
  var decimals = decimals.compactMap { Decimal(string: $0) }
  var noNumber = Decimal.nan
}

struct FrozenPacked: Codable, Equatable {
  var bools = (0..<11).map { $0 % 3 == 0 }
  /// The three blocks of 128 have different widths.
  var ints = (0..<300).map { $0 < 128 ? $0 - 64 : $0 < 256 ? $0 * 1_000_000 : -$0 << 40 }
  var int8s: [Int8] = [.min, 0, .max]
  var int16s: [Int16] = [.min, 0, .max]
  var int32s: [Int32] = [.min, 0, .max]
  var int64s: [Int64] = [.min, 0, .max]
  var uints: [UInt] = [0, 1 << 16, 1 << 33]
  var uint16s: [UInt16] = [0, .max]
  var uint32s: [UInt32] = [0, .max]
  var uint64s: [UInt64] = [0, .max]
  var floats: [Float] = [0.5, -2, .infinity]
  var doubles: [Double] = [0.1, -2, .infinity]
  var widths: [[Int]] = (0..<8).map { [1 << ($0 * 8 + 6), 1 + 1 << ($0 * 8 + 5), -1 << ($0 * 8 + 7)] }
  /// Every width in a mixed block, with two unused bits and with none, and in two blocks, one of which is mixed.
  var mixed: [[Int]] = [
    [5, 300, 4], [.min, 0, 70_000, -1, .max, 9, -300, 1 << 31],
    (0..<140).map { $0 % 10 == 0 ? $0 << 20 : $0 },
  ]
  var mixedUnsigned: [UInt64] = [255, 65_535, 4_294_967_295, 1 << 40, 7]
  var none = [[Int]](repeating: [], count: 2)
}

enum FrozenSuit: String, Codable, CodingKeyRepresentable {
  case clubs, hearts
}

enum FrozenShape: Codable, Equatable {
  case point
  case circle(radius: Double)
  case box(Int, Int, name: String?)
}

struct FrozenNothing: Codable, Equatable {}

struct FrozenContainers: Codable, Equatable {
  var lists: [[String]] = [
    [], ["a"], (0..<15).map { "\($0)" }, (0..<16).map { "\($0)" }, (0..<130).map { "\($0)" },
  ]
  var byName = ["one": 1, "two": 2, "three": 3]
  var byNumber = [-1000: "a", 5: "b", 1 << 40: "c"]
  var bySuit = [FrozenSuit.clubs: [1, 2], .hearts: []]
  var byDate = [
    Date(timeIntervalSinceReferenceDate: 1): true, Date(timeIntervalSinceReferenceDate: 2): false,
  ]
  var noNames: [String: Int] = [:]
  var set: Set<String> = ["red", "green", "blue"]
  var shapes: [FrozenShape] = [
    .point, .circle(radius: 2.5), .box(1, 2, name: nil), .box(3, 4, name: "box"),
  ]
  var nothing = [FrozenNothing(), FrozenNothing()]
  var names: [String: FrozenNothing?] = ["some": .some(FrozenNothing()), "none": nil]
  var deep = [[[[[["down"]]]]]]
}

/// A record of `count` keys, for more shapes than the short tags can name.
struct FrozenWide: Codable, Equatable {
  enum CodingKeys: Int, CaseIterable, CodingKey {
    case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t
  }

  var count: Int

  init(count: Int) {
    self.count = count
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    count = container.allKeys.count
    for key in CodingKeys.allCases.prefix(count) {
      guard try container.decode(Int.self, forKey: key) == key.rawValue else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "another number")
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    for key in CodingKeys.allCases.prefix(count) { try container.encode(key.rawValue, forKey: key) }
  }
}

final class FrozenAuthor: Codable {
  let name: String

  init(name: String) {
    self.name = name
  }
}

final class FrozenBook: Codable {
  let title: String
  let authors: [FrozenAuthor]
  let sequel: FrozenBook?

  init(title: String, authors: [FrozenAuthor], sequel: FrozenBook?) {
    self.title = title
    self.authors = authors
    self.sequel = sequel
  }
}

class FrozenAnimal: Codable {
  let legs: Int

  init(legs: Int) {
    self.legs = legs
  }
}

final class FrozenDog: FrozenAnimal {
  let name: String
  private enum CodingKeys: CodingKey { case name }

  init(name: String) {
    self.name = name
    super.init(legs: 4)
  }

  required init(from decoder: any Decoder) throws {
    name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try super.encode(to: encoder)
  }
}

struct FrozenLibrary: Codable {
  var books: [FrozenBook]
  /// Before `pet`, so that a reader that looks up no classes decodes the dog as its own class.
  var dog: FrozenDog
  var pet: FrozenAnimal
  var animal: FrozenAnimal

  static func made() -> FrozenLibrary {
    let austen = FrozenAuthor(name: "Jane Austen")
    let other = FrozenAuthor(name: "Another Lady")
    let sanditon = FrozenBook(title: "Sanditon", authors: [austen, other], sequel: nil)
    let emma = FrozenBook(title: "Emma", authors: [austen], sequel: sanditon)
    let dog = FrozenDog(name: "Rex")
    return FrozenLibrary(
      books: [emma, sanditon, emma],
      dog: dog,
      pet: dog,
      animal: FrozenAnimal(legs: 6)
    )
  }
}

struct FrozenPoint: Codable, Equatable {
  var x = 3
  var y = -4.5
}

struct FrozenMany: Codable {
  var blob = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) })
  var authors = (0..<300).map { FrozenAuthor(name: "author \($0)") }
  var lastAgain: FrozenAuthor?

  init() {
    lastAgain = authors.last
  }
}

struct FrozenUnchecked: Codable {
  var title = "without checksums"
  var numbers = [-1, 300, 70_000]
  var doubles = [0.5, -0.0]
  var blob = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
  var library = FrozenLibrary.made()
}

extension FrozenSample {
  /// The archive as the library writes it today.
  func archive() throws -> Data {
    switch self {
    case .empty: try KeyedArchiver().encodedData
    case .scalars: try archive(of: FrozenScalars())
    case .integers: try archive(of: FrozenIntegers())
    case .floats: try archive(of: FrozenFloats())
    case .strings: try archive(of: FrozenStrings())
    case .foundation: try archive(of: FrozenFoundation())
    case .packed: try archive(of: FrozenPacked())
    case .containers: try archive(of: FrozenContainers())
    case .shapes: try archive(of: (0...20).map(FrozenWide.init))
    case .objects: try archive(of: FrozenLibrary.made())
    case .keys: try keyed()
    case .record: try record()
    case .large: try archive(of: FrozenMany())
    case .unchecked: try archive(of: FrozenUnchecked(), .withoutChecksums)
    }
  }

  private func archive(of value: some Encodable, _ formatting: ArchiveFormatting = []) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: value, outputFormatting: [.sortedKeys, formatting])
  }

  private func keyed() throws -> Data {
    let archiver = KeyedArchiver()
    let library = FrozenLibrary.made()
    try archiver.encode("jaki", forKey: "name")
    try archiver.encode(24, forKey: "age")
    try archiver.encode(Int?.none, forKey: "nothing")
    try archiver.encode(library.books, forKey: "books")
    try archiver.encode(library.books[0].authors[0], forKey: "author")
    try archiver.encode(FrozenPoint(), forKey: "point")
    try archiver.encode([1, 2, 3], forKey: "numbers")
    return try archiver.encodedData
  }

  private func record() throws -> Data {
    let archiver = KeyedArchiver()
    try FrozenPoint().encode(to: archiver)
    return try archiver.encodedData
  }
}
