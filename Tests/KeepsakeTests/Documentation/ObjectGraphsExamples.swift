import Keepsake
import TestSupport
import Testing

/// The examples of ObjectGraphs.md.
@Suite("Documentation: graphs of objects") struct ObjectGraphsExamples {
  // MARK: Identity

  final class Tag: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  struct Entry: Codable {
    var text: String
    var tag: Tag
  }

  @Test("an object with two references stays one, and equal objects stay two")
  func identity() throws {
    let urgent = Tag(name: "urgent")
    let entries = [
      Entry(text: "Call", tag: urgent),
      Entry(text: "Write", tag: urgent),
      Entry(text: "Wait", tag: Tag(name: "urgent")),
    ]

    let copy = try KeyedArchiver.copy(of: entries)
    let isShared = copy[0].tag === copy[1].tag  // true
    let isMerged = copy[0].tag === copy[2].tag  // false

    #expect(isShared && !isMerged)
  }

  @Test("each unarchiving makes a new graph")
  func twoReaders() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Tag(name: "urgent"))
    let first = try KeyedUnarchiver.unarchive(Tag.self, from: data)
    let second = try KeyedUnarchiver.unarchive(Tag.self, from: data)
    #expect(first !== second)
  }

  // MARK: Cycles

  final class Album: Codable {
    var name: String
    var tracks: [Track] = []
    weak var parent: Album?

    init(_ name: String) { self.name = name }
  }

  final class Track: Codable {
    var name: String
    unowned let album: Album
    var next: Track?
    var previous: Track?

    init(_ name: String, in album: Album) {
      self.name = name
      self.album = album
    }
  }

  @Test("plain classes close cycles")
  func plainCycles() throws {
    let album = Album("Live")
    album.tracks = [Track("a", in: album), Track("b", in: album)]
    album.tracks[0].next = album.tracks[1]
    album.tracks[1].previous = album.tracks[0]
    let copy = try KeyedArchiver.copy(of: album)
    #expect(copy.tracks.allSatisfy { $0.album === copy })
    #expect(copy.tracks[0].next === copy.tracks[1] && copy.tracks[1].previous === copy.tracks[0])
    for album in [album, copy] { album.tracks[0].next = nil }
  }

  final class Department: Codable {
    var name = ""
    var staff: [Employee] = []
  }

  struct Employee: Codable {
    var name: String
    @WeakReference var department: Department?
  }

  @Test("a weak reference leads back, or is nil without its object")
  func weakReference() throws {
    let sales = Department()
    sales.name = "Sales"
    sales.staff = [Employee(name: "Ada", department: sales), Employee(name: "Ben", department: sales)]

    let copy = try KeyedArchiver.copy(of: sales)
    let isBack = copy.staff[0].department === copy  // true

    let staff = try KeyedArchiver.copy(of: sales.staff)
    let department = staff[0].department  // nil

    #expect(isBack && department == nil)
  }

  @Test("weak references wait for the call that decodes their object")
  func weakReferencesAcrossKeys() throws {
    let sales = Department()
    sales.staff = [Employee(name: "Ada", department: sales)]
    let best = Album("Best of")
    let live = Album("Live")
    live.parent = best

    let archiver = KeyedArchiver()
    try archiver.encode(sales.staff, forKey: "staff")
    try archiver.encode(sales, forKey: "department")
    try archiver.encode(live, forKey: "live")
    try archiver.encode(best, forKey: "best")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)

    let staff = try unarchiver.decode([Employee].self, forKey: "staff")
    #expect(staff[0].department == nil)
    let department = try unarchiver.decode(Department.self, forKey: "department")
    #expect(staff[0].department === department)

    let copy = try unarchiver.decode(Album.self, forKey: "live")
    #expect(copy.parent == nil)
    let parent = try unarchiver.decode(Album.self, forKey: "best")
    #expect(copy.parent === parent)
  }

  @Test("an unowned reference brings its object along")
  func unowned() throws {
    let album = Album("Live")
    album.tracks = [Track("a", in: album)]

    let archiver = KeyedArchiver()
    try archiver.encode(album.tracks[0], forKey: "track")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let track = try unarchiver.decode(Track.self, forKey: "track")

    #expect(track.album.name == "Live" && track.album.tracks[0] === track)
    unarchiver.finishDecoding()
  }

  struct Contact: Codable {
    var person: Person?
  }

  final class Person: Codable {
    var name: String
    @Deferred var contact = Contact()

    init(name: String) {
      self.name = name
    }
  }

  @Test("a deferred property closes a cycle through a structure")
  func deferred() throws {
    let ada = Person(name: "Ada")
    let ben = Person(name: "Ben")
    ada.contact.person = ben
    ben.contact.person = ada

    let copy = try KeyedArchiver.copy(of: ada)
    #expect(copy.contact.person?.name == "Ben" && copy.contact.person?.contact.person === copy)
    for person in [ada, copy] { person.contact.person = nil }
  }

  final class Station: Codable {
    var name: String
    @Deferred var next: Station?

    init(name: String, next: Station? = nil) {
      self.name = name
      self.next = next
    }
  }

  @Test("a long chain is copied")
  func chain() throws {
    var line: Station?
    for number in 1...20_000 { line = Station(name: "\(number)", next: line) }
    var copy = try KeyedArchiver.copy(of: line)
    #expect(copy?.name == "20000")
    // Releases the stations one by one, since Swift does so by recursion.
    while let station = copy {
      copy = station.next
      station.next = nil
    }
    while let station = line {
      line = station.next
      station.next = nil
    }
  }

  // MARK: By hand

  final class Node: Codable {
    var name: String
    var children: [Node] = []
    weak var parent: Node?

    private enum CodingKeys: String, CodingKey { case name, children, parent }

    init(name: String) {
      self.name = name
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      children = try container.decode([Node].self, forKey: .children)
      try container.decodeDeferredIfPresent(Node.self, forKey: .parent) { [weak self] in self?.parent = $0 }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(children, forKey: .children)
      try container.encodeConditional(parent, forKey: .parent)
    }
  }

  @Test("conditional and deferred coding by hand leads back")
  func byHand() throws {
    let root = Node(name: "root")
    let leaf = Node(name: "leaf")
    root.children = [leaf]
    leaf.parent = root

    let copy = try KeyedArchiver.copy(of: root)
    #expect(copy.children[0].parent === copy && copy.parent == nil)
    #expect(try KeyedArchiver.copy(of: leaf).parent == nil)
  }

  final class Folder: Codable, SelfRegistering {
    var name: String
    var files: [File] = []

    private enum CodingKeys: String, CodingKey { case name, files }

    init(name: String) {
      self.name = name
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      decoder.register(self)
      files = try container.decode([File].self, forKey: .files)
    }
  }

  final class File: Codable {
    var name: String
    var folder: Folder

    init(name: String, folder: Folder) {
      self.name = name
      self.folder = folder
    }
  }

  @Test("a class that registers itself closes a cycle")
  func selfRegistering() throws {
    let folder = Folder(name: "Letters")
    folder.files = [File(name: "To Ben", folder: folder)]

    let copy = try KeyedArchiver.copy(of: folder)
    let isBack = copy.files[0].folder === copy  // true

    #expect(isBack && copy.name == "Letters")

    // If decoding begins with the file, the folder reads its files last.
    let file = try KeyedArchiver.copy(of: folder.files[0])
    #expect(file.folder.files[0] === file)
    folder.files = []
    copy.files = []
    file.folder.files = []
  }

  // MARK: Afterwards

  final class Index: Codable, ArchiveAwakening {
    var tags: [Tag] = []
    private(set) var byName: [String: Tag] = [:]

    private enum CodingKeys: String, CodingKey { case tags }

    func awakeFromArchive() {
      for tag in tags { byName[tag.name] = tag }
    }
  }

  @Test("awakeFromArchive rebuilds what is not archived")
  func awakening() throws {
    let index = Index()
    index.tags = [Tag(name: "urgent")]
    let copy = try KeyedArchiver.copy(of: index)
    #expect(copy.byName["urgent"] === copy.tags[0])
  }

  // MARK: Refused

  enum Unmarked {
    struct Contact: Codable {
      var person: Person?
    }

    final class Person: Codable {
      var contact = Contact()
    }
  }

  @Test("archiving a cycle in which no property can wait throws an error")
  func cycle() throws {
    let ada = Unmarked.Person()
    let ben = Unmarked.Person()
    ada.contact.person = ben
    ben.contact.person = ada
    defer { ada.contact.person = nil }
    var message = ""

    do {
      _ = try KeyedArchiver.archivedData(withRootObject: ada)
    } catch EncodingError.invalidValue(_, let context) {
      message = context.debugDescription
      // Objects refer to each other in a cycle that no initializer can read back: Person.contact.
      // Mark Person.contact @Deferred, which is a value that holds the object. …
    }

    #expect(
      message.hasPrefix(
        "Objects refer to each other in a cycle that no initializer can read back: Person.contact. "
          + "Mark Person.contact @Deferred, which is a value that holds the object. "
      )
    )
    #expect(try failure { try KeyedArchiver.archivedData(withRootObject: ada) }.code == .cycle)
  }

  @Test("nothing of a refused value is in the archive")
  func nothingIsLeft() throws {
    let ada = Unmarked.Person()
    ada.contact.person = ada
    defer { ada.contact.person = nil }

    let archiver = KeyedArchiver()
    try archiver.encode(1, forKey: "version")
    #expect(throws: EncodingError.self) { try archiver.encode(ada, forKey: "person") }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["version"])
  }
}
