import Foundation
import Keepsake
import TestSupport
import Testing

// The code of Docs/Migrating.md, step 15.

/// The class of the earlier program. It is outside the suite to have a plain name for NSKeyedArchiver.
final class MigratingOldNote: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  let text: String
  let stars: Int

  init(text: String, stars: Int) {
    self.text = text
    self.stars = stars
  }

  required init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
    self.text = String(describing: text)
    stars = coder.decodeInteger(forKey: "stars")
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSString(string: text), forKey: "text")
    coder.encode(stars, forKey: "stars")
  }
}

@Suite("Migrating: files of NSKeyedArchiver") struct MigratingFoundationFiles {
  final class Note: Codable {
    var text: String
    var stars: Int

    init(_ old: MigratingOldNote) {
      text = old.text
      stars = old.stars
    }
  }

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("note")
    let old = try NSKeyedArchiver.archivedData(
      withRootObject: MigratingOldNote(text: "Buy milk", stars: 3),
      requiringSecureCoding: true
    )
    try old.write(to: URL(fileURLWithPath: path))
  }

  @Test("an old file is read, and saved as an archive of Keepsake")
  func readAndSave() throws {
    let note = try KeyedUnarchiver.unarchive(Note.self, fromFile: path)  // whichever class wrote it
    try KeyedArchiver.archive(rootObject: note, toFile: path)

    #expect(note.text == "Buy milk" && note.stars == 3)
    #expect(try KeyedUnarchiver.unarchive(Note.self, fromFile: path).stars == 3)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[1...4].elementsEqual("KEEP".utf8))
  }

  class Shape: Codable {
    var title: String
  }

  final class Circle: Shape, ArchivableClass {
    static var archivedClassName: String { "Drawing.Circle" }
    static var archivedClassAliases: [String] { ["OldApp.Disc"] }  // as in the old file

    var radius: Double

    private enum CodingKeys: String, CodingKey { case radius }

    required init(from decoder: any Decoder) throws {
      radius = try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .radius)
      try super.init(from: decoder)
    }
  }

  @Test("subclasses are found by their old names")
  func subclasses() throws {
    for name in ["OldApp.Disc", "_TtC6OldApp4Disc", "OldApp.Ring"] {
      let data = FoundationPropertyList.archive(objects: [
        .instance([name, "OldApp.Form", "NSObject"], [("title", .reference(2)), ("radius", .real(3))]),
        .string("round"),
      ])
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      unarchiver.setClass(Circle.self, forClassName: "OldApp.Ring")
      let shape = try unarchiver.decode(Shape.self, forKey: "root")
      #expect(shape.title == "round" && (shape as? Circle)?.radius == 3)
    }
  }

  func loadNote(_ path: String) throws -> Note {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard data.starts(with: "bplist".utf8) else {
      return try KeyedUnarchiver.unarchive(Note.self, from: data)
    }
    guard let old = try NSKeyedUnarchiver.unarchivedObject(ofClass: MigratingOldNote.self, from: data)
    else { throw CocoaError(.fileReadCorruptFile) }
    let note = Note(old)
    try KeyedArchiver.archive(rootObject: note, toFile: path)
    return note
  }

  @Test("the old class can read an old file")
  func oldClass() throws {
    let note = try loadNote(path)
    #expect(note.text == "Buy milk" && note.stars == 3)
    #expect(try loadNote(path).stars == 3)
    #expect(throws: CocoaError.self) { try loadNote(folder("missing")) }
  }
}
