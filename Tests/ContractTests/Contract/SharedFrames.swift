import Foundation
import Keepsake
import TestSupport
import Testing

/// Several containers and decoders of one value, or of values at one depth, do not disturb each other.
@Suite struct SharedFrames {
  private struct Circle: Codable { var radius: Double }

  /// A value with a field that states its type, read again as that type.
  private struct Figure: Decodable {
    let circle: Circle

    init(from decoder: any Decoder) throws {
      _ = try? decoder.container(keyedBy: AnyKey.self).decode(String.self, forKey: "type")
      circle = try decoder.singleValueContainer().decode(Circle.self)
    }
  }

  @Test("a value read by a field and then as a whole has the right values and paths")
  func unions() throws {
    let good = try ArchiveEncoder().encode([["type": 1.0, "radius": 2.0]])
    #expect(try ArchiveDecoder().decode([Figure].self, from: good)[0].circle.radius == 2)
    let bad = try ArchiveEncoder().encode([["type": "circle", "radius": "wide"]])
    let error = try failure { try ArchiveDecoder().decode([Figure].self, from: bad) }
    #expect(error.kind == .typeMismatch && error.path == "[0]/radius", "\(error.path)")
  }

  /// An object that readers read as a value.
  private final class Measures: Encodable { var first = 1, second = "wide" }

