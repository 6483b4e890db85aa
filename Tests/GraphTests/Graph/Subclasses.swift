import Foundation
import Keepsake
import TestSupport
import Testing

/// An instance of a subclass comes back as one, even if its superclass was declared.
@Suite struct Subclasses {
  @Test(
    "a subclass comes back from the root, optionals, collections, properties, structures and enumerations"
  )
  func everywhere() throws {
    let dog = SubDog("Rex", tricks: 3)
    let root: SubAnimal = dog
    #expect((try roundTrip(root) as? SubDog)?.tricks == 3)
    #expect((try roundTrip(Optional(root)) as? SubDog)?.name == "Rex")
    #expect(try roundTrip([root, SubAnimal("plain")]).map { $0 is SubDog } == [true, false])
    #expect(try roundTrip(["a": [root]])["a"]?[0] is SubDog)

    let zoo = SubZoo(dog)
    let back = try roundTrip(zoo)
    let all = back.all
    #expect(all.count == zoo.all.count && all.allSatisfy { $0 === all[0] } && all[0] is SubDog)
    #expect((all[0] as? SubDog)?.tricks == 3 && all[0].name == "Rex")
  }

  @Test("classes at several levels come back with their own properties")
  func levels() throws {
    let animals = [SubAnimal("a"), SubDog("b", tricks: 1), SubPuppy("c", tricks: 2, weeks: 5), SubCat("d")]
    let back = try roundTrip(animals)
    for (old, new) in zip(animals, back) { #expect(type(of: old) == type(of: new) && old.name == new.name) }
    #expect((back[2] as? SubPuppy)?.weeks == 5 && (back[2] as? SubDog)?.tricks == 2)
  }

  @Test("classes nested in a structure, an enumeration and a class come back")
  func nestedClasses() throws {
    let animals: [SubAnimal] = [
      SubHouse.Cat("structure"), SubKind.Cat("enumeration"), SubDog.Flea("class"),
      SubHouse.Room.Mouse("twice"),
    ]
    let back = try roundTrip(animals)
    for (old, new) in zip(animals, back) { #expect(type(of: old) == type(of: new) && old.name == new.name) }
  }

  @Test("an object reads as its own class and as any class above")
  func askedForAsItself() throws {
    let puppy: SubAnimal = SubPuppy("Pip", tricks: 1, weeks: 9)
    let data = try ArchiveEncoder().encode(["p": puppy])
    #expect(try ArchiveDecoder().decode([String: SubPuppy].self, from: data)["p"]?.weeks == 9)
    #expect(try ArchiveDecoder().decode([String: SubDog].self, from: data)["p"] is SubPuppy)
    let found = try failure { try ArchiveDecoder().decode([String: SubCat].self, from: data) }
    #expect(found.kind == .typeMismatch && found.path == "p")
    #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([String: SubZoo].self, from: data) }
  }

  @Test("the requested class is checked at every reference")
  func checkedAtEveryReference() throws {
    let dog = SubDog("Rex", tricks: 1)
    let data = try writeKeyed { container in
      try container.encode(dog as SubAnimal, forKey: "animal")
      try container.encode(dog, forKey: "dog")
    }
    try readKeyed(data) { container throws in
      let animal = try container.decode(SubAnimal.self, forKey: "animal")
      #expect(try container.decode(SubDog.self, forKey: "dog") === animal)
      let found = try failure { try container.decode(SubCat.self, forKey: "dog") }
      #expect(found.kind == .typeMismatch && found.path == "dog")
    }
    try readKeyed(data) { container throws in
      let dog = try container.decode(SubDog.self, forKey: "dog")
      #expect(try container.decode(SubAnimal.self, forKey: "animal") === dog)
    }
  }

  @Test("a private class that was archived only where it is declared may be renamed")
  func renamed() throws {
    let old = OldName(number: 1, inner: .init(number: 2))
    let new = try transcode([old], to: [NewName].self)
    #expect(new[0].number == 1 && new[0].inner?.number == 2)
    let back = try transcode(new, to: [OldName].self)
    #expect(back[0].inner?.number == 2)
  }

  @Test("private, local and generic classes are archived where they are declared")
  func unnamed() throws {
    final class Local: Codable { var text = "local" }
    #expect(try roundTrip([Local()])[0].text == "local")
    #expect(try roundTrip([SubBox(5)])[0].content == 5)
    #expect(try roundTrip(HiddenSub("h")).name == "h")
  }

  @Test("private, local and generic classes are refused behind another class, and leave no trace")
  func unnamedPolymorphic() throws {
    final class Local: SubAnimal {}
    let archiver = KeyedArchiver()
    for animal in [HiddenSub("a"), Local("b"), SubGeneric<Int>("c")] as [SubAnimal] {
      let found = try failure { try archiver.encode(["x": [animal]], forKey: "animals") }
      #expect(
        found.kind == .invalidValue && found.code == .unresolvableClass && found.path == "animals/x/[0]"
      )
      for word in ["archivedClassName", "setClassName"] { #expect(found.description.contains(word)) }
    }
    // Behind its own class, it is accepted.
    try archiver.encode([HiddenSub("kept")], forKey: "hidden")
    try archiver.encode(SubDog("dog", tricks: 0) as SubAnimal, forKey: "dog")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["hidden", "dog"])
    #expect(try unarchiver.decode([HiddenSub].self, forKey: "hidden")[0].name == "kept")
    #expect(try unarchiver.decode(SubAnimal.self, forKey: "dog") is SubDog)
  }

  @Test("a private class is refused if a later reference declares another class")
  func laterPolymorphic() throws {
    let hidden = HiddenSub("a")
    let data = try? writeKeyed { container in
      try container.encode(hidden, forKey: "own")
      let found = try failure { try container.encode(hidden as SubAnimal, forKey: "other") }
      #expect(found.code == .unresolvableClass && found.path == "other")
    }
    let kept = try #require(data)
    #expect(try ArchiveDecoder().decode([String: HiddenSub].self, from: kept)["own"]?.name == "a")
  }

  @Test("copies keep classes that have no names")
  func copies() throws {
    let animals: [SubAnimal] = [HiddenSub("a"), SubGeneric<Int>("b"), SubPuppy("c", tricks: 1, weeks: 2)]
    let twins = try KeyedArchiver.copy(of: animals)
    for (old, new) in zip(animals, twins) { #expect(type(of: old) == type(of: new) && old.name == new.name) }
  }

  @Test("a class with a declared name may be private")
  func ownNames() throws {
    let animals: [SubAnimal] = [HiddenNamedSub("a"), HiddenSecondSub("b")]
    let data = try ArchiveEncoder().encode(animals)
    #expect(data.range(of: Data("Subclasses.Hidden".utf8)) != nil)
    let back = try ArchiveDecoder().decode([SubAnimal].self, from: data)
    #expect(back[0] is HiddenNamedSub && back[1] is HiddenSecondSub)
  }

  @Test("an archive of one process is read in another one, by the names of its classes")
  func betweenProcesses() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    // The deep models have their own test.
    for sample in [GraphSample.runtimeNames, .statedNames] {
      try Probe.run("graph-write", sample.rawValue, file)
      try Probe.run("graph-check", sample.rawValue, file)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(try !bytes.isEmpty && bytes == Probe.run("graph-bytes", sample.rawValue))
    }
    // In this program, the classes have other names, unless they declare one. (Those of the probe are in it, too,
    // since the tests are linked with it; but they are unsuitable.)
    try Probe.run("graph-write", GraphSample.statedNames.rawValue, file)
    #expect(try GraphSample.statedNames.faults(inFile: file) == [])
    try Probe.run("graph-write", GraphSample.runtimeNames.rawValue, file)
    #expect(try failure { try GraphSample.runtimeNames.faults(inFile: file) }.kind == .typeMismatch)
    try GraphSample.runtimeNames.bytes().write(to: URL(fileURLWithPath: file))
    #expect(try GraphSample.runtimeNames.faults(inFile: file) == [])
    #expect(throws: Probe.Failed.self) { try Probe.run("graph-check", "runtimeNames", file) }
  }
}

// MARK: - Classes

private final class OldName: Codable {
  var number: Int
  var inner: OldName?

