import Foundation
import Keepsake
import TestSupport
import Testing

/// Documents of a program whose classes have since got another version or name.
@Suite(.serialized) struct ClassVersionsInDocuments {
  class Pet: Codable {
    var name = "Rex"
    init() {}
  }

  final class Dog: Pet, ArchivableClass {
    nonisolated(unsafe) static var isLater = false
    static var archivedClassName: String { unsafe isLater ? "LaterDog" : "VersionedDog" }
    static var archivedClassAliases: [String] { ["VersionedDog", "LaterDog"] }
    static var archiveVersion: Int { 1 }
  }

  final class Cat: Pet, ArchivableClass {
    nonisolated(unsafe) static var isLater = false
    static var archivedClassName: String { "VersionedCat" }
    static var archiveVersion: Int { unsafe isLater ? 2 : 1 }
  }

  final class Home: Codable {
    var dog: Dog?
    var cat: Cat?
    @Lazy var pets: [Pet] = []
  }

  private struct Pets: Codable { var pets: [Pet] }

  @Test("unread values still find subclasses whose objects are saved again", arguments: 0..<2)
  func unread(_ way: Int) throws {
    defer { unsafe (Dog.isLater, Cat.isLater) = (false, false) }
    let folder = try TemporaryFolder()
    let home = Home()
    (home.dog, home.cat) = (Dog(), Cat())
    home.pets = [try #require(home.dog), try #require(home.cat)]
    try ArchiveDocument(creating: folder("home"), root: home).close()
    unsafe (Dog.isLater, Cat.isLater) = (true, true)
    let document = try ArchiveDocument<Home>(opening: folder("home"))
    let (dog, cat) = (try #require(document.root.dog), try #require(document.root.cat))
    (dog.name, cat.name) = ("dog", "cat")
    if way == 0 {
      (document.root.dog, document.root.cat) = (nil, nil)
      #expect(try document.save())
    } else {
      #expect(try document.save(changed: [dog, cat]))
    }
    #expect(!document.root.$pets.isLoaded)
    let read = try KeyedUnarchiver.unarchive(Pets.self, fromFile: folder("home"))
    #expect(read.pets.map(\.name) == ["dog", "cat"])
    #expect(read.pets[0] is Dog && read.pets[1] is Cat)
  }

  final class Kennel: Codable {
    var pets: [Pet] = []
    var dog: Dog?
    var cat: Cat?
  }

  @Test("objects that a save leaves out are found after the root refers to them as their superclass")
  func leftOut() throws {
    defer { unsafe (Dog.isLater, Cat.isLater) = (false, false) }
    let folder = try TemporaryFolder()
    let kennel = Kennel()
    (kennel.dog, kennel.cat) = (Dog(), Cat())
    try ArchiveDocument(creating: folder("kennel"), root: kennel).close()
    unsafe (Dog.isLater, Cat.isLater) = (true, true)
    let document = try ArchiveDocument<Kennel>(opening: folder("kennel"))
    document.root.pets = [try #require(document.root.dog), try #require(document.root.cat)]
    #expect(try document.save(changed: [document.root]))
    let read = try KeyedUnarchiver.unarchive(Kennel.self, fromFile: folder("kennel"))
    #expect(read.pets.count == 2 && read.pets[0] === read.dog && read.pets[1] === read.cat)
  }

  /// The program renamed it to ``Fish``, and does not know the earlier name, which no archive needed.
  final class EarlierFish: Pet {}
  final class Fish: Pet {}

  final class EarlierBowl: Codable {
    var fish: EarlierFish? = EarlierFish()
    @Lazy var more = [EarlierFish()]
  }

  final class Bowl: Codable {
    var pet: Pet?
    @Polymorphic var guest: (any AnyObject)?
    var fish: Fish?
    @Lazy var more: [Fish] = []
  }

  @Test("a class is found by its new name after another type is declared for its object", arguments: 0..<4)
  func newNames(_ way: Int) throws {
    let folder = try TemporaryFolder()
    KeyedArchiver.setClassName("ForgottenFish", for: EarlierFish.self)
    defer { KeyedArchiver.setClassName(nil, for: EarlierFish.self) }
    try ArchiveDocument(creating: folder("bowl"), root: EarlierBowl()).close()
    let document = try ArchiveDocument<Bowl>(opening: folder("bowl"))
    let root = document.root
    if way >= 2 {
      // From now on, the file has an entry with the new name.
      root.pet = Fish()
      #expect(try document.save(changed: [root]))
    }
    let fish = try #require(way < 2 ? root.fish : root.more.first)
    (root.fish, root.more) = (nil, [])
    if way.isMultiple(of: 2) { root.pet = fish } else { (root.pet, root.guest) = (nil, fish) }
    #expect(try document.save(changed: [root]))
    let read = try KeyedUnarchiver.unarchive(Bowl.self, fromFile: folder("bowl"))
    #expect(read.pet is Fish || read.guest is Fish)
  }

  final class EarlierTank: Codable { var bowl = EarlierBowl() }

  final class Tank: Codable {
    weak var star: Pet?
    var bowl = Bowl()
  }

  @Test("a class is found by its new name after a weak reference declares another type")
  func newNamesOfWeakTargets() throws {
    let folder = try TemporaryFolder()
    KeyedArchiver.setClassName("ForgottenFish", for: EarlierFish.self)
    defer { KeyedArchiver.setClassName(nil, for: EarlierFish.self) }
    try ArchiveDocument(creating: folder("tank"), root: EarlierTank()).close()
    let before = try ArchiveDocument<Tank>(opening: folder("tank"))
    before.root.star = before.root.bowl.more[0]
    #expect(try before.save(changed: [before.root]))
    before.close()
    let after = try ArchiveDocument<Tank>(opening: folder("tank"))
    try after.save()
    let fish = try after.root.bowl.$more.load()
    #expect(fish.count == 1 && after.root.star === fish[0])
  }

  final class Bird: Pet {}

  final class Cage: Codable {
    var bird: Bird?
    @Lazy var pets: [Pet] = []
  }

  @Test("unread values still find a class that is set for its earlier name", arguments: [true, false])
  func setNames(_ savesAll: Bool) throws {
    defer { KeyedUnarchiver.setClass(nil, forClassName: "EarlierBird") }
    let folder = try TemporaryFolder()
    let bird = Bird()
    let cage = Cage()
    (cage.bird, cage.pets) = (bird, [bird])
    KeyedArchiver.setClassName("EarlierBird", for: Bird.self)
    defer { KeyedArchiver.setClassName(nil, for: Bird.self) }
    try ArchiveDocument(creating: folder("cage"), root: cage).close()
    KeyedArchiver.setClassName(nil, for: Bird.self)
    KeyedUnarchiver.setClass(Bird.self, forClassName: "EarlierBird")
    let document = try ArchiveDocument<Cage>(opening: folder("cage"))
    let saved = try #require(document.root.bird)
    saved.name = "bird"
    #expect(try savesAll ? document.save() : document.save(changed: [saved]))
    let read = try KeyedUnarchiver.unarchive(Pets.self, fromFile: folder("cage"))
    #expect(read.pets[0] is Bird && read.pets[0].name == "bird")
  }
}
