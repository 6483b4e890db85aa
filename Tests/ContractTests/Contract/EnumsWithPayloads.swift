import Foundation
import Keepsake
import TestSupport
import Testing

/// Enumerations with synthesized code.
@Suite struct EnumsWithPayloads {
  private enum Shape: Codable, Equatable {
    case empty
    case circle(radius: Double)
    case rectangle(width: Double, height: Double)
    case label(String)
    case polygon([Point], closed: Bool)
    case maybe(Int?, Int??)
    case silent(Blank)
  }
  private struct Blank: Codable, Equatable {}
  private struct Point: Codable, Equatable { var x: Int, y: Int }

  private indirect enum Expression: Codable, Equatable {
    case number(Int)
    case variable(name: String)
    case sum(Expression, Expression)
    case call(String, arguments: [Expression])
    case named([String: Expression])
  }

  private static let shapes: [Shape] = [
    .empty, .circle(radius: 1.5), .rectangle(width: 1, height: -0.0), .label(""), .label("text"),
    .polygon([], closed: false), .polygon([Point(x: 1, y: 2), Point(x: 3, y: 4)], closed: true),
    .maybe(nil, nil), .maybe(1, .some(2)), .silent(Blank()),
  ]

  @Test("debug and release builds number the shapes of an enumeration alike")
  func sameBytes() throws {
    // Three shapes (Format §5.2), numbered as they become complete: {x, y}, the payload, the case.
    let shapes: [UInt8] = [2, 0x61, 0x74, 0, 0x62, 0x61, 0x60, 0x91, 0x92]
    #expect(try ArchiveEncoder().encode(Placed.at(point: Point(x: 1, y: 2))).dropLast(4).suffix(9) == shapes)
  }

  private enum Placed: Codable, Equatable { case at(point: Point) }

  @Test("every kind of payload comes back at the root", arguments: shapes.indices)
  func atTheTop(index: Int) throws {
    let shape = Self.shapes[index]
    #expect(try roundTrip(shape) == shape)
    #expect(try roundTrip(shape as Shape?) == shape)
  }

  @Test("payloads come back in arrays, dictionaries and fields")
  func nested() throws {
    #expect(try roundTrip(Self.shapes) == Self.shapes)
    let byName = Dictionary(uniqueKeysWithValues: Self.shapes.enumerated().map { ("\($0)", $1) })
    #expect(try roundTrip(byName) == byName)
    struct Drawing: Codable, Equatable { var first: Shape, more: [Shape?], last: Shape? }
    let drawing = Drawing(first: .label("a"), more: Self.shapes + [nil], last: .empty)
    #expect(try roundTrip(drawing) == drawing)
  }

  @Test("indirect cases come back")
  func indirect() throws {
    var expression = Expression.number(0)
    for number in 1...60 {
      let call = Expression.call("f\(number)", arguments: [expression, .variable(name: "x\(number)")])
      expression = number % 10 == 0 ? .named(["inner": call]) : .sum(call, .number(number))
    }
    #expect(try roundTrip(expression) == expression)
  }

  @Test("a case is archived as synthesized code encodes it: the case, then the labels")
  func layout() throws {
    let data = try ArchiveEncoder().encode(Shape.rectangle(width: 2, height: 3))
    let labels = try ArchiveDecoder().decode([String: [String: Double]].self, from: data)
    #expect(labels == ["rectangle": ["width": 2, "height": 3]])
    let unlabelled = try transcode(Shape.label("text"), to: [String: [String: String]].self)
    #expect(unlabelled == ["label": ["_0": "text"]])
    try readKeyed(ArchiveEncoder().encode(Shape.empty)) { container throws in
      #expect(container.allKeys == ["empty"])
      #expect(try container.nestedContainer(keyedBy: AnyKey.self, forKey: "empty").allKeys.isEmpty)
    }
  }

