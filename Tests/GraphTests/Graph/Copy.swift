import Foundation
import Keepsake
import TestSupport
import Testing

/// `KeyedArchiver.copy(of:)` makes deep copies.
@Suite struct Copy {
  @Test("a copy is a new object with equal content")
  func deep() throws {
    let person = CopiedPerson(name: "Ada", home: CopiedPlace(town: "London"))
    person.friends = [CopiedPerson(name: "Bob", home: CopiedPlace(town: "Paris"))]
    let twin = try KeyedArchiver.copy(of: person)
    #expect(twin !== person && twin.home !== person.home && twin.friends[0] !== person.friends[0])
    #expect(twin.name == "Ada" && twin.home.town == "London")
    #expect(twin.friends[0].name == "Bob" && twin.friends[0].home.town == "Paris")
    twin.home.town = "Rome"
    #expect(person.home.town == "London")
  }

  @Test("objects shared in the original are shared in the copy")
  func shared() throws {
    let home = CopiedPlace(town: "London")
    let people = [CopiedPerson(name: "Ada", home: home), CopiedPerson(name: "Bob", home: home)]
    people[0].friends = [people[1]]
    let twins = try KeyedArchiver.copy(of: people)
    #expect(twins[0].home === twins[1].home && twins[0].home !== home)
    #expect(twins[0].friends[0] === twins[1])
  }

  @Test("values of every kind are copied")
  func values() throws {
    #expect(try KeyedArchiver.copy(of: 5) == 5)
    #expect(try KeyedArchiver.copy(of: "text") == "text")
    #expect(try KeyedArchiver.copy(of: Int?.none) == nil)
    #expect(try KeyedArchiver.copy(of: ["a": [1.5, nil]]) == ["a": [1.5, nil]])
    let data = Data([1, 2, 3])
    #expect(try KeyedArchiver.copy(of: [data: Date.distantPast]) == [data: .distantPast])
  }

  @Test("a subclass held by a variable of its superclass keeps its class and its own properties")
  func subclassAtTheRoot() throws {
    let animal: CopiedAnimal = CopiedDog(legs: 4, name: "Rex")
    let twin = try KeyedArchiver.copy(of: animal)
    #expect(type(of: twin) == CopiedDog.self && twin !== animal)
    #expect((twin as? CopiedDog)?.name == "Rex" && twin.legs == 4)
    let plain = try KeyedArchiver.copy(of: CopiedAnimal(legs: 6))
    #expect(type(of: plain) == CopiedAnimal.self && plain.legs == 6)
  }

  @Test("subclasses inside a graph keep their classes and properties")
  func subclassesInside() throws {
    let dog = CopiedDog(legs: 4, name: "Rex")
    let zoo = CopiedZoo()
    zoo.animals = [dog, CopiedAnimal(legs: 2), CopiedPuppy(legs: 3, name: "Pip", weeks: 5), dog]
    zoo.favourite = dog
    let twin = try KeyedArchiver.copy(of: zoo)
    let types = twin.animals.map { ObjectIdentifier(type(of: $0)) }
    let expected: [CopiedAnimal.Type] = [CopiedDog.self, CopiedAnimal.self, CopiedPuppy.self, CopiedDog.self]
    #expect(types == expected.map { ObjectIdentifier($0) })
    #expect(
      twin.animals[0] === twin.favourite && twin.animals[0] === twin.animals[3] && twin.favourite !== dog
    )
    #expect((twin.animals[0] as? CopiedDog)?.name == "Rex")
    #expect((twin.animals[2] as? CopiedPuppy)?.weeks == 5)
    #expect((twin.animals[2] as? CopiedDog)?.name == "Pip")
  }

  @Test("copying throws the errors of encoding and decoding")
  func errors() throws {
    struct Stubborn: Codable {
      init() {}
      init(from decoder: any Decoder) throws { throw Refusal(reason: "reading") }
      func encode(to encoder: any Encoder) throws {}
    }
    struct Silent: Codable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws { throw Refusal(reason: "writing") }
    }
    #expect(throws: Refusal(reason: "reading")) { try KeyedArchiver.copy(of: Stubborn()) }
    #expect(throws: Refusal(reason: "writing")) { try KeyedArchiver.copy(of: [Silent()]) }
  }
}

// Not private, since they are found by name.

final class CopiedPlace: Codable {
  var town: String

  init(town: String) {
    self.town = town
  }
}

final class CopiedPerson: Codable {
  var name: String
  var home: CopiedPlace
  var friends: [CopiedPerson] = []

  init(name: String, home: CopiedPlace) {
    self.name = name
    self.home = home
  }
}

class CopiedAnimal: Codable {
  var legs: Int

  init(legs: Int) {
    self.legs = legs
  }
}

class CopiedDog: CopiedAnimal {
  var name: String
  private enum CodingKeys: CodingKey { case name }

  init(legs: Int, name: String) {
    self.name = name
    super.init(legs: legs)
  }

  required init(from decoder: any Decoder) throws {
    name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try super.encode(to: encoder)
  }
}

final class CopiedPuppy: CopiedDog {
  var weeks: Int
  private enum CodingKeys: CodingKey { case weeks }

  init(legs: Int, name: String, weeks: Int) {
    self.weeks = weeks
    super.init(legs: legs, name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    weeks = try container.decode(Int.self, forKey: .weeks)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(weeks, forKey: .weeks)
    try super.encode(to: container.superEncoder())
  }
}

final class CopiedZoo: Codable {
  var animals: [CopiedAnimal] = []
  var favourite: CopiedAnimal?
}