  init(number: Int, inner: OldName? = nil) {
    self.number = number
    self.inner = inner
  }
}

private final class NewName: Codable {
  var number: Int
  var inner: NewName?
}

private final class SubBox<Content: Codable>: Codable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}

private final class HiddenSub: SubAnimal {}

private final class HiddenNamedSub: SubAnimal, ArchivableClass {
  static var archivedClassName: String { "Subclasses.Hidden" }
}

private final class HiddenSecondSub: SubAnimal, ArchivableClass {
  static var archivedClassName: String { "Subclasses.HiddenSecond" }
}

class SubAnimal: Codable, Hashable {
  let name: String

  init(_ name: String) {
    self.name = name
  }

  static func == (one: SubAnimal, other: SubAnimal) -> Bool { one.name == other.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

class SubDog: SubAnimal {
  final class Flea: SubAnimal {}

  var tricks: Int
  private enum CodingKeys: CodingKey { case tricks }

  init(_ name: String, tricks: Int) {
    self.tricks = tricks
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    tricks = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .tricks)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tricks, forKey: .tricks)
  }
}

final class SubPuppy: SubDog {
  var weeks: Int
  private enum CodingKeys: CodingKey { case weeks }

  init(_ name: String, tricks: Int, weeks: Int) {
    self.weeks = weeks
    super.init(name, tricks: tricks)
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

final class SubCat: SubAnimal {}
final class SubGeneric<Content>: SubAnimal {}

struct SubHouse {
  final class Cat: SubAnimal {}
  enum Room { final class Mouse: SubAnimal {} }
}

enum SubKind {
  final class Cat: SubAnimal {}
}

struct SubZoo: Codable {
  enum Choice: Codable { case one(SubAnimal) }
  struct Cage: Codable { var animal: SubAnimal }

  var own: SubAnimal
  var maybe: SubAnimal?
  var list: [SubAnimal?]
  var table: [String: SubAnimal]
  var set: Set<SubAnimal>
  var keys: [SubAnimal: Int]
  var choice: Choice
  var cage: Cage
  @Deferred var later: SubAnimal
  @WeakReference var watched: SubAnimal?

  init(_ animal: SubAnimal) {
    own = animal
    maybe = animal
    list = [animal]
    table = ["a": animal]
    set = [animal]
    keys = [animal: 1]
    choice = .one(animal)
    cage = Cage(animal: animal)
    later = animal
    watched = animal
  }

  var all: [SubAnimal] {
    let chosen =
      switch choice {
      case .one(let animal): animal
      }
    return [own, chosen, cage.animal, later] + [maybe, watched].compactMap { $0 } + list.compactMap { $0 }
      + table.values + set + keys.keys
  }
}
