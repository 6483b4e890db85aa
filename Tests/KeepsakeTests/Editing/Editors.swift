import Foundation
import Keepsake
import TestSupport
import Testing

private class Creature: Codable, ArchivableClass {
  class var archivedClassName: String { "Editors.Creature" }

  var name: String
  var friend: Creature?

  init(_ name: String) {
    self.name = name
  }
}

private final class Bird: Creature {
  override class var archivedClassName: String { "Editors.Bird" }
  var wings = 2

  private enum CodingKeys: CodingKey { case wings }

  override init(_ name: String) {
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    wings = try container.decode(Int.self, forKey: .wings)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(wings, forKey: .wings)
    try super.encode(to: container.superEncoder())
  }
}

private struct Zoo: Codable {
  var animals: [Creature]
  var star: Creature?
  @WeakReference var lost: Creature?
  var notes: [String: String]
  var codes: [Int: String]
  var tags: [String]
  var prices: [Double]
  var city: String
}

/// `ArchiveEditor` changes archives without their classes.
@Suite struct Editors {
  private func zoo() -> Zoo {
    let (ape, owl) = (Creature("ape"), Bird("owl"))
    owl.friend = ape
    return Zoo(
      animals: [ape, owl, ape],
      star: owl,
      notes: ["a": "first note", "b": "second note"],
      codes: [7: "seven"],
      tags: ["x", "y", "z"],
      prices: [1.5, 2],
      city: "first note"
    )
  }

