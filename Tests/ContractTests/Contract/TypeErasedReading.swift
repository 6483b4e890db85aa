import Foundation
import HostileArchives
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Readers that try one type after the other, as type-erased values do, get what JSON would give them.
@Suite struct TypeErasedReading {
  private enum Word: String, Encodable { case text }

  /// The messages of all attempts to read a value as another type, and the paths of their errors.
  private struct Attempts: Decodable {
    var messages: [String] = []
    var paths: [[String]] = []

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      func attempt<Value: Decodable>(_ type: Value.Type) {
        do { _ = try container.decode(type) } catch DecodingError.typeMismatch(let found, let context) {
          messages.append("\(found): \(context.debugDescription)")
          paths.append(context.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" })
        } catch { messages.append("\(error)") }
      }
      attempt(Bool.self)
      attempt(Int.self)
      attempt(String.self)
    }
  }

  @Test("each attempt has its own message, offset and path, however often it was made before")
  func messages() throws {
    struct Values: Encodable {
      var ids = [UUID(), UUID()]
      var texts = [Word.text, .text]
    }
    let attempts = try transcode(Values(), to: [String: [Attempts]].self)
    var offsets: Set<Substring> = []
    for (key, noun) in [("ids", "a UUID"), ("texts", "a string")] {
      #expect(attempts[key]?.count == 2)
      for (index, attempts) in (attempts[key] ?? []).enumerated() {
        let parts = attempts.messages.map { $0.split(separator: "(") }
        #expect(parts.map(\.first) == ["Bool", "Int"].map { "\($0): Expected \($0) but found \(noun) " })
        #expect(Set(parts.map(\.last)).count == 1)
        offsets.formUnion(parts.compactMap(\.last))
        #expect(attempts.paths == Array(repeating: ["\(key) -1", "Index \(index) \(index)"], count: 2))
      }
    }
    #expect(offsets.count == 4)
    #expect(offsets.allSatisfy { $0.hasPrefix("at byte ") })
  }

  private struct Record: Codable {
    var url = URL(string: "https://swift.org/a?b=c#d")
    var relative = URL(string: "c/d", relativeTo: URL(string: "https://swift.org/a/b"))
    var uuid = UUID()
    var date = Date(timeIntervalSinceReferenceDate: 1.5)
    var whole = Decimal(42)
    var negative = Decimal(string: "-1.20e3")
    var fraction = Decimal(string: "3.25")
    var large = Decimal(string: "123456789012345678901234567890")
    var huge = UInt64.max
    var text = "text"
    var flag = false
    var list = [1.5, 2.25]
    var map = ["a": ["b": 1]]
  }

  @Test("types with a native form read as from JSON")
  func standardTypes() throws {
    let record = Record()
    let fromArchive = try transcode(record, to: AnyValue.self)
    let fromJSON = try JSONDecoder().decode(AnyValue.self, from: JSONEncoder().encode(record))
    #expect(fromArchive == fromJSON)
    guard case .map(let members) = fromArchive else {
      Issue.record("not a map: \(fromArchive)")
      return
    }
    #expect(members["url"] == .string("https://swift.org/a?b=c#d"))
    #expect(members["relative"] == .string("https://swift.org/a/c/d"))
    #expect(members["date"] == .double(1.5) && members["uuid"] == .string(record.uuid.uuidString))
    #expect(members["whole"] == .int(42) && members["negative"] == .int(-1_200))
    #expect(members["fraction"] == .double(3.25))
  }

  /// A type-erased value that tries containers first, whatever their keys.
  private enum Contained: Decodable, Equatable {
    case leaf(AnyValue)
    case list([Contained])
    case map([String: Contained])

    init(from decoder: any Decoder) throws {
      if var list = try? decoder.unkeyedContainer() {
        var values: [Contained] = []
        while !list.isAtEnd { values.append(try list.decode(Contained.self)) }
        self = .list(values)
      } else if let container = try? decoder.container(keyedBy: AnyKey.self) {
        var members: [String: Contained] = [:]
        for key in container.allKeys {
          members[key.stringValue] = try container.decode(Contained.self, forKey: key)
        }
        self = .map(members)
      } else {
        self = .leaf(try AnyValue(from: decoder))
      }
    }
  }

