import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of Documents.md.
@Suite("Documentation: documents") struct DocumentsExamples {
  final class Notes: Codable { var pages: [Page] = [] }
  final class Page: Codable { var text = "" }

  final class Album: Codable {
    var title = ""
    @Lazy var photos: [Photo] = []
  }

  struct Photo: Codable, Equatable {
    var name = ""
  }

  actor Store {
    private let document: ArchiveDocument<Notes>

    init(path: String) throws { document = try ArchiveDocument(opening: path) }

    func add(_ text: String) throws {
      let page = Page()
      page.text = text
      document.root.pages.append(page)
      try document.save()
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func create(_ path: String) throws {
    let document = try ArchiveDocument(creating: path, root: Notes())
    document.root.pages.append(Page())
    try document.save()
  }

  @Test("a document is created, changed, saved and reverted")
  func saves() throws {
    let path = folder("notes.keepsake")
    try create(path)
    let document = try ArchiveDocument<Notes>(opening: path)
    document.root.pages[0].text = "Hello"
    try document.save()
    #expect(try KeyedUnarchiver.unarchive(Notes.self, fromFile: path).pages.map(\.text) == ["Hello"])
    document.root.pages[0].text = "Hello again"
    try document.save(changed: [document.root.pages[0]])
    #expect(try KeyedUnarchiver.unarchive(Notes.self, fromFile: path).pages.map(\.text) == ["Hello again"])

    for save in document.saves { print(save.number, save.byteCount) }
    let before = try document.root(asOf: 1)
    try document.revert(to: 1)
    #expect(before.pages.isEmpty && document.root.pages.isEmpty && before !== document.root)
    #expect(document.saves.count == 5)
  }

  @Test("the photos of an album are read on first access")
  func lazy() throws {
    let album = Album()
    album.photos = [Photo(name: "a")]
    let document = try ArchiveDocument(creating: folder("album"), root: [album, Album()])
    document.close()
    let again = try ArchiveDocument<[Album]>(opening: folder("album"))
    #expect(!again.root[0].$photos.isLoaded && again.root[0].photos == album.photos)
  }

  @Test("an actor keeps a document")
  func actor() async throws {
    let path = folder("notes.keepsake")
    try create(path)
    let store = try Store(path: path)
    await withThrowingTaskGroup(of: Void.self) { tasks in
      for index in 0..<20 { tasks.addTask { try await store.add("text \(index)") } }
    }
    #expect(try KeyedUnarchiver.unarchive(Notes.self, fromFile: path).pages.count == 21)
  }
}
