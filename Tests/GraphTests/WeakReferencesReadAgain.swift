import Foundation
import Keepsake
import TestSupport
import Testing

/// Weak references whose objects are read, released and read again.
extension LazyWeakReferences {
  @Test(
    "an unread value keeps its weak reference when the program replaces another one",
    arguments: 0..<4
  )
  func replacedReference(_ way: Int) throws {
    final class Owner: Codable {
      weak var replaced: Photo?
      weak var owner: Frame?
      @Lazy var frame: Frame?
      @Lazy var photos: [Photo] = []
    }
    let folder = try TemporaryFolder()
    let (owner, frame) = (Owner(), Frame())
    (owner.photos, owner.frame) = ([Photo("photo")], frame)
    // Waits for the photo before the frame does, which is read because of the second reference.
    (owner.replaced, owner.owner, frame.photo) = (owner.photos[0], frame, owner.photos[0])
    try ArchiveDocument(creating: folder("owner"), root: owner).close()
    let document = try ArchiveDocument<Owner>(opening: folder("owner"))
    let other = Photo("other")
    document.root.replaced = other
    var path = folder("owner")
    switch way {
    case 0: #expect(try document.save())
    case 1: #expect(try document.save(changed: [document.root]))
    case 2: try document.compact()
    default:
      path = folder("copy")
      try KeyedArchiver.archive(rootObject: document.root, toFile: path)
    }
    let read = try KeyedUnarchiver.unarchive(Owner.self, fromFile: path)
    for (owner, photo) in [(read, read.photos[0]), (document.root, document.root.photos[0])] {
      #expect(photo.title == "photo" && owner.frame?.photo === photo)
    }
    #expect(document.root.replaced === other)
  }

  @Test(
    "weak references wait for an unread value after the compacted document is closed or released",
    arguments: [false, true]
  )
  func compactedAndGone(isClosed: Bool) throws {
    final class Owner: Codable {
      weak var photo: Photo?
      @WeakReference var last: Photo?
      var frame = Frame()
      @Lazy var photos = [Photo("photo")]
    }
    let folder = try TemporaryFolder()
    let owner = Owner()
    (owner.frame.photo, owner.photo, owner.last) = (owner.photos[0], owner.photos[0], owner.photos[0])
    try ArchiveDocument(creating: folder("owner"), root: owner).close()
    func compacted() throws -> Owner {
      let document = try ArchiveDocument<Owner>(opening: folder("owner"))
      try document.compact()
      if isClosed { document.close() }
      return document.root
    }
    let read = try compacted()
    let copy = try KeyedArchiver.copy(of: read)
    for owner in [read, copy] {
      let photo = owner.photos[0]
      #expect(owner.photo === photo && owner.last === photo && owner.frame.photo === photo)
    }
  }

  final class Inner: Codable {
    weak var photo: Photo?
    @WeakReference var last: Photo?
    var frame = Frame()
  }

  final class Part: Codable {
    weak var photo: Photo?
    @Lazy var inner: Inner?
  }

  final class Whole: Codable {
    var part = Part()
    @Lazy var photos = [Photo("photo")]
  }

  @Test("weak references that are read while a part is archived elsewhere wait for their object again")
  func partElsewhere() throws {
    let (whole, inner) = (Whole(), Inner())
    whole.part.inner = inner
    let photo = whole.photos[0]
    (whole.part.photo, inner.photo, inner.last, inner.frame.photo) = (photo, photo, photo, photo)
    let read = try KeyedUnarchiver.unarchive(
      Whole.self,
      from: KeyedArchiver.archivedData(withRootObject: whole)
    )
    // Reads the photo for the weak references, and then releases it.
    _ = try KeyedArchiver.archivedData(withRootObject: read.part)
    let copy = try KeyedArchiver.copy(of: read)
    for whole in [copy, read] {
      let (photo, inner) = (whole.photos[0], try #require(whole.part.inner))
      #expect(whole.part.photo === photo && inner.photo === photo)
      #expect(inner.last === photo && inner.frame.photo === photo)
    }
  }
}