  private func editor() throws -> ArchiveEditor {
    try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(zoo()))
  }

  @Test func withoutChangesEverythingStays() throws {
    let data = try editor().encodedData
    let back = try ArchiveDecoder().decode(Zoo.self, from: data)
    #expect(back.animals.map(\.name) == ["ape", "owl", "ape"] && back.animals[0] === back.animals[2])
    #expect(back.star === back.animals[1] && back.star is Bird && back.star?.friend === back.animals[0])
    #expect(
      back.notes == zoo().notes && back.tags == zoo().tags && back.prices == [1.5, 2]
        && back.codes == [7: "seven"]
    )
  }

  /// Rewriting any archive changes nothing that a reader can see.
  @Test func everySampleSurvives() throws {
    for (name, data) in try FrozenArchives.all() {
      let editor = try ArchiveEditor(forReadingFrom: data)
      let again = try editor.encodedData
      #expect(try EditedSamples.text(data) == EditedSamples.text(again), "\(name)")
      // Rewriting again gives the same bytes.
      #expect(try ArchiveEditor(forReadingFrom: again).encodedData == again, "\(name)")
    }
  }

  @Test func values() throws {
    var editor = try editor()
    try editor.setValue("Bremen", at: "root.city")
    try editor.setValue(3.25, at: "root.prices")
    try editor.setValue([9.0], at: "root.prices")
    try editor.setValue("third note", at: "root.notes.c")
    try editor.removeValue(at: "root.notes.a")
    try editor.setValue("eight", at: "root.codes[8]")
    try editor.removeValue(at: "root.tags[1]")
    try editor.setValue("w", at: "root.tags[3]")
    try editor.setValue(Bird("tit"), at: "root.animals[2]")
    try editor.setValue("first note", at: "extra")
    let data = try editor.encodedData
    let back = try KeyedUnarchiver.unarchive(Zoo.self, from: data)
    #expect(
      back.city == "Bremen" && back.prices == [9] && back.notes == ["b": "second note", "c": "third note"]
    )
    #expect(back.codes == [7: "seven", 8: "eight"] && back.tags == ["x", "z", "w"])
    #expect(back.animals.map(\.name) == ["ape", "owl", "tit"] && back.animals[2] is Bird)
    #expect(try KeyedUnarchiver(forReadingFrom: data).decode(String.self, forKey: "extra") == "first note")
  }

  @Test func changesOfOnePlaceAddUp() throws {
    var editor = try editor()
    editor.renameKey("name", to: "title", inObjectsOfClass: "Editors.Creature")
    try editor.setValue("gorilla", at: "root.animals[0].name")
    try editor.removeValue(at: "root.city")
    try editor.setValue("Bonn", at: "root.city")
    try editor.setValue("one", at: "root.notes.new")
    try editor.setValue("two", at: "root.notes.new")
    for (index, tag) in ["u", "v", "w"].enumerated() {
      try editor.setValue(tag, at: .init([.key("root"), .key("tags"), .index(3 + index)]))
    }
    try editor.setValue("V", at: "root.tags[4]")
    try editor.setValue("eight", at: "root.codes[8]")
    let archive = try ArchiveValue(forReadingFrom: editor.encodedData)
    #expect(try archive[path: "root.animals[0].title"]?.stringValue == "gorilla")
    #expect(
      try archive[path: "root.city"]?.stringValue == "Bonn"
        && archive[path: "root.notes.new"]?.stringValue == "two"
    )
    #expect(
      try archive[path: "root.tags"]?.members().map { try $0.value.stringValue } == [
        "x", "y", "z", "u", "V", "w",
      ]
    )
    #expect(
      try archive[path: "root.codes[8]"]?.stringValue == "eight" && archive[path: "root.codes"]?[8] != nil
    )
  }

  @Test("a change inside a value that another change replaces or removes is refused, whatever its path")
  func changesThatExcludeEachOther() throws {
    for inner in ["root.notes.a", "root.notes.new"] {
      var editor = try editor()
      try editor.setValue(["a": 1], at: "root.notes")
      try editor.setValue("x", at: ArchivePath(inner))
      let error = #expect(throws: ArchiveError.self) { try editor.encodedData }
      #expect(error?.code == .misuse && error?.path == "root.notes")
    }
    // An object is left out only with its last reference.
    var editor = try editor()
    try editor.setValue("x", at: "root.animals[1].wings")
    try editor.removeValue(at: "root.star")
    #expect(try ArchiveValue(forReadingFrom: editor.encodedData)[path: "root.star"] == nil)
    try editor.removeValue(at: "root.animals[1]")
    let error = #expect(throws: ArchiveError.self) { try editor.encodedData }
    #expect(error?.code == .misuse && error?.path == "root.animals[1]")
  }

  @Test func newObjectsKeepTheirClass() throws {
    let plain = Creature("plain")
    var editor = try editor()
    try editor.setValue(Optional(Bird("wren") as Creature), at: "root.star")
    try editor.setValue(plain, at: "root.animals[1]")
    let back = try ArchiveDecoder().decode(Zoo.self, from: editor.encodedData)
    #expect(back.star is Bird && back.star?.name == "wren" && back.animals[1].name == "plain")
    #expect(type(of: back.animals[1]) == Creature.self)
  }

  @Test func whatAnObjectHoldsChangesForAll() throws {
    var editor = try editor()
    try editor.setValue("monkey", at: "root.star.super.friend.name")
    let back = try ArchiveDecoder().decode(Zoo.self, from: editor.encodedData)
    #expect(back.animals.map(\.name) == ["monkey", "owl", "monkey"])
  }

  @Test func keysOfAClassAndOfItsSubclasses() throws {
    var editor = try editor()
    editor.renameKey("name", to: "title", inObjectsOfClass: "Editors.Creature")
    editor.removeKey("friend", inObjectsOfClass: "Editors.Creature")
    editor.renameKey("wings", to: "arms", inObjectsOfClass: "Editors.Bird")
    let archive = try ArchiveValue(forReadingFrom: editor.encodedData)
    #expect(try archive[path: "root.animals[0]"]?.keys == ["title"])
    #expect(try archive[path: "root.star"]?.keys == ["arms", "super"])
    #expect(try archive[path: "root.star.super.title"]?.stringValue == "owl")
  }

  @Test func classNames() throws {
    var editor = try editor()
    editor.renameClass("Editors.Bird", to: "Editors.Creature")
    let back = try ArchiveValue(forReadingFrom: editor.encodedData)
    #expect(try back[path: "root.star"]?.className == "Editors.Creature")
  }

  @Test func renamedAndRemovedAtTheTopLevel() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(["a", "b"], forKey: "list")
    try archiver.encode(zoo(), forKey: "zoo")
    try archiver.encode(5, forKey: "count")
    var editor = try ArchiveEditor(forReadingFrom: archiver.encodedData)
    try editor.renameValue(at: "list", to: "names")
    try editor.removeValue(at: "zoo")
    let back = try KeyedUnarchiver(forReadingFrom: editor.encodedData)
    #expect(back.allKeys == ["names", "count"])
    #expect(try back.decode([String].self, forKey: "names") == ["a", "b"])
    // The objects that only the zoo referred to are gone.
    #expect(try editor.encodedData.count < archiver.encodedData.count / 2)
  }

  @Test func weakReferencesFollow() throws {
    var zoo = zoo()
    zoo.lost = zoo.animals[0]
    var editor = try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(zoo))
    let kept = try ArchiveDecoder().decode(Zoo.self, from: editor.encodedData)
    #expect(kept.lost === kept.animals[0])
    for path: ArchivePath in ["root.animals", "root.star"] { try editor.removeValue(at: path) }
    #expect(try ArchiveValue(forReadingFrom: editor.encodedData)[path: "root.lost"]?.objectNumber == nil)
  }

  @Test func writtenToAFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("edited-\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try KeyedArchiver.archive(rootObject: zoo(), toFile: path)
    var editor = try ArchiveEditor(forReadingFile: path)
    try editor.setValue("Kiel", at: "root.city")
    try editor.write(toFile: path)
    #expect(try KeyedUnarchiver.unarchive(Zoo.self, fromFile: path).city == "Kiel")
  }

  @Test(arguments: ["", "Keepsake.Lazy", "Keepsake.MixedArray"])
  func namesThatClassesCannotHave(name: String) throws {
    var editor = try editor()
    editor.renameClass("Editors.Bird", to: name)
    let error = #expect(throws: ArchiveError.self) { try editor.encodedData }
    #expect(error?.code == .misuse && error?.message.contains("\"\(name)\"") == true)
  }

  @Test func whatCannotBe() throws {
    var editor = try editor()
    #expect(throws: ArchiveError.self) { try editor.removeValue(at: "root.nothing") }
    #expect(throws: ArchiveError.self) { try editor.removeValue(at: "") }
    #expect(throws: ArchiveError.self) { try editor.renameValue(at: "root.tags[0]", to: "x") }
    #expect(throws: ArchiveError.self) { try editor.setValue(1, at: "root.tags[5]") }
    #expect(throws: ArchiveError.self) { try editor.setValue(1, at: "root.city.x") }
    #expect(throws: ArchiveError.self) { try editor.setValue(1, at: "nowhere.x") }
    let inNumbers = #expect(throws: ArchiveError.self) { try editor.setValue(1.0, at: "root.prices[0]") }
    #expect(inNumbers?.message.contains("an array of numbers, which are set all at once") == true)
    let error = #expect(throws: ArchiveError.self) { try editor.removeValue(at: "root.animals[0].nam") }
    #expect(
      error?.message.contains("The value at root.animals[0] has no nam: its keys are name") == true
    )
    try editor.renameValue(at: "root.city", to: "tags")
    let clash = #expect(throws: ArchiveError.self) { try editor.encodedData }
    #expect(clash?.code == .misuse && clash?.message.contains("\"tags\"") == true)
  }
}
