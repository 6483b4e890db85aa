import Foundation
import Keepsake
import TestSupport
import Testing

/// Keys are read in any order, any number of times and at any time; a failed decode changes nothing.
@Suite struct DecodingOrder {
  @Test("a key read twice gives the same value twice")
  func twice() throws {
    let data = try writeKeyed { container in
      try container.encode(1, forKey: "number")
      try container.encode(["a", "b"], forKey: "list")
      try container.encode(Leaf(), forKey: "object")
    }
    try readKeyed(data) { container throws in
      for _ in 0..<3 {
        #expect(try container.decode([String].self, forKey: "list") == ["a", "b"])
        #expect(try container.decode(Int.self, forKey: "number") == 1)
        #expect(try container.decode(UInt8.self, forKey: "number") == 1)
      }
      let object = try container.decode(Leaf.self, forKey: "object")
      #expect(try container.decode(Leaf.self, forKey: "object") === object)
    }
  }

  @Test("a thousand keys are read forwards, backwards and shuffled, with absent ones between")
  func thousandKeys() throws {
    let data = try writeKeyed { container in
      for number in 0..<1000 { try container.encode(number, forKey: AnyKey("k\(number)")) }
    }
    var generator = SeededGenerator("thousand keys")
    let shuffled = (0..<1000).shuffled(using: &generator)
    for order in [Array(0..<1000), (0..<1000).reversed(), shuffled] {
      try readKeyed(data) { container throws in
        for number in order {
          #expect(try container.decode(Int.self, forKey: AnyKey("k\(number)")) == number)
          #expect(try container.decodeIfPresent(Int.self, forKey: AnyKey("absent \(number)")) == nil)
          #expect(!container.contains(AnyKey("k\(number + 1000)")))
        }
      }
    }
  }

  @Test("a synthesized type reads keys that were written in another order, and skips unknown ones")
  func otherOrder() throws {
    struct Row: Codable, Equatable { var a: Int, b: String, c: [Double], d: Bool }
    let data = try writeKeyed { container in
      try container.encode(["unknown": [1, 2, 3]], forKey: "z")
      try container.encode(true, forKey: "d")
      try container.encode(Leaf(), forKey: "y")
      try container.encode([1.5], forKey: "c")
      try container.encode(Data(count: 1000), forKey: "x")
      try container.encode("b", forKey: "b")
      try container.encode(1, forKey: "a")
    }
    #expect(try ArchiveDecoder().decode(Row.self, from: data) == Row(a: 1, b: "b", c: [1.5], d: true))
  }

  @Test("one type reads records of different shapes in one array")
  func changingShapes() throws {
    struct Row: Decodable, Equatable { var a: Int?, b: Int?, c: Int? }
    let data = try writeUnkeyed { list in
      for number in 0..<64 {
        var row = list.nestedContainer(keyedBy: AnyKey.self)
        let keys: [AnyKey] = number % 2 == 0 ? ["a", "b", "c"] : ["c", "b", "a"]
        for (bit, key) in keys.enumerated() where number >> (bit + 1) & 1 == 1 {
          try row.encode(number, forKey: key)
        }
      }
    }
    let rows = try ArchiveDecoder().decode([Row].self, from: data)
    for (number, row) in rows.enumerated() {
      let values = (1...3).map { number >> $0 & 1 == 1 ? number : nil }
      let ordered = number % 2 == 0 ? values : values.reversed()
      #expect(row == Row(a: ordered[0], b: ordered[1], c: ordered[2]))
    }
    #expect(rows.count == 64)
  }

  @Test("a failed decode leaves an unkeyed container where it was, and the next attempt works")
  func failedDecode() throws {
    let data = try writeUnkeyed { list in
      try list.encode("text")
      try list.encode(300)
      try list.encode(["a": 1])
      try list.encode([1, 2])
      try list.encode(Leaf())
      try list.encode("end")
    }
    try readUnkeyed(data) { list throws in
      #expect(throws: DecodingError.self) { try list.decode(Int.self) }
      #expect(throws: DecodingError.self) { try list.decode([String].self) }
      #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
      #expect(throws: DecodingError.self) { try list.nestedContainer(keyedBy: AnyKey.self) }
      #expect(throws: Refusal.self) { try list.decode(Refusing.self) }
      #expect(list.currentIndex == 0)
      #expect(try list.decode(String.self) == "text")
      #expect(throws: DecodingError.self) { try list.decode(UInt8.self) }
      #expect(throws: DecodingError.self) { try list.decodeIfPresent(String.self) }
      #expect(list.currentIndex == 1)
      #expect(try list.decode(Int.self) == 300)
      #expect(throws: DecodingError.self) { try list.decode(PartlyWrong.self) }
      #expect(list.currentIndex == 2)
      #expect(try list.decode([String: Int].self) == ["a": 1])
      #expect(throws: DecodingError.self) { try list.decode([String].self) }
      #expect(try list.decode([Int].self) == [1, 2])
      #expect(throws: DecodingError.self) { try list.decode(Int.self) }
      #expect(try list.decode(Leaf.self).value == 1)
      #expect(try list.decode(String.self) == "end")
      #expect(throws: DecodingError.self) { try list.decode(String.self) }
      #expect(list.isAtEnd && list.currentIndex == 6)
    }
  }

