import Foundation
import Keepsake
import TestSupport
import Testing

/// A metatype known only at run time: every container decodes the class that it denotes.
@Suite struct RuntimeSubclasses {
  private class Animal: Codable {
    var name = "Rex"
  }
  private final class Dog: Animal {}
  private final class Cat: Animal {}

  private class Count: Decodable {
    let number: Int
    required init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
    }
  }
  private final class BetterCount: Count {}

  private static var dog: Animal.Type { Dog.self }

  private func isDog(_ animal: Animal?) -> Bool { animal.map { type(of: $0) == Dog.self } ?? false }

  @Test("unkeyed containers decode the class of the metatype")
  func unkeyed() throws {
    let data = try ArchiveEncoder().encode((0..<6).map { _ in Animal() })
    let animals = try readUnkeyed(data) { list in
      [
        try list.decode(Self.dog), try list.decodeIfPresent(Self.dog), try list.decode(Dog.self),
        try list.decode(Animal.self), try list.decode(Self.dog), try list.decodeIfPresent(Animal.self),
      ]
    }
    #expect(animals.map(isDog) == [true, true, true, false, true, false])
  }

  @Test("elements of a packed array decode as the class of the metatype")
  func packed() throws {
    let counts = try readUnkeyed(ArchiveEncoder().encode([1, 2])) { list in
      let type: Count.Type = BetterCount.self
      return [try list.decode(type), try list.decode(Count.self)]
    }
    #expect(counts.map { $0 is BetterCount } == [true, false] && counts.map(\.number) == [1, 2])
  }

  @Test("single-value and keyed containers decode the class of the metatype, in either order")
  func keyed() throws {
    let data = try ArchiveEncoder().encode(["a": Animal(), "b": Animal(), "c": Animal(), "d": Animal()])
    for startsWithDog in [true, false] {
      let animals = try readKeyed(data) { container in
        if !startsWithDog {
          let animal = try container.decode(Animal.self, forKey: "d")
          #expect(type(of: animal) == Animal.self)
        }
        return [
          try container.decode(Self.dog, forKey: "a"),
          try container.decodeIfPresent(Self.dog, forKey: "b"),
          try container.superDecoder(forKey: "c").singleValueContainer().decode(Self.dog),
          try startsWithDog ? container.decode(Animal.self, forKey: "d") : nil,
          try container.decodeIfPresent(Self.dog, forKey: "none"),
        ]
      }
      #expect(animals.map(isDog) == [true, true, true, false, false])
      #expect(animals.compactMap(\.self).count == (startsWithDog ? 4 : 3))
    }
  }

  @Test("every top-level call decodes the class of the metatype")
  func topLevel() throws {
    let data = try ArchiveEncoder().encode(Animal())
    let key = KeyedArchiver.rootKey
    let animals = [
      try ArchiveDecoder().decode(Self.dog, from: data),
      try KeyedUnarchiver.unarchive(Self.dog, from: data),
      try KeyedUnarchiver(forReadingFrom: data).decode(Self.dog, forKey: key),
      try KeyedUnarchiver(forReadingFrom: data).decodeIfPresent(Self.dog, forKey: key),
      try KeyedUnarchiver(forReadingFrom: data).decodeIfPresent(Self.dog, forKey: "none"),
    ]
    #expect(animals.map(isDog) == [true, true, true, true, false])
    let animal = try ArchiveDecoder().decode(Animal.self, from: data)
    #expect(type(of: animal) == Animal.self)
  }

  private final class Delegate: KeyedUnarchiverDelegate {}

  @Test("the class of the metatype is decoded if a delegate may replace objects by nil")
  func delegate() throws {
    struct Reader: Decodable {
      var animals: [Animal?] = []
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        animals = [try list.decodeIfPresent(RuntimeSubclasses.dog), try list.decode(RuntimeSubclasses.dog)]
      }
    }
    let data = try ArchiveEncoder().encode([Animal(), Animal()])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let delegate = Delegate()
    unarchiver.delegate = delegate
    let animals = try unarchiver.decode(Reader.self, forKey: KeyedArchiver.rootKey).animals
    #expect(animals.map(isDog) == [true, true])
  }

  @Test("deferred requests decode the class of the metatype")
  func deferred() throws {
    final class Reader: Decodable {
      var animals: [Animal] = []
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        try container.decodeDeferred(RuntimeSubclasses.dog, forKey: "a") { [unowned self] in
          animals.append($0)
        }
        try container.decodeDeferredIfPresent(RuntimeSubclasses.dog, forKey: "b") { [unowned self] in
          animals.append($0)
        }
        try container.decodeDeferredIfPresent(RuntimeSubclasses.dog, forKey: "none") { [unowned self] in
          animals.append($0)
        }
        var list = try container.nestedUnkeyedContainer(forKey: "list")
        try list.decodeDeferred(RuntimeSubclasses.dog) { [unowned self] in animals.append($0) }
      }
    }
    let data = try writeKeyed { container in
      try container.encode(Animal(), forKey: "a")
      try container.encode(Animal(), forKey: "b")
      try container.encode([Animal()], forKey: "list")
    }
    let animals = try ArchiveDecoder().decode(Reader.self, from: data).animals
    #expect(animals.map(isDog) == [true, true, true])
  }

  @Test("an object of another subclass is a type mismatch")
  func anotherSubclass() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Cat", for: Cat.self)
    try archiver.encode([Cat() as Animal], forKey: "animals")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.setClass(Cat.self, forClassName: "Cat")
    var animals = try unarchiver.container(keyedBy: AnyKey.self).nestedUnkeyedContainer(forKey: "animals")
    #expect(try failure { try animals.decode(Self.dog) }.kind == .typeMismatch)
    let animal = try animals.decode(Animal.self)
    #expect(type(of: animal) == Cat.self)
  }

  private class BaseKey: CodingKey, @unchecked Sendable {
    let stringValue: String
    var intValue: Int? { nil }
    required init?(stringValue: String) { self.stringValue = stringValue }
    required init?(intValue: Int) { nil }
  }
  private final class OtherKey: BaseKey, @unchecked Sendable {}

  @Test("keys may be instances of a class known only at run time")
  func keys() throws {
    let type: BaseKey.Type = OtherKey.self
    let data = try write { encoder in
      let key = try #require(OtherKey(stringValue: "a"))
      var container = encoder.container(keyedBy: type)
      try container.encode(1, forKey: key)
      var other = encoder.container(keyedBy: OtherKey.self)
      try other.encode(2, forKey: #require(OtherKey(stringValue: "b")))
    }
    try read(data) { decoder in
      for _ in 0..<3 {
        let type: BaseKey.Type = OtherKey.self
        #expect(try decoder.container(keyedBy: type).allKeys.map(\.stringValue) == ["a", "b"])
        let container = try decoder.container(keyedBy: OtherKey.self)
        let key = try #require(OtherKey(stringValue: "b"))
        #expect(try container.decode(Int.self, forKey: key) == 2)
      }
    }
  }
}
