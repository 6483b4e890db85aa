import Foundation
import Keepsake
import TestSupport
import Testing

/// A nested container that the program no longer holds, and whose parent has continued, is requested again: it
/// continues with the values that it has.
@Suite struct ContainersOpenedAgain {
  private enum Keys: String, CodingKey { case inner, sibling, a, b, c, deeper }

  private typealias Container<Key: CodingKey> = KeyedEncodingContainer<Key>

  /// Writes "inner" in three parts, with values of the parent in between.
  private func inParts<Key: CodingKey>(
    _ container: inout Container<Key>,
    _ inner: Key,
    _ sibling: Key,
    _ parts: [(inout Container<Key>) throws -> Void]
  ) throws {
    for part in parts {
      // Released before the parent continues.
      do {
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: inner)
        try part(&nested)
      }
      try container.encode("between", forKey: sibling)
    }
  }

  @Test("a nested record continues")
  func record() throws {
    let data = try write { encoder in
      var container = encoder.container(keyedBy: Keys.self)
      try inParts(
        &container,
        .inner,
        .sibling,
        [
          { try $0.encode(1, forKey: .a) },
          { try $0.encode(2, forKey: .b) },
          {
            try $0.encode(3, forKey: .a)
            try $0.encode(4, forKey: .c)
          },
        ]
      )
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.map(\.stringValue).sorted() == ["inner", "sibling"])
      #expect(try container.decode([String: Int].self, forKey: "inner") == ["a": 3, "b": 2, "c": 4])
      #expect(try container.decode(String.self, forKey: "sibling") == "between")
    }
  }

  @Test("a nested map continues, and replaces the value of a repeated key")
  func map() throws {
    let data = try writeKeyed { container throws in
      try inParts(
        &container,
        "inner",
        "sibling",
        [
          {
            try $0.encode(1, forKey: "a")
            try $0.encode(1, forKey: AnyKey(intValue: 7))
          },
          {
            try $0.encode(2, forKey: "b")
            try $0.encode(2, forKey: AnyKey(intValue: 7))
          },
          { try $0.encode(3, forKey: "a") },
        ]
      )
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode([String: Int].self, forKey: "inner") == ["a": 3, "b": 2, "7": 2])
      #expect(try container.decode(String.self, forKey: "sibling") == "between")
    }
  }

  @Test("a nested array continues, also when its count needs more bytes")
  func array() throws {
    let data = try writeKeyed { container throws in
      for round in 0..<3 {
        do {
          var list = container.nestedUnkeyedContainer(forKey: "inner")
          #expect(list.count == round * 12)
          for number in 0..<12 { try list.encode("\(round * 12 + number)") }
        }
        try container.encode(round, forKey: "round")
      }
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode([String].self, forKey: "inner") == (0..<36).map { "\($0)" })
      #expect(try container.decode(Int.self, forKey: "round") == 2)
    }
  }

  @Test("a nested container continues with open containers in it and beside it")
  func nested() throws {
    let data = try writeKeyed { container throws in
      var first = container.nestedContainer(keyedBy: AnyKey.self, forKey: "first")
      var deeper: KeyedEncodingContainer<AnyKey>
      do {
        var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
        try inner.encode(1, forKey: "a")
        deeper = inner.nestedContainer(keyedBy: AnyKey.self, forKey: "deeper")
        try deeper.encode(2, forKey: "b")
      }
      var last = container.nestedUnkeyedContainer(forKey: "last")
      try last.encode("x")
      do {
        var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
        try inner.encode(3, forKey: "c")
      }
      try deeper.encode(4, forKey: "d")
      try last.encode("y")
      try first.encode(5, forKey: "e")
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode([String: Int].self, forKey: "first") == ["e": 5])
      #expect(try container.decode([String].self, forKey: "last") == ["x", "y"])
      let inner = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
      #expect(try inner.decode(Int.self, forKey: "a") == 1)
      #expect(try inner.decode(Int.self, forKey: "c") == 3)
      #expect(try inner.decode([String: Int].self, forKey: "deeper") == ["b": 2, "d": 4])
    }
  }

  @Test("a nested container replaces a scalar of its key")
  func scalar() throws {
    let data = try writeKeyed { container throws in
      try container.encode("text", forKey: "inner")
      try container.encode(1, forKey: "sibling")
      var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
      try inner.encode(2, forKey: "a")
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.count == 2)
      #expect(try container.decode([String: Int].self, forKey: "inner") == ["a": 2])
      #expect(try container.decode(Int.self, forKey: "sibling") == 1)
    }
  }

  private enum Slots: CodingKey { case first, inner, last }

  @Test("in a record, a nested container replaces a scalar, and a super encoder any value")
  func scalarInRecord() throws {
    for isSuper in [false, true] {
      for old: any Encodable in [1, "text", [Point()]] where isSuper || !(old is [Point]) {
        let data = try write { encoder in
          var container = encoder.container(keyedBy: Slots.self)
          try container.encode("first", forKey: .first)
          try container.encode(old, forKey: .inner)
          try container.encode([Point(x: 3, y: 4)], forKey: .last)
          if isSuper {
            try Point(x: 5, y: 6).encode(to: container.superEncoder(forKey: .inner))
          } else {
            var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: .inner)
            try inner.encode(5, forKey: "x")
            try inner.encode(6, forKey: "y")
          }
          try container.encode("again", forKey: .first)
        }
        try readKeyed(data) { container throws in
          #expect(container.allKeys.count == 3)
          #expect(try container.decode(String.self, forKey: "first") == "again")
          #expect(try container.decode(Point.self, forKey: "inner") == Point(x: 5, y: 6))
          #expect(try container.decode([Point].self, forKey: "last") == [Point(x: 3, y: 4)])
        }
      }
    }
  }

  @Test("a value replaces a container that is still held, in a record and in a map", arguments: 0..<3)
  func held(_ way: Int) throws {
    func fill<Key: CodingKey>(_ container: inout Container<Key>, _ keys: [Key]) throws {
      try container.encode("first", forKey: keys[0])
      var held = container.nestedContainer(keyedBy: AnyKey.self, forKey: keys[1])
      var list = held.nestedUnkeyedContainer(forKey: "list")
      try list.encode("old")
      var other = container.nestedUnkeyedContainer(forKey: keys[2])
      try other.encode("other")
      try held.encode("old", forKey: "old")
      try container.encode("again", forKey: keys[0])
      switch way {
      case 0: try container.encode(Point(), forKey: keys[1])
      case 1: try Point().encode(to: container.superEncoder(forKey: keys[1]))
      default: try container.encode(["x": 1, "y": 2], forKey: keys[1])
      }
      try? list.encode("too late")
      try? held.encode("too late", forKey: "late")
      try other.encode("more")
    }
    let record = try write { encoder in
      var container = encoder.container(keyedBy: Slots.self)
      try fill(&container, [.first, .inner, .last])
    }
    let map = try writeKeyed { try fill(&$0, ["first", "inner", "last"]) }
    for data in [record, map] {
      try readKeyed(data) { container throws in
        #expect(container.allKeys.count == 3)
        #expect(try container.decode(String.self, forKey: "first") == "again")
        #expect(try container.decode([String: Int].self, forKey: "inner") == ["x": 1, "y": 2])
        #expect(try container.decode([String].self, forKey: "last") == ["other", "more"])
      }
    }
  }

  private struct Point: Codable, Equatable {
    var x = 1
    var y = 2
  }

  @Test(
    "a value replaces the one encoded last, whose parts have one byte each"
  )
  func smallParts() throws {
    let data = try writeKeyed { container in
      try container.encode(1, forKey: "before")
      try container.encode(Point(), forKey: "point")
      try container.encode(Point(x: 3, y: 4), forKey: "point")
      try container.encode([true, nil], forKey: "list")
      try container.encode([nil, false], forKey: "list")
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.map(\.stringValue) == ["before", "point", "list"])
      #expect(try container.decode(Point.self, forKey: "point") == Point(x: 3, y: 4))
      #expect(try container.decode([Bool?].self, forKey: "list") == [nil, false])
    }
  }
}
