import Foundation
import Keepsake
import TestSupport
import Testing

/// The coders of Foundation treat models with the library's wrappers like any other.
@Suite struct OtherCoders {
  @Test("in JSON, @Deferred is its value and a weak reference is omitted or null")
  func json() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let model = Model()
    #expect(
      try String(decoding: encoder.encode(model), as: UTF8.self)
        == #"{"dates":[],"number":1,"part":{"name":"part"},"parts":[],"text":"text"}"#
    )
    model.maybe = Part("maybe")
    model.watched = model.part
    let text = try String(decoding: encoder.encode(model), as: UTF8.self)
    #expect(text.contains(#""maybe":{"name":"maybe"}"#))
    #expect(!text.contains("watched") || text.contains(#""watched":null"#))
    let back = try JSONDecoder().decode(Model.self, from: encoder.encode(model))
    #expect(
      back.number == 1 && back.part.name == "part" && back.maybe?.name == "maybe" && back.watched == nil
    )
  }

  @Test(
    "models with wrappers come back from property lists in both formats, without weak references",
    arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary]
  )
  func propertyList(format: PropertyListSerialization.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let model = Model()
    model.watched = model.part
    model.maybe = Part("maybe")
    model.parts = [Part("a"), Part("b")]
    model.dates = [Date(timeIntervalSinceReferenceDate: 5)]
    let back = try PropertyListDecoder().decode(Model.self, from: encoder.encode(model))
    #expect(back.part.name == "part" && back.maybe?.name == "maybe" && back.watched == nil)
    #expect(back.parts.map(\.name) == ["a", "b"] && back.dates == model.dates)
    let plain = try PropertyListDecoder().decode(Model.self, from: encoder.encode(Model()))
    #expect(plain.maybe == nil && plain.watched == nil && plain.parts.isEmpty)
  }

  @Test("optional wrappers read JSON without their keys, and with null")
  func missing() throws {
    let short = #"{"dates":[],"number":2,"part":{"name":"p"},"parts":[],"text":"t"}"#
    let back = try JSONDecoder().decode(Model.self, from: Data(short.utf8))
    #expect(back.maybe == nil && back.watched == nil && back.number == 2)
    let nulls =
      #"{"dates":[],"number":2,"part":{"name":"p"},"parts":[],"text":"t","maybe":null,"watched":null}"#
    let second = try JSONDecoder().decode(Model.self, from: Data(nulls.utf8))
    #expect(second.maybe == nil && second.watched == nil)
    let full = #"{"dates":[],"number":2,"part":{"name":"p"},"parts":[],"text":"t","watched":{"name":"w"}}"#
    #expect(try JSONDecoder().decode(Model.self, from: Data(full.utf8)).watched == nil)
    let found = try failure { try JSONDecoder().decode(Model.self, from: Data(#"{"dates":[]}"#.utf8)) }
    #expect(found.kind == .keyNotFound && found.path == "")
  }

  @Test("strategies of other coders apply inside @Deferred")
  func strategies() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+",
      negativeInfinity: "-",
      nan: "0"
    )
    let data = try encoder.encode(Strategic(someDate: Date(timeIntervalSince1970: 3), someFloat: .infinity))
    #expect(String(decoding: data, as: UTF8.self).contains(#""some_date":3"#))
    #expect(String(decoding: data, as: UTF8.self).contains(#""some_float":"+""#))
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+",
      negativeInfinity: "-",
      nan: "0"
    )
    let back = try decoder.decode(Strategic.self, from: data)
    #expect(back.someDate == Date(timeIntervalSince1970: 3) && back.someFloat == .infinity)
  }

  @Test("arrays of @Deferred values come back from JSON, and those of weak references with nil")
  func collections() throws {
    let deferred = [Deferred(wrappedValue: Part("a")), Deferred(wrappedValue: Part("b"))]
    let back = try JSONDecoder().decode([Deferred<Part>].self, from: JSONEncoder().encode(deferred))
    #expect(back.map(\.wrappedValue.name) == ["a", "b"])
    let part = Part("weak")
    let weak = [WeakReference(wrappedValue: part), WeakReference()]
    let json = try JSONEncoder().encode(weak)
    #expect(String(decoding: json, as: UTF8.self) == "[null,null]")
    let decoded = try JSONDecoder().decode([WeakReference<Part>].self, from: json)
    #expect(decoded.count == 2 && decoded.allSatisfy { $0.wrappedValue == nil })
    let list = try PropertyListDecoder().decode(
      [WeakReference<Part>].self,
      from: PropertyListEncoder().encode(weak)
    )
    #expect(list.count == 2 && list.allSatisfy { $0.wrappedValue == nil })
    withExtendedLifetime(part) {}
  }

  @Test("conditional references and registration have no effect in other coders")
  func byHand() throws {
    let model = ByHand()
    let other = ByHand()
    model.other = other
    let back = try JSONDecoder().decode(ByHand.self, from: JSONEncoder().encode(model))
    #expect(back.other == nil && back.version == 3)
    let list = try PropertyListDecoder().decode([ByHand].self, from: PropertyListEncoder().encode([model]))
    #expect(list[0].other == nil && list[0].version == 3)
  }

  private struct Declared: ArchivedFields {
    var number = 1
    var text: String?
    var date: Date?
    var tag: String? = "new"
  }

  private struct Wrapped: Codable {
    @Deferred var text: String?
    @Lazy var date: Date?
    @Polymorphic var tag: Any?
    var number = 1
  }

  @Test("a coder for database rows gets every nil, as from synthesized code")
  func rows() throws {
    let nils = ["date": "nil", "tag": "nil", "text": "nil"]
    #expect(try Row.values(of: Declared(tag: nil)) == nils.merging(["number": "1"]) { $1 })
    #expect(try Row.values(of: Wrapped()) == nils.merging(["number": "1"]) { $1 })
    let full = Wrapped(text: "x", date: .distantPast, tag: "y", number: 2)
    #expect(try Row.values(of: full).values.contains("nil") == false)
    let data = try ArchiveEncoder().encode(Wrapped())
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == ["number": 1])
  }

  @Test("objects from archives can be encoded as JSON, and the other way round")
  func fromOneToTheOther() throws {
    let model = Model()
    model.parts = [model.part]
    model.watched = model.part
    let unarchived = try roundTrip(model)
    let parsed = try JSONDecoder().decode(Model.self, from: JSONEncoder().encode(unarchived))
    #expect(parsed.parts[0].name == "part" && parsed.parts[0] !== parsed.part)
    parsed.watched = parsed.parts[0]
    let again = try roundTrip(parsed)
    #expect(again.watched === again.parts[0])
  }
}

