import Foundation
import Keepsake
import TestSupport
import Testing

/// What types with declared fields write and read.
@Suite struct FieldRoundTrips {
  @Test("every kind of field comes back, with and without a value, at the root and in collections")
  func everything() throws {
    for value in [Everything(), .full] {
      #expect(try roundTrip(value) == value)
      #expect(try roundTrip([value, Everything(), value]) == [value, Everything(), value])
      #expect(try roundTrip(["key": value]) == ["key": value])
      #expect(try roundTrip(Optional(value)) == value)
      let archiver = KeyedArchiver()
      try archiver.encode(value, forKey: "value")
      try archiver.encode(1, forKey: "other")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      #expect(try unarchiver.decode(Everything.self, forKey: "value") == value)
      #expect(try KeyedArchiver.copy(of: value) == value)
    }
    #expect(try roundTrip(Everything?.none) == nil)
  }

  @Test("the archive has the bytes of synthesized code")
  func sameBytes() throws {
    for value in [Everything(), .full] {
      let data = try ArchiveEncoder().encode([value, value])
      let plain = try ArchiveDecoder().decode([PlainEverything].self, from: data)
      #expect(try ArchiveEncoder().encode(plain) == data)
      #expect(
        try ArchiveDecoder().decode([Everything].self, from: ArchiveEncoder().encode(plain)) == [
          value, value,
        ]
      )
    }
    let streets = [Street(name: "A", number: 1), Street(name: "A", number: 2)]
    let plain = [PlainStreet(name: "A", number: 1), PlainStreet(name: "A", number: 2)]
    #expect(try ArchiveEncoder().encode(streets) == ArchiveEncoder().encode(plain))
  }

  private struct Wrappers: ArchivedFields {
    @Lazy var count: Int?
    @Lazy var counts: [Int] = []
    @Deferred var street: Street?
    @Polymorphic var shape: (any Encodable)?
    @Deferred @Polymorphic var laterShape: (any Encodable)?
    @Deferred @Lazy var laterCount: Int? = nil
    @WeakReference var object: Gauge?
    @Deferred @WeakReference var laterObject: Gauge?
  }

  private struct PlainWrappers: Codable {
    @Lazy var count: Int?
    @Lazy var counts: [Int] = []
    @Deferred var street: Street?
    @Polymorphic var shape: (any Encodable)?
    @Deferred @Polymorphic var laterShape: (any Encodable)?
    @Deferred @Lazy var laterCount: Int? = nil
    @WeakReference var object: Gauge?
    @Deferred @WeakReference var laterObject: Gauge?
  }

  private final class Gauge: Codable {}

  @Test("fields with wrappers have the bytes of synthesized code", arguments: [false, true])
  func sameBytesOfWrappers(_ isFull: Bool) throws {
    var (fields, plain) = (Wrappers(), PlainWrappers())
    if isFull {
      (fields.count, fields.counts, fields.street, fields.laterCount) = (1, [2], Street(), 3)
      (plain.count, plain.counts, plain.street, plain.laterCount) = (1, [2], Street(), 3)
      (fields.shape, fields.laterShape) = (4, 5)
      (plain.shape, plain.laterShape) = (4, 5)
    }
    let data = try ArchiveEncoder().encode(fields)
    #expect(try data == ArchiveEncoder().encode(plain))
    let read = try ArchiveDecoder().decode(PlainWrappers.self, from: data)
    #expect(read.count == fields.count && read.laterCount == fields.laterCount)
    let json = JSONEncoder()
    json.outputFormatting = .sortedKeys
    #expect(try json.encode(fields) == json.encode(plain))
  }

  private struct LazyDefault: ArchivedFields { @Lazy var count: Int? = 1 }
  private final class LazyModel: ArchivedModel { @Lazy var count: Int? }

  @Test("a nil in a @Lazy property is written as an object")
  func writtenLazyNil() throws {
    func kind(_ value: some Encodable) throws -> ArchiveValue.Kind? {
      let data = try ArchiveEncoder().encode(value)
      return try ArchiveValue(forReadingFrom: data)["root"]?["count"]?.kind
    }
    #expect(try kind(LazyDefault(count: nil)) == .object && kind(LazyModel()) == .object)
    #expect(try roundTrip(LazyDefault(count: nil)).count == nil)
    #expect(try JSONEncoder().encode(LazyModel()) == Data(#"{"count":null}"#.utf8))
  }

  private struct Raw: ArchivedFields, Equatable {
    var `two words` = 1
    @Deferred var `later on`: [Int] = []
    var `class` = 2
    var `1.5` = 3

    static var archivedKeys: [String: String?] { ["1.5": "one and a half"] }
  }

  private struct PlainRaw: Codable, Equatable {
    var `two words` = 1
    @Deferred var `later on`: [Int] = []
    var `class` = 2
    var `one and a half` = 3
  }

  @Test("keys of raw identifiers have no backticks, as in synthesized code")
  func rawIdentifiers() throws {
    let raw = Raw(`two words`: 4, `later on`: [5], class: 6, `1.5`: 7)
    let plain = PlainRaw(`two words`: 4, `later on`: [5], class: 6, `one and a half`: 7)
    #expect(try ArchiveEncoder().encode(raw) == ArchiveEncoder().encode(plain))
    #expect(try transcode(raw, to: PlainRaw.self) == plain && transcode(plain, to: Raw.self) == raw)
    #expect(try JSONDecoder().decode(PlainRaw.self, from: JSONEncoder().encode(raw)) == plain)
  }

  @Test("declared fields come back from JSON, also from that of the plain type")
  func otherCoders() throws {
    var value = Everything.full
    // JSON has no numbers that large, and loses one level of a double optional.
    value.wide = 5
    let json = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(Everything.self, from: json) == value)
    let plain = try JSONDecoder().decode(PlainEverything.self, from: json)
    #expect(try JSONDecoder().decode(Everything.self, from: JSONEncoder().encode(plain)) == value)
    let object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(Everything())) as? [String: Any]
    )
    #expect(object["maybeString"] == nil && object["twice"] == nil && object["int"] as? Int == 0)
    #expect(try JSONDecoder().decode(Street.self, from: Data("{\"number\": 3}".utf8)) == Street(number: 3))
  }

  /// Optionals to which `init()` gives values: their nil is written, or the default would replace it.
  private struct Defaulted: ArchivedFields, Equatable {
    var title: String? = "untitled"
    var street: Street? = Street(name: "Main", number: 1)
    var count: Int? = 1
  }

  @Test("nil comes back where the default is not nil")
  func nilAgainstDefault() throws {
    let value = Defaulted(title: nil, street: nil, count: nil)
    #expect(try roundTrip(value) == value)
    #expect(try JSONDecoder().decode(Defaulted.self, from: JSONEncoder().encode(value)) == value)
    #expect(try roundTrip([Defaulted(), value]) == [Defaulted(), value])
    #expect(try transcode([String: Int](), to: Defaulted.self) == Defaulted())
    #expect(try transcode(["count": Int?.none], to: Defaulted.self).count == nil)
  }

  /// Ninety optionals: more than the bits that record which ones are written.
  private struct Many: ArchivedFields, Equatable {
    var f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14: Int?
    var f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29: Int?
    var f30, f31, f32, f33, f34, f35, f36, f37, f38, f39, f40, f41, f42, f43, f44: Int?
    var f45, f46, f47, f48, f49, f50, f51, f52, f53, f54, f55, f56, f57, f58, f59: Int?
    var f60, f61, f62, f63, f64, f65, f66, f67, f68, f69, f70, f71, f72, f73, f74: Int?
    var f75, f76, f77, f78, f79, f80, f81, f82, f83, f84, f85, f86, f87, f88, f89: Int?
  }

  @Test("ninety optional fields come back in many combinations")
  func manyShapes() throws {
    var generator = SeededGenerator("many shapes of declared fields")
    let dictionaries = (0..<1_000).map { _ in
      let chosen = (0..<90).filter { _ in Int.random(in: 0...9, using: &generator) == 0 }
      return Dictionary(uniqueKeysWithValues: chosen.map { ("f\($0)", $0) })
    }
    let values = try transcode(dictionaries, to: [Many].self)
    #expect(try roundTrip(values) == values)
    let back = try transcode(values, to: [[String: Int?]].self)
    #expect(back.map { $0.compactMapValues { $0 } } == dictionaries)
  }

  /// Properties that are computed, observed, lazy, constant, and wrapped.
  private struct Indirect: ArchivedFields {
    let version = 2
    var celsius = 0.0
    var changes = 0
    var name = "" { didSet { changes += 1 } }
    lazy var length = name.count
    @Deferred var street = Street()
    @Polymorphic var shape: any Sendable & Codable = 1

    var fahrenheit: Double {
      get { celsius * 1.8 + 32 }
      set { celsius = (newValue - 32) / 1.8 }
    }
  }

  private struct PlainIndirect: Codable {
    var version = 2
    var celsius: Double
    var changes: Int
    var name: String
    var street: Street
  }

  @Test("observed, constant and wrapped properties come back beside computed and lazy ones")
  func indirect() throws {
    var value = Indirect()
    value.fahrenheit = 212
    value.name = "n"
    value.street = Street(name: "deferred", number: 1)
    value.shape = "text"
    var copy = try roundTrip([value])[0]
    #expect(copy.celsius == 100 && copy.name == "n" && copy.street == value.street)
    #expect(copy.shape as? String == "text")
    #expect(copy.changes == 1 && copy.length == 1 && copy.version == 2)
    let plain = try transcode(value, to: PlainIndirect.self)
    #expect(plain.version == 2 && plain.celsius == 100 && plain.street == value.street)
  }

  private struct Fieldless: ArchivedFields, Equatable {
    var ignored = 1
    static var archivedKeys: [String: String?] { ["ignored": nil] }
  }
  private struct PlainFieldless: Codable {}

  @Test("a type without archived properties is an empty record")
  func fieldless() throws {
    #expect(try roundTrip([Fieldless(ignored: 2)]) == [Fieldless()])
    #expect(try ArchiveEncoder().encode([Fieldless()]) == ArchiveEncoder().encode([PlainFieldless()]))
    #expect(try transcode(PlainStreet(), to: Fieldless.self) == Fieldless())
  }

  private struct Twice: ArchivedFields {
    var a = 0
    var b = 0
    static var archivedKeys: [String: String?] { ["b": "a"] }
  }

  @Test("two fields of one name are an error with every coder, which names the type")
  func duplicates() throws {
    for error in [
      try failure { try ArchiveEncoder().encode([Twice()]) },
      try failure { try transcode([["a": 1]], to: [Twice].self) },
      try failure { try transcode([PlainStreet()], to: [Twice].self) },
      try failure { try JSONEncoder().encode([Twice()]) },
      try failure { try JSONDecoder().decode([Twice].self, from: Data("[{\"a\": 1}]".utf8)) },
    ] {
      #expect(error.code == .misuse && error.description.contains("Twice"), "\(error)")
    }
  }

  @Test("values of many types come back in alternation")
  func alternating() throws {
    struct Mixture: Codable, Equatable {
      var streets: [Street]
      var plain: PlainStreet
      var branch: Twig
      var holding: Holding?
    }
    let values = (0..<200).map { index in
      Mixture(
        streets: (0..<(index % 3)).map { Street(name: "street", number: $0) },
        plain: PlainStreet(name: "plain", number: index),
        branch: Twig(name: "b\(index)", branches: [Twig(), Twig(name: "c", branches: [Twig()])]),
        holding: index % 2 == 0 ? Holding(before: "x", refusing: RefusingValue(), after: index) : nil
      )
    }
    #expect(try roundTrip(values) == values)
  }
}
