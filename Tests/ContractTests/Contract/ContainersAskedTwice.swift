import Foundation
import Keepsake
import TestSupport
import Testing

/// An encoder and a keyed container return the same container at each call.
@Suite struct ContainersAskedTwice {
  private enum FirstKeys: String, CodingKey { case a, b, shared }
  private enum SecondKeys: String, CodingKey { case c, shared, d }

  @Test("a keyed container requested twice writes into one record")
  func sameKeyType() throws {
    let data = try write { encoder in
      var first = encoder.container(keyedBy: FirstKeys.self)
      try first.encode(1, forKey: .a)
      var second = encoder.container(keyedBy: FirstKeys.self)
      try second.encode(2, forKey: .b)
      try first.encode(3, forKey: .shared)
    }
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == ["a": 1, "b": 2, "shared": 3])
  }

  @Test("containers of two key types write into one record, and a key of both is one key")
  func otherKeyType() throws {
    let data = try write { encoder in
      var first = encoder.container(keyedBy: FirstKeys.self)
      var second = encoder.container(keyedBy: SecondKeys.self)
      try second.encode(1, forKey: .c)
      try first.encode(2, forKey: .a)
      try first.encode(3, forKey: .shared)
      try second.encode(4, forKey: .shared)
      try second.encode(5, forKey: .d)
    }
    let expected = ["a": 2, "c": 1, "d": 5, "shared": 4]
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == expected)
    let keys = try readKeyed(data) { $0.allKeys.map(\.stringValue).sorted() }
    #expect(keys == ["a", "c", "d", "shared"])
  }

  @Test("a record accepts 50,000 dynamic keys")
  func manyKeys() throws {
    let count = 50_000
    let data = try write { encoder in
      var first = encoder.container(keyedBy: FirstKeys.self)
      try first.encode(1, forKey: .a)
      var second = encoder.container(keyedBy: AnyKey.self)
      for number in 0..<count { try second.encode(number, forKey: AnyKey("\(number)")) }
      try first.encode(2, forKey: .a)
      try second.encode(3, forKey: "7")
      try second.encode(4, forKey: AnyKey("\(count - 1)"))
    }
    let numbers = try ArchiveDecoder().decode([String: Int].self, from: data)
    #expect(numbers.count == count + 1)
    #expect(numbers["a"] == 2 && numbers["7"] == 3 && numbers["8"] == 8 && numbers["\(count - 1)"] == 4)
  }

  @Test("two unkeyed containers of an encoder write into one array")
  func unkeyed() throws {
    let data = try write { encoder in
      var first = encoder.unkeyedContainer()
      try first.encode(1)
      var second = encoder.unkeyedContainer()
      #expect(second.count == 1)
      try second.encode(2)
      #expect(first.count == 2)
      try first.encode(3)
      #expect(second.count == 3)
    }
    #expect(try ArchiveDecoder().decode([Int].self, from: data) == [1, 2, 3])
  }

  @Test("the last value of a key wins, whatever kind of value it replaces")
  func lastValueWins() throws {
    let data = try writeKeyed { container in
      for key in ["number", "text", "list"] as [AnyKey] { try container.encode("first", forKey: key) }
      try container.encode(Array(repeating: "long", count: 100), forKey: "text")
      try container.encode("last", forKey: "text")
      try container.encode(2, forKey: "number")
      try container.encode([1, 2, 3], forKey: "list")
      try container.encode("after", forKey: "after")
      try container.encodeNil(forKey: "number")
      try container.encode(7, forKey: "number")
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.count == 4)
      #expect(try container.decode(Int.self, forKey: "number") == 7)
      #expect(try container.decode(String.self, forKey: "text") == "last")
      #expect(try container.decode([Int].self, forKey: "list") == [1, 2, 3])
      #expect(try container.decode(String.self, forKey: "after") == "after")
    }
  }

  @Test("many keys encoded again in reverse order take time in proportion to their number")
  func manyAgain() throws {
    try expectTimeInProportion(to: 30_000) { count in
      let keys = (0..<count).map { AnyKey("key \($0)") }
      let archiver = KeyedArchiver()
      for key in keys { try archiver.encode(0, forKey: key.stringValue) }
      for key in keys.reversed() { try archiver.encode([key.stringValue], forKey: key.stringValue) }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      #expect(unarchiver.allKeys == keys.reversed().map(\.stringValue))
      #expect(try unarchiver.decode([String].self, forKey: "key 7") == ["key 7"])
    }
  }

  @Test("keys are encoded again among nested containers, open and closed", arguments: [5, 33, 100, 1_000])
  func againAmongNested(count: Int) throws {
    let keys = (0..<count).map { AnyKey("key \($0)") }
    let data = try writeKeyed { container in
      var lists = keys.map { container.nestedUnkeyedContainer(forKey: $0) }
      for index in keys.indices.reversed() where index % 3 == 0 {
        try container.encode(index, forKey: keys[index])
      }
      for index in keys.indices {
        try lists[index].encode(index)
        if index % 5 == 0 { try container.encode("text", forKey: keys[index]) }
        if index % 7 == 1 {
          var inner = container.nestedUnkeyedContainer(forKey: keys[index])
          try inner.encode("again")
        }
        try container.encode(index, forKey: "last")
      }
    }
    try readKeyed(data) { container throws in
      #expect(Set(container.allKeys.map(\.stringValue)) == Set(keys.map(\.stringValue) + ["last"]))
      #expect(try container.decode(Int.self, forKey: "last") == count - 1)
      for (index, key) in keys.enumerated() {
        if index % 7 == 1 {
          let list = try container.nestedUnkeyedContainer(forKey: key)
          #expect(list.count == (index % 5 == 0 || index % 3 == 0 ? 1 : 2))
        } else if index % 5 == 0 {
          #expect(try container.decode(String.self, forKey: key) == "text")
        } else if index % 3 == 0 {
          #expect(try container.decode(Int.self, forKey: key) == index)
        } else {
          #expect(try container.decode([Int].self, forKey: key) == [index])
        }
      }
    }
  }

  @Test("a nested keyed container requested twice is one container, by any key type")
  func nestedKeyed() throws {
    let data = try writeKeyed { container in
      var first = container.nestedContainer(keyedBy: FirstKeys.self, forKey: "inner")
      try first.encode(1, forKey: .a)
      try container.encode("between", forKey: "sibling")
      var second = container.nestedContainer(keyedBy: SecondKeys.self, forKey: "inner")
      try second.encode(2, forKey: .c)
      try second.encode(3, forKey: .shared)
      try first.encode(4, forKey: .shared)
      var third = container.nestedContainer(keyedBy: FirstKeys.self, forKey: "inner")
      try third.encode(5, forKey: .b)
    }
    try readKeyed(data) { container throws in
      let inner = try container.decode([String: Int].self, forKey: "inner")
      #expect(inner == ["a": 1, "b": 5, "c": 2, "shared": 4])
      #expect(try container.decode(String.self, forKey: "sibling") == "between")
    }
  }

  @Test("a nested unkeyed container requested twice is one container")
  func nestedUnkeyed() throws {
    let data = try writeKeyed { container in
      var first = container.nestedUnkeyedContainer(forKey: "inner")
      try first.encode(1)
      var second = container.nestedUnkeyedContainer(forKey: "inner")
      #expect(second.count == 1)
      try second.encode(2)
      try first.encode(3)
    }
    #expect(try ArchiveDecoder().decode([String: [Int]].self, from: data) == ["inner": [1, 2, 3]])
  }

  @Test("many nested containers, opened again after closing, take time in proportion to their number")
  func manyOpenedAgain() throws {
    try expectTimeInProportion(to: 20_000) { try openAgain($0) }
  }

  private func openAgain(_ count: Int) throws {
    let keys = (0..<count).map { AnyKey("key \($0)") }
    let data = try writeKeyed { container in
      for round in 0..<3 {
        for (index, key) in round == 1 ? Array(keys.enumerated().reversed()) : Array(keys.enumerated()) {
          if index % 2 == 0 {
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: key)
            try nested.encode(index, forKey: AnyKey("round \(round)"))
          } else {
            var nested = container.nestedUnkeyedContainer(forKey: key)
            try nested.encode(round)
          }
        }
      }
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.map(\.stringValue) == keys.map(\.stringValue))
      for (index, key) in keys.enumerated() {
        if index % 2 == 0 {
          let rounds = try container.decode([String: Int].self, forKey: key)
          #expect(rounds == ["round 0": index, "round 1": index, "round 2": index])
        } else {
          #expect(try container.decode([Int].self, forKey: key) == [0, 1, 2])
        }
      }
    }
  }

  @Test("helper functions that each request a container write into one record")
  func throughHelpers() throws {
    func note(_ name: String, _ value: some Encodable, in encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(value, forKey: AnyKey(name))
    }
    let data = try write { encoder in
      for number in 0..<50 { try note("key \(number)", number, in: encoder) }
    }
    let back = try ArchiveDecoder().decode([String: Int].self, from: data)
    #expect(back == Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", $0) }))
  }

  @Test("a decoder returns a keyed container at each request, for every key type")
  func decodingKeyed() throws {
    let data = try ArchiveEncoder().encode(["a": 1, "c": 2, "shared": 3])
    try read(data) { decoder throws in
      let first = try decoder.container(keyedBy: FirstKeys.self)
      let second = try decoder.container(keyedBy: SecondKeys.self)
      let again = try decoder.container(keyedBy: FirstKeys.self)
      #expect(Set(first.allKeys) == [.a, .shared])
      #expect(Set(second.allKeys) == [.c, .shared])
      #expect(try second.decode(Int.self, forKey: .shared) == 3)
      #expect(try again.decode(Int.self, forKey: .a) == 1)
      #expect(try first.decode(Int.self, forKey: .shared) == 3)
      #expect(try second.decode(Int.self, forKey: .c) == 2)
      #expect(try decoder.singleValueContainer().decode([String: Int].self).count == 3)
    }
  }

  @Test("each unkeyed container that a decoder gives starts at the first element")
  func decodingUnkeyed() throws {
    let data = try ArchiveEncoder().encode(["x", "y", "z"])
    try read(data) { decoder throws in
      var first = try decoder.unkeyedContainer()
      #expect(try first.decode(String.self) == "x")
      #expect(try first.decode(String.self) == "y")
      var second = try decoder.unkeyedContainer()
      #expect(second.currentIndex == 0)
      #expect(try second.decode(String.self) == "x")
      #expect(try first.decode(String.self) == "z")
      #expect(first.isAtEnd && !second.isAtEnd)
    }
  }

  @Test("a keyed container returns the same nested container at each request")
  func decodingNested() throws {
    let data = try ArchiveEncoder().encode(["inner": ["a": 1, "c": 2]])
    try readKeyed(data) { container throws in
      let first = try container.nestedContainer(keyedBy: FirstKeys.self, forKey: "inner")
      let second = try container.nestedContainer(keyedBy: SecondKeys.self, forKey: "inner")
      #expect(try second.decode(Int.self, forKey: .c) == 2)
      #expect(try first.decode(Int.self, forKey: .a) == 1)
      #expect(try container.decode([String: Int].self, forKey: "inner") == ["a": 1, "c": 2])
    }
  }

  @Test("requesting the other kind of container is a type mismatch")
  func otherKind() throws {
    let list = try ArchiveEncoder().encode([1, 2])
    let record = try ArchiveEncoder().encode(["a": 1])
    let text = try ArchiveEncoder().encode("text")
    for data in [list, text] {
      #expect(try failure { try readKeyed(data) { $0.allKeys.count } }.kind == .typeMismatch)
    }
    for data in [record, text] {
      #expect(try failure { try readUnkeyed(data) { $0.count } }.kind == .typeMismatch)
    }
  }
}