  /// A type-erased value that tries dictionaries first.
  private enum Mapped: Decodable, Equatable {
    case leaf(AnyValue)
    case map([String: Mapped])

    init(from decoder: any Decoder) throws {
      if let map = try? decoder.singleValueContainer().decode([String: Mapped].self) {
        self = .map(map)
      } else if let map = try? [String: Mapped](from: decoder) {
        self = .map(map)
      } else {
        self = .leaf(try AnyValue(from: decoder))
      }
    }
  }

  @Test("URLs and decimals do not read as keyed containers, also if these are tried first")
  func containersFirst() throws {
    func compare<Value: Decodable & Equatable>(_ type: Value.Type, _ json: Data, _ archive: Data) throws {
      #expect(try ArchiveDecoder().decode(type, from: archive) == JSONDecoder().decode(type, from: json))
    }
    let record = Record()
    try compare(Contained.self, JSONEncoder().encode(record), ArchiveEncoder().encode(record))
    try compare(Mapped.self, JSONEncoder().encode(record), ArchiveEncoder().encode(record))
    let objects = [Boxed(value: URL(string: "https://swift.org/a")), Boxed(value: URL(filePath: "/b"))]
    try compare([Contained].self, JSONEncoder().encode(objects), ArchiveEncoder().encode(objects))
  }

  private final class Boxed: Encodable {
    let value: URL?
    init(value: URL?) { self.value = value }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  @Test("Data reads as its bytes, as it encodes itself")
  func data() throws {
    #expect(try transcode(Data([1, 255]), to: AnyValue.self) == .list([.int(1), .int(255)]))
  }

  @Test("decimals read as numbers that can hold them: whole ones as integers, all as floating-point numbers")
  func decimals() throws {
    #expect(try transcode(Decimal(-128), to: Int8.self) == -128)
    #expect(try transcode(Decimal(string: "1e3"), to: UInt16.self) == 1_000)
    #expect(try transcode(Decimal(0), to: UInt.self) == 0)
    #expect(try failure { try transcode(Decimal(256), to: UInt8.self) }.kind == .dataCorrupted)
    #expect(try failure { try transcode(Decimal(-1), to: UInt8.self) }.kind == .dataCorrupted)
    #expect(try failure { try transcode(Decimal(string: "0.5"), to: Int.self) }.kind == .dataCorrupted)
    #expect(try failure { try transcode(Decimal(string: "1e100"), to: Int128.self) }.kind == .dataCorrupted)
    #expect(try transcode(Decimal(string: "1e100"), to: Double.self) == 1e100)
    #expect(try transcode(Decimal(string: "0.1"), to: Float.self) == 0.1)
    #expect(try transcode(Decimal.nan, to: Double.self).isNaN)
    #expect(try failure { try transcode(Decimal.nan, to: Int.self) }.kind == .dataCorrupted)
    // The same number with the exponent of another program: 500 × 10⁻², −500 × 10⁻², 501 × 10⁻².
    func read<Number: Decodable>(_ type: Number.Type, _ tag: UInt8, _ lowByte: UInt8) throws -> Number {
      let decimal = [tag, Tag.smallInteger + 16 - 2, Tag.integer + 1, lowByte, 1]
      return try ArchiveDecoder().decode(
        type,
        from: HandmadeArchive.data(topLevel: CraftedArchive.root(decimal))
      )
    }
    #expect(try read(Decimal.self, Tag.decimal, 0xF4) == 5)
    #expect(try read(Int.self, Tag.decimal, 0xF4) == 5 && read(UInt8.self, Tag.decimal, 0xF4) == 5)
    #expect(try read(Int128.self, Tag.negativeDecimal, 0xF4) == -5)
    #expect(try failure { try read(Int.self, Tag.decimal, 0xF5) }.kind == .dataCorrupted)
    #expect(try failure { try read(UInt.self, Tag.negativeDecimal, 0xF4) }.kind == .dataCorrupted)
    #expect(try failure { try transcode(Decimal(string: "1e100"), to: Float.self) }.kind == .dataCorrupted)
    #expect(try failure { try transcode(Decimal(1), to: String.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(Decimal(1), to: Bool.self) }.kind == .typeMismatch)
  }

