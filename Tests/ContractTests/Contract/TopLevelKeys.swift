import Foundation
import Keepsake
import TestSupport
import Testing

/// The archiver and the unarchiver as used like NSKeyedArchiver, with several keys, and as coders.
@Suite struct TopLevelKeys {
  private struct Point: Codable, Equatable { var x: Int, y: Int }

  private func unarchiver(_ fill: (KeyedArchiver) throws -> Void) throws -> KeyedUnarchiver {
    let archiver = KeyedArchiver()
    try fill(archiver)
    return try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
  }

  @Test("an array of structures encodes itself into the archiver without keys")
  func withoutKeys() throws {
    let points = [Point(x: 1, y: 2), Point(x: 3, y: 4)]
    let unarchiver = try unarchiver { archiver in try points.encode(to: archiver) }
    #expect(unarchiver.allKeys.isEmpty)
    #expect(try [Point](from: unarchiver) == points)
    #expect(try unarchiver.unkeyedContainer().count == 2)
  }

  @Test("several keys have values of their own types")
  func several() throws {
    let unarchiver = try unarchiver { archiver in
      try archiver.encode("jaki", forKey: "name")
      try archiver.encode(24, forKey: "age")
      try archiver.encode([Point(x: 1, y: 2)], forKey: "points")
      try archiver.encode(Int?.none, forKey: "nothing")
      try archiver.encode(Date.distantPast, forKey: "")
    }
    #expect(unarchiver.allKeys.sorted() == ["", "age", "name", "nothing", "points"])
    #expect(try unarchiver.decode([Point].self, forKey: "points") == [Point(x: 1, y: 2)])
    #expect(try unarchiver.decode(String.self, forKey: "name") == "jaki")
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "age") == 24)
    #expect(try unarchiver.decode(Date.self, forKey: "") == .distantPast)
    #expect(unarchiver.containsValue(forKey: "age") && unarchiver.containsValue(forKey: "nothing"))
    #expect(!unarchiver.containsValue(forKey: "Age") && !unarchiver.containsValue(forKey: "root"))
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "nothing") == nil)
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "absent") == nil)
    let absent = try failure { try unarchiver.decode(Int.self, forKey: "absent") }
    #expect(absent.kind == .keyNotFound && absent.missingKey == "absent")
    #expect(try failure { try unarchiver.decode(Int.self, forKey: "name") }.kind == .typeMismatch)
    #expect(try failure { try unarchiver.decodeIfPresent(Int.self, forKey: "name") }.kind == .typeMismatch)
    #expect(try unarchiver.decode(String.self, forKey: "name") == "jaki")
    unarchiver.finishDecoding()
  }

  @Test("many keys are read in reverse order")
  func many() throws {
    let unarchiver = try unarchiver { archiver in
      for number in 0..<2000 { try archiver.encode(number, forKey: "key \(number)") }
    }
    #expect(Set(unarchiver.allKeys) == Set((0..<2000).map { "key \($0)" }))
    for number in stride(from: 1999, through: 0, by: -7) {
      #expect(try unarchiver.decode(Int.self, forKey: "key \(number)") == number)
    }
  }

  @Test("a key encoded again has the new value")
  func again() throws {
    let unarchiver = try unarchiver { archiver in
      try archiver.encode("first", forKey: "a")
      try archiver.encode(1, forKey: "b")
      try archiver.encode([2, 3], forKey: "a")
    }
    #expect(unarchiver.allKeys.sorted() == ["a", "b"])
    #expect(try unarchiver.decode([Int].self, forKey: "a") == [2, 3])
  }

  @Test("finishEncoding may be called again, and encoding afterwards throws")
  func finishing() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(1, forKey: "a")
    try archiver.finishEncoding()
    try archiver.finishEncoding()
    let data = try archiver.encodedData
    let found = try failure { try archiver.encode(2, forKey: "b") }
    #expect(found.kind == .invalidValue && found.code == .misuse)
    #expect(try failure { try archiver.encode(Point(x: 1, y: 2), forKey: "a") }.code == .misuse)
    try archiver.finishEncoding()
    #expect(try archiver.encodedData == data)
    #expect(try KeyedUnarchiver(forReadingFrom: data).allKeys == ["a"])
  }

  @Test("encodedData finishes encoding")
  func dataFinishes() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(1, forKey: "a")
    _ = try archiver.encodedData
    #expect(try failure { try archiver.encode(2, forKey: "b") }.code == .misuse)
  }

  @Test("write(toFile:) finishes, and writes the encoded data")
  func writeFinishes() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let archiver = KeyedArchiver()
    try archiver.encode("in a file", forKey: "a")
    try archiver.write(toFile: file)
    #expect(try failure { try archiver.encode(2, forKey: "b") }.code == .misuse)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == archiver.encodedData)
    let unarchiver = try KeyedUnarchiver(forReadingFile: file)
    try FileManager.default.removeItem(atPath: file)
    #expect(try unarchiver.decode(String.self, forKey: "a") == "in a file")
  }

  @Test("a missing file or folder is an ArchiveError with its path")
  func missingFile() throws {
    let path = "/nowhere/at all.keepsake"
    let found = #expect(throws: ArchiveError.self) { try KeyedUnarchiver(forReadingFile: path) }
    #expect(found?.code == .unreadableFile && found?.path == path)
    let unwritable = #expect(throws: ArchiveError.self) {
      try KeyedArchiver.archive(rootObject: 1, toFile: path)
    }
    #expect(unwritable?.code == .unwritableFile && unwritable?.path == path)
  }

  @Test("a value encodes itself into the archiver, and initializes itself from the unarchiver")
  func asCoders() throws {
    let unarchiver = try unarchiver { archiver in
      try Point(x: 1, y: 2).encode(to: archiver)
      try archiver.encode("beside", forKey: "z")
    }
    #expect(unarchiver.allKeys.sorted() == ["x", "y", "z"])
    #expect(try Point(from: unarchiver) == Point(x: 1, y: 2))
    #expect(try unarchiver.decode(Int.self, forKey: "y") == 2)
    #expect((unarchiver as any Decoder).codingPath.isEmpty)
  }

  @Test("values encoded by key read as a container, and the other way round")
  func keysAndContainer() throws {
    let unarchiver = try unarchiver { archiver in
      var container = archiver.container(keyedBy: AnyKey.self)
      #expect(container.codingPath.isEmpty)
      try container.encode(1, forKey: "x")
      try archiver.encode(2, forKey: "y")
      var nested = container.nestedUnkeyedContainer(forKey: "list")
      try archiver.encode("between", forKey: "z")
      try nested.encode(contentsOf: [3, 4])
    }
    #expect(try Point(from: unarchiver) == Point(x: 1, y: 2))
    #expect(try unarchiver.decode([Int].self, forKey: "list") == [3, 4])
    let container = try unarchiver.container(keyedBy: AnyKey.self)
    #expect(container.allKeys.map(\.stringValue).sorted() == ["list", "x", "y", "z"])
    #expect(try container.decode(String.self, forKey: "z") == "between")
  }

  private final class Node: Codable {
    struct Link: Codable { var node: Node? }
    var link = Link()
  }

  @Test("the error for a cycle that a container nested at the top level reaches has its path")
  func cycleInNestedContainer() throws {
    let node = Node()
    node.link.node = node
    defer { node.link.node = nil }
    func path(_ body: (inout KeyedEncodingContainer<AnyKey>) throws -> Void) throws -> String {
      let archiver = KeyedArchiver()
      try archiver.encode([Shared(name: "before")], forKey: "before")
      var container = archiver.container(keyedBy: AnyKey.self)
      let found = try failure {
        try body(&container)
        try archiver.finishEncoding()
      }
      #expect(found.code == .cycle)
      return found.path
    }
    #expect(
      try path { container in
        var list = container.nestedUnkeyedContainer(forKey: "list")
        try list.encode(1)
        try list.encode(["key": node])
      } == "list/[1]"
    )
    #expect(
      try path { container in
        var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
        try container.encode(1, forKey: "between")
        var deeper = inner.nestedContainer(keyedBy: AnyKey.self, forKey: "deeper")
        try? deeper.encode(
          Writing { encoder in
            var container = encoder.singleValueContainer()
            try container.encode([Shared(name: "taken back")])
            throw Refusal()
          },
          forKey: "none"
        )
        try deeper.encode(Node.Link(node: node), forKey: "link")
      } == "inner/deeper/link/node"
    )
    #expect(
      try path { container in
        var inner = container.superEncoder().container(keyedBy: AnyKey.self)
        try inner.encode(node, forKey: "a")
      } == "super/a"
    )
  }

  @Test("an array, and a single value, encode themselves into the archiver")
  func otherContainers() throws {
    let list = try unarchiver { try [1, 2, 3].encode(to: $0) }
    #expect(try [Int](from: list) == [1, 2, 3])
    let number = try unarchiver { try 5.encode(to: $0) }
    #expect(try Int(from: number) == 5)
    let dictionary = try unarchiver { try ["a": 1, "b": 2].encode(to: $0) }
    #expect(try [String: Int](from: dictionary) == ["a": 1, "b": 2])
    #expect(try dictionary.decode(Int.self, forKey: "b") == 2)
    let object = try unarchiver { archiver in
      var container = archiver.singleValueContainer()
      try container.encode(["k": [Shared(name: "object")]])
    }
    #expect(try [String: [Shared]](from: object)["k"]?.first?.name == "object")
  }

  private enum Names: CodingKey { case first, second }
  private struct Pair: Codable, Equatable { var first = [1, 2], second = [3] }
  private struct DeclaredPair: ArchivedFields { var first = [0], second = [0] }
  private final class ModelPair: ArchivedModel { var first = [0], second = [0] }
  /// A value that decodes only another value.
  private struct Only<Value: Decodable>: Decodable {
    let value: Value
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
  }

  @Test("the top level reads as one value, through any number of single-value containers")
  func asOneValue() throws {
    func check(_ data: Data) throws {
      func read<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
        let inner = Only<Only<Value>>.self
        return [
          try Value(from: KeyedUnarchiver(forReadingFrom: data)),
          try KeyedUnarchiver(forReadingFrom: data).singleValueContainer().decode(type),
          try Only<Value>(from: KeyedUnarchiver(forReadingFrom: data)).value,
          try KeyedUnarchiver(forReadingFrom: data).singleValueContainer().decode(inner).value.value,
          try KeyedUnarchiver(forReadingFrom: data).singleValueContainer().decode(Value?.self) ?? #require(
            nil
          ),
        ]
      }
      #expect(try read(Pair.self).allSatisfy { $0 == Pair() })
      #expect(try read([String: [Int]].self).allSatisfy { $0 == ["first": [1, 2], "second": [3]] })
      #expect(try read(DeclaredPair.self).allSatisfy { $0.first == [1, 2] && $0.second == [3] })
      #expect(try read(ModelPair.self).allSatisfy { $0.first == [1, 2] && $0.second == [3] })
    }
    let byName = KeyedArchiver()
    try byName.encode([1, 2], forKey: "first")
    try byName.encode([3], forKey: "second")
    try check(byName.encodedData)
    let byCase = KeyedArchiver()
    var container = byCase.container(keyedBy: Names.self)
    try container.encode([1, 2], forKey: .first)
    try container.encode([3], forKey: .second)
    try check(byCase.encodedData)
  }

  @Test("an object encodes itself into the archiver without being a reference")
  func objectAsCoder() throws {
    let unarchiver = try unarchiver { archiver in
      try Shared(name: "top").encode(to: archiver)
    }
    #expect(unarchiver.allKeys == ["name"])
    #expect(try Shared(from: unarchiver).name == "top")
  }

  @Test("an object under several keys is one object, read in any order")
  func sharedAcrossKeys() throws {
    let data = try {
      let archiver = KeyedArchiver()
      let shared = Shared(name: "shared")
      try archiver.encode(shared, forKey: "a")
      try archiver.encode([shared, Shared(name: "other")], forKey: "b")
      try archiver.encode(["k": shared], forKey: "c")
      return try archiver.encodedData
    }()
    for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      var found: [Shared] = []
      for key in order {
        switch key {
        case "a": found.append(try unarchiver.decode(Shared.self, forKey: "a"))
        case "b": found.append(contentsOf: try unarchiver.decode([Shared].self, forKey: "b").prefix(1))
        default: found.append(contentsOf: try unarchiver.decode([String: Shared].self, forKey: "c").values)
        }
      }
      #expect(found.count == 3)
      #expect(found.allSatisfy { $0 === found[0] && $0.name == "shared" })
    }
  }
}

private final class Shared: Codable {
  let name: String

  init(name: String) {
    self.name = name
  }
}
