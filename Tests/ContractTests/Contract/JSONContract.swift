import Foundation
import Keepsake
import TestSupport
import Testing

/// A coding path with the numbers of its keys.
private func numbered(_ keys: [any CodingKey]) -> String {
  keys.map { "\($0.stringValue)(\($0.intValue.map(String.init) ?? ""))" }.joined(separator: "/")
}

/// Compares the answers of containers with those of JSONDecoder, call by call: the same value, or an error of the same
/// case with the same path.
@Suite struct JSONContract {
  /// The requested keys: members of each kind, and a missing one.
  private static let names = [
    "int", "negative", "large", "text", "flag", "null", "list", "texts", "mixed", "inner", "noList", "five",
    "missing",
  ]

  private struct Value: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "int")
      try container.encode(-300, forKey: "negative")
      try container.encode(UInt64.max, forKey: "large")
      try container.encode("x", forKey: "text")
      try container.encode(true, forKey: "flag")
      try container.encodeNil(forKey: "null")
      try container.encode([1, 2, 300], forKey: "list")
      try container.encode(["a", "b"], forKey: "texts")
      var mixed = container.nestedUnkeyedContainer(forKey: "mixed")
      try mixed.encode(1)
      try mixed.encode("a")
      try mixed.encodeNil()
      try mixed.encode([1])
      try mixed.encode(["a": 1])
      try container.encode(["a": 1, "b": 2], forKey: "inner")
      try container.encode([Int](), forKey: "noList")
      try container.encode("5", forKey: "five")
    }
  }

  private enum Names: String, CodingKey, CaseIterable {
    case int, negative, large, text, flag, null, list, texts, mixed, inner, noList, missing
  }

  private enum Numbers: Int, CodingKey, CaseIterable {
    case int = 1, text = 2, list = 3, inner = 4, five = 5, none = 9
  }

  private struct Member: Decodable {
    var a: Int
    var b: Int?
  }

  /// The answers to a reader, a line for each call.
  private struct Trace: Decodable {
    private(set) var lines: [String] = []

    init(from decoder: any Decoder) throws {
      let keyed = try decoder.container(keyedBy: AnyKey.self)
      note("allKeys") { keyed.allKeys.map(\.stringValue).sorted() }
      note("codingPath") { numbered(keyed.codingPath) }
      for name in JSONContract.names { read(keyed, AnyKey(name)) }
      let names = try decoder.container(keyedBy: Names.self)
      note("allKeys") { names.allKeys.map(\.stringValue).sorted() }
      for name in Names.allCases { read(names, name) }
      let numbers = try decoder.container(keyedBy: Numbers.self)
      note("allKeys") { numbers.allKeys.map(\.stringValue).sorted() }
      for name in Numbers.allCases { read(numbers, name) }
      note("super") { try numbered(keyed.superDecoder().codingPath) }
      readSingle("super") { try keyed.superDecoder() }
      for name in JSONContract.names {
        readSingle("super \(name)") { try keyed.superDecoder(forKey: AnyKey(name)) }
        readUnkeyed(name) { try keyed.nestedUnkeyedContainer(forKey: AnyKey(name)) }
        readNested(name) { try keyed.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(name)) }
      }
      note("keyed unkeyed") { try decoder.unkeyedContainer().currentIndex }
      readSingle("itself") { decoder }
    }

    private mutating func note(_ name: String, _ call: () throws -> Any) {
      let answer: String
      do {
        answer = "\(try call())"
      } catch DecodingError.keyNotFound(let key, let context) {
        answer = "keyNotFound \(numbered([key])) in \(numbered(context.codingPath))"
      } catch DecodingError.typeMismatch(_, let context) {
        answer = "typeMismatch at \(numbered(context.codingPath))"
      } catch DecodingError.valueNotFound(_, let context) {
        answer = "valueNotFound at \(numbered(context.codingPath))"
      } catch {
        // JSONDecoder has a private error for numbers that do not fit, which becomes this one at the end.
        answer = "dataCorrupted"
      }
      lines.append("\(name): \(answer)")
    }

    private mutating func read<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>, _ key: Key) {
      func decode<T: Decodable>(_ type: T.Type) {
        note("\(key) as \(type)") { try container.decode(type, forKey: key) }
        note("\(key) if present as \(type)") { try container.decodeIfPresent(type, forKey: key) as Any }
      }
      note("\(key) contains") { container.contains(key) }
      note("\(key) nil") { try container.decodeNil(forKey: key) }
      // JSONDecoder throws typeMismatch for nil only as a Bool.
      if key.stringValue != "null" { decode(Bool.self) }
      decode(Int.self)
      decode(Int8.self)
      decode(UInt.self)
      decode(UInt64.self)
      decode(Double.self)
      decode(Float.self)
      decode(String.self)
      decode([Int].self)
      decode([UInt8].self)
      decode([String].self)
      decode([String?].self)
      decode(Int?.self)
      note("\(key) as member") { try container.decode(Member.self, forKey: key) }
      note("\(key) as map") {
        try container.decode([String: Int].self, forKey: key).sorted { $0.key < $1.key }.map(\.value)
      }
      note("\(key) nested") {
        try container.nestedContainer(keyedBy: Numbers.self, forKey: key).decode(Int.self, forKey: .five)
      }
      note("\(key) path of nested") {
        try numbered(container.nestedContainer(keyedBy: AnyKey.self, forKey: key).codingPath)
      }
      note("\(key) path of list") { try numbered(container.nestedUnkeyedContainer(forKey: key).codingPath) }
      note("\(key) path of super") { try numbered(container.superDecoder(forKey: key).codingPath) }
    }

    private mutating func readNested(
      _ name: String,
      _ open: () throws -> KeyedDecodingContainer<AnyKey>
    ) {
      note("\(name) nested keys") { try open().allKeys.map(\.stringValue).sorted() }
      note("\(name) nested a") { try open().decode(Int.self, forKey: "a") }
      note("\(name) nested a as text") { try open().decode(String.self, forKey: "a") }
      note("\(name) nested a by number") { try open().decode(Int.self, forKey: AnyKey(intValue: 7)) }
      note("\(name) nested none") { try open().decode(String.self, forKey: "none") }
    }

    private mutating func readSingle(_ name: String, _ open: () throws -> any Decoder) {
      func single() throws -> any SingleValueDecodingContainer { try open().singleValueContainer() }
      note("\(name) single nil") { try single().decodeNil() }
      note("\(name) single path") { try numbered(single().codingPath) }
      note("\(name) single Int") { try single().decode(Int.self) }
      note("\(name) single Int?") { try single().decode(Int?.self) as Any }
      note("\(name) single String") { try single().decode(String.self) }
      note("\(name) single [Int]") { try single().decode([Int].self) }
      note("\(name) single Member") { try single().decode(Member.self) }
      note("\(name) single Member itself") { try Member(from: open()) }
      note("\(name) keyed") { try open().container(keyedBy: AnyKey.self).contains("a") }
      note("\(name) unkeyed") { try open().unkeyedContainer().isAtEnd }
    }

    private mutating func readUnkeyed(_ name: String, _ open: () throws -> any UnkeyedDecodingContainer) {
      var list: any UnkeyedDecodingContainer
      do {
        list = try open()
      } catch {
        return note("\(name) list") { throw error }
      }
      note("\(name) count") { list.count as Any }
      for index in 0...(list.count ?? 0) {
        let item = "\(name) item \(index)"
        // None of these calls takes the element.
        note("\(item) at end") { list.isAtEnd }
        if name != "mixed" { note("\(item) as Bool") { try list.decode(Bool.self) } }
        // At the end, JSONDecoder advances here.
        if !list.isAtEnd { note("\(item) as Bool if present") { try list.decodeIfPresent(Bool.self) as Any } }
        note("\(item) index") { list.currentIndex }
        if list.currentIndex != index { continue }
        note("\(item) as Member") { try list.decode(Member.self).a }
        if list.currentIndex != index { continue }
        var copy = list
        note("\(item) nested") { try numbered(copy.nestedContainer(keyedBy: AnyKey.self).codingPath) }
        note("\(item) nested index") { copy.currentIndex }
        copy = list
        note("\(item) list") { try numbered(copy.nestedUnkeyedContainer().codingPath) }
        note("\(item) list index") { copy.currentIndex }
        copy = list
        note("\(item) super") { try numbered(copy.superDecoder().codingPath) }
        note("\(item) super index") { copy.currentIndex }
        copy = list
        note("\(item) as String") { try copy.decode(String.self) }
        note("\(item) index") { copy.currentIndex }
        copy = list
        if !list.isAtEnd { note("\(item) as Int if present") { try copy.decodeIfPresent(Int.self) as Any } }
        note("\(item) index") { copy.currentIndex }
        note("\(item) nil") { try list.decodeNil() }
        note("\(item) index") { list.currentIndex }
        if list.currentIndex == index { _ = try? list.superDecoder() }
      }
    }
  }

  private struct Around: Decodable {
    enum Key: Int, CodingKey { case value = 3 }
    var trace: Trace
    init(from decoder: any Decoder) throws {
      trace = try decoder.container(keyedBy: Key.self).decode(Trace.self, forKey: .value)
    }
  }

  @Test("containers answer each call as JSONDecoder's do, at the root and below a key")
  func calls() throws {
    func compare(_ json: [String], _ archive: [String]) {
      #expect(json.count == archive.count && json.count > 1_000)
      for (expected, found) in zip(json, archive) { #expect(expected == found) }
    }
    compare(
      try JSONDecoder().decode(Trace.self, from: JSONEncoder().encode(Value())).lines,
      try transcode(Value(), to: Trace.self).lines
    )
    // As a dictionary in both cases: its keys are not cases.
    let around = ["value": Value()]
    compare(
      try JSONDecoder().decode(Around.self, from: JSONEncoder().encode(around)).trace.lines,
      try transcode(around, to: Around.self).trace.lines
    )
  }

  private enum Digits: Int, CodingKey {
    case five = 5
    case six = 6
  }

  private struct Folded: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue.lowercased() }
    init?(intValue: Int) { nil }
  }

  @Test("allKeys contains only keys for which contains is true")
  func allKeys() throws {
    try read(ArchiveEncoder().encode([5: 1, 7: 2])) { decoder in
      // Their keys are archived as numbers, which are not the names of these cases.
      let digits = try decoder.container(keyedBy: Digits.self)
      #expect(digits.allKeys.isEmpty && !digits.contains(.five))
      let any = try decoder.container(keyedBy: AnyKey.self)
      #expect(Set(any.allKeys.map(\.intValue)) == [5, 7] && any.allKeys.allSatisfy(any.contains))
    }
    try read(ArchiveEncoder().encode(["five": 1])) { decoder in
      let digits = try decoder.container(keyedBy: Digits.self)
      #expect(digits.allKeys == [.five])
    }
    try read(ArchiveEncoder().encode(["NAME": 1, "age": 2, "cafe\u{301}": 3])) { decoder in
      let folded = try decoder.container(keyedBy: Folded.self)
      #expect(Set(folded.allKeys.map(\.stringValue)) == ["age", "cafe\u{301}"])
      #expect(folded.allKeys.allSatisfy(folded.contains))
    }
  }
}
