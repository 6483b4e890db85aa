import Foundation
import Keepsake
import TestSupport
import Testing

/// Documents whose lazy values and other properties share objects.
@Suite struct LazyDocuments {
  private final class Photo: Codable {
    var title: String
    init(_ title: String) { self.title = title }
  }

  private final class Album: Codable {
    var cover: Photo?
    @WeakReference var favorite: Photo?
    @Lazy var photos: [Photo] = []
    @Lazy var best: [Photo] = []
  }

  /// Reads a lazy value of another shelf when it is encoded.
  private final class Shelf: Codable {
    var title = ""
    var neighbor: Shelf?
    @Lazy var photos: [Photo] = []

    private enum CodingKeys: CodingKey { case title, neighbor, photos }

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode("\(title) beside \(neighbor?.photos.count ?? 0) photos", forKey: .title)
      try container.encodeIfPresent(neighbor, forKey: .neighbor)
      try container.encode(_photos, forKey: .photos)
    }
  }

  /// Makes another thread read the lazy value of the next shelf when it is encoded.
  private final class Wall: Codable {
    var shelves: [Shelf]
    private var encodedCount = 0
    private(set) var isWaitedForInVain = false

    private enum CodingKeys: CodingKey { case shelves }

    init(_ shelves: [Shelf]) { self.shelves = shelves }

    func encode(to encoder: any Encoder) throws {
      if encodedCount < shelves.count {
        let isRead = DispatchSemaphore(value: 0)
        // Safe: a lazy value may be read by any thread.
        nonisolated(unsafe) let shelf = shelves[encodedCount]
        Thread.detachNewThread {
          _ = unsafe shelf.photos
          isRead.signal()
        }
        if isRead.wait(timeout: .now() + 60) == .timedOut { isWaitedForInVain = true }
      }
      encodedCount += 1
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(shelves, forKey: .shelves)
    }
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

  @Test("lazy values that are read during a save keep their objects")
  func readMeanwhile() throws {
    let shelves = (0..<3).map { _ in Shelf() }
    shelves[0].neighbor = shelves[1]
    shelves[1].photos = [Photo("shared")]
    shelves[2].photos = shelves[1].photos
    try ArchiveDocument(creating: folder("shelves"), root: shelves).close()
    let document = try ArchiveDocument<[Shelf]>(opening: folder("shelves"))
    document.root[0].title = "changed"
    try document.save()
    let saved = try KeyedUnarchiver.unarchive([Shelf].self, fromFile: folder("shelves"))
    for root in [saved, document.root] { #expect(root[1].photos[0] === root[2].photos[0]) }
    #expect(saved[0].title.hasPrefix("changed beside 1"))
  }

  @Test("encoding can wait for threads that read lazy values")
  func waitingForThreads() throws {
    let shelves = (0..<4).map { number in
      let shelf = Shelf()
      shelf.photos = [Photo("\(number)")]
      return shelf
    }
    try ArchiveDocument(creating: folder("wall"), root: Wall(shelves)).close()
    let document = try ArchiveDocument<Wall>(opening: folder("wall"))
    document.root.shelves[0].title = "new"
    try document.save()
    #expect(!document.root.isWaitedForInVain)
    let saved = try KeyedUnarchiver.unarchive(Wall.self, fromFile: folder("wall"))
    #expect(saved.shelves.map(\.photos[0].title) == ["0", "1", "2", "3"])
  }

  @Test("threads can read lazy values while a document is saved and compacted")
  func threads() async throws {
    let albums = (0..<200).map { _ in Album() }
    let shared = Photo("shared")
    for album in albums { album.photos = [shared, Photo("own")] }
    try ArchiveDocument(creating: folder("albums"), root: albums).close()
    for round in 0..<sized(10, inDebug: 4) {
      let document = try ArchiveDocument<[Album]>(opening: folder("albums"))
      document.root[0].best.append(Photo("\(round)"))
      try document.save()
      let all = SharedValue(document.root)
      async let counts = withTaskGroup(of: Int.self) { group in
        for thread in 0..<2 {
          group.addTask { all.value.dropFirst(1 + thread).reduce(0) { $0 + $1.photos.count } }
        }
        return await group.reduce(0, +)
      }
      for _ in 0..<5 {
        document.root[0].cover = Photo("cover")
        try document.save()
        try document.compact()
      }
      #expect(await counts == 2 * (199 + 198))
      try document.save()
      let saved = try KeyedUnarchiver.unarchive([Album].self, fromFile: folder("albums"))
      for root in [saved, document.root] {
        let first = root[0].photos[0]
        #expect(root.allSatisfy { $0.photos[0] === first })
      }
    }
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

  private final class Board: Codable {
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

  @Test("weak references that a thread reads during compaction find their objects")
  func weakReferencesWhileCompacting() async throws {
    // A large value that nothing reads, so that replacing the file takes time.
    let large = Board(String(repeating: "large", count: sized(4 << 20, inDebug: 1 << 19)))
    large.albums = []
    let boards = (0..<1_000).map { Board("\($0)") } + [large]
    try ArchiveDocument(creating: folder("boards"), root: boards).close()
    let document = try ArchiveDocument<[Board]>(opening: folder("boards"))
    let all = SharedValue(document.root.dropLast())
    async let count = Task.detached {
      var count = 0
      for (index, board) in all.value.enumerated() {
        // In bursts: while references are being read, a save follows them and the file is not replaced.
        if index % 50 == 0 { usleep(150_000) }
        count += board.albums.count
      }
      return count
    }.value
    for _ in 0..<12 { try document.compact() }
    #expect(await count == 1_000)
    for board in all.value { board.albums[0].best = [Photo("new")] }
    try document.save()
    let saved = try KeyedUnarchiver.unarchive([Board].self, fromFile: folder("boards"))
    for boards in [saved.dropLast(), all.value] {
      let lost = boards.count { $0.photos[0] !== $0.albums[0].favorite }
      #expect(lost == 0)
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
