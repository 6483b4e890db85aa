import Foundation
import Keepsake
import TestSupport
import Testing

/// Documents whose lazy values and other properties share objects.
@Suite struct LazyDocuments {
  final class Photo: Codable {
    var title: String
    init(_ title: String) { self.title = title }
  }

  final class Album: Codable {
    var cover: Photo?
    @WeakReference var favorite: Photo?
    @Lazy var photos: [Photo] = []
    @Lazy var best: [Photo] = []
  }

  private let folder: TemporaryFolder

  /// An album of three photos. The first is the cover and the favorite, and the second the best.
  init() throws {
    folder = try TemporaryFolder()
    let album = Album()
    album.photos = (0..<3).map { Photo("photo \($0)") }
    (album.cover, album.favorite, album.best) = (album.photos[0], album.photos[0], [album.photos[1]])
    try ArchiveDocument(creating: folder("album"), root: album).close()
  }

  private func open() throws -> ArchiveDocument<Album> { try ArchiveDocument(opening: folder("album")) }

  private var saved: Album {
    get throws { try KeyedUnarchiver.unarchive(Album.self, fromFile: folder("album")) }
  }

  private class Thing: Codable {}
  private final class LateThing: Thing {}
  private final class Chest: Codable {
    var title = ""
    @Lazy var things: [Thing] = []
  }

