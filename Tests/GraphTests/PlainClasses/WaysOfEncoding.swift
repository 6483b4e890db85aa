import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects in cycles that encode other values by every method of `Encoder`. The archiver calls `encode(to:)` again
/// to find the types of their properties.
@Suite struct WaysOfEncoding {
  /// Throws if a container reports a wrong count.
  private static func fill(_ list: inout any UnkeyedEncodingContainer) throws {
    let start = list.count
    try list.encodeNil()
    try list.encode(1)
    try list.encode(Int128.min)
    try list.encode(UInt128.max)
    try list.encode(contentsOf: ["two", "strings"])
    var record = list.nestedContainer(keyedBy: Keys.self)
    try record.encode("no property", forKey: .next)
    var inner = list.nestedUnkeyedContainer()
    try inner.encode(contentsOf: [1, 2, 3])
    var value = list.superEncoder().container(keyedBy: Keys.self)
    try value.encode("no property", forKey: .next)
    guard list.count == start + 9, inner.count == 3 else {
      throw Refusal(reason: "\(list.count), \(inner.count)")
    }
  }

  private enum Keys: CodingKey { case nothing, large, larger, list, record, single, value, next }

  private final class Varied: Codable {
    var next: Varied?

    init() {}

    init(from decoder: any Decoder) throws {
      next = try decoder.container(keyedBy: Keys.self).decodeIfPresent(Varied.self, forKey: .next)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encodeNil(forKey: .nothing)
      try container.encode(Int128.min, forKey: .large)
      try container.encode(UInt128.max, forKey: .larger)
      try container.encodeIfPresent(next, forKey: .next)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try WaysOfEncoding.fill(&list)
      var record = container.nestedContainer(keyedBy: Keys.self, forKey: .record)
      try record.encode("no property", forKey: .next)
      var single = container.superEncoder(forKey: .single).singleValueContainer()
      try single.encode(UInt128.max)
      // The class has no superclass, so this is another value.
      var value = container.superEncoder().container(keyedBy: Keys.self)
      try value.encode("no property", forKey: .next)
      var values = container.superEncoder(forKey: .value).unkeyedContainer()
      try WaysOfEncoding.fill(&values)
    }
  }

  @Test("an object may encode other keys before and after the property that can wait")
  func otherKeys() throws {
    let varied = Varied()
    varied.next = Varied()
    varied.next?.next = varied
    try forEachWay(varied) { back in
      #expect(back.next !== back && back.next?.next === back)
      back.next = nil
    }
    varied.next = nil
  }

  /// Encodes nothing under keys, so no property can wait.
  private final class Listed: Codable {
    @Deferred var next: Listed?

    init() {}

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      _next = try container.decode(Deferred<Listed?>.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(_next)
      try WaysOfEncoding.fill(&container)
    }
  }

  /// Refers to itself in an unkeyed or in a single-value container.
  private final class Wrapping: Encodable {
    var next: Wrapping?
    let isList: Bool

    init(isList: Bool) { self.isList = isList }

    func encode(to encoder: any Encoder) throws {
      guard isList else {
        var container = encoder.singleValueContainer()
        return try container.encode(next)
      }
      var container = encoder.unkeyedContainer()
      try WaysOfEncoding.fill(&container)
      try container.encode(next)
    }
  }

  @Test("a cycle through a container without keys is refused unless its element is deferred")
  func unkeyed() throws {
    let listed = Listed()
    listed.next = listed
    let back = try roundTrip(listed)
    #expect(back.next === back)
    for object in [listed, back] { object.next = nil }
    for isList in [true, false] {
      let wrapping = Wrapping(isList: isList)
      wrapping.next = wrapping
      let found = try failure { try ArchiveEncoder().encode(wrapping) }
      #expect(
        found.code == .cycle && found.description.contains("read back: Wrapping\(isList ? "[9]" : ""). "),
        "\(found)"
      )
      wrapping.next = nil
    }
  }

  /// Delegates its coding to a structure with its properties.
  private final class Described: Codable {
    struct Description: Codable {
      var name: String
      var next: Described?
      var parent: Described?
    }

    var name: String
    var next: Described?
    weak var parent: Described?
    let isSingle: Bool

    init(_ name: String, isSingle: Bool) { (self.name, self.isSingle) = (name, isSingle) }

    init(from decoder: any Decoder) throws {
      let description = try decoder.singleValueContainer().decode(Description.self)
      (name, next, parent) = (description.name, description.next, description.parent)
      isSingle = false
    }

    func encode(to encoder: any Encoder) throws {
      let description = Description(name: name, next: next, parent: parent)
      guard isSingle else { return try description.encode(to: encoder) }
      var container = encoder.singleValueContainer()
      try container.encode(description)
    }
  }

  @Test("a structure may encode the properties of an object", arguments: [false, true])
  func structures(isSingle: Bool) throws {
    let (first, second) = (Described("first", isSingle: isSingle), Described("second", isSingle: isSingle))
    (first.next, second.parent) = (second, first)
    try forEachWay(first) { back in #expect(back.next?.name == "second" && back.next?.parent === back) }
    try forEachWay(second) { back in #expect(back.name == "second" && back.parent == nil) }
    second.next = first
    try forEachWay(first) { back in
      #expect(back.next?.next === back && back.next?.parent === back)
      back.next = nil
    }
    second.next = nil
  }

  /// Delegates its coding to a structure that delegates it to another one.
  private final class Wrapped: Codable {
    struct Version: Codable {
      var description: Description

      init(_ description: Description) { self.description = description }

      init(from decoder: any Decoder) throws {
        description = try decoder.singleValueContainer().decode(Description.self)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
      }
    }

    struct Description: Codable {
      var next: Wrapped?
    }

    var next: Wrapped?

    init() {}

    init(from decoder: any Decoder) throws {
      next = try decoder.singleValueContainer().decode(Version.self).description.next
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Version(Description(next: next)))
    }
  }

  @Test("nested structures may encode the properties of the object, each in a single-value container")
  func structuresInOthers() throws {
    let wrapped = Wrapped()
    wrapped.next = wrapped
    try forEachWay(wrapped) { back in
      #expect(back.next === back)
      back.next = nil
    }
    wrapped.next = nil
  }

  protocol AnyContent: Codable {}

  // Not private, since it is found by name.
  struct OddContent: AnyContent {
    var next: Typed?
    var parent: Typed?
  }

  /// Encodes a type before the value that has its properties.
  final class Typed: Codable {
    var next: Typed?
    weak var parent: Typed?

    init() {}

    init(from decoder: any Decoder) throws {
      let content = try decoder.singleValueContainer().decode(Polymorphic<any AnyContent>.self)
      guard let content = content.wrappedValue as? OddContent else { throw Refusal(reason: "other content") }
      (next, parent) = (content.next, content.parent)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Polymorphic<any AnyContent>(wrappedValue: OddContent(next: next, parent: parent)))
    }
  }

  @Test("a cycle through a structure behind a protocol is refused")
  func typed() throws {
    let (typed, parent) = (Typed(), Typed())
    (typed.next, typed.parent) = (Typed(), parent)
    let back = try roundTrip([typed, parent])
    #expect(back[0].next != nil && back[0].parent === back[1])
    parent.next = typed
    #expect(try failure { try ArchiveEncoder().encode(parent) }.code == .cycle)
    typed.parent = nil
    typed.next?.next = typed
    #expect(try failure { try ArchiveEncoder().encode(typed) }.code == .cycle)
    typed.next = nil
  }
}
