import Foundation
import Keepsake
import TestSupport
import Testing

/// Saves that fail or are refused, and what stays in the file and the document.
@Suite struct RefusedSaves {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder("notes") }

  @Test("an error while saving leaves the file and the document unchanged")
  func errors() throws {
    final class Picky: Codable {
      var name = "picky"
      var refuses = false

      enum CodingKeys: CodingKey { case name }

      func encode(to encoder: any Encoder) throws {
        if refuses { throw Refusal(reason: "not now") }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
      }
    }

    let document = try ArchiveDocument(creating: path, root: [Picky(), Picky()])
    let bytes = try folder.read("notes")
    document.root[1].refuses = true
    document.root[0].name = "other"
    #expect(throws: Refusal.self) { try document.save() }
    #expect(throws: Refusal.self) { try document.compact() }
    #expect(try folder.read("notes") == bytes)
    document.root[1].refuses = false
    #expect(try document.save())
    document.close()
    #expect(try ArchiveDocument<[Picky]>(opening: path).root.map(\.name) == ["other", "picky"])
  }

  private final class Saving: Codable {
    var action: (() -> Void)?

    enum CodingKeys: CodingKey { case number }

    init() {}

    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(1, forKey: .number)
      action?()
    }
  }

  private final class Wide: Codable { var width = 1 }
  private final class Tall: Codable { var height = 2 }

  private final class Drawer: Codable {
    var tall: [Tall] = []
    var saving: Saving?
    var wide: [Wide] = []
  }

  @Test("code that a save calls cannot save, compact or revert the document", arguments: 0..<4)
  func savesWithinSaves(_ way: Int) throws {
    let document = try ArchiveDocument(creating: path, root: Drawer())
    let saving = Saving()
    (document.root.saving, document.root.wide) = (saving, [Wide()])
    var failure: (any Error)?
    saving.action = {
      saving.action = nil
      document.root.tall = [Tall()]
      do {
        switch way {
        case 0: try document.save()
        case 1: try document.save(changed: [document.root])
        case 2: try document.compact()
        default: try document.revert(to: 1)
        }
      } catch { failure = error }
    }
    #expect(try document.save())
    #expect(archiveErrorCode(failure) == .misuse)
    let read = try KeyedUnarchiver.unarchive(Drawer.self, fromFile: path)
    #expect(read.tall.isEmpty && read.wide.map(\.width) == [1])
    #expect(try document.save())
    #expect(try KeyedUnarchiver.unarchive(Drawer.self, fromFile: path).tall.map(\.height) == [2])
  }

  private final class OldLink: Codable, ArchivableClass {
    struct Others: Codable { var first: OldLink? }

    static let archivedClassName = "documents.link"
    var next: OldLink?
    var others = Others()
  }

  private final class NewLink: Codable, ArchivableClass {
    struct Others: Codable { var first: NewLink? }

    static let archivedClassName = "documents.link"
    let next: NewLink?
    var others = Others()

    init(_ next: NewLink?) { self.next = next }
  }

  @Test("a cycle through a property that can no longer be read last is refused")
  func changedClass() throws {
    let (first, second) = (OldLink(), OldLink())
    (first.next, second.next) = (second, first)
    let old = try ArchiveDocument(creating: path, root: first)
    second.next = nil
    try old.save()
    old.close()
    let document = try ArchiveDocument<NewLink>(opening: path)
    let root = document.root
    root.others.first = NewLink(root)
    #expect(throws: EncodingError.self) { try KeyedArchiver.archivedData(withRootObject: root) }
    #expect(throws: EncodingError.self) { try document.save() }
    root.others.first = nil
  }

  @Test("a file that another program has replaced stays", arguments: [3, 300])
  func replacedFile(pageCount: Int) throws {
    // The first save replaces a small archive, and appends to a large one.
    try KeyedArchiver.archive(rootObject: Notebook(pageCount: pageCount), toFile: path)
    let document = try ArchiveDocument<Notebook>(opening: path)
    try KeyedArchiver.archive(rootObject: "other", toFile: path)
    func refuses(_ save: () throws -> Void) throws {
      let error = #expect(throws: ArchiveError.self) { try save() }
      #expect(error?.code == .unwritableFile)
      #expect(error?.message.contains("another program has replaced") == true)
      #expect(try KeyedUnarchiver.unarchive(String.self, fromFile: path) == "other")
      #expect(try folder.names == ["notes"])
    }
    try refuses { try document.save() }
    document.root.pages[0].text = "changed"
    try refuses { try document.save() }
    try refuses { try document.save(changed: [document.root.pages[0]]) }
    try refuses { try document.compact() }
    let root = document.root
    try refuses { try document.revert(to: 1) }
    #expect(document.root === root && root.pages[0].text == "changed")
  }
}
