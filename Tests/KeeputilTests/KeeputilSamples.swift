import Foundation
import HostileArchives
import Keepsake
import TestSupport

/// Objects with sharing and weak references back, for the pictures and comparisons of the tool.
final class ShelfSample: Codable {
  var name: String
  var books: [BookSample] = []
  var best: BookSample?

  init(_ name: String) { self.name = name }

  /// A shelf of books that share authors.
  static func make(books count: Int, authors: Int = 3) -> ShelfSample {
    let shelf = ShelfSample("Shelf")
    let writers = (0..<authors).map { AuthorSample("Author \($0)") }
    shelf.books = (0..<count).map { BookSample("Book \($0)", writers[$0 % authors], shelf) }
    shelf.best = shelf.books.last
    return shelf
  }
}

final class BookSample: Codable {
  var title: String
  var author: AuthorSample
  @WeakReference var shelf: ShelfSample?

  init(_ title: String, _ author: AuthorSample, _ shelf: ShelfSample) {
    self.title = title
    self.author = author
    self.shelf = shelf
  }
}

final class AuthorSample: Codable {
  var name: String
  init(_ name: String) { self.name = name }
}

extension TemporaryFolder {
  /// Archives `value` in the file `name`.
  func archive(_ value: some Encodable, _ name: String) throws {
    try KeyedArchiver.archive(rootObject: value, toFile: self(name))
  }

  /// Writes an archive of nested arrays, or of objects that each refer to the next.
  func writeDeep(_ name: String, depth: Int, innermost: [UInt8] = [Tag.none], isObjects: Bool = false) throws
  {
    guard isObjects else {
      let nested = [UInt8](repeating: Tag.shortArray + 1, count: depth) + innermost
      return try write(HandmadeArchive.data(topLevel: CraftedArchive.root(nested)), name)
    }
    let bodies = (1...depth).map { number -> [UInt8] in
      let next = number == depth ? innermost : CraftedArchive.reference(number + 1)
      return [1] + CraftedArchive.map(("next", next))
    }
    let topLevel = CraftedArchive.root(CraftedArchive.reference(1))
    try write(HandmadeArchive.data(bodies: bodies, topLevel: topLevel), name)
  }
}

/// Objects to archive, one of which is shared, without a cycle.
final class Crew: Codable {
  var captain: Sailor
  var sailors: [Sailor]
  var founded = Date(timeIntervalSinceReferenceDate: 0.5)
  var badge = Data([0, 1, 255])
  var id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  var home = URL(string: "https://example.org/crew?a=1")
  var odds: [Double] = [0.5, .infinity]

  init() {
    let captain = Sailor(name: "Ann")
    self.captain = captain
    sailors = [Sailor(name: "Bo\u{202E}b"), captain]
  }

  final class Sailor: Codable {
    var name: String
    init(name: String) { self.name = name }
  }
}
