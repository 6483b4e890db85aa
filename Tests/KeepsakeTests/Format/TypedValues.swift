import Foundation
import TestSupport
import Testing

import HostileArchives
@testable import Keepsake

/// Values with the names of their types, and the entries of these types (Format §4.10, §5.3), in handmade archives.
@Suite struct TypedValues {
  private static let thing = HandmadeArchive.type("Thing")
  private static let circle = HandmadeArchive.type("Zoo.Circle", version: 3, flags: 2)

  /// A top level that has `value` under "root".
  private static func root(_ value: [UInt8]) -> [UInt8] {
    [0, Tag.map, 1, Tag.shortString + 4] + Array("root".utf8) + value
  }

  private func fault(
    bodies: [[UInt8]] = [],
    _ value: [UInt8] = [Tag.none],
    classes: [[UInt8]] = [thing, circle]
  ) throws -> String {
    do {
      let data = HandmadeArchive.data(bodies: bodies, topLevel: Self.root(value), classes: classes)
      try ArchiveImage(data: data, verification: .everything).verifyStructure()
    } catch {
      #expect(error.code == .damaged)
      #expect(error.byteOffset != nil)
      return error.message
    }
    return "none"
  }

  @Test("a typed value has the name of its type, its content and its path")
  func reading() throws {
    let content = [Tag.map, 1, Tag.shortString + 1, 0x72, 0x95]
    let data = HandmadeArchive.data(
      topLevel: Self.root([Tag.shortArray + 1, Tag.typed, 1] + content),
      classes: [Self.thing, Self.circle]
    )
    let image = try ArchiveImage(data: data, verification: .everything)
    try image.verifyStructure()
    let circle = ClassEntry(name: "Zoo.Circle", version: 3, isValueType: true)
    #expect(image.classes == [ClassEntry(name: "Thing"), circle])
    let array = try #require(try image.topLevelValue["root"])
    let value = try #require(try array[0])
    #expect(value.kind == .typed)
    #expect(try value.typeName == "Zoo.Circle")
    #expect(try value.byteRange.count == 2 + content.count)
    let members = try value.members()
    let inner = try #require(try value.wrapped)
    // Its members are those of the value behind the name.
    #expect(members.map(\.label) == [.key("r")])
    #expect(try members.map(\.value.offset) == inner.members().map(\.value.offset))
    #expect(inner.kind == .map)
    let radius = try #require(try inner["r"])
    #expect(try radius.integer.flatMap { Int(exactly: $0) } == 5)
    #expect(try radius.wrapped == nil)
    #expect(try radius.typeName == nil)
    let path = image.path(from: try image.topLevelValue.offset, in: image.reader) { $0 == radius.offset }
    #expect(path == [.key("root"), .index(0), .key("r")])
    var place = value.offset
    #expect(try image.valueTypeNumber(at: &place) == 1)
    #expect(place == inner.offset)
  }