  /// A value read by a field, and then as a whole by a plan of the library.
  private struct MeasuresRead: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: "first")
      _ = try decoder.singleValueContainer().decode([String: Int].self)
    }
  }

  @Test("an object read by a field and then as a dictionary has the right path")
  func objectsAsDictionaries() throws {
    let error = try failure { try transcode([Measures()], to: [MeasuresRead].self) }
    #expect(error.kind == .typeMismatch && error.path == "[0]/second", "\(error.path)")
  }

  private struct Empty: Codable {}

  private struct NumbersInEmpty: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: AnyKey.self)
      _ = try decoder.singleValueContainer().decode([String].self)
      _ = try decoder.singleValueContainer().decode([Int: Empty].self)
      _ = try decoder.singleValueContainer().decode(Int.self)
    }
  }

  @Test("an error in a value without keys that is read as other kinds of value has its path")
  func withoutKeys() throws {
    let data = try ArchiveEncoder().encode([Empty()])
    #expect(try failure { try ArchiveDecoder().decode([NumbersInEmpty].self, from: data) }.path == "[0]")
  }

  private struct ArrayThenKeys: Decodable {
    init(from decoder: any Decoder) throws {
      if var list = try? decoder.unkeyedContainer() { _ = try? list.decode(Bool.self) }
      _ = try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: "x")
    }
  }

  @Test("an array that was opened as an array does not read as a keyed container")
  func arrayThenKeys() throws {
    let data = try ArchiveEncoder().encode(["a": [["x"], ["y"]]])
    #expect(
      try failure { try ArchiveDecoder().decode([String: ArrayThenKeys].self, from: data) }.kind
        == .typeMismatch
    )
  }

  @Test("a nested container continues where it was after its value was read as a dictionary")
  func dictionaryBetween() throws {
    try readKeyed(ArchiveEncoder().encode(["m": ["a": 1, "b": 2]])) { container throws in
      let nested = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "m")
      #expect(try nested.decode(Int.self, forKey: "a") == 1)
      #expect(try container.decode([String: Int].self, forKey: "m") == ["a": 1, "b": 2])
      #expect(try nested.decode(Int.self, forKey: "b") == 2)
    }
  }

  private struct Parent: Codable {
    var a = Child()
    var b = 2
    var c = 3
    var d = 4
    var e = 5

    struct Child: Codable {
      var x = 1
    }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let outer = SharedFrames.outer.flatMap { decoder.userInfo[$0] } as? Outer
      outer?.read = { try container.decode(Int.self, forKey: .d) }
      a = try container.decode(Reader.self, forKey: .a).child
      e = try container.decode(Int.self, forKey: .e)
      b = try container.decode(Int.self, forKey: .b)
    }
  }

  private struct Reader: Decodable {
    let child: Parent.Child

    init(from decoder: any Decoder) throws {
      let outer = SharedFrames.outer.flatMap { decoder.userInfo[$0] } as? Outer
      #expect(try outer?.read?() == 4)
      child = try Parent.Child(from: decoder)
    }
  }

  /// Gives a child access to its parent's container.
  private final class Outer { var read: (() throws -> Int)? }

  private static let outer = CodingUserInfoKey(rawValue: "outer")

  @Test("a child that reads from its parent's container does not advance it")
  func childReadsParent() throws {
    let key = try #require(SharedFrames.outer)
    let back = try KeyedUnarchiver.unarchive(
      Parent.self,
      from: ArchiveEncoder().encode(Parent()),
      userInfo: [key: Outer()]
    )
    #expect(back.a.x == 1 && back.b == 2 && back.e == 5)
  }

  private struct KeepsNested: Decodable {
    let nested: KeyedDecodingContainer<AnyKey>

    init(from decoder: any Decoder) throws {
      nested = try decoder.container(keyedBy: AnyKey.self).nestedContainer(keyedBy: AnyKey.self, forKey: "n")
    }
  }

  @Test("kept containers know their paths")
  func keptPaths() throws {
    let data = try ArchiveEncoder().encode([["n": ["k": 1]], ["n": ["k": 2]], ["n": ["k": 3]]])
    let kept = try ArchiveDecoder().decode([KeepsNested].self, from: data)
    for (index, keeper) in kept.enumerated() {
      #expect(keeper.nested.codingPath.map(\.stringValue) == ["Index \(index)", "n"])
      #expect(try keeper.nested.decode(Int.self, forKey: "k") == index + 1)
      #expect(try failure { try keeper.nested.decode(String.self, forKey: "k") }.path == "[\(index)]/n/k")
    }
  }

  /// A member that its outer container reads as another type while its initializer runs.
  private struct ReadAround: Decodable {
    init(from decoder: any Decoder) throws {
      let outer = SharedFrames.outer.flatMap { decoder.userInfo[$0] } as? Outer
      _ = try outer?.read?()
    }
  }

  private struct Declared: ArchivedFields { var a = 0, b = [0], c = [0], d = [""] }

  /// Makes each of its elements readable as `Other`, too.
  private struct Around<Other: Decodable>: Decodable {
    var last: Int

    init(from decoder: any Decoder) throws {
      let outer = SharedFrames.outer.flatMap { decoder.userInfo[$0] } as? Outer
      var list = try decoder.unkeyedContainer()
      for _ in 0..<2 {
        let here = list
        outer?.read = {
          var copy = here
          _ = try copy.decode(Other.self)
          return 0
        }
        _ = try list.decode(ReadAround.self)
      }
      last = try list.decode(Int.self)
    }
  }

  @Test("a value may be read as another type while its initializer runs, and is skipped correctly")
  func readAround() throws {
    let key = try #require(SharedFrames.outer)
    func check<Other: Decodable>(_ type: Other.Type, _ value: some Encodable) throws {
      let data = try writeUnkeyed { list throws in
        for _ in 0..<2 { try list.encode(value) }
        try list.encode(7)
      }
      let back = try KeyedUnarchiver.unarchive(Around<Other>.self, from: data, userInfo: [key: Outer()])
      #expect(back.last == 7)
    }
    try check([String: Int].self, ["a": 1, "b": 200, "c": 3])
    try check(Declared.self, Declared(a: 1, b: [1, 2], c: [3, 400], d: ["x", "y"]))
  }

  private struct Kept: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) { self.decoder = decoder }
  }

  @Test("a kept decoder or container knows its path after other elements were read")
  func keptElements() throws {
    let data = try ArchiveEncoder().encode([["k": 1], nil, ["k": 2], nil] as [[String: Int]?])
    try readUnkeyed(data) { list throws in
      let nested = try list.nestedContainer(keyedBy: AnyKey.self)
      #expect(try list.decodeIfPresent(Int.self) == nil)
      #expect(spelled(nested.codingPath) == "[0]")
      #expect(try failure { try nested.decode(String.self, forKey: "k") }.path == "[0]/k")
      let decoder = try list.superDecoder()
      #expect(try list.decodeNil())
      #expect(spelled(decoder.codingPath) == "[2]")
    }
    let kept = try ArchiveDecoder().decode([Kept?].self, from: data)
    #expect(kept.map { $0.map { spelled($0.decoder.codingPath) } } == ["[0]", nil, "[2]", nil])
  }

  @Test("a number that does not fit has its path, among containers used alternately")
  func numbersByTurns() throws {
    let data = try ArchiveEncoder().encode([["a": ["n": [1, 300]]], ["a": ["n": [1]]]])
    try readUnkeyed(data) { list throws in
      let first = try list.nestedContainer(keyedBy: AnyKey.self)
      let inner = try first.nestedContainer(keyedBy: AnyKey.self, forKey: "a")
      _ = try list.nestedContainer(keyedBy: AnyKey.self)
      #expect(try failure { try inner.decode([Int8].self, forKey: "n") }.path == "[0]/a/n/[1]")
    }
  }

  @Test("20,000 spellings of 15 keys are read as 15 keys")
  func spellings() throws {
    let count = 20_000
    let data = try writeKeyed { container in
      for number in 0..<count {
        let bits = String(number, radix: 2).map { $0 == "1" ? "\u{E9}" : "e\u{301}" }.joined()
        try container.encode(number, forKey: AnyKey("\(bits)"))
      }
    }
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data).count == 15)
  }
}
