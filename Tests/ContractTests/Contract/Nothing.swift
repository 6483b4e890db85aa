import Foundation
import Keepsake
import TestSupport
import Testing

/// Types that encode nothing work like any other, as the root and nested.
@Suite struct Nothing {
  @Test("a value that encodes nothing comes back as the root")
  func atTheTop() throws {
    #expect(try roundTrip(Silent()) == Silent())
    #expect(try roundTrip(EmptyStruct()) == EmptyStruct())
    #expect(try roundTrip(SilentObject()).wasRead)
  }

  @Test("a value that encodes nothing comes back in fields and collections")
  func nested() throws {
    let holder = Holder(
      one: Silent(),
      maybe: Silent(),
      none: nil,
      list: [Silent(), Silent(), Silent()],
      byName: ["a": Silent(), "b": Silent()],
      gaps: [Silent(), nil, Silent()],
      after: 7
    )
    #expect(try roundTrip(holder) == holder)
  }

  @Test("a value that encodes nothing reads as an empty container of both kinds, and not as nil")
  func readsAsEmpty() throws {
    let data = try ArchiveEncoder().encode(Silent())
    try read(data) { decoder throws in
      #expect(try decoder.container(keyedBy: AnyKey.self).allKeys.isEmpty)
      #expect(try decoder.unkeyedContainer().isAtEnd)
      #expect(try !decoder.singleValueContainer().decodeNil())
    }
    let nested = try ArchiveEncoder().encode(["inner": Silent()])
    try readKeyed(nested) { container throws in
      #expect(try !container.decodeNil(forKey: "inner"))
      #expect(try container.nestedContainer(keyedBy: AnyKey.self, forKey: "inner").allKeys.isEmpty)
      #expect(try container.nestedUnkeyedContainer(forKey: "inner").count == 0)
      #expect(try container.decodeIfPresent(Silent.self, forKey: "inner") == Silent())
    }
  }

  @Test("a value that encodes nothing does not read as a number or string")
  func notANumber() throws {
    let data = try ArchiveEncoder().encode([Silent()])
    #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([Int].self, from: data) }
    #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([String].self, from: data) }
  }

  @Test("an empty container of each kind can be read")
  func emptyContainers() throws {
    let keyed = try write { _ = $0.container(keyedBy: AnyKey.self) }
    #expect(try ArchiveDecoder().decode([String: Int].self, from: keyed).isEmpty)
    let unkeyed = try write { _ = $0.unkeyedContainer() }
    #expect(try ArchiveDecoder().decode([Int].self, from: unkeyed).isEmpty)
    let single = try write { _ = $0.singleValueContainer() }
    #expect(try ArchiveDecoder().decode(Silent.self, from: single) == Silent())
  }

  @Test("an object that encodes nothing keeps its identity")
  func objects() throws {
    let shared = SilentObject()
    let back = try roundTrip([shared, SilentObject(), shared])
    #expect(back.count == 3)
    #expect(back[0] === back[2] && back[0] !== back[1])
  }

  @Test("empty collections and strings come back, at the root and nested")
  func emptyCollections() throws {
    #expect(try roundTrip([Int]()).isEmpty)
    #expect(try roundTrip([String]()).isEmpty)
    #expect(try roundTrip([[Double]]()).isEmpty)
    #expect(try roundTrip([String: Int]()).isEmpty)
    #expect(try roundTrip([Int: String]()).isEmpty)
    #expect(try roundTrip([Silent: Int]()).isEmpty)
    #expect(try roundTrip(Set<String>()).isEmpty)
    #expect(try roundTrip(Data()).isEmpty)
    #expect(try roundTrip("") == "")
    let nested: [String: [[String: Set<Int>]]] = ["": [], "a": [[:]], "b": [[:], ["": []]]]
    #expect(try roundTrip(nested) == nested)
  }

  @Test("an archive without keys can be read")
  func noKeys() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: KeyedArchiver().encodedData)
    #expect(unarchiver.allKeys.isEmpty)
    #expect(!unarchiver.containsValue(forKey: KeyedArchiver.rootKey))
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "any") == nil)
    #expect(try Silent(from: unarchiver) == Silent())
  }

  @Test("a value that encodes nothing into the archiver adds no key")
  func intoTheArchiver() throws {
    let archiver = KeyedArchiver()
    try Silent().encode(to: archiver)
    try archiver.encode(1, forKey: "one")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["one"])
  }

  @Test("values that encode nothing leave their neighbours intact", arguments: [1, 2, 100, 1000])
  func amongOthers(count: Int) throws {
    struct Row: Codable, Equatable { var before: Int, silent: Silent, empty: EmptyStruct, after: Int }
    let rows = (0..<count).map { Row(before: $0, silent: Silent(), empty: EmptyStruct(), after: -$0) }
    #expect(try roundTrip(rows) == rows)
  }
}

private struct Silent: Codable, Hashable {
  init() {}
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws {}
}

private struct EmptyStruct: Codable, Equatable {}

private final class SilentObject: Codable {
  let wasRead: Bool

  init() {
    wasRead = false
  }

  init(from decoder: any Decoder) throws {
    wasRead = try decoder.container(keyedBy: AnyKey.self).allKeys.isEmpty
  }

  func encode(to encoder: any Encoder) throws {}
}

private struct Holder: Codable, Equatable {
  var one: Silent
  var maybe: Silent?
  var none: Silent?
  var list: [Silent]
  var byName: [String: Silent]
  var gaps: [Silent?]
  var after: Int
}
