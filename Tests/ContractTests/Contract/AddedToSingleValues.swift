import Foundation
import Keepsake
import TestSupport
import Testing

/// An unused single-value container has no effect; other containers may add to the value that it encoded.
@Suite struct AddedToSingleValues {
  private struct Point: Codable, Equatable {
    var x = 1
    var y = 2
  }

  private enum Keys: CodingKey { case x, label }

  // MARK: Unused

  @Test("an unused single-value container does not prevent another one", arguments: SingleValue.Way.allCases)
  func unused(way: SingleValue.Way) throws {
    func archive(asking: Bool) throws -> Data {
      try writeUnkeyed { list in
        for _ in 0..<2 {
          try list.encode(
            Writing { encoder in
              let unused = asking ? [encoder.singleValueContainer(), encoder.singleValueContainer()] : []
              try way.write(to: encoder)
              _ = unused
            }
          )
          let inner = list.superEncoder()
          if asking { _ = inner.singleValueContainer() }
          try way.write(to: inner)
        }
      }
    }
    #expect(try archive(asking: true) == archive(asking: false))
  }

  @Test("an unused single-value container does not prevent a value from encoding itself")
  func unusedBeforeAValue() throws {
    let values: [any Encodable] = [
      Point(), [1, 2], ["a": "b"], "text", Date(timeIntervalSinceReferenceDate: 1),
    ]
    for value in values {
      let data = try write { encoder in
        _ = encoder.singleValueContainer()
        try value.encode(to: encoder)
      }
      #expect(try data == write { try value.encode(to: $0) })
    }
  }

