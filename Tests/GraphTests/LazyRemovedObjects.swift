import Foundation
import Keepsake
import TestSupport
import Testing

/// Weak references of documents to objects that the program removes while lazy values are unread.
@Suite struct LazyRemovedObjects {
  final class Item: Codable {
    var title: String
    var part: Item?
    @Lazy var whole: Item?
    init(_ title: String) { self.title = title }
  }

  final class Root: Codable {
    var number = 0
    var first: Item?
    var second: Item?
    weak var selected: Item?
    @WeakReference var chosen: Item?
    @Lazy var items: [Item] = []
    @Lazy var others = [Item("other")]
  }

  private func open(_ path: String, _ change: (Root, Item) -> Void) throws -> ArchiveDocument<Root> {
    let (root, item) = (Root(), Item("removed"))
    (root.first, root.selected, root.chosen) = (item, item, item)
    change(root, item)
    try ArchiveDocument(creating: path, root: root).close()
    return try ArchiveDocument(opening: path)
  }

  private func save(_ document: ArchiveDocument<Root>, _ way: Int = 0) throws {
    document.root.number += 1
    if way == 1 { try document.compact() } else { #expect(try document.save()) }
  }

  /// The objects of the document's weak references, which must be those that a new reader finds.
  private func targets(_ document: ArchiveDocument<Root>, _ path: String) throws -> [String?] {
    let read = try KeyedUnarchiver.unarchive(Root.self, fromFile: path)
    _ = (read.items, read.others)
    let found = [document.root.selected?.title, document.root.chosen?.title]
    #expect(found == [read.selected?.title, read.chosen?.title])
    return found
  }

  @Test("a removed object to which only weak references refer does not come back", arguments: 0..<3)
  func removed(_ way: Int) throws {
    let folder = try TemporaryFolder()
    var document = try open(folder("root")) { _, _ in }
    document.root.first = nil
    if way == 2 { #expect(try document.save(changed: [document.root])) } else { try save(document, way) }
    for _ in 0..<2 {
      try save(document, way)
      #expect(try targets(document, folder("root")) == [nil, nil])
    }
    document.close()
    document = try ArchiveDocument(opening: folder("root"))
    try save(document)
    #expect(try targets(document, folder("root")) == [nil, nil])
    #expect(!document.root.$items.isLoaded && !document.root.$others.isLoaded)
  }

  @Test("an object removed by a save of changes does not come back")
  func removedByChanges() throws {
    let folder = try TemporaryFolder()
    var document = try open(folder("root")) { _, _ in }
    document.root.first = nil
    #expect(try document.save(changed: [document.root]))
    document.close()
    document = try ArchiveDocument(opening: folder("root"))
    try save(document)
    #expect(try targets(document, folder("root")) == [nil, nil])
  }

  @Test("a removed object in an unread value stays if the next save has nothing to write")
  func keptWithoutChanges() throws {
    let folder = try TemporaryFolder()
    let document = try open(folder("root")) { root, item in root.items = [item] }
    document.root.first = nil
    #expect(try document.save(changed: [document.root]))
    #expect(try !document.save())
    try save(document)
    #expect(try targets(document, folder("root")) == ["removed", "removed"])
    #expect(!document.root.$items.isLoaded && document.root.items[0] === document.root.selected)
  }

  @Test("an object removed from a lazy value does not come back", arguments: 0..<2)
  func removedFromRead(_ way: Int) throws {
    let folder = try TemporaryFolder()
    let document = try open(folder("root")) { root, item in (root.first, root.items) = (nil, [item]) }
    try save(document)
    #expect(try targets(document, folder("root")) == ["removed", "removed"])
    // The program may replace an unread value without reading it.
    if way == 0 { document.root.items.removeAll() } else { document.root.items = [] }
    try save(document)
    try save(document)
    #expect(try targets(document, folder("root")) == [nil, nil])
    #expect(!document.root.$others.isLoaded)
  }

  @Test("a removed object to which unread values lead stays", arguments: 0..<3)
  func kept(_ way: Int) throws {
    let folder = try TemporaryFolder()
    let document = try open(folder("root")) { root, item in
      let whole = Item("whole")
      whole.part = way == 0 ? item : nil
      (root.items, root.second) = ([Item("before"), whole], way == 0 ? nil : whole)
    }
    // The value in the file leads to an object that has just got a reference to it.
    if way > 0 { document.root.second?.part = document.root.first }
    (document.root.first, document.root.second) = (nil, nil)
    for _ in 0..<3 {
      try save(document, way - 1)
      #expect(try targets(document, folder("root")) == ["removed", "removed"])
    }
    #expect(!document.root.$items.isLoaded && document.root.items[1].part === document.root.selected)
    document.root.items[1].part = nil
    try save(document)
    try save(document)
    #expect(try targets(document, folder("root")) == [nil, nil])
  }

  @Test("a removed object that the program keeps is nil in the file until it is added again")
  func addedAgain() throws {
    let folder = try TemporaryFolder()
    let document = try open(folder("root")) { _, _ in }
    let item = try #require(document.root.first)
    document.root.first = nil
    for _ in 0..<2 {
      try save(document)
      let read = try KeyedUnarchiver.unarchive(Root.self, fromFile: folder("root"))
      #expect(document.root.selected === item && read.selected == nil && read.chosen == nil)
      #expect(try !document.save())
    }
    document.root.second = item
    #expect(try document.save(changed: [document.root]))
    #expect(try targets(document, folder("root")) == ["removed", "removed"])
    #expect(try !document.save())
  }

  @Test("unread values of a removed object refer to it when it comes back")
  func unreadValuesOfRemoved() throws {
    let folder = try TemporaryFolder()
    let document = try open(folder("root")) { _, item in
      item.part = Item("part")
      item.part?.whole = item
    }
    let item = try #require(document.root.first)
    document.root.first = nil
    try save(document)
    document.root.second = item
    try save(document)
    let read = try KeyedUnarchiver.unarchive(Root.self, fromFile: folder("root"))
    #expect(read.second != nil && read.second?.part?.whole === read.second && read.selected === read.second)
    #expect(document.root.second?.part?.$whole.isLoaded == false && item.part?.whole === item)
  }

  @Test("a removed object shares objects with unread values after a compaction")
  func keptWhileCompacting() throws {
    let folder = try TemporaryFolder()
    let document = try open(folder("root")) { root, item in
      item.whole = Item("shared")
      root.items = [item.whole].compactMap(\.self)
    }
    let item = try #require(document.root.first)
    document.root.first = nil
    try save(document, 1)
    document.root.second = item
    try save(document)
    let read = try KeyedUnarchiver.unarchive(Root.self, fromFile: folder("root"))
    #expect(read.items.count == 1 && read.second?.whole === read.items[0])
    #expect(item.whole === document.root.items[0])
  }

  final class Shelf: Codable {
    var roots: [Root] = []
  }

  final class Room: Codable {
    var shelf = Shelf()
  }

  @Test("an object restored from an earlier save keeps weak references into its unread values")
  func restored() throws {
    let folder = try TemporaryFolder()
    let (room, root) = (Room(), Root())
    root.items = [Item("restored")]
    root.selected = root.items[0]
    room.shelf.roots = [root]
    let document = try ArchiveDocument(creating: folder("room"), root: room)
    room.shelf.roots = []
    #expect(try document.save(changed: [room.shelf]))
    room.shelf.roots = try document.root(asOf: 1).shelf.roots
    #expect(try document.save(changed: [room.shelf]))
    let read = try KeyedUnarchiver.unarchive(Room.self, fromFile: folder("room")).shelf.roots
    #expect(read.count == 1 && read[0].items.count == 1 && read[0].selected === read[0].items[0])
    #expect(room.shelf.roots[0].selected === room.shelf.roots[0].items[0])
  }
}
