import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// What a document promises to its users.
@Suite struct DocumentTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder("notes") }

  private func create(_ pageCount: Int) throws -> ArchiveDocument<Notebook> {
    try ArchiveDocument(creating: path, root: Notebook(pageCount: pageCount))
  }

  /// Opens the document anew, as another run of the program would.
  private func reopen(_ document: ArchiveDocument<Notebook>) throws -> ArchiveDocument<Notebook> {
    document.close()
    return try ArchiveDocument(opening: path)
  }

  @Test("a document and an unarchiver read what was saved", arguments: [3, 300])
  func roundTrip(pageCount: Int) throws {
    var document = try create(pageCount)
    for round in 0..<5 {
      document.root.pages[round % 3].text = "changed in round \(round)"
      document.root.pages.append(NotePage("added in round \(round)"))
      document.root.pages[1].back = document.root.pages.last
      document.root.tags.insert("tag \(round)")
      document.root.counts["round"] = round
      let bytes = try document.root.bytes
      #expect(try document.save())
      #expect(try KeyedUnarchiver.unarchive(Notebook.self, fromFile: path).bytes == bytes)
      if round % 2 == 1 { document = try reopen(document) }
      #expect(try document.root.bytes == bytes)
    }
    #expect(document.saves.map(\.number) == [1, 2, 3, 4, 5, 6])
    let byteCount = try folder.byteCount("notes")
    #expect(document.saves.reduce(0) { $0 + $1.byteCount } == byteCount)
  }

  @Test("an object that old and new objects refer to stays one object")
  func identity() throws {
    var document = try create(200)
    let added = NotePage("new")
    added.links = [document.root.pages[7], added]
    document.root.pages[150].links = [added, document.root.pages[7]]
    try document.save()
    document = try reopen(document)
    let pages = document.root.pages
    #expect(pages[150].links[0].links[0] === pages[7] && pages[150].links[1] === pages[7])
    #expect(pages[150].links[0].links[1] === pages[150].links[0])
    #expect(document.root.pinned === pages[0])
  }

  @Test("a save without changes writes nothing", arguments: [0, 3, 300])
  func unchanged(pageCount: Int) throws {
    var document = try create(pageCount)
    // Also if the file has the short form, which the next save would replace.
    #expect(try document.saves.map(\.byteCount) == [folder.byteCount("notes")])
    document.root.tags = ["a", "b", "c", "d", "e"]
    document.root.counts = Dictionary(uniqueKeysWithValues: (0..<20).map { ("key \($0)", $0) })
    try document.save()
    let bytes = try folder.read("notes")
    #expect(try !document.save())
    #expect(document.saves.reduce(0) { $0 + $1.byteCount } == bytes.count)
    document = try reopen(document)
    // Sets and dictionaries have another order in each process and after each reading.
    #expect(try !document.save())
    #expect(try folder.read("notes") == bytes)
  }

  @Test("a small change writes little, also after reopening")
  func smallChanges() throws {
    var document = try create(20_000)
    for isReopened in [false, true] {
      if isReopened { document = try reopen(document) }
      document.root.pages[12_345].text += "!"
      try document.save()
      #expect(try #require(document.saves.last).byteCount < 400)
      document.root.pages.insert(NotePage("between"), at: 10_000)
      try document.save()
      // The array of the pages is part of the notebook's own body.
      #expect(try #require(document.saves.last).byteCount < 70_000)
    }
    #expect(try folder.byteCount("notes") < document.saves[0].byteCount + 200_000)
  }

  @Test("a save adds new classes, keys, shapes, strings and weak references")
  func additions() throws {
    var document = try create(100)
    let drawing = Drawing("drawing", [0.5, 1])
    drawing.back = document.root.pages[3]
    document.root.pages[3].back = drawing
    document.root.pages.append(drawing)
    document.root.pages.append(NotePage("page 4"))
    try document.save()
    document = try reopen(document)
    let read = try #require(document.root.pages[100] as? Drawing)
    #expect(read.points == [0.5, 1] && read.back === document.root.pages[3])
    #expect(document.root.pages[3].back === read)
    // Nothing else refers to it, so the weak reference becomes nil.
    document.root.pages.remove(at: 100)
    try document.save()
    document = try reopen(document)
    #expect(document.root.pages[3].back == nil && document.root.pages.last?.title == "page 4")
  }

  @Test("a compacted document has the bytes of an archive of its root object", arguments: [2, 500])
  func compact(pageCount: Int) throws {
    var document = try create(pageCount)
    document.compactsAutomatically = false
    for round in 0..<10 {
      document.root.pages.append(NotePage("page \(round)"))
      document.root.pages.removeFirst()
      try document.save()
    }
    document = try reopen(document)
    try document.compact()
    #expect(try folder.read("notes") == document.root.bytes)
    #expect(document.saves.map(\.number) == [1])
    document.root.title = "after compacting"
    let bytes = try document.root.bytes
    try document.save()
    #expect(try reopen(document).root.bytes == bytes)
  }

  @Test("a mostly outdated file is compacted automatically, unless that is turned off")
  func compactsItself() throws {
    let document = try create(2_000)
    let first = document.saves[0].byteCount
    document.compactsAutomatically = false
    func replaceAll(_ round: Int) throws {
      for page in document.root.pages { page.text = "\(page.title) in round \(round)" }
      try document.save()
    }
    try replaceAll(1)
    try replaceAll(2)
    #expect(try document.saves.count == 3 && folder.byteCount("notes") > 2 * first)
    document.compactsAutomatically = true
    try replaceAll(3)
    #expect(try document.saves.count == 1 && folder.byteCount("notes") < 2 * first)
    #expect(try KeyedUnarchiver.unarchive(Notebook.self, fromFile: path).bytes == document.root.bytes)
  }

  @Test("the root can be a dictionary or a number")
  func values() throws {
    let structure = try ArchiveDocument(creating: folder("a"), root: ["x": [1, 2, 3], "y": []])
    structure.root["z"] = [7]
    try structure.save()
    structure.root["x"]?.append(4)
    try structure.save()
    structure.close()
    let again = try ArchiveDocument<[String: [Int]]>(opening: folder("a"))
    #expect(again.root == ["x": [1, 2, 3, 4], "y": [], "z": [7]] && again.saves.count == 3)

    let number = try ArchiveDocument(creating: folder("b"), root: 1)
    for value in 2...5 {
      number.root = value
      try number.save()
    }
    number.close()
    #expect(try ArchiveDocument<Int>(opening: folder("b")).root == 5)
    #expect(try ArchiveDocument<Int>(opening: folder("b")).root(asOf: 2) == 2)
  }

  @Test("an archive of a single root object opens as a document, and other archives are refused")
  func archives() throws {
    try KeyedArchiver.archive(rootObject: Notebook(pageCount: 100), toFile: path)
    let document = try ArchiveDocument<Notebook>(opening: path)
    document.root.title = "changed"
    try document.save()
    #expect(document.saves.count == 2)
    let archiver = KeyedArchiver()
    try archiver.encode(1, forKey: "a")
    try archiver.encode(2, forKey: "root")
    try archiver.write(toFile: folder("keys"))
    try KeyedArchiver().write(toFile: folder("empty"))
    try HandmadeArchive.data(topLevel: [0, 0x51, 0x91]).write(to: URL(filePath: folder("list")))
    for name in ["keys", "empty", "list"] {
      let error = #expect(throws: ArchiveError.self) { try ArchiveDocument<Int>(opening: folder(name)) }
      #expect(error?.code == .misuse && error?.path == folder(name))
      #expect(error?.message.contains("not that of a single root object") == true)
    }
    try foundationArchive([1] as NSArray, format: .binary).write(to: URL(filePath: folder("old")))
    let error = #expect(throws: ArchiveError.self) { try ArchiveDocument<[Int]>(opening: folder("old")) }
    #expect(error?.code == .misuse && error?.message.contains("an archive of NSKeyedArchiver") == true)
  }

  private final class Panel: Codable {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(Polymorphic<Any>(PanelReading(number: 0)))
        throw Refusal(reason: "not now")
      }
    }

    @Polymorphic var reading: Any = PanelReading(number: 1)

    enum CodingKeys: CodingKey { case attempt, reading }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      reading = try container.decode(Polymorphic<Any>.self, forKey: .reading).wrappedValue
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      #expect(throws: Refusal.self) { try container.encode(Failing(), forKey: .attempt) }
      try container.encode(_reading, forKey: .reading)
    }
  }

  @Test("a type that an abandoned value used first is listed once in the file")
  func abandonedTypes() throws {
    try ArchiveDocument(creating: path, root: Panel()).close()
    let document = try ArchiveDocument<Panel>(opening: path)
    document.root.reading = PanelReading(number: 2)
    #expect(try document.save())
    #expect((try KeyedUnarchiver.unarchive(Panel.self, fromFile: path).reading as? PanelReading)?.number == 2)
    let image = try ArchiveImage(data: folder.read("notes"), verification: .everything)
    try image.verifyStructure()
    #expect(image.classes.count == 2 && image.saves.count == 1)
  }

  @Test("a document has one writer, and does not disturb readers")
  func oneWriter() throws {
    let document = try create(500)
    let reader = try KeyedUnarchiver(forReadingFile: path)
    let error = #expect(throws: ArchiveError.self) { try ArchiveDocument<Notebook>(opening: path) }
    #expect(error?.code == .fileInUse && error?.path == path)
    #if os(Linux)
      #expect(error?.message.contains("this process") == true)
    #endif
    document.root.pages.removeAll()
    try document.save()
    try document.compact()
    #expect(throws: ArchiveError.self) { try ArchiveDocument<Notebook>(opening: path) }
    #expect(try reader.decode(Notebook.self, forKey: KeyedArchiver.rootKey).pages.count == 500)
    document.close()
    let closed = #expect(throws: ArchiveError.self) { try document.save() }
    #expect(closed?.code == .misuse)
    #expect(try ArchiveDocument<Notebook>(opening: path).root.pages.isEmpty)
    let exists = #expect(throws: ArchiveError.self) { try create(1) }
    #expect(exists?.code == .unwritableFile)
    let missing = #expect(throws: ArchiveError.self) { try ArchiveDocument<Notebook>(opening: folder("no")) }
    #expect(missing?.code == .unreadableFile)
    let folderError = #expect(throws: ArchiveError.self) {
      try ArchiveDocument<Notebook>(opening: folder.path)
    }
    #expect(folderError?.code == .unreadableFile)
    #expect(folderError?.message.contains("cannot be read as an archive: it is a folder") == true)
  }

  private final class Member: Codable, EqualByIdentity { var name = "same" }

  private struct Seat: Codable, Hashable {
    var table = Member()
    var member = Member()
  }

  private final class Club: Codable {
    var members: Set<Member> = []
    var seats: Set<Seat> = []
    var ranks: [Member: String] = [:]
  }

  @Test("sets of indistinguishable objects are not written again in another order")
  func alikeElements() throws {
    let club = Club()
    let table = Member()
    for _ in 0..<10 {
      club.members.insert(Member())
      club.seats.insert(Seat(table: table))
      club.ranks[Member()] = "rank"
    }
    try ArchiveDocument(creating: path, root: club).close()
    let bytes = try folder.read("notes")
    for _ in 0..<5 {
      let document = try ArchiveDocument<Club>(opening: path)
      #expect(try !document.save())
    }
    #expect(try folder.read("notes") == bytes)
    let document = try ArchiveDocument<Club>(opening: path)
    document.root.members.insert(Member())
    #expect(try document.save())
    document.close()
    #expect(try !ArchiveDocument<Club>(opening: path).save())
  }
}

struct PanelReading: Codable {
  var number: Int
}
