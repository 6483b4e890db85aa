import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of LookingInside.md.
@Suite("Documentation: looking inside") struct LookingInsideExamples {
  final class Author: Codable, ArchivableClass {
    static var archivedClassName: String { "Library.Author" }

    var name: String

    init(name: String) {
      self.name = name
    }
  }

  struct Book: Codable {
    var title: String
    var pages: Int
    var author: Author
  }

  struct Library: Codable {
    var books: [Book] = []
    var founded = Date(timeIntervalSinceReferenceDate: 0)
  }

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("library.keepsake")
    let author = Author(name: "Ursula K. Le Guin")
    let books = [
      Book(title: "Lavinia", pages: 279, author: author), Book(title: "Tehanu", pages: 226, author: author),
    ]
    try KeyedArchiver.archive(rootObject: Library(books: books), toFile: path)
  }

  @Test("values are found by key, by index and by path")
  func values() throws {
    let archive = try ArchiveValue(forReadingFile: path)
    let library = try archive[KeyedArchiver.rootKey]
    let books = try library?["books"]
    let first = try books?[0]
    let title = try first?["title"]?.stringValue  // "Lavinia"
    let pages = try archive[path: "root.books[1].pages"]?.intValue  // 226
    let price = try archive[path: "root.books[1].price"]?.doubleValue  // nil

    #expect(title == "Lavinia" && pages == 226 && price == nil)
    #expect(try books?.count == 2 && archive.keys == ["root"])
  }

  @Test("objects have kinds, classes and numbers")
  func objects() throws {
    let archive = try ArchiveValue(forReadingFile: path)

    let author = try archive[path: "root.books[0].author"]
    let kind = author?.kind  // .object
    let name = try author?.className  // "Library.Author"
    let content = try author?.content.kind  // .record
    let again = try archive[path: "root.books[1].author"]
    let isShared = try author?.objectNumber == again?.objectNumber  // true

    #expect(kind == .object && content == .record && isShared)
    #expect(name == "Library.Author")
  }

  func texts(in value: ArchiveValue) throws -> [String] {
    if let text = try value.stringValue { return [text] }
    // An object is met again wherever it is referred to; in a cycle that would have no end.
    guard value.kind != .object, value.kind != .conditional else { return [] }
    return try value.members().flatMap { try texts(in: $0.value) }
  }

  @Test("all texts of an archive are found through members")
  func members() throws {
    let archive = try ArchiveValue(forReadingFile: path)
    #expect(try texts(in: archive.content) == ["Lavinia", "Tehanu"])
  }

  @Test("members have sizes in bytes")
  func sizes() throws {
    let archive = try ArchiveValue(forReadingFile: path)

    let books = try archive[path: "root.books"]
    let sizes = try books?.members().map { try $0.value.byteCount } ?? []

    #expect(sizes.count == 2 && sizes.allSatisfy { $0 > 0 })
  }

  struct NewBook: Codable {
    var name: String
    var pages: Int
    var shelf: String
    var author: NewAuthor
  }

  class NewAuthor: Codable {
    var name: String
  }

  struct NewLibrary: Codable {
    var books: [NewBook]
  }

  @Test("values are renamed, set and removed")
  func editing() throws {
    var editor = try ArchiveEditor(forReadingFile: path)
    try editor.renameValue(at: "root.books[0].title", to: "name")
    try editor.setValue("fiction", at: "root.books[0].shelf")
    try editor.removeValue(at: "root.founded")
    editor.renameClass("Library.Author", to: "Library.Person")
    try editor.renameValue(at: "root.books[1].title", to: "name")
    try editor.setValue("fiction", at: "root.books[1].shelf")
    try editor.write(toFile: path)

    let library = try KeyedUnarchiver.unarchive(NewLibrary.self, fromFile: path)
    #expect(library.books.map(\.name) == ["Lavinia", "Tehanu"] && library.books[0].shelf == "fiction")
    #expect(try ArchiveValue(forReadingFile: path)[path: "root.founded"] == nil)
  }

  @Test("the keys of all objects of a class are edited")
  func editingClasses() throws {
    var editor = try ArchiveEditor(forReadingFile: path)
    editor.renameKey("name", to: "fullName", inObjectsOfClass: "Library.Author")
    editor.removeKey("born", inObjectsOfClass: "Library.Author")
    let data = try editor.encodedData

    #expect(try ArchiveValue(forReadingFrom: data)[path: "root.books[1].pages"]?.intValue == 226)
  }
}
