import Foundation
import Keepsake
import TestSupport
import Testing

/// The elements of an array of numbers have no tags. Unkeyed containers and decoders of single elements treat them like
/// other values.
@Suite struct PackedElements {
  /// Notes the answers of its decoder.
  private struct Probe: Decodable {
    let keyed: Failure
    let unkeyed: Failure
    let number: Int
    let isNil: Bool
    let hasUserInfo: Bool

    init(from decoder: any Decoder) throws {
      keyed = try failure { try decoder.container(keyedBy: AnyKey.self) }
      unkeyed = try failure { try decoder.unkeyedContainer() }
      let value = try decoder.singleValueContainer()
      isNil = value.decodeNil()
      number = try value.decode(Int.self)
      hasUserInfo = !decoder.userInfo.isEmpty
    }
  }

  @Test("an element reads neither as a container nor as nil nor as a string")
  func onlyNumbers() throws {
    let data = try ArchiveEncoder().encode([5, 300, -70_000])
    try readUnkeyed(data) { list throws in
      #expect(try !list.decodeNil())
      let keyed = try failure { try list.nestedContainer(keyedBy: AnyKey.self) }
      #expect(keyed.kind == .typeMismatch && keyed.code == .typeMismatch && keyed.path == "[0]")
      let unkeyed = try failure { try list.nestedUnkeyedContainer() }
      #expect(unkeyed.kind == .typeMismatch && unkeyed.path == "[0]")
      let text = try failure { try list.decode(String.self) }
      #expect(text.kind == .typeMismatch && text.path == "[0]")
      // None of these calls advanced the container.
      #expect(list.currentIndex == 0)
      #expect(try list.decode(Int.self) == 5)
    }
  }

  private enum Level: Int8, Codable { case low = 5 }

  @Test("a number that does not fit is dataCorrupted, as in JSONDecoder")
  func doNotFit() throws {
    func check<Element: Decodable>(_ type: Element.Type, _ numbers: [Int]) throws {
      let found = try failure {
        try ArchiveDecoder().decode([Element].self, from: ArchiveEncoder().encode(numbers))
      }
      #expect(found.kind == .dataCorrupted && found.path == "[1]", "\(found)")
      let expected = try failure {
        try JSONDecoder().decode([Element].self, from: JSONEncoder().encode(numbers))
      }
      #expect(expected.kind == .dataCorrupted)
    }
    try check(Int8.self, [5, 300])
    try check(Int8?.self, [5, 300])
    try check(Level.self, [5, 300])
    try check(UInt.self, [5, -300])
    try check(UInt?.self, [5, -300])
  }

  @Test("an element decodes as a type of the program through a single-value decoder")
  func ownTypes() throws {
    let data = try ArchiveEncoder().encode([5, 300])
    try readUnkeyed(data) { list throws in
      let first = try list.decode(Probe.self)
      #expect(first.number == 5 && !first.isNil && first.hasUserInfo)
      #expect(first.keyed.kind == .typeMismatch && first.keyed.path == "[0]")
      #expect(first.unkeyed.kind == .typeMismatch && first.unkeyed.path == "[0]")
      let second = try Probe(from: list.superDecoder())
      #expect(second.number == 300 && second.keyed.path == "[1]")
      #expect(list.isAtEnd)
    }
  }

  @Test("every request at the end of a packed array is valueNotFound")
  func atEnd() throws {
    try readUnkeyed(ArchiveEncoder().encode([5])) { list throws in
      _ = try list.decode(Int.self)
      for found in [
        try failure { try list.decode(Int.self) }, try failure { try list.decode(Probe.self) },
        try failure { try list.decodeNil() }, try failure { try list.superDecoder() },
        try failure { try list.nestedContainer(keyedBy: AnyKey.self) },
        try failure { try list.nestedUnkeyedContainer() },
      ] {
        #expect(found.kind == .valueNotFound && found.path == "[1]")
      }
    }
  }

  @Test("packed Booleans, floats and bytes read only as compatible types")
  func otherKinds() throws {
    try readUnkeyed(ArchiveEncoder().encode([true, false])) { list throws in
      #expect(try failure { try list.decode(Int.self) }.kind == .typeMismatch)
      #expect(try list.decode(Bool.self) && !list.decode(Bool.self))
    }
    try readUnkeyed(ArchiveEncoder().encode([1.5, 2])) { list throws in
      #expect(try failure { try list.decode(Int.self) }.kind == .typeMismatch)
      #expect(try list.decode(Float.self) == 1.5)
      #expect(try list.decode(Double.self) == 2)
    }
    try readUnkeyed(ArchiveEncoder().encode(Data([200]))) { list throws in
      #expect(try failure { try list.decode(Int8.self) }.path == "[0]")
      #expect(try list.decode(Int16.self) == 200)
    }
  }

  @Test("an error names the kind of the element, or the type that a number does not fit")
  func nouns() throws {
    func message<Wrong: Decodable>(_ numbers: some Encodable, as type: Wrong.Type) throws -> String {
      try failure { try transcode(["numbers": numbers], to: [String: [Wrong]].self) }.description
    }
    #expect(try message([1.5], as: Int.self).contains("Expected Int but found a floating-point number"))
    #expect(try message([0.1], as: Float.self).contains("The number does not fit into Float"))
    #expect(try message([0.1], as: Float?.self).contains("The number does not fit into Float"))
    #expect(try message([Double.nan], as: Decimal.self).contains("The number does not fit into Decimal"))
    #expect(try message([true], as: Double.self).contains("Expected Double but found a Boolean"))
    #expect(try message([7], as: String.self).contains("Expected String but found an integer"))
    #expect(try message(Data([7]), as: Bool.self).contains("Expected Bool but found an integer"))
  }
}
