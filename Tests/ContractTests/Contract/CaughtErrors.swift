import Foundation
import Keepsake
import TestSupport
import Testing

/// A value whose `encode(to:)` throws, and whose caller catches the error, leaves no trace: the archive has the bytes
/// of one whose caller never tried.
@Suite struct CaughtErrors {
  /// How far a value gets before it fails.
  enum Failing: CaseIterable, Encodable, CustomTestArgumentEncodable {
    /// Encodes the name of the case, since `encode(to:)` throws.
    func encodeTestArgument(to encoder: some Encoder) throws {
      try String(describing: self).encode(to: encoder)
    }

    case atOnce, afterKeys, afterElements, afterSingleValue, afterObjects, afterStrings, afterDictionary
    case inNested, inSuper, inArray, inDictionary, deep, withOpenContainers, misuse

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .atOnce: break
      case .afterKeys:
        var container = encoder.container(keyedBy: AnyKey.self)
        for number in 0..<20 { try container.encode(number, forKey: AnyKey("left behind \(number)")) }
      case .afterElements:
        var container = encoder.unkeyedContainer()
        for number in 0..<1000 { try container.encode("\(number)") }
      case .afterSingleValue:
        var container = encoder.singleValueContainer()
        try container.encode([1, 2, 3])
      case .afterObjects:
        var container = encoder.unkeyedContainer()
        for number in 0..<10 { try container.encode(Thing("left behind \(number)")) }
        try container.encode(OtherThing())
      case .afterStrings:
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(Array(repeating: "a string worth sharing", count: 10), forKey: "strings")
        try container.encode("another string, worth sharing", forKey: "other")
      case .inNested:
        var container = encoder.container(keyedBy: AnyKey.self)
        var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
        try nested.encode(Failing.afterObjects, forKey: "inner")
      case .inSuper:
        var container = encoder.unkeyedContainer()
        try Failing.afterKeys.encode(to: container.superEncoder())
      case .deep:
        let inner = Writing { try Failing.afterObjects.encode(to: $0) }
        try ["a": [["b": Writing { try [inner].encode(to: $0) }]]].encode(to: encoder)
      case .withOpenContainers:
        var container = encoder.container(keyedBy: AnyKey.self)
        var one = container.nestedUnkeyedContainer(forKey: "one")
        var two = container.nestedContainer(keyedBy: AnyKey.self, forKey: "two")
        try one.encode(1)
        try two.encode(Thing("two"), forKey: "thing")
      case .inArray: try [Failing?.none, .afterKeys].encode(to: encoder)
      case .inDictionary: try ["only": Failing.afterStrings].encode(to: encoder)
      case .afterDictionary: try ["left": [1: 2], "behind": [:]].encode(to: encoder)
      case .misuse:
        var container = encoder.singleValueContainer()
        try container.encode("once")
        try container.encode("twice")
      }
      throw Refusal()
    }
  }

  private enum Keys: CodingKey { case before, refused, after }
  private class Shown: Codable {}
  private final class Hidden: Shown {}

  @Test("an object of a class that readers cannot find leaves no trace in a record")
  func unfindableClass() throws {
    func archive(trying: Bool) throws -> Data {
      try write { encoder in
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode("before", forKey: .before)
        if trying {
          #expect(throws: EncodingError.self) { try container.encode(Hidden() as Shown, forKey: .refused) }
        }
        try container.encode(Thing("after"), forKey: .after)
      }
    }
    #expect(try archive(trying: true) == archive(trying: false))
  }

  @Test("a failed value leaves no trace in a keyed container", arguments: Failing.allCases)
  func keyed(failing: Failing) throws {
    func archive(trying: Bool) throws -> Data {
      try writeKeyed { container in
        let shared = Thing("shared")
        try container.encode(shared, forKey: "before")
        if trying { #expect(throws: (any Error).self) { try container.encode(failing, forKey: "failing") } }
        try container.encode([shared, Thing("after")], forKey: "after")
        if trying { #expect(throws: (any Error).self) { try container.encode(failing, forKey: "failing") } }
        try container.encode("a string worth sharing", forKey: "text")
      }
    }
    let data = try archive(trying: true)
    #expect(try data == archive(trying: false))
    try readKeyed(data) { container throws in
      #expect(container.allKeys == ["before", "after", "text"])
      let before = try container.decode(Thing.self, forKey: "before")
      #expect(try container.decode([Thing].self, forKey: "after").map(\.name) == ["shared", "after"])
      #expect(try container.decode([Thing].self, forKey: "after").first === before)
    }
  }

  @Test("a failed value leaves no trace in an unkeyed container", arguments: Failing.allCases)
  func unkeyed(failing: Failing) throws {
    func archive(trying: Bool) throws -> Data {
      try writeUnkeyed { list in
        if trying { #expect(throws: (any Error).self) { try list.encode(failing) } }
        try list.encode(1)
        if trying { #expect(throws: (any Error).self) { try list.encode(failing) } }
        #expect(list.count == 1)
        try list.encode(2)
      }
    }
    let data = try archive(trying: true)
    #expect(try data == archive(trying: false))
    #expect(try ArchiveDecoder().decode([Int].self, from: data) == [1, 2])
  }

  @Test("a single-value container accepts another value after a failed one", arguments: Failing.allCases)
  func single(failing: Failing) throws {
    func archive(trying: Bool) throws -> Data {
      try write { encoder in
        var container = encoder.singleValueContainer()
        if trying { #expect(throws: (any Error).self) { try container.encode(failing) } }
        try container.encode("instead")
      }
    }
    let data = try archive(trying: true)
    #expect(try data == archive(trying: false))
    #expect(try ArchiveDecoder().decode(String.self, from: data) == "instead")
  }

  @Test("a failed value leaves no trace under a key of the archiver", arguments: Failing.allCases)
  func topLevel(failing: Failing) throws {
    func archive(trying: Bool) throws -> Data {
      let archiver = KeyedArchiver()
      if trying { #expect(throws: (any Error).self) { try archiver.encode(failing, forKey: "failing") } }
      try archiver.encode(Thing("a"), forKey: "a")
      if trying { #expect(throws: (any Error).self) { try archiver.encode(failing, forKey: "failing") } }
      try archiver.encode(Thing("b"), forKey: "b")
      return try archiver.encodedData
    }
    let data = try archive(trying: true)
    #expect(try data == archive(trying: false))
    #expect(try KeyedUnarchiver(forReadingFrom: data).allKeys.sorted() == ["a", "b"])
  }

  @Test("a failed value leaves no trace beside open containers", arguments: Failing.allCases)
  func besideOpenContainers(failing: Failing) throws {
    func archive(trying: Bool) throws -> Data {
      try writeKeyed { container in
        var list = container.nestedUnkeyedContainer(forKey: "list")
        var record = container.nestedContainer(keyedBy: AnyKey.self, forKey: "record")
        for number in 0..<3 {
          try list.encode(number)
          if trying { #expect(throws: (any Error).self) { try list.encode(failing) } }
          try record.encode(number, forKey: AnyKey("\(number)"))
          if trying { #expect(throws: (any Error).self) { try record.encode(failing, forKey: "failing") } }
          if trying { #expect(throws: (any Error).self) { try container.encode(failing, forKey: "failing") } }
        }
      }
    }
    let data = try archive(trying: true)
    #expect(try data == archive(trying: false))
    try readKeyed(data) { container throws in
      #expect(try container.decode([Int].self, forKey: "list") == [0, 1, 2])
      #expect(try container.decode([String: Int].self, forKey: "record") == ["0": 0, "1": 1, "2": 2])
    }
  }

  @Test("an object first reached by a failed value is archived by a later one")
  func objectMetAgain() throws {
    func archive(trying: Bool) throws -> Data {
      let thing = Thing("met again")
      let wrong = Writing { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(Thing("never again"))
        try container.encode(thing)
        throw Refusal()
      }
      return try writeUnkeyed { list in
        if trying { #expect(throws: Refusal.self) { try list.encode(wrong) } }
        try list.encode(Thing("first"))
        try list.encode(thing)
        if trying { #expect(throws: Refusal.self) { try list.encode(wrong) } }
        try list.encode(thing)
      }
    }
    let data = try archive(trying: true)
    #expect(try data == archive(trying: false))
    let things = try ArchiveDecoder().decode([Thing].self, from: data)
    #expect(things.map(\.name) == ["first", "met again", "met again"])
    #expect(things[1] === things[2])
  }

  @Test("a failed replacement keeps the previous value of the key")
  func replacing() throws {
    let data = try writeKeyed { container in
      try container.encode("kept", forKey: "k")
      #expect(throws: Refusal.self) { try container.encode(Failing.afterObjects, forKey: "k") }
    }
    #expect(try ArchiveDecoder().decode([String: String].self, from: data) == ["k": "kept"])
    let archiver = KeyedArchiver()
    try archiver.encode("kept", forKey: "k")
    #expect(throws: Refusal.self) { try archiver.encode(Failing.afterObjects, forKey: "k") }
    #expect(
      try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(String.self, forKey: "k") == "kept"
    )
  }

  @Test("an object whose encoding fails makes archiving fail, though its caller caught the error")
  func failingObject() throws {
    #expect(throws: Refusal(reason: "bad")) {
      try writeUnkeyed { list in
        try list.encode(1)
        try? list.encode(BadThing())
        try list.encode(2)
      }
    }
    #expect(throws: Refusal(reason: "bad")) {
      let archiver = KeyedArchiver()
      try archiver.encode([BadThing()], forKey: "a")
      try archiver.finishEncoding()
    }
  }

  @Test("a failed value leaves no trace among many objects", arguments: [0, 10, 63, 64, 65, 130])
  func manyObjects(before: Int) throws {
    for failing in [1, 60, 64, 200] {
      func archive(trying: Bool) throws -> Data {
        try writeUnkeyed { list in
          for number in 0..<before { try list.encode(Thing("before \(number)")) }
          if trying {
            let things = Writing { encoder in
              try (0..<failing).map { Thing("left behind \($0)") }.encode(to: encoder)
              throw Refusal()
            }
            #expect(throws: Refusal.self) { try list.encode(things) }
          }
          for number in 0..<70 { try list.encode(Thing("after \(number)")) }
        }
      }
      let data = try archive(trying: true)
      #expect(try data == archive(trying: false))
      #expect(try ArchiveDecoder().decode([Thing].self, from: data).count == before + 70)
    }
  }

  @Test("an encoder that failed encodes later values as before")
  func encoderReused() throws {
    let encoder = ArchiveEncoder()
    let expected = try encoder.encode([1, 2])
    for failing in Failing.allCases {
      #expect(throws: (any Error).self) { try encoder.encode(failing) }
      #expect(try encoder.encode([1, 2]) == expected)
    }
  }
}

private class Thing: Codable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

private final class OtherThing: Codable {
  var number = 1
}

private final class BadThing: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(1, forKey: "a")
    throw Refusal(reason: "bad")
  }
}
