import Foundation
import Keepsake
import TestSupport
import Testing

/// A class that encodes one value reads as a structure that does the same, and as that value.
@Suite struct ClassesOfOneValue {
  private final class Box<Value: Codable>: Codable {
    let value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  private struct Wrapper<Value: Codable & Equatable>: Codable, Equatable {
    let value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  private enum Suit: String, Codable { case hearts, spades }
  private struct Point: Codable, Equatable { var x = 1 }

  private struct Holder<Value: Codable & Equatable>: Codable, Equatable {
    var first: Value
    var list: [Value]
    var maybe: Value?
    var after: String
  }

  private struct Boxes<Value: Codable>: Encodable {
    let first: Box<Value>
    let list: [Box<Value>]
    let maybe: Box<Value>?
    let after: String
  }

  private func pass<Value: Codable & Equatable>(_ value: Value) throws {
    let box = Box(value)
    let data = try ArchiveEncoder().encode(
      Boxes(first: box, list: [box, Box(value)], maybe: box, after: "after")
    )
    let plain = Holder(first: value, list: [value, value], maybe: value, after: "after")
    #expect(try ArchiveDecoder().decode(Holder<Value>.self, from: data) == plain)
    let wrapped = Holder(
      first: Wrapper(value),
      list: [Wrapper(value), Wrapper(value)],
      maybe: Wrapper(value),
      after: "after"
    )
    #expect(try ArchiveDecoder().decode(Holder<Wrapper<Value>>.self, from: data) == wrapped)
    #expect(try transcode(box, to: Value.self) == value)
    #expect(try transcode(box, to: Wrapper<Value>.self).value == value)
    // The other way round: a value that became an object.
    #expect(try transcode(value, to: Box<Value>.self).value == value)
    #expect(try transcode([Wrapper(value)], to: [Box<Value>].self)[0].value == value)
  }

  @Test("values of every kind read as a class that encodes only them, and the other way round")
  func everyKind() throws {
    try pass(true)
    try pass(7)
    try pass(UInt64.max)
    try pass(Int8(-3))
    try pass(1.5)
    try pass(Float(2.5))
    try pass("text")
    try pass(String(repeating: "long ", count: 20))
    try pass(Suit.spades)
    try pass(Point())
    try pass([1, 2, 3])
    try pass(["a", "b"])
    try pass([Point(), Point()])
    try pass(["a": [1: 2]])
    try pass(Set(["a"]))
    try pass(Data([1, 2]))
    try pass(Date(timeIntervalSinceReferenceDate: 0.5))
    try pass(UUID())
    try pass(Decimal(12.5))
    try pass(URL(string: "https://example.org/a"))
    try pass(Int?.some(3))
  }

  @Test("an object that encodes only nil reads as nil")
  func nilValue() throws {
    struct Reader: Decodable {
      let isNil: Bool
      init(from decoder: any Decoder) throws { isNil = try decoder.singleValueContainer().decodeNil() }
    }
    #expect(try transcode([Box(Int?.none)], to: [Reader].self)[0].isNil)
    #expect(try !transcode([Box(1)], to: [Reader].self)[0].isNil)
  }

  @Test("nil reads as a class that accepts it, as in JSON")
  func classOfNil() throws {
    final class Null: Codable {
      init(from decoder: any Decoder) throws {
        guard try decoder.singleValueContainer().decodeNil() else {
          throw DecodingError.typeMismatch(
            Null.self,
            .init(codingPath: decoder.codingPath, debugDescription: "This is not nil")
          )
        }
      }
    }
    final class Keyed: Codable { var x: Int? }
    struct Nils: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encodeNil(forKey: "first")
        try container.encode([nil, nil] as [Int?], forKey: "list")
        try container.encode(["a": nil] as [String: Int?], forKey: "names")
        try container.encode("end", forKey: "end")
      }
    }
    struct Reader<Value: Decodable>: Decodable {
      let first: Value
      let list: [Value]
      let names: [String: Value]
      let end: String
    }
    let nulls = try transcode(Nils(), to: Reader<Null>.self)
    #expect(nulls.list.count == 2 && nulls.names.count == 1 && nulls.end == "end")
    let boxes = try transcode(Nils(), to: Reader<Box<Int?>>.self)
    #expect(boxes.first.value == nil && boxes.list.count == 2 && boxes.names["a"]?.value == nil)
    #expect(boxes.end == "end")
    let forwarding = try transcode(Nils(), to: Reader<Box<Box<Int?>>>.self)
    #expect(forwarding.first.value.value == nil && forwarding.end == "end")
    _ = try transcode(Int?.none, to: Null.self)
    #expect(try transcode([Int?.none], to: [Null?].self)[0] == nil)

    let keyed = try failure { try transcode([nil, nil] as [Int?], to: [Keyed].self) }
    #expect(keyed.kind == .valueNotFound && keyed.path == "[0]")
    #expect(try failure { try transcode(Nils(), to: Reader<Box<Int>>.self) }.kind == .valueNotFound)
    #expect(try failure { try transcode([1, nil] as [Int?], to: [Null].self) }.kind == .typeMismatch)
  }

  @Test("an object of another kind of value is a type mismatch at its coding path")
  func mismatch() throws {
    let found = try failure { try transcode([Box("text")], to: [Int].self) }
    #expect(found.kind == .typeMismatch && found.path == "[0]")
  }
}
