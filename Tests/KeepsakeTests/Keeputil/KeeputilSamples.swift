import Foundation
import HostileArchives
import Keepsake

/// Objects that share, know each other weakly and form a ring, for the pictures and comparisons of the tool.
final class ShelfSample: Codable {
  var name: String
  var books: [BookSample] = []
  var best: BookSample?

  init(_ name: String) { self.name = name }

  /// A shelf with books by authors that they share.
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

extension Keeputil.Folder {
  /// Archives `value` in the file `name`.
  func archive(_ value: some Encodable, _ name: String) throws {
    try KeyedArchiver.archive(rootObject: value, toFile: path(name))
  }

  /// An archive in which arrays, or objects, are nested within each other.
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