  @Test("an unused single-value container of the archiver does not prevent keys")
  func unusedOnTheArchiver() throws {
    let archiver = KeyedArchiver()
    _ = archiver.singleValueContainer()
    try archiver.encode("text", forKey: "a")
    #expect(
      try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(String.self, forKey: "a") == "text"
    )
  }

  @Test("using a single-value container throws after another container was requested")
  func keptUnused() throws {
    let found = try failure {
      try write { encoder in
        var single = encoder.singleValueContainer()
        var list = encoder.unkeyedContainer()
        try list.encode(1)
        try single.encode(2)
      }
    }
    #expect(found.kind == .invalidValue && found.code == .misuse)
  }

  // MARK: Flattening

  @Test("keys of an enumeration and dynamic keys are added to a structure and to a dictionary")
  func keys() throws {
    for base in [Point(), ["x": 1, "y": 2]] as [any Encodable] {
      for isDynamic in [false, true] {
        let data = try write { encoder in
          var single = encoder.singleValueContainer()
          try single.encode(base)
          if isDynamic {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode("added", forKey: "label")
            try container.encode(5, forKey: "x")
          } else {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode("added", forKey: .label)
            try container.encode(5, forKey: .x)
          }
        }
        try read(data) { decoder throws in
          #expect(try decoder.singleValueContainer().decode(Point.self) == Point(x: 5))
          let container = try decoder.container(keyedBy: Keys.self)
          #expect(try container.decode(String.self, forKey: .label) == "added")
          #expect(try decoder.singleValueContainer().decode(Point.self) == Point(x: 5))
        }
        #expect(try readKeyed(data) { $0.allKeys.count } == 3)
      }
    }
  }

  @Test("elements are added to arrays of every kind")
  func elements() throws {
    func pass<Element: Codable & Equatable>(_ base: [Element], _ more: Element) throws {
      let data = try write { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(base)
        var list = encoder.unkeyedContainer()
        #expect(list.count == base.count)
        try list.encode(more)
      }
      #expect(try ArchiveDecoder().decode([Element].self, from: data) == base + [more])
    }
    try pass([1, -300, 70_000], -5)
    try pass([Int](), 5)
    try pass(Array(0..<1000), 5)
    try pass([UInt64.max, 0], 5)
    try pass([UInt8]([1, 255]), 5)
    try pass([true, false, true], true)
    try pass([1.5, -.infinity], 5)
    try pass([Float(1.5)], 5)
    try pass(["a", "b"], "c")
    try pass([Point(), Point(x: 3)], Point())
    try pass([[1], []], [2, 3])
  }

  @Test("values within containers, with open containers and without content accept additions")
  func nested() throws {
    let data = try writeKeyed { container in
      var kept: (any UnkeyedEncodingContainer)?
      let base = Writing { encoder in
        var own = encoder.container(keyedBy: AnyKey.self)
        kept = own.nestedUnkeyedContainer(forKey: "list")
        try kept?.encode("first")
        try own.encode("base", forKey: "text")
      }
      let flat = Writing { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(base)
        var own = encoder.container(keyedBy: AnyKey.self)
        try own.encode("own", forKey: "more")
        try kept?.encode("last")
        var again = own.nestedUnkeyedContainer(forKey: "list")
        try again.encode("end")
      }
      try container.encode(flat, forKey: "flat")
      let nothing = Writing { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(Writing { _ in })
        var list = encoder.unkeyedContainer()
        try list.encode("only")
      }
      try container.encode(nothing, forKey: "nothing")
    }
    try readKeyed(data) { container throws in
      let flat = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "flat")
      #expect(flat.allKeys.map(\.stringValue) == ["list", "text", "more"])
      #expect(try flat.decode([String].self, forKey: "list") == ["first", "last", "end"])
      #expect(try flat.decode(String.self, forKey: "more") == "own")
      #expect(try container.decode([String].self, forKey: "nothing") == ["only"])
    }
  }

  @Test("a structure encoded into the archiver gives it its keys, and further keys are added")
  func onTheArchiver() throws {
    let archiver = KeyedArchiver()
    var single = archiver.singleValueContainer()
    try single.encode(Point())
    try archiver.encode("added", forKey: "label")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData, verification: .everything)
    #expect(unarchiver.allKeys == ["x", "y", "label"])
    #expect(try unarchiver.decode(Int.self, forKey: "y") == 2)
    #expect(try Point(from: unarchiver) == Point())
  }

  private final class Node: Codable {
    var x = 1
  }

  @Test("adding to an object or by another kind of container throws, and the value stays")
  func refused() throws {
    let data = try writeUnkeyed { list in
      for value in [Node(), "text", URL(string: "a:b"), [1], Point()] as [any Encodable] {
        try list.encode(
          Writing { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(value)
            let isKeyed = value is Point
            let found = try failure {
              if isKeyed {
                var inner = encoder.unkeyedContainer()
                try inner.encode(1)
              } else {
                var keyed = encoder.container(keyedBy: AnyKey.self)
                try keyed.encode(1, forKey: "a")
              }
            }
            #expect(found.kind == .invalidValue && found.code == .misuse)
            #expect(found.description.contains("archived separately") == value is Node)
          }
        )
      }
    }
    try readUnkeyed(data) { list throws in
      #expect(try list.decode(Node.self).x == 1)
      #expect(try list.decode(String.self) == "text")
      #expect(try list.decode(URL.self) == URL(string: "a:b"))
      #expect(try list.decode([Int].self) == [1])
      #expect(try list.decode(Point.self) == Point())
    }
  }

  // MARK: A key that has a value

  @Test("a nested container continues where an encoded array of any kind ends")
  func arraysUnderKeys() throws {
    let lists: [any Encodable] = [
      [1, 2], [UInt8(1), 2], [1.0, 2], [Float(1), 2], ["1", "2"], [Int](), [true], Set([1]), Data([1, 2]),
    ]
    for list in lists {
      let data = try writeKeyed { container in
        try container.encode(list, forKey: "a")
        try container.encode("sibling", forKey: "b")
        var nested = container.nestedUnkeyedContainer(forKey: "a")
        #expect(nested.count == (list as? any Collection)?.count)
        try nested.encodeNil()
      }
      try readKeyed(data) { container throws in
        var nested = try container.nestedUnkeyedContainer(forKey: "a")
        let count = try #require(nested.count)
        for _ in 1..<count { _ = try nested.superDecoder() }
        #expect(try nested.decodeNil() && nested.isAtEnd)
        #expect(try container.decode(String.self, forKey: "b") == "sibling")
      }
      #expect(try ArchiveDecoder().decode([String: Ignored].self, from: data).count == 2)
    }
    let data = try writeKeyed { container in
      try container.encode([1, 2], forKey: "a")
      var nested = container.nestedUnkeyedContainer(forKey: "a")
      try nested.encode(3)
    }
    #expect(try ArchiveDecoder().decode([String: [Int]].self, from: data) == ["a": [1, 2, 3]])
  }

  private struct Ignored: Decodable {
    init(from decoder: any Decoder) {}
  }

  @Test("a nested container adds to an encoded structure or dictionary", arguments: [false, true])
  func keyedUnderKeys(isTopLevel: Bool) throws {
    let archiver = KeyedArchiver()
    func write(_ container: inout KeyedEncodingContainer<AnyKey>) throws {
      try container.encode(Point(), forKey: "point")
      try container.encode(["x": "1", "a long key that is shared": "2"], forKey: "map")
      try container.encode([Point(), Point()], forKey: "list")
      try container.encode("end", forKey: "end")
      for key in ["point", "map"] as [AnyKey] {
        var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: key)
        try nested.encode("7", forKey: "x")
        try nested.encode("8", forKey: "z")
      }
      var list = container.nestedUnkeyedContainer(forKey: "list")
      try list.encode(Point(x: 9))
      try container.encode("after", forKey: "after")
    }
    if isTopLevel {
      var container = archiver.container(keyedBy: AnyKey.self)
      try write(&container)
    } else {
      try archiver.encode(
        Writing { encoder in
          var container = encoder.container(keyedBy: AnyKey.self)
          try write(&container)
        },
        forKey: "inner"
      )
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData, verification: .everything)
    let container =
      isTopLevel
      ? try unarchiver.container(keyedBy: AnyKey.self)
      : try unarchiver.container(keyedBy: AnyKey.self).nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
    #expect(Set(container.allKeys.map(\.stringValue)) == ["point", "map", "list", "end", "after"])
    let point = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "point")
    #expect(try point.decode(String.self, forKey: "x") == "7" && point.decode(Int.self, forKey: "y") == 2)
    #expect(try point.decode(String.self, forKey: "z") == "8")
    let map = ["x": "7", "a long key that is shared": "2", "z": "8"]
    #expect(try container.decode([String: String].self, forKey: "map") == map)
    #expect(try container.decode([Point].self, forKey: "list") == [Point(), Point(), Point(x: 9)])
    #expect(try container.decode(String.self, forKey: "after") == "after")
  }

  @Test("a nested container cannot add to an object encoded under its key", arguments: [false, true])
  func objectsUnderKeys(isUnkeyed: Bool) throws {
    let data = try writeKeyed { container in
      try container.encode(Node(), forKey: "a")
      let found = try failure {
        if isUnkeyed {
          var nested = container.nestedUnkeyedContainer(forKey: "a")
          try nested.encode(1)
        } else {
          var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "a")
          try nested.encode(1, forKey: "y")
        }
      }
      #expect(found.code == .misuse && found.description.contains("archived separately"))
      try container.encode("more", forKey: "b")
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode(Node.self, forKey: "a").x == 1)
      #expect(try container.decode(String.self, forKey: "b") == "more")
    }
  }

  @Test("a container opened again keeps the nested containers that are still held")
  func heldWithinOpenedAgain() throws {
    let data = try writeKeyed { container in
      var kept: (any UnkeyedEncodingContainer)?
      for round in 0..<3 {
        do {
          var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
          var list = inner.nestedUnkeyedContainer(forKey: "list")
          try list.encode(round)
          if round == 0 { kept = list }
        }
        try container.encode(round, forKey: "round")
      }
      try kept?.encode(3)
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode([String: [Int]].self, forKey: "inner") == ["list": [0, 1, 2, 3]])
    }
  }
}
