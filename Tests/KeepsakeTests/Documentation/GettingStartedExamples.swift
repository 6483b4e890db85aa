import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of GettingStarted.md.
@Suite("Documentation: getting started") struct GettingStartedExamples {
  final class Author: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  struct Book: Codable {
    var title: String
    var author: Author
  }

  private let books: [Book]

  init() {
    let author = Author(name: "Ursula K. Le Guin")
    books = [Book(title: "Lavinia", author: author), Book(title: "Tehanu", author: author)]
  }

  @Test("books are archived to a file and read")
  func file() throws {
    let folder = try TemporaryFolder()
    let path = folder("books.keepsake")

    let author = Author(name: "Ursula K. Le Guin")
    let books = [Book(title: "Lavinia", author: author), Book(title: "Tehanu", author: author)]
    try KeyedArchiver.archive(rootObject: books, toFile: path)

    let copy = try KeyedUnarchiver.unarchive([Book].self, fromFile: path)
    let isShared = copy[0].author === copy[1].author  // true

    #expect(isShared && copy.map(\.title) == ["Lavinia", "Tehanu"])
  }

  @Test("books are archived to data and read")
  func data() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: books)
    let copy = try KeyedUnarchiver.unarchive([Book].self, from: data)

    #expect(copy[1].title == "Tehanu" && copy[1].author.name == "Ursula K. Le Guin")
  }

  @Test("the root can be a dictionary")
  func roots() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["one": 1, "two": 2])
    let numbers = try KeyedUnarchiver.unarchive([String: Int].self, from: data)

    #expect(numbers == ["one": 1, "two": 2])
  }

  @Test("several values are archived under keys")
  func keys() throws {
    let folder = try TemporaryFolder()
    let path = folder("books.keepsake")

    let archiver = KeyedArchiver()
    try archiver.encode(books, forKey: "books")
    try archiver.encode(books[0].author, forKey: "favorite")
    try archiver.encode(7, forKey: "page")
    try archiver.write(toFile: path)

    let unarchiver = try KeyedUnarchiver(forReadingFile: path)
    let favorite = try unarchiver.decode(Author.self, forKey: "favorite")
    let page = try unarchiver.decode(Int.self, forKey: "page")
    let notes = try unarchiver.decodeIfPresent([String].self, forKey: "notes")  // nil

    #expect(page == 7 && notes == nil)

    let shelf = try unarchiver.decode([Book].self, forKey: "books")
    let isFavorite = shelf[0].author === favorite  // true

    #expect(isFavorite)
    #expect(unarchiver.allKeys == ["books", "favorite", "page"])
  }

  @Test("ArchiveEncoder and ArchiveDecoder replace JSONEncoder and JSONDecoder")
  func dropIn() throws {
    let data = try ArchiveEncoder().encode(books)
    let copy = try ArchiveDecoder().decode([Book].self, from: data)

    #expect(copy.map(\.title) == ["Lavinia", "Tehanu"])
    #expect(try KeyedUnarchiver.unarchive([Book].self, from: data).count == 2)
  }

  @Test("a deep copy keeps sharing")
  func copy() throws {
    let twin = try KeyedArchiver.copy(of: books)
    let isNew = twin[0].author !== books[0].author  // true
    let isStillShared = twin[0].author === twin[1].author  // true

    #expect(isNew && isStillShared)
  }

  @Test("user defaults store books")
  func userDefaults() throws {
    let suite = "keepsake-getting-started-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }

    try defaults.archive(books, forKey: "books")
    let stored = try defaults.unarchive([Book].self, forKey: "books") ?? []

    #expect(stored.map(\.title) == ["Lavinia", "Tehanu"])
    #expect(try defaults.unarchive([Book].self, forKey: "nothing") == nil)
  }
}
