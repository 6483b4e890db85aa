import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects shared by lazy values and decoded objects: their changes, their identity and their cycles.
@Suite struct LazyIdentity {
  typealias Photo = LazyWeakReferences.Photo

  final class Box: Codable {
    @Lazy var first: Photo?
    @Lazy var second: Photo?
    @Lazy var third: Photo?
    var plain: Photo?
    var number = 0
  }

  private func openBox(_ path: String) throws -> ArchiveDocument<Box> {
    let box = Box()
    let photo = Photo("before")
    (box.first, box.second, box.third) = (photo, photo, photo)
    try ArchiveDocument(creating: path, root: box).close()
    return try ArchiveDocument(opening: path)
  }

  @Test("a change to an object that only unread values refer to is saved")
  func changes() throws {
    let folder = try TemporaryFolder()
    let document = try openBox(folder("box"))
    let photo = try #require(document.root.first)
    photo.title = "after"
    document.root.first = nil
    #expect(try document.save())
    let read = try KeyedUnarchiver.unarchive(Box.self, fromFile: folder("box"))
    #expect(read.first == nil && read.second?.title == "after" && read.third === read.second)
    photo.title = "later"
    #expect(try document.save())
    let again = try KeyedUnarchiver.unarchive(Box.self, fromFile: folder("box"))
    #expect(again.second?.title == "later" && document.root.second === photo)
  }

  @Test("an object that a save did not reach keeps its identity when it is reached again", arguments: 0..<3)
  func identity(_ way: Int) throws {
    let folder = try TemporaryFolder()
    let document = try openBox(folder("box"))
    let photo = try #require(document.root.first)
    document.root.first = nil
    if way == 2 { try document.compact() } else { #expect(try document.save()) }
    if way == 0 { #expect(document.root.second === photo) } else { document.root.plain = photo }
    photo.title = "after"
    #expect(try document.save())
    let read = try KeyedUnarchiver.unarchive(Box.self, fromFile: folder("box"))
    #expect(read.second?.title == "after" && read.third === read.second)
    #expect(way == 0 || read.plain === read.second)
    #expect(document.root.third === photo)
  }

  @Test(
    "an object whose encoding throws prevents a save while the root or an unread value needs it",
    arguments: [false, true]
  )
  func removed(isNeeded: Bool) throws {
    final class Fragile: Codable {
      var isBroken = false

      init() {}

      enum CodingKeys: CodingKey { case isBroken }

      func encode(to encoder: any Encoder) throws {
        if isBroken { throw CancellationError() }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isBroken, forKey: .isBroken)
      }
    }
    final class Owner: Codable {
      var fragile: Fragile? = Fragile()
      var photo: Photo?
      @Lazy var fragiles: [Fragile] = []
      @Lazy var photos: [Photo] = []
    }
    let folder = try TemporaryFolder()
    let owner = Owner()
    owner.photo = Photo("old")
    if isNeeded { owner.fragiles = [try #require(owner.fragile)] }
    owner.photos = [try #require(owner.photo)]
    try ArchiveDocument(creating: folder("owner"), root: owner).close()
    var saved: Owner { get throws { try KeyedUnarchiver.unarchive(Owner.self, fromFile: folder("owner")) } }
    let document = try ArchiveDocument<Owner>(opening: folder("owner"))
    let (fragile, photo) = (try #require(document.root.fragile), try #require(document.root.photo))
    fragile.isBroken = true
    #expect(throws: CancellationError.self) { try document.save() }
    (document.root.fragile, document.root.photo) = (nil, nil)
    photo.title = "new"
    if isNeeded {
      #expect(throws: CancellationError.self) { try document.save() }
      #expect(try saved.fragile != nil)
      fragile.isBroken = false
    }
    #expect(try document.save())
    let read = try saved
    #expect(read.fragile == nil && read.fragiles.isEmpty != isNeeded && read.photos[0].title == "new")
    #expect(try !document.save())
  }

  final class Link: Codable {
    var text: String
    var next: Link?

    init(_ text: String) { self.text = text }
  }

  final class Links: Codable {
    var all = [Link("first"), Link("second")]
    @Lazy var unread = [Link("third")]
  }

  private func openLinks(_ path: String) throws -> ArchiveDocument<Links> {
    try ArchiveDocument(creating: path, root: Links()).close()
    return try ArchiveDocument(opening: path)
  }

  @Test("with a new object behind a removed one, the second save has nothing to write")
  func newBehindRemoved() throws {
    let folder = try TemporaryFolder()
    let document = try openLinks(folder("links"))
    let removed = document.root.all.removeLast()
    removed.next = Link("new")
    #expect(try document.save())
    #expect(try !document.save())
    withExtendedLifetime(removed) {}
  }

  @Test("an object that was removed and added again is saved with its changes")
  func addedAgain() throws {
    let folder = try TemporaryFolder()
    let document = try openLinks(folder("links"))
    let removed = document.root.all.removeLast()
    try document.compact()
    document.root.all.append(removed)
    #expect(try document.save(changed: [document.root]))
    removed.text = "changed"
    #expect(try document.save(changed: [removed]))
    let read = try KeyedUnarchiver.unarchive(Links.self, fromFile: folder("links"))
    #expect(read.all.map(\.text) == ["first", "changed"] && read.unread.map(\.text) == ["third"])
  }

  // MARK: Cycles

  @Test("an unreadable cycle in a lazy value is refused")
  func cycle() throws {
    struct Holder: Codable { var nodes: [Node] = [] }
    final class Node: Codable {
      var holder = Holder()
      @Lazy var next: Node?
    }
    let (first, second) = (Node(), Node())
    first.next = second
    second.holder.nodes = [second]
    defer { second.holder.nodes = [] }
    let error = try failure { try KeyedArchiver.archivedData(withRootObject: first) }
    #expect(error.code == .cycle)
  }

  final class Model: ArchivedModel {
    var plain: Plain?
  }

  final class Plain: Codable {
    let model: Model

    init(_ model: Model) { self.model = model }
  }

  @Test("a cycle with only one readable entry comes back from a lazy value at another object")
  func orders() throws {
    final class Owner: Codable {
      @Lazy var model: Model?
      @Lazy var plain: Plain?
    }
    let owner = Owner()
    let model = Model()
    (owner.model, owner.plain) = (model, Plain(model))
    model.plain = owner.plain
    defer { model.plain = nil }
    let data = try KeyedArchiver.archivedData(withRootObject: owner)
    let copy = try KeyedUnarchiver.unarchive(Owner.self, from: data)
    let found = try copy.$plain.load()
    let plain = try #require(found)
    #expect(plain.model.plain === plain && copy.model === plain.model)
    copy.model?.plain = nil
  }
}