  @Test("an unknown case is an error")
  func unknownCase() throws {
    #expect(throws: DecodingError.self) { try transcode(["star": ["points": 5]], to: Shape.self) }
    #expect(throws: DecodingError.self) { try transcode([String: Int](), to: Shape.self) }
    #expect(throws: DecodingError.self) {
      try transcode(["empty": [String: Int](), "label": [:]], to: Shape.self)
    }
  }

  @Test("objects in payloads are shared")
  func objects() throws {
    let person = Person(name: "Ada")
    let contacts: [Contact] = [.person(person), .pair(first: person, second: Person(name: "Bob")), .none]
    let back = try roundTrip(contacts)
    guard case .person(let alone) = back[0], case .pair(let first, let second) = back[1] else {
      Issue.record("other cases came back: \(back)")
      return
    }
    #expect(alone === first && first !== second)
    #expect(alone.name == "Ada" && second.name == "Bob")
  }

  @Test("enumerations with raw values are their raw values")
  func rawValues() throws {
    #expect(try roundTrip([Suit.hearts, .spades]) == [.hearts, .spades])
    #expect(try transcode([Suit.hearts, .spades], to: [String].self) == ["hearts", "♠︎"])
    #expect(try transcode([3, 1], to: [Rank].self) == [.three, .one])
    #expect(try roundTrip([Rank.one: Suit.hearts]) == [.one: .hearts])
    let unknown = try failure { try transcode([1, 2], to: [Rank].self) }
    #expect(unknown.kind == .dataCorrupted && unknown.path == "[1]")
    #expect(try failure { try transcode(["x"], to: [Rank].self) }.kind == .typeMismatch)
  }

  @Test("key types may have more than 256 keys, one or none")
  func keyTypesOfEverySize() throws {
    let data = try write { encoder in
      var one = encoder.container(keyedBy: OneKey.self)
      try one.encode(1, forKey: .only)
      _ = encoder.container(keyedBy: NoKey.self)
      var numbered = encoder.container(keyedBy: NumberedKey.self)
      for number in 0..<600 { try numbered.encode(number, forKey: NumberedKey(number)) }
    }
    try read(data) { decoder throws in
      #expect(try decoder.container(keyedBy: OneKey.self).decode(Int.self, forKey: .only) == 1)
      #expect(try decoder.container(keyedBy: OneKey.self).allKeys == [.only])
      #expect(try decoder.container(keyedBy: NoKey.self).allKeys.isEmpty)
      let numbered = try decoder.container(keyedBy: NumberedKey.self)
      #expect(numbered.allKeys.count == 600)
      for number in 0..<600 { #expect(try numbered.decode(Int.self, forKey: NumberedKey(number)) == number) }
    }
  }

  @Test("keys of two types with equal bytes are distinguished by their names")
  func equalBytes() throws {
    let data = try write { encoder in
      var first = encoder.container(keyedBy: FirstByteKey.self)
      try first.encode(1, forKey: .a)
      try first.encode(2, forKey: .b)
      var second = encoder.container(keyedBy: SecondByteKey.self)
      try second.encode(3, forKey: .a)
      try second.encode(4, forKey: .b)
    }
    let expected = ["a of first": 1, "b of first": 2, "a of second": 3, "b of second": 4]
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == expected)
  }
}

private final class Person: Codable {
  let name: String

  init(name: String) {
    self.name = name
  }
}

private enum Contact: Codable {
  case none
  case person(Person)
  case pair(first: Person, second: Person)
}

private enum Suit: String, Codable { case hearts, spades = "♠︎" }
private enum Rank: Int, Codable { case one = 1, three = 3 }
private enum OneKey: CodingKey { case only }
private enum NoKey: CodingKey {}

private enum FirstByteKey: String, CodingKey { case a = "a of first", b = "b of first" }
private enum SecondByteKey: String, CodingKey { case a = "a of second", b = "b of second" }

/// A key of two bytes.
private struct NumberedKey: CodingKey {
  private let number: UInt16
  var stringValue: String { "number \(number)" }
  var intValue: Int? { nil }

  init(_ number: Int) {
    self.number = UInt16(number)
  }

  init?(stringValue: String) {
    guard stringValue.hasPrefix("number "), let number = UInt16(stringValue.dropFirst(7)) else { return nil }
    self.number = number
  }

  init?(intValue: Int) {
    return nil
  }
}
