import Keepsake
import TestSupport
import Testing

/// The examples of Keepsake.md, the first page of the documentation.
@Suite("Documentation: the first page") struct KeepsakeExamples {
  final class Author: Codable {
    var name: String
    var books: [Book] = []

    init(name: String) {
      self.name = name
    }
  }

  final class Book: Codable {
    var title: String
    unowned let author: Author

    init(title: String, author: Author) {
      self.title = title
      self.author = author
    }
  }

  @Test("a graph is saved and read")
  func saveAndRead() throws {
    let folder = try TemporaryFolder()
    let path = folder("author.keepsake")
    let author = Author(name: "Ursula K. Le Guin")
    author.books = [Book(title: "Lavinia", author: author), Book(title: "Tehanu", author: author)]
    defer { author.books = [] }

    try KeyedArchiver.archive(rootObject: author, toFile: path)

    let copy = try KeyedUnarchiver.unarchive(Author.self, fromFile: path)
    let isSameAuthor = copy.books[1].author === copy  // true

    #expect(isSameAuthor && copy.books.map(\.title) == ["Lavinia", "Tehanu"])
    copy.books = []
  }
}