  @Test("numbers read as decimals and strings as URLs, as from JSON")
  func numbersAndStrings() throws {
    struct Written: Codable {
      var whole = -3, wide = UInt64.max, half = 0.1, single = Float(0.7), text = "https://swift.org/a b"
      var many = [1, -2, 300], halves = [0.5, 0.1], bytes = [UInt8(7)]
      var links = ["a", "mailto:a@example.org"], byName = ["x": 1.25]
    }
    struct Read: Codable, Equatable {
      var whole: Decimal, wide: Decimal, half: Decimal, single: Decimal?, text: URL
      var many: [Decimal], halves: [Decimal], bytes: Set<Decimal>
      var links: [URL], byName: [String: Decimal]
    }
    let read = try transcode(Written(), to: Read.self)
    #expect(try read == JSONDecoder().decode(Read.self, from: JSONEncoder().encode(Written())))
    #expect(read.half == Decimal(string: "0.1") && read.wide == Decimal(UInt64.max))
    #expect(try transcode(UInt128.max, to: Decimal.self).description == UInt128.max.description)

    for number in [1e300, -1e-200, .infinity, .nan] {
      #expect(try failure { try transcode(number, to: Decimal.self) }.kind == .dataCorrupted)
      let failed = try failure { try transcode([1, number], to: [Decimal].self) }
      #expect(failed.path == "[1]")
    }
    for other in [[true], [false]] {
      #expect(try failure { try transcode(other, to: [Decimal].self) }.kind == .typeMismatch)
    }
    #expect(try failure { try transcode(true, to: Decimal.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode("1", to: Decimal.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode("", to: URL.self) }.code == .typeMismatch)
  }

  private static func url(_ members: [UInt8]...) -> [UInt8] {
    [Tag.url, Tag.map] + Bytes.varint(members.count) + members.joined()
  }

  private static func url(bases: Int) -> Data {
    var value = url(CraftedArchive.text("relative") + CraftedArchive.text("http://a.b/"))
    for _ in 0..<bases {
      value = url(
        CraftedArchive.text("base") + value,
        CraftedArchive.text("relative") + CraftedArchive.text("c/")
      )
    }
    return HandmadeArchive.data(topLevel: CraftedArchive.root(CraftedArchive.array([value, [Tag.true]])))
  }

  @Test("URLs read as strings from every container, with bases, and throw if they are invalid")
  func urls() throws {
    struct Links: Codable { var first: URL, others: [URL], byName: [String: URL] }
    struct Texts: Codable, Equatable { var first: String, others: [String], byName: [String: String] }
    let url = try #require(URL(string: "https://swift.org"))
    let links = Links(first: url, others: [url, url], byName: ["a": url])
    let text = "https://swift.org"
    let texts = Texts(first: text, others: [text, text], byName: ["a": text])
    #expect(try transcode(links, to: Texts.self) == texts)
    #expect(try transcode(url, to: String.self) == text)
    #expect(try transcode(url, to: String?.self) == text)

    for bases in 0...3 {
      let found = try readUnkeyed(Self.url(bases: bases)) {
        (try $0.decode(String.self), try $0.decode(Bool.self))
      }
      #expect(found == ("http://a.b/" + String(repeating: "c/", count: bases), true))
    }
    for bases in [17, 500] {
      #expect(
        try failure { try readUnkeyed(Self.url(bases: bases)) { try $0.decode(String.self) } }.code != nil
      )
    }
    for members in [
      Self.url(), Self.url(CraftedArchive.text("relative") + [Tag.true]), [Tag.url, Tag.true],
      Self.url(
        CraftedArchive.text("relative") + CraftedArchive.text("a"),
        CraftedArchive.text("base") + [0x21, 0x61]
      ),
    ] {
      let data = HandmadeArchive.data(topLevel: CraftedArchive.root(members))
      #expect(try failure { try ArchiveDecoder().decode(String.self, from: data) }.code != nil)
    }
  }
}
