import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Weak references to objects shared by lazy values and decoded objects.
@Suite struct LazyWeakReferences {
  final class Photo: Codable {
    var title: String
    weak var album: Album?

    init(_ title: String) { self.title = title }
  }

  final class Album: Codable {
    weak var cover: Photo?
    @WeakReference var last: Photo?
    @Lazy var photos: [Photo] = []
    var title = ""
  }

  final class Frame: ArchivedModel {
    weak var photo: Photo?
    var number = 0
  }

  final class Library: Codable {
    weak var current: Photo?
    var frame = Frame()
    var albums: [Album] = []
  }

  private func library() -> Library {
    let library = Library()
    for number in 0..<3 {
      let album = Album()
      album.photos = (0..<3).map { Photo("\(number).\($0)") }
      for photo in album.photos { photo.album = album }
      (album.cover, album.last) = (album.photos[1], album.photos[2])
      library.albums.append(album)
    }
    library.current = library.albums[2].photos[0]
    library.frame.photo = library.albums[2].photos[1]
    return library
  }

  /// The objects of the weak references after everything was read.
  private func targets(_ library: Library) -> [String?] {
    for album in library.albums {
      for photo in album.photos { #expect(photo.album === album) }
    }
    return [library.current?.title, library.frame.photo?.title]
      + library.albums.flatMap { [$0.cover?.title, $0.last?.title] }
  }

  private static let all = ["2.0", "2.1", "0.1", "0.2", "1.1", "1.2", "2.1", "2.2"]

  private func change(_ library: Library) {
    for album in library.albums { album.title += "changed" }
    library.frame.number += 1
  }

  @Test("a save keeps weak references into unread values", arguments: 0..<4)
  func saves(_ way: Int) throws {
    let folder = try TemporaryFolder()
    try ArchiveDocument(creating: folder("library"), root: library()).close()
    var document = try ArchiveDocument<Library>(opening: folder("library"))
    change(document.root)
    let changed: [any Encodable & AnyObject] = document.root.albums + [document.root, document.root.frame]
    switch way {
    case 0: #expect(try document.save())
    case 1: #expect(try document.save(changed: changed))
    case 2: try document.compact()
    default:
      #expect(try document.save())
      change(document.root)
      #expect(try document.save())
    }
    #expect(document.root.albums.allSatisfy { !$0.$photos.isLoaded })
    #expect(targets(document.root) == Self.all)
    document.close()
    document = try ArchiveDocument(opening: folder("library"))
    #expect(targets(document.root) == Self.all)
  }

  @Test("an archive elsewhere keeps weak references into unread values", arguments: 0..<3)
  func elsewhere(_ way: Int) throws {
    let folder = try TemporaryFolder()
    let library = library()
    if way == 2 { library.albums[0].title = String(repeating: "long", count: 1 << 19) }
    let data = try KeyedArchiver.archivedData(withRootObject: library)
    let read = try KeyedUnarchiver.unarchive(Library.self, from: data)
    if way == 2 { read.albums.append(read.albums.removeFirst()) }
    let expected = way == 2 ? ["2.0", "2.1", "1.1", "1.2", "2.1", "2.2", "0.1", "0.2"] : Self.all
    let copy: Library
    switch way {
    case 0: copy = try KeyedArchiver.copy(of: read)
    default:
      try KeyedArchiver.archive(rootObject: read, toFile: folder("library"))
      copy = try KeyedUnarchiver.unarchive(Library.self, fromFile: folder("library"))
    }
    #expect(targets(copy) == expected)
  }

  @Test("each weak reference is resolved once, however many lazy values are unread")
  func manyLazyValues() throws {
    let count = sized(50_000, inDebug: 5_000)
    let library = Library()
    for number in 0..<count {
      let album = Album()
      album.photos = [Photo("\(number)")]
      album.cover = album.photos[0]
      library.albums.append(album)
    }
    let read = try KeyedUnarchiver.unarchive(
      Library.self,
      from: KeyedArchiver.archivedData(withRootObject: library)
    )
    let session = EncodingSession(userInfo: [:], hidesRootKey: true)
    defer { session.dropSpares() }
    try session.encodeRoot(read)
    #expect(session.bodies.followed.values.map(\.count) == [count])
    #expect(read.albums.allSatisfy { $0.cover === $0.photos[0] })
  }

  @Test("a delegate sees each object once, also if a value is encoded again for weak references")
  func delegates() throws {
    final class Recorder: KeyedArchiverDelegate {
      var calls: [String] = []

      private func note(_ call: String, _ object: Any?) {
        let name = (object as? Photo)?.title ?? object.map { "\(type(of: $0))" } ?? "nil"
        calls.append("\(call) \(name)")
      }

      func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
        note("will", object)
        return object
      }

      func archiver(_ archiver: KeyedArchiver, didEncode object: Any?) { note("did", object) }
    }
    let read = try KeyedUnarchiver.unarchive(
      Library.self,
      from: KeyedArchiver.archivedData(withRootObject: library())
    )
    let (archiver, recorder) = (KeyedArchiver(), Recorder())
    archiver.delegate = recorder
    try archiver.encode(read, forKey: "root")
    let back = try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(Library.self, forKey: "root")
    #expect(targets(back) == Self.all)
    let photos = (0..<3).flatMap { album in (0..<3).map { "\(album).\($0)" } }
    for call in ["will", "did"] {
      let names = recorder.calls.filter { $0.hasPrefix(call) }.map { $0.dropFirst(call.count + 1) }
      #expect(
        names.sorted()
          == (["Library", "Frame"] + Array(repeating: "Album", count: 3) + photos).sorted().map { $0[...] }
      )
    }
  }

  @Test("a failed archive elsewhere leaves the weak references of a document intact")
  func failureElsewhere() throws {
    final class Chain: Codable {
      var next: Chain?

      func encode(to encoder: any Encoder) throws {
        guard let next else { throw CancellationError() }
        try next.encodeReference(to: encoder)
      }

      init(_ next: Chain?) { self.next = next }

      private func encodeReference(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(self)
      }
    }
    struct Both: Encodable {
      let library: Library
      let chain: Chain
    }
    let folder = try TemporaryFolder()
    try ArchiveDocument(creating: folder("library"), root: library()).close()
    let document = try ArchiveDocument<Library>(opening: folder("library"))
    let chain = (0..<20).reduce(Chain(nil)) { chain, _ in Chain(chain) }
    #expect(throws: CancellationError.self) {
      try KeyedArchiver.archivedData(withRootObject: Both(library: document.root, chain: chain))
    }
    change(document.root)
    #expect(try document.save())
    let read = try KeyedUnarchiver.unarchive(Library.self, fromFile: folder("library"))
    #expect(targets(read) == Self.all)
  }

  @Test("an object that the program assigns stays when the one in the archive is read")
  func assigned() throws {
    let read = try KeyedUnarchiver.unarchive(
      Library.self,
      from: KeyedArchiver.archivedData(withRootObject: library())
    )
    let other = Photo("other")
    (read.current, read.frame.photo, read.albums[2].cover, read.albums[2].last) = (other, other, other, other)
    let expected: [String?] = ["other", "other", "0.1", "0.2", "1.1", "1.2", "other", "other"]
    #expect(targets(read) == expected)
  }

  @Test("an object without weak references is neither retained nor read again", arguments: [false, true])
  func removedReferences(isCompacted: Bool) throws {
    let folder = try TemporaryFolder()
    try ArchiveDocument(creating: folder("library"), root: library()).close()
    let document = try ArchiveDocument<Library>(opening: folder("library"))
    func save() throws {
      change(document.root)
      if isCompacted { try document.compact() } else { #expect(try document.save()) }
    }
    try save()
    weak let current = document.root.current
    weak let last = document.root.albums[0].last
    try #require(current != nil && last != nil)
    current?.title = "changed"
    document.root.current = nil
    document.root.albums[0].last = nil
    for _ in 0..<2 {
      try save()
      #expect(current == nil && last == nil && document.root.current == nil)
    }
    #expect(document.root.albums.allSatisfy { !$0.$photos.isLoaded })
    #expect(document.root.albums[2].photos[0].title == "changed")
    #expect(targets(document.root) == [nil, "2.1", "0.1", nil, "1.1", "1.2", "2.1", "2.2"])
  }

  class Picture: Codable {
    var title = ""
    init() {}
  }

  final class Painting: Picture {}

  final class Gallery: Codable {
    weak var favourite: Picture?
    weak var best: Painting?
    @Lazy var wall: [Painting] = [Painting()]
  }

  @Test(
    "an object keeps its class behind a weak reference to its superclass, also if a save adds that",
    arguments: 0..<3
  )
  func declaredAsSuperclass(_ way: Int) throws {
    let folder = try TemporaryFolder()
    let gallery = Gallery()
    gallery.best = gallery.wall[0]
    if way == 0 { gallery.favourite = gallery.wall[0] }
    try ArchiveDocument(creating: folder("gallery"), root: gallery).close()
    var document = try ArchiveDocument<Gallery>(opening: folder("gallery"))
    if way > 0 {
      document.root.favourite = document.root.wall[0]
      if way == 1 { try document.save() } else { try document.save(changed: [document.root]) }
      document.close()
      document = try ArchiveDocument(opening: folder("gallery"))
    }
    // Reads the objects of waiting weak references.
    try document.save()
    #expect(document.root.favourite is Painting)
    #expect(document.root.wall[0] === document.root.favourite)
  }
}