  @Test("an unkeyed container is a value: a copy advances independently")
  func valueSemantics() throws {
    try readUnkeyed(ArchiveEncoder().encode(["a", "b", "c"])) { list throws in
      _ = try list.decode(String.self)
      var copy = list
      #expect(try copy.decode(String.self) == "b")
      #expect(try copy.decode(String.self) == "c")
      #expect(list.currentIndex == 1 && copy.isAtEnd)
      #expect(try list.decode(String.self) == "b")
    }
  }

  @Test("nested unkeyed containers are read alternately and in part")
  func inTurns() throws {
    let data = try ArchiveEncoder().encode([[1, 2, 3], [4, 5], [6]])
    try readUnkeyed(data) { list throws in
      var first = try list.nestedUnkeyedContainer()
      var second = try list.nestedUnkeyedContainer()
      #expect(try first.decode(Int.self) == 1)
      #expect(try second.decode(Int.self) == 4)
      #expect(try list.decode([Int].self) == [6])
      #expect(try first.decode(Int.self) == 2)
      #expect(try second.decode(Int.self) == 5)
      #expect(second.isAtEnd && !first.isAtEnd)
    }
  }

  @Test("decoders and containers stay usable after their initializer and the outermost call return")
  func kept() throws {
    let data = try ArchiveEncoder().encode(Keepable())
    let kept = try ArchiveDecoder().decode(Keeping.self, from: data)
    let others = try (0..<10).map {
      try ArchiveDecoder().decode([Int].self, from: ArchiveEncoder().encode([$0]))
    }
    #expect(others.count == 10)
    for _ in 0..<2 {
      #expect(try kept.keyed.decode(String.self, forKey: "text") == "kept")
      #expect(try kept.inner.decode(Int.self, forKey: "x") == 10)
      #expect(try kept.superDecoder.singleValueContainer().decode([String: Int].self) == ["x": 10, "y": 20])
      #expect(
        try kept.decoder.container(keyedBy: AnyKey.self).decode([Int].self, forKey: "list") == [1, 2, 3]
      )
      #expect(try kept.keyed.decode(Leaf.self, forKey: "leaf").value == 1)
    }
    var list = kept.list
    #expect(try list.decode(Int.self) == 2)
    #expect(try list.decode(Int.self) == 3)
    #expect(kept.decoder.codingPath.isEmpty)
    #expect(spelled(kept.inner.codingPath) == "inner")
  }

  @Test("a decoder kept by an inner value is read while other values are being decoded")
  func keptByInner() throws {
    let data = try ArchiveEncoder().encode([["x": 1], ["x": 2], ["x": 3]])
    let total = try readUnkeyed(data) { list throws in
      var kept: [Keeping.Inner] = []
      var total = 0
      while !list.isAtEnd {
        kept.append(try list.decode(Keeping.Inner.self))
        for inner in kept.reversed() {
          total += try inner.decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: "x")
        }
      }
      return total
    }
    #expect(total == 1 + (2 + 1) + (3 + 2 + 1))
  }

  @Test("a decoder kept by an object is read after its unarchiver is gone")
  func keptByAnObject() throws {
    let objects = try {
      let data = try ArchiveEncoder().encode([Leaf(), Leaf()])
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      let objects = try unarchiver.decode([KeepingObject].self, forKey: KeyedArchiver.rootKey)
      unarchiver.finishDecoding()
      return objects
    }()
    for object in objects {
      #expect(try object.decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: "value") == 1)
    }
  }
}

private final class Leaf: Codable {
  var value = 1
}

private struct Refusing: Decodable {
  init(from decoder: any Decoder) throws {
    throw Refusal()
  }
}

private struct PartlyWrong: Decodable {
  var a: Int
  var b: String
}

private struct Keepable: Encodable {
  var text = "kept"
  var list = [1, 2, 3]
  var inner = ["x": 10, "y": 20]
  var leaf = Leaf()
}

private struct Keeping: Decodable {
  struct Inner: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws {
      self.decoder = decoder
    }
  }

  let decoder: any Decoder
  let superDecoder: any Decoder
  let keyed: KeyedDecodingContainer<AnyKey>
  let inner: KeyedDecodingContainer<AnyKey>
  let list: any UnkeyedDecodingContainer

  init(from decoder: any Decoder) throws {
    self.decoder = decoder
    keyed = try decoder.container(keyedBy: AnyKey.self)
    superDecoder = try keyed.superDecoder(forKey: "inner")
    inner = try keyed.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
    var list = try keyed.nestedUnkeyedContainer(forKey: "list")
    _ = try list.decode(Int.self)
    self.list = list
  }
}

private final class KeepingObject: Decodable {
  let decoder: any Decoder

  init(from decoder: any Decoder) throws {
    self.decoder = decoder
  }
}
