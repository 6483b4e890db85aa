import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Objects shared by lazy values and decoded objects: weak references to them, their changes and their identity.
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

  // MARK: Changes and identity

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
