import Foundation
import Keepsake
import TestSupport
import Testing

/// Lazy values that are read while their document is saved or compacted.
@Suite struct LazyValuesReadMeanwhile {
  private typealias Photo = LazyDocuments.Photo
  private typealias Album = LazyDocuments.Album
  private typealias Board = LazyDocuments.Board

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

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
}