// MARK: - Types

private final class Part: Codable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

private final class Model: Codable {
  @Deferred var number = 1
  @Deferred var text = "text"
  @Deferred var dates: [Date] = []
  @Deferred var part = Part("part")
  @Deferred var parts: [Part] = []
  @Deferred var maybe: Part?
  @WeakReference var watched: Part?
}

/// Records the optionals that are nil, too.
private final class Row: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var values: [String: String] = [:]

  static func values(of value: some Encodable) throws -> [String: String] {
    let row = Row()
    try value.encode(to: row)
    return row.values
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Columns(row: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("a row has keys") }
  func singleValueContainer() -> any SingleValueEncodingContainer { preconditionFailure("a row has keys") }

  private struct Columns<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let row: Row
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { row.values[key.stringValue] = "nil" }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
      row.values[key.stringValue] = "\(value)"
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) {
      if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
      -> KeyedEncodingContainer<Nested>
    {
      row.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { row.unkeyedContainer() }
    func superEncoder() -> any Encoder { row }
    func superEncoder(forKey key: Key) -> any Encoder { row }
  }
}

private struct Strategic: Codable {
  @Deferred var someDate: Date
  @Deferred var someFloat: Double
}

private final class ByHand: Codable, SelfRegistering, ArchivableClass {
  static var archivedClassName: String { "OtherCoders.ByHand" }
  static var archiveVersion: Int { 3 }

  weak var other: ByHand?
  private(set) var version = 0
  private enum CodingKeys: CodingKey { case other }

  init() {}

  init(from decoder: any Decoder) throws {
    decoder.register(self)
    version = decoder.archivedVersion(of: ByHand.self)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    other = try container.decodeIfPresent(ByHand.self, forKey: .other)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeConditional(other, forKey: .other)
  }
}