  @Test("once a missing class exists, its value is read, and the document can be saved")
  func classComesLater() throws {
    let name = "LazyDocuments.LateThing"
    KeyedArchiver.setClassName(name, for: LateThing.self)
    let chest = Chest()
    chest.things = [LateThing()]
    let folder = try TemporaryFolder()
    try ArchiveDocument(creating: folder("chest"), root: chest).close()
    for accessesAgain in [true, false] {
      let document = try ArchiveDocument<Chest>(opening: folder("chest"))
      #expect(document.root.things.isEmpty && document.root.$things.error != nil)
      document.root.title = "\(accessesAgain)"
      #expect(throws: ArchiveError.self) { try document.save() }
      KeyedUnarchiver.setClass(LateThing.self, forClassName: name)
      if accessesAgain { #expect(document.root.things.first is LateThing) }
      #expect(try document.save())
      #expect(document.root.$things.error == nil && document.root.things.count == 1)
      document.close()
      let back = try KeyedUnarchiver.unarchive(Chest.self, fromFile: folder("chest"))
      #expect(back.title == "\(accessesAgain)" && back.things.first is LateThing)
      KeyedUnarchiver.setClass(nil, forClassName: name)
    }
  }

  @Test("a changed object is saved even if only an unread value still refers to it")
  func changedAndLeft() throws {
    let document = try open()
    document.root.cover?.title = "new cover"
    document.root.cover = nil
    document.root.best[0].title = "new best"
    document.root.best = []
    try document.save()
    #expect(try saved.photos.map(\.title) == ["new cover", "new best", "photo 2"])
    #expect(document.root.photos.map(\.title) == ["new cover", "new best", "photo 2"])
  }

  @Test("a listed object that was read before the last lazy value is saved")
  func allRead() throws {
    let document = try open()
    #expect(try !document.save())
    let photos = document.root.photos
    #expect(document.root.best.count == 1)
    photos[2].title = "changed"
    #expect(try document.save(changed: [photos[2]]))
    #expect(try saved.photos[2].title == "changed")
    // It was known, and so has one body.
    try document.save()
    #expect(try ArchiveImage(data: folder.read("album"), verification: .everything).directory.bodyCount == 6)
  }

  @Test("a weak reference to an object of an unread value stays")
  func weakReference() throws {
    let document = try open()
    document.root.cover = nil
    for _ in 0..<3 {
      document.root.best.append(Photo("another"))
      try document.save()
      let album = try saved
      #expect(album.photos[0].title == "photo 0" && album.favorite === album.photos[0])
    }
    #expect(document.root.favorite === document.root.photos[0])
  }

  final class Board: Codable {
    var cover: Photo?
    @Lazy var albums: [Album] = []
    @Lazy var photos: [Photo] = []

    init(_ title: String) {
      (albums, photos) = ([Album()], [Photo(title)])
      albums[0].favorite = photos[0]
    }
  }

  @Test("a weak reference that was read while the program held its object stays", arguments: [false, true])
  func weakReferenceToHeldObject(isListed: Bool) throws {
    let board = Board("photo")
    board.cover = board.photos[0]
    try ArchiveDocument(creating: folder("board"), root: board).close()

    let document = try ArchiveDocument<Board>(opening: folder("board"))
    var held = exchange(&document.root.cover, with: nil)
    try document.save()
    let album = document.root.albums[0]
    #expect(held != nil && album.favorite === held)
    held = nil
    album.best = [Photo("new")]
    if isListed { try document.save(changed: [album]) } else { try document.save() }
    let saved = try KeyedUnarchiver.unarchive(Board.self, fromFile: folder("board"))
    for board in [saved, document.root] {
      #expect(board.photos.count == 1 && board.albums[0].favorite === board.photos[0])
    }
  }

  @Test("a file is compacted after large bodies become small, even with an unread lazy value")
  func shrinks() throws {
    let album = Album()
    album.cover = Photo(String(repeating: "large ", count: 50_000))
    album.photos = [Photo("unread")]
    try ArchiveDocument(creating: folder("large"), root: album).close()
    let document = try ArchiveDocument<Album>(opening: folder("large"))
    document.root.cover?.title = "small"
    try document.save()
    #expect(document.saves.count == 1)
    #expect(try folder.byteCount("large") < 1 << 16)
    #expect(document.root.photos.map(\.title) == ["unread"])
  }

  @Test("restoring an earlier save restores its lazy values")
  func revert() throws {
    let document = try open()
    document.root.photos[2].title = "changed"
    document.root.best.append(document.root.photos[2])
    try document.save()
    try document.revert(to: 1)
    for album in [document.root, try saved] {
      #expect(album.photos.map(\.title) == ["photo 0", "photo 1", "photo 2"])
      #expect(album.best.count == 1 && album.best[0] === album.photos[1])
    }
    try document.revert(to: 2)
    #expect(try saved.photos[2].title == "changed" && saved.best.count == 2)
  }

  @Test(
    "going back keeps an unreadable lazy value if its objects did not change, and fails otherwise",
    arguments: [false, true]
  )
  func revertPastFaults(isMended: Bool) throws {
    final class Fragile: Codable {
      var text: String

      init(_ text: String) { self.text = text }

      init(from decoder: any Decoder) throws {
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
        if text == "broken" { throw CancellationError() }
      }
    }
    final class Owner: Codable {
      var number = 1
      var fragile: Fragile?
      @Lazy var all: [Fragile] = []
      @Lazy var photos: [Photo] = []
    }
    let owner = Owner()
    (owner.all, owner.photos) = ([Fragile("broken")], [Photo("old")])
    let document = try ArchiveDocument(creating: folder("owner"), root: owner)
    document.root.number = 2
    document.root.photos[0].title = "new"
    // The lazy value itself does not change.
    if isMended { document.root.all[0].text = "mended" }
    try document.save()
    document.close()
    let opened = try ArchiveDocument<Owner>(opening: folder("owner"))
    #expect(try opened.root(asOf: 1).number == 1)
    if isMended {
      #expect(throws: CancellationError.self) { try opened.revert(to: 1) }
      #expect(opened.root.number == 2 && opened.root.all[0].text == "mended")
    } else {
      try opened.revert(to: 1)
      #expect(opened.root.number == 1 && opened.root.photos[0].title == "old")
      opened.root.number = 3
      try opened.save()
    }
    let saved = try KeyedUnarchiver.unarchive(Owner.self, fromFile: folder("owner"))
    #expect(saved.number == (isMended ? 2 : 3) && saved.photos[0].title == (isMended ? "new" : "old"))
    #expect((try? saved.$all.load()) == nil || isMended)
  }

  @Test("going back restores the lazy values in a property that has become lazy since")
  func revertWhatBecameLazy() throws {
    struct Eager: Codable { var albums = [Album()] }
    struct Later: Codable { @Lazy var albums: [Album] = [] }
    let eager = Eager()
    eager.albums[0].photos = [Photo("old")]
    let before = try ArchiveDocument(creating: folder("later"), root: eager)
    eager.albums[0].photos[0].title = "new"
    try before.save()
    before.close()
    let document = try ArchiveDocument<Later>(opening: folder("later"))
    try document.revert(to: 1)
    let saved = try KeyedUnarchiver.unarchive(Later.self, fromFile: folder("later"))
    for root in [document.root, saved] { #expect(root.albums[0].photos.map(\.title) == ["old"]) }
  }

  @Test("a property that became lazy keeps sharing its object", arguments: 0..<3, 0..<3)
  func becameLazy(readCount: Int, way: Int) throws {
    final class Eager: Codable {
      var cover: Photo?
      var favorite: Photo?
      @Lazy var others: [Photo] = []
    }
    final class Later: Codable {
      var cover: Photo?
      @Lazy var favorite: Photo?
      @Lazy var others: [Photo] = []
    }
    let eager = Eager()
    eager.cover = Photo("cover")
    (eager.favorite, eager.others) = (eager.cover, [Photo("other")])
    try ArchiveDocument(creating: folder("later"), root: eager).close()

    let document = try ArchiveDocument<Later>(opening: folder("later"))
    if readCount > 0 { #expect(document.root.favorite === document.root.cover) }
    if readCount > 1 { #expect(document.root.others.count == 1) }
    document.root.cover?.title = "new"
    switch way {
    case 0: try document.save()
    case 1: try document.compact()
    default: try document.save(changed: [try #require(document.root.cover)])
    }
    #expect(try !document.save() || way == 2)
    document.close()
    let reopened = try ArchiveDocument<Later>(opening: folder("later")).root
    for root in [document.root, reopened] {
      #expect(root.cover?.title == "new" && root.favorite === root.cover && root.others[0].title == "other")
    }
    let saved = try KeyedUnarchiver.unarchive(Eager.self, fromFile: folder("later"))
    #expect(saved.cover?.title == "new" && saved.favorite === saved.cover && saved.others.count == 1)
  }
}