  @Test("any value can be typed, anywhere")
  func contents() throws {
    let object: [UInt8] = [1, Tag.map, 0]
    for value in [
      [Tag.none], [Tag.some, Tag.none], [Tag.empty], [0x95], [Tag.shortString], [Tag.shortArray],
      [Tag.objectReference, 1], [Tag.typed, 1, 0x95],
    ] as [[UInt8]] {
      #expect(try fault(bodies: [object], [Tag.typed, 1] + value) == "none")
      #expect(try fault(bodies: [object, [1, Tag.typed, 1] + value]) == "none")
    }
    #expect(try fault(bodies: [[0, Tag.typed, 1, Tag.true]], [Tag.valueReference, 1]) == "none")
    // A reference to a value is still directly under a key.
    #expect(
      try fault(bodies: [[0, Tag.none]], [Tag.typed, 1, Tag.valueReference, 1]).contains(
        "allowed only under a key"
      )
    )
  }

  @Test("a typed value must name the entry of a value type")
  func wrongTypes() throws {
    for number in [0, 2, 0x7F] as [UInt8] {
      #expect(try fault([Tag.typed, number, Tag.none]).contains("no value type"))
    }
    #expect(try fault([Tag.typed, 0x81, 0, Tag.none]).contains("longer than necessary"))
    #expect(try fault([Tag.typed, 1]) != "none")
    #expect(try fault([Tag.typed, 1, Tag.none], classes: [Self.circle]).contains("no value type"))
    #expect(try fault([Tag.typed, 0, Tag.none], classes: [Self.circle]) == "none")
    let polymorphic = HandmadeArchive.type("Thing", flags: 1)
    #expect(try fault([Tag.typed, 0, Tag.none], classes: [polymorphic]).contains("no value type"))
  }

  @Test("the body of an object must name a class, and not a value type")
  func wrongBody() throws {
    #expect(try fault(bodies: [[1, Tag.map, 0]], [Tag.objectReference, 1]) == "none")
    #expect(
      try fault(bodies: [[2, Tag.map, 0]], [Tag.objectReference, 1]).contains("a structure or enumeration")
    )
    #expect(try fault(bodies: [[3, Tag.map, 0]], [Tag.objectReference, 1]).contains("out of range"))
    let data = HandmadeArchive.data(
      bodies: [[2, Tag.map, 0]],
      topLevel: Self.root([Tag.objectReference, 1]),
      classes: [Self.thing, Self.circle]
    )
    let error = try #require(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(Anything.self, from: data)
    }
    guard case .dataCorrupted(let context) = error else { throw error }
    #expect((context.underlyingError as? ArchiveError)?.code == .damaged)
  }

  private final class Anything: Codable {}

  @Test("unknown flags of class entries are refused", arguments: 0...255 as ClosedRange<UInt8>)
  func flags(flags: UInt8) throws {
    let message = try fault(classes: [HandmadeArchive.type("T", flags: flags)])
    // A class with properties that are read last has their keys behind the flags; here, it has none.
    let readsLast = flags == 4 || flags == 5
    #expect(flags <= 2 ? message == "none" : readsLast ? message != "none" : message.contains("flags"))
  }

  @Test("a value type neither has a superclass nor is one")
  func superclasses() throws {
    let value = HandmadeArchive.type("V", flags: 2)
    for flags in [0, 1] as [UInt8] {
      #expect(
        try fault(classes: [Self.thing, HandmadeArchive.type("S", superclass: 1, flags: flags)]) == "none"
      )
      #expect(
        try fault(classes: [value, HandmadeArchive.type("S", superclass: 1, flags: flags)]).contains(
          "structure or enumeration has a superclass"
        )
      )
    }
    #expect(
      try fault(classes: [Self.thing, HandmadeArchive.type("V", superclass: 1, flags: 2)]).contains(
        "structure or enumeration has a superclass"
      )
    )
    #expect(try fault(classes: [value, HandmadeArchive.type("V", superclass: 2)]) != "none")
  }

  @Test("a registry writes entries that readers read, and forgets those that are undone")
  func registry() throws {
    var classes = ClassRegistry()
    _ = classes.add(ClassEntry(name: "A", version: 200), NSObject.self)
    _ = classes.add(ClassEntry(name: "Zoo.Circle", version: 3, isValueType: true), Int.self)
    let mark = classes.changeCount
    #expect(classes.add(ClassEntry(name: "Zoo.Square", isValueType: true), [Int].self) == 2)
    classes.markPolymorphic(0)
    #expect(classes.number(of: [Int].self) == 2)
    classes.truncate(to: mark)
    #expect(classes.number(of: [Int].self) == nil)
    #expect(classes.number(of: Int.self) == 1)
    let buffer = ByteBuffer()
    for entry in classes.entries { entry.write(to: buffer) }
    var offset = 0
    var read: [ClassEntry] = []
    for _ in 0..<2 { read.append(try ClassEntry(buffer.reader(), at: &offset, after: read)) }
    #expect(read == classes.entries)
    #expect(offset == buffer.count)
  }
}
