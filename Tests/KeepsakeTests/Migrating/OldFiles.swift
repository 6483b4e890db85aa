import Foundation
import Keepsake
import Testing

// The exercise of Docs/Migrating.md, step 15, with the code of the page: the old class stays in the program
// as long as there are old files.

/// What the program wrote before. It is outside of the suite to have a plain name for NSKeyedArchiver.
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

@Suite("Migrating: files of NSKeyedArchiver") struct MigratingOldFiles {
  final class Note: Codable {
    var text: String
    var stars: Int

    init(_ old: MigratingOldNote) {
      text = old.text
      stars = old.stars
    }
  }

  func loadNote(_ path: String) throws -> Note {
    do {
      return try KeyedUnarchiver.unarchive(Note.self, fromFile: path)
    } catch DecodingError.dataCorrupted(let context)
      where (context.underlyingError as? ArchiveError)?.code == .notAnArchive
    {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      guard let old = try NSKeyedUnarchiver.unarchivedObject(ofClass: MigratingOldNote.self, from: data)
      else { throw CocoaError(.fileReadCorruptFile) }
      let note = Note(old)
      try KeyedArchiver.archive(rootObject: note, toFile: path)
      return note
    }
  }

  @Test("are read once and saved anew")
  func convert() throws {
    let folder = try TemporaryFolder()
    let path = folder("note")
    let old = try NSKeyedArchiver.archivedData(
      withRootObject: MigratingOldNote(text: "Buy milk", stars: 3),
      requiringSecureCoding: true
    )
    try old.write(to: URL(fileURLWithPath: path))

    let note = try loadNote(path)
    #expect(note.text == "Buy milk" && note.stars == 3)
    #expect(try KeyedUnarchiver.unarchive(Note.self, fromFile: path).text == "Buy milk")
    #expect(try loadNote(path).stars == 3)
    #expect(throws: ArchiveError.self) { try loadNote(folder("missing")) }
  }
}
