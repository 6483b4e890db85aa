import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects that only unread lazy values lead to, and for which weak references wait: read to archive other values, and
/// released again.
@Suite struct LazyReleases {
  private final class Photo: Codable {
    let title: String
    var next: Photo?

    init(_ title: String) { self.title = title }
  }

  private final class Wall: Codable {
    weak var current: Photo?
    @WeakReference var last: Photo?
    @Lazy var notes: [String] = []
    @Lazy var otherNotes: [String] = []
    @Lazy var photos: [Photo] = []
  }

  /// Shares a lazy value with a wall.
  private struct Notes: Codable {
    @Lazy var notes: [String]

    init(_ notes: Lazy<[String]>) { _notes = notes }
  }

  private func readWall() throws -> Wall {
    let wall = Wall()
    wall.photos = (0..<3).map { Photo("\($0)") }
    (wall.current, wall.last, wall.notes, wall.otherNotes) = (wall.photos[1], wall.photos[2], ["a"], ["b"])
    let data = try KeyedArchiver.archivedData(withRootObject: wall)
    return try KeyedUnarchiver.unarchive(Wall.self, from: data)
  }

  @Test("an object read for another archive and released is read again by the program")
  func readAgain() throws {
    let wall = try readWall()
    for notes in [wall.$notes, wall.$otherNotes] {
      #expect(!notes.isLoaded)
      let data = try KeyedArchiver.archivedData(withRootObject: Notes(notes))
      #expect(try KeyedUnarchiver.unarchive(Notes.self, from: data).notes == notes.load())
    }
    #expect(!wall.$photos.isLoaded && wall.current == nil && wall.last == nil)
    let photos = wall.photos
    #expect(photos.count == 3 && wall.current === photos[1] && wall.last === photos[2])
  }

  @Test("an object that was read for another archive and released is in a later archive")
  func readForLaterArchive() throws {
    let wall = try readWall()
    _ = try KeyedArchiver.archivedData(withRootObject: Notes(wall.$notes))
    #expect(wall.current == nil && wall.last == nil)
    let copy = try KeyedArchiver.copy(of: wall)
    #expect(copy.photos.count == 3 && copy.current === copy.photos[1] && copy.last === copy.photos[2])
    #expect(wall.current === wall.photos[1] && wall.last === wall.photos[2])
  }

  private final class Visitor: Codable {
    unowned let photo: Photo
    @Lazy var notes: [String] = []

    init(_ photo: Photo) { self.photo = photo }
  }

  @Test("an unarchiver retains the objects that it has read, even if there are lazy values")
  func unarchiverKeeps() throws {
    let photo = Photo("0")
    let archiver = KeyedArchiver()
    try archiver.encode(Visitor(photo), forKey: "visitor")
    try archiver.encode(photo, forKey: "photo")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    weak var kept: Photo?
    do {
      let visitor = try unarchiver.decode(Visitor.self, forKey: "visitor")
      kept = try unarchiver.decode(Photo.self, forKey: "photo")
      #expect(kept != nil && visitor.photo === kept && visitor.notes.isEmpty)
    }
    #expect(kept != nil)
    unarchiver.finishDecoding()
    #expect(kept == nil)
  }

  private final class Replacing: KeyedUnarchiverDelegate {
    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
      (object as? Photo)?.title == "1" ? nil : object
    }
  }

  @Test("a weak reference to an object that the delegate replaces by nil stays nil")
  func replacedByNothing() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: readWall())
    let (unarchiver, delegate) = (try KeyedUnarchiver(forReadingFrom: data), Replacing())
    unarchiver.delegate = delegate
    let wall = try unarchiver.decode(Wall.self, forKey: KeyedArchiver.rootKey)
    for notes in [wall.$notes, wall.$otherNotes] {
      let copy = try KeyedArchiver.copy(of: Notes(notes))
      #expect(copy.notes.count == 1 && wall.current == nil)
    }
  }

  @Test("objects that were read together and released are read again")
  func readTogether() throws {
    let wall = Wall()
    wall.photos = [Photo("0"), Photo("1")]
    wall.photos[0].next = wall.photos[1]
    (wall.current, wall.last) = (wall.photos[0], wall.photos[1])
    let data = try KeyedArchiver.archivedData(withRootObject: wall)
    let read = try KeyedUnarchiver.unarchive(Wall.self, from: data)
    for notes in [read.$notes, read.$otherNotes] {
      _ = try KeyedArchiver.archivedData(withRootObject: Notes(notes))
      #expect(read.current == nil && read.last == nil)
    }
    let photos = read.photos
    #expect(photos.count == 2 && read.current === photos[0] && read.last === photos[1])
  }

  /// Archives the wall of the user info while this is being decoded.
  private struct Early: Codable {
    final class Subject { var wall: Wall? }

    init() {}

    init(from decoder: any Decoder) throws {
      let subject = decoder.userInfo[.named("subject")] as? Subject
      _ = try KeyedArchiver.archivedData(withRootObject: try #require(subject?.wall))
    }
  }

  @Test("archiving an object while its archive is being decoded throws and loses nothing")
  func archivedTooEarly() throws {
    let (wall, subject) = (try readWall(), Early.Subject())
    _ = wall.photos
    let archiver = KeyedArchiver()
    try archiver.encode(wall, forKey: "wall")
    try archiver.encode(Early(), forKey: "early")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo = [.named("subject"): subject]
    let back = try unarchiver.decode(Wall.self, forKey: "wall")
    subject.wall = back
    let found = try failure { try unarchiver.decode(Early.self, forKey: "early") }
    #expect(found.code == .misuse && found.description.contains("awakeFromArchive"), "\(found)")
    #expect(back.photos.count == 3 && back.current === back.photos[1] && back.last === back.photos[2])
  }
}
