import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of properties that have become `@Lazy`, and of references that have become weak to lazy values.
@Suite struct BecameLazy {
  typealias Leaf = LazyEvolution.Leaf

  final class Shelf: Codable {
    weak var best: Leaf?
    @WeakReference var newest: Leaf?
    var leaves: [Leaf] = []
    var mark = 0
  }

  final class LazyShelf: Codable {
    weak var best: Leaf?
    @WeakReference var newest: Leaf?
    @Lazy var leaves: [Leaf] = []
    var mark = 0
  }

  @Test("an unread property that became lazy keeps objects of weak references")
  func weakIntoUnread() throws {
    let shelf = Shelf()
    shelf.leaves = [Leaf("a"), Leaf("b")]
    (shelf.best, shelf.newest) = (shelf.leaves[0], shelf.leaves[1])
    let lazy = try KeyedUnarchiver.unarchive(
      LazyShelf.self,
      from: KeyedArchiver.archivedData(withRootObject: shelf)
    )
    #expect(!lazy.$leaves.isLoaded)
    let copy = try KeyedArchiver.copy(of: lazy)
    #expect(copy.leaves.count == 2 && copy.best === copy.leaves[0] && copy.newest === copy.leaves[1])

    let folder = try TemporaryFolder()
    try KeyedArchiver.archive(rootObject: shelf, toFile: folder("shelf"))
    let document = try ArchiveDocument<LazyShelf>(opening: folder("shelf"))
    document.root.mark = 1
    try document.save()
    document.close()
    let saved = try KeyedUnarchiver.unarchive(Shelf.self, fromFile: folder("shelf"))
    #expect(saved.mark == 1 && saved.best === saved.leaves[0] && saved.newest === saved.leaves[1])
  }

  @Test("a reference that became weak gets its object when a lazy value is read")
  func becameWeak() throws {
    final class Before: Codable {
      var best: Leaf?
      @Lazy var leaves = [Leaf("a"), Leaf("b")]
    }
    final class After: Codable {
      weak var best: Leaf?
      @Lazy var leaves: [Leaf] = []
    }
    let before = Before()
    before.best = before.leaves[1]
    let data = try KeyedArchiver.archivedData(withRootObject: before)
    let after = try KeyedUnarchiver.unarchive(After.self, from: data)
    #expect(after.best == nil && after.leaves.count == 2 && after.best === after.leaves[1])
    let unread = try KeyedUnarchiver.unarchive(After.self, from: data)
    let copy = try KeyedArchiver.copy(of: unread)
    #expect(copy.leaves.count == 2 && copy.best === copy.leaves[1])
  }

  final class Page: Codable {
    @Lazy var notes: [Int]? = [1]
  }

  final class Book: Codable {
    var pages = [Page(), Page()]
    var mark = 0
  }

  final class LazyBook: Codable {
    @Lazy var pages: [Page] = []
    var mark = 0
  }

  /// Cannot read its notes.
  final class OtherPage: Codable {
    @Lazy var notes: [String]?
  }

  final class OtherBook: Codable {
    @Lazy var pages: [OtherPage] = []
    var mark = 0
  }

  @Test("a save leaves lazy values inside a property that became lazy unread", arguments: 0..<3)
  func lazyInWhatBecameLazy(_ way: Int) throws {
    let folder = try TemporaryFolder()
    try KeyedArchiver.archive(rootObject: Book(), toFile: folder("book"))
    let document = try ArchiveDocument<OtherBook>(opening: folder("book"))
    document.root.mark = 1
    switch way {
    case 0: #expect(try document.save())
    case 1: #expect(try document.save(changed: [document.root]))
    default: try document.compact()
    }
    #expect(document.root.$pages.isLoaded && document.root.pages.count == 2)
    #expect(!document.root.pages.contains { $0.$notes.isLoaded })
    document.root.pages.removeLast()
    #expect(try document.save())
    let read = try KeyedUnarchiver.unarchive(Book.self, fromFile: folder("book"))
    #expect(read.mark == 1 && read.pages.map(\.notes) == [[1]])
  }

  @Test("a save of another document contains the content of a property that became lazy")
  func lazyInAnotherDocument() throws {
    let folder = try TemporaryFolder()
    try KeyedArchiver.archive(rootObject: Book(), toFile: folder("book"))
    try KeyedArchiver.archive(rootObject: [[LazyBook()]], toFile: folder("books"))
    let document = try ArchiveDocument<LazyBook>(opening: folder("book"))
    let other = try ArchiveDocument<[[LazyBook]]>(opening: folder("books"))
    other.root.append([document.root])
    #expect(!document.root.$pages.isLoaded && !other.root[0][0].$pages.isLoaded)
    #expect(try other.save())
    let read = try KeyedUnarchiver.unarchive([[LazyBook]].self, fromFile: folder("books"))
    #expect(read.map { $0[0].pages.map(\.notes) } == [[], [[1], [1]]])
  }

  @Test("an unread property that became lazy does not retain its owner")
  func lettingGo() throws {
    let shelf = Shelf()
    shelf.leaves = [Leaf("a")]
    let data = try KeyedArchiver.archivedData(withRootObject: shelf)
    var lazy: LazyShelf? = try KeyedUnarchiver.unarchive(LazyShelf.self, from: data)
    weak let kept = lazy
    #expect(kept?.$leaves.isLoaded == false)
    lazy = nil
    #expect(kept == nil)
  }
}
