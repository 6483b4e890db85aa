import Foundation
import Keepsake
import TestSupport
import Testing

/// `@Polymorphic` in the coders of Foundation, which write the name of the type beside the value; in an archive read
/// without it; and what no coder can code.
@Suite struct PolymorphicElsewhere {
  private func json<Value>(_ value: Polymorphic<Value>) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(value)
  }

  @Test("one value is encoded as JSON beside the name of its type")
  func one() throws {
    let data = try json(Polymorphic<any ElsewhereShape>(wrappedValue: ElsewhereSquare(side: 3)))
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"type":"GraphTests.ElsewhereSquare","value":{"side":3}}"#
    )
    let back = try JSONDecoder().decode(Polymorphic<any ElsewhereShape>.self, from: data).wrappedValue
    #expect((back as? ElsewhereSquare)?.side == 3)
  }

  @Test("arrays, dictionaries and optionals come back from JSON and property lists")
  func collections() throws {
    let shapes: [any ElsewhereShape] = [ElsewhereSquare(side: 2), ElsewhereCircle(radius: 5)]
    let array = try JSONDecoder().decode(
      Polymorphic<[any ElsewhereShape]>.self,
      from: json(Polymorphic(wrappedValue: shapes))
    )
    #expect(array.wrappedValue.map(\.size) == [2, 5])
    #expect(array.wrappedValue[1] is ElsewhereCircle)
    let named: [String: any ElsewhereShape] = ["a": shapes[0], "b": shapes[1]]
    let dictionary = try PropertyListDecoder().decode(
      Polymorphic<[String: any ElsewhereShape]>.self,
      from: PropertyListEncoder().encode(Polymorphic(wrappedValue: named))
    )
    #expect(dictionary.wrappedValue.mapValues(\.size) == ["a": 2, "b": 5])
    let holder = ElsewhereHolder()
    #expect(holder.shape == nil)
    holder.shape = shapes[1]
    let back = try JSONDecoder().decode(ElsewhereHolder.self, from: JSONEncoder().encode(holder))
    #expect(back.shape is ElsewhereCircle)
    holder.shape = nil
    let empty = try JSONDecoder().decode(ElsewhereHolder.self, from: JSONEncoder().encode(holder))
    #expect(empty.shape == nil)
  }

  @Test("AnyHashable values come back from JSON and an archive")
  func hashable() throws {
    let values = Polymorphic<[AnyHashable]>([3, "text", UInt8(3)])
    for back in [
      try JSONDecoder().decode(Polymorphic<[AnyHashable]>.self, from: json(values)),
      try ArchiveDecoder().decode(Polymorphic<[AnyHashable]>.self, from: ArchiveEncoder().encode(values)),
    ] {
      #expect(back == values && back.wrappedValue[2].base is UInt8)
    }
  }

  @Test("polymorphic values read as their own types once a property declares these")
  func declaredNow() throws {
    func check<Value: Codable & Equatable>(_ value: Value) throws {
      let archiver = KeyedArchiver()
      archiver.setClassName("Elsewhere", for: Value.self)
      try archiver.encode(["a": Polymorphic<Any>(value)], forKey: "key")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      #expect(try unarchiver.decode([String: Value].self, forKey: "key") == ["a": value])
      #expect(try unarchiver.decode([String: Value?].self, forKey: "key") == ["a": value])
    }
    try check(300)
    try check(2.5)
    try check(true)
    try check("text")
    try check(Date(timeIntervalSinceReferenceDate: 5))
    try check(UUID())
    try check(Data([1, 2]))
    try check(Decimal(1.5))
    try check(try #require(URL(string: "https://example.org")))
    try check([1, 2])
    try check(["a", "b"])
    try check(["a": 1])
    try check(Set(["a", "b"]))
    try check(Set([1, 2]))
    try check(ElsewhereEnum.some)
  }

  @Test(
    "an unknown name and one of an unsuitable type are refused",
    arguments: ["GraphTests.Absent", "GraphTests.ElsewhereOther", "Swift.Int", ""]
  )
  func names(name: String) throws {
    let text = #"{"type":"\#(name)","value":{"side":3}}"#
    let found = try failure {
      try JSONDecoder().decode(Polymorphic<any ElsewhereShape>.self, from: Data(text.utf8))
    }
    #expect(found.kind == .dataCorrupted && found.path == "type")
    #expect(found.description.contains("ElsewhereShape"))
  }

  @Test("a private type is refused unless it declares a name")
  func privateTypes() throws {
    let value = Polymorphic<any ElsewhereShape>(wrappedValue: HiddenElsewhere(side: 1))
    for found in [try failure { try json(value) }, try failure { try ArchiveEncoder().encode(value) }] {
      #expect(found.kind == .invalidValue && found.code == .unresolvableClass)
      #expect(found.description.contains("private or local"))
    }
    let stated = try json(Polymorphic<any ElsewhereShape>(wrappedValue: StatedElsewhere(side: 4)))
    let back = try JSONDecoder().decode(Polymorphic<any ElsewhereShape>.self, from: stated).wrappedValue
    #expect((back as? StatedElsewhere)?.side == 4)
  }

  @Test("a generic type is refused, unless the program gives it a name")
  func genericTypes() throws {
    for value in [[1: "a"] as Any, ElsewhereBox(content: 1), Int?.some(1) as Any] {
      for found in [
        try failure { try json(Polymorphic<Any>(value)) },
        try failure { try ArchiveEncoder().encode(Polymorphic<Any>(value)) },
      ] {
        #expect(found.kind == .invalidValue && found.code == .unresolvableClass)
        #expect(found.description.contains("it is generic, and the name does not lead to it"))
      }
    }
    KeyedArchiver.setClassName("ElsewhereBox of a double", for: ElsewhereBox<Double>.self)
    KeyedUnarchiver.setClass(ElsewhereBox<Double>.self, forClassName: "ElsewhereBox of a double")
    let back = try JSONDecoder().decode(
      Polymorphic<Any>.self,
      from: json(Polymorphic<Any>(ElsewhereBox(content: 2.5)))
    )
    #expect((back.wrappedValue as? ElsewhereBox<Double>)?.content == 2.5)
  }

  @Test("a value that is not Encodable is an error, also in an archive")
  func notEncodable() throws {
    let value = Polymorphic<any ElsewherePlain>(wrappedValue: ElsewherePlainValue())
    for found in [
      try failure { try json(value) }, try failure { try ArchiveEncoder().encode(value) },
    ] {
      #expect(found.kind == .invalidValue && found.code == .misuse)
      #expect(found.description.contains("ElsewherePlainValue is not Encodable"))
    }
  }

  @Test("a dictionary whose keys are not Codable is an error in both directions")
  func keys() throws {
    let value = Polymorphic<[ElsewhereKey: any ElsewhereShape]>(wrappedValue: [
      ElsewhereKey(): ElsewhereSquare(side: 1)
    ])
    let written = try failure { try json(value) }
    #expect(written.kind == .invalidValue && written.code == .misuse)
    #expect(try failure { try ArchiveEncoder().encode(value) }.code == .misuse)
    let data = try ArchiveEncoder().encode(["a": 1])
    let read = try failure {
      try ArchiveDecoder().decode(Polymorphic<[ElsewhereKey: any ElsewhereShape]>.self, from: data)
    }
    #expect(read.kind == .typeMismatch && read.description.contains("ElsewhereKey is not Codable"))
  }
}

// Not private: private types have no name by which they could be found.

protocol ElsewhereShape: Codable {
  var size: Int { get }
}

struct ElsewhereBox<Content: Codable>: Codable {
  var content: Content
}

struct ElsewhereSquare: ElsewhereShape {
  var side: Int
  var size: Int { side }
}

final class ElsewhereCircle: ElsewhereShape {
  let radius: Int
  var size: Int { radius }

  init(radius: Int) {
    self.radius = radius
  }
}

struct ElsewhereOther: Codable {
  var side: Int
}

enum ElsewhereEnum: String, Codable { case some }

final class ElsewhereHolder: Codable {
  @Polymorphic var shape: (any ElsewhereShape)?
}

protocol ElsewherePlain {}

struct ElsewherePlainValue: ElsewherePlain {}

struct ElsewhereKey: Hashable {}

private struct HiddenElsewhere: ElsewhereShape {
  var side: Int
  var size: Int { side }
}

private struct StatedElsewhere: ElsewhereShape, ArchivableClass {
  static var archivedClassName: String { "Elsewhere.Stated" }
  var side: Int
  var size: Int { side }
}
