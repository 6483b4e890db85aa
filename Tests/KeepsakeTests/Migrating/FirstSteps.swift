import Foundation
import Keepsake
import TestSupport
import Testing

// The code of Docs/Migrating.md, steps 1 to 4. Types are in the suites, so that each example can have its own `Person`.

@Suite("Migrating: a root object and several values") struct MigratingValues {
  @Test("a string is archived as data")
  func stringByData() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: "Hello")
    let text = try KeyedUnarchiver.unarchive(String.self, from: data)
    #expect(text == "Hello")
  }

  @Test("a string is archived in a file")
  func stringByFile() throws {
    let folder = try TemporaryFolder()
    let path = folder("greeting.keepsake")
    try KeyedArchiver.archive(rootObject: "Hello", toFile: path)
    let text = try KeyedUnarchiver.unarchive(String.self, fromFile: path)
    #expect(text == "Hello")
  }

  @Test("one archive holds several values")
  func several() throws {
    let archiver = KeyedArchiver()
    try archiver.encode("Untitled", forKey: "title")
    try archiver.encode(7, forKey: "page")
    try archiver.encode(1.5, forKey: "zoom")
    try archiver.encode(true, forKey: "ruler")
    try archiver.encode(CGPoint(x: 3, y: 4), forKey: "corner")
    try archiver.encode(Data([1, 2, 3]), forKey: "thumbnail")
    try archiver.encode(String?.none, forKey: "comment")
    let data = try archiver.encodedData

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decode(String.self, forKey: "title") == "Untitled")
    #expect(try unarchiver.decode(Int.self, forKey: "page") == 7)
    #expect(try unarchiver.decode(Double.self, forKey: "zoom") == 1.5)
    #expect(try unarchiver.decode(Bool.self, forKey: "ruler"))
    #expect(try unarchiver.decode(CGPoint.self, forKey: "corner") == CGPoint(x: 3, y: 4))
    #expect(try unarchiver.decode(Data.self, forKey: "thumbnail") == Data([1, 2, 3]))
    #expect(try unarchiver.decodeIfPresent(String.self, forKey: "comment") == nil)
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "columns") == nil)
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "columns") ?? 1 == 1)
    #expect(unarchiver.containsValue(forKey: "zoom") && !unarchiver.containsValue(forKey: "columns"))
    unarchiver.finishDecoding()
  }

  @Test("decoding a missing key throws, where NSCoder returned 0")
  func missingKey() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(7, forKey: "page")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(throws: DecodingError.self) { try unarchiver.decode(Int.self, forKey: "columns") }
    #expect(throws: DecodingError.self) { try unarchiver.decode(String.self, forKey: "page") }
    #expect(try unarchiver.decode(Int.self, forKey: "page") == 7)
  }

  final class Palette: Codable {
    var names = ["red", "green"]
  }

  @Test("an object under two keys is one object")
  func sharedBetweenKeys() throws {
    let palette = Palette()
    let archiver = KeyedArchiver()
    try archiver.encode(palette, forKey: "front")
    try archiver.encode([palette], forKey: "all")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let front = try unarchiver.decode(Palette.self, forKey: "front")
    let all = try unarchiver.decode([Palette].self, forKey: "all")
    #expect(all[0] === front && front.names == ["red", "green"])
  }

  @Test("a value that encodes into the archiver is the whole archive")
  func topLevel() throws {
    struct Settings: Codable, Equatable {
      var volume = 0.5
      var name = "Ada"
    }
    let archiver = KeyedArchiver()
    try Settings().encode(to: archiver)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(Double.self, forKey: "volume") == 0.5)
    #expect(try Settings(from: unarchiver) == Settings())
  }
}

@Suite("Migrating: a custom object") struct MigratingObject {
  final class Person: Codable {
    var name: String
    var age: Int
    var email: String?

    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }

  @Test("a class with synthesized coding is archived")
  func synthesized() throws {
    let person = Person(name: "Ada", age: 36)
    let data = try KeyedArchiver.archivedData(withRootObject: person)
    let back = try KeyedUnarchiver.unarchive(Person.self, from: data)
    #expect(back.name == "Ada" && back.age == 36 && back.email == nil)
  }

  final class Veteran: NSObject, Codable {
    var name = "Ada"
  }

  @Test("a class can stay a subclass of NSObject")
  func nsObject() throws {
    let veteran = Veteran()
    veteran.name = "Grace"
    let data = try KeyedArchiver.archivedData(withRootObject: [veteran, veteran])
    let back = try KeyedUnarchiver.unarchive([Veteran].self, from: data)
    #expect(back[0].name == "Grace" && back[0] === back[1])
  }

  final class Contact: Codable {
    var name: String
    var age: Int
    var nickname: String

    private enum CodingKeys: String, CodingKey {
      case name
      case age = "PersonAge"
      case nickname
    }

    init(name: String, age: Int, nickname: String) {
      self.name = name
      self.age = age
      self.nickname = nickname
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      age = try container.decode(Int.self, forKey: .age)
      nickname = try container.decodeIfPresent(String.self, forKey: .nickname) ?? name
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(age, forKey: .age)
      try container.encode(nickname, forKey: .nickname)
    }
  }

  @Test("hand-written coding can have a default for a key that older archives lack")
  func byHand() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: Contact(name: "Ada", age: 36, nickname: "Countess")
    )
    #expect(try KeyedUnarchiver.unarchive(Contact.self, from: data).nickname == "Countess")

    struct OldContact: Codable {
      var name = "Grace"
      var age = 85

      private enum CodingKeys: String, CodingKey {
        case name
        case age = "PersonAge"
      }
    }
    let old = try KeyedArchiver.archivedData(withRootObject: OldContact())
    let back = try KeyedUnarchiver.unarchive(Contact.self, from: old)
    #expect(back.name == "Grace" && back.age == 85 && back.nickname == "Grace")
  }
}

@Suite("Migrating: UserDefaults") struct MigratingDefaults {
  final class Person: Codable {
    var name: String
    var friend: Person?

    init(name: String, friend: Person? = nil) {
      self.name = name
      self.friend = friend
    }
  }

  @Test("UserDefaults stores an array of objects")
  func people() throws {
    let suite = "keepsake-migrating-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }

    let ada = Person(name: "Ada")
    let people = [ada, Person(name: "Grace", friend: ada)]
    try defaults.archive(people, forKey: "people")

    let back = try defaults.unarchive([Person].self, forKey: "people") ?? []
    #expect(back.map(\.name) == ["Ada", "Grace"])
    #expect(back[1].friend === back[0])

    #expect(try defaults.unarchive([Person].self, forKey: "enemies") == nil)
    #expect(throws: DecodingError.self) { try defaults.unarchive([Int].self, forKey: "people") }
  }
}
