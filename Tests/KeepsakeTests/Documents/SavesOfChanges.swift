import Foundation
import Keepsake
import TestSupport
import Testing

/// Saves of a document whose caller lists the changed objects.
@Suite struct SavesOfChanges {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder("notes") }

  private func saved<Root: Codable>(_ type: Root.Type = Notebook.self) throws -> Root {
    try KeyedUnarchiver.unarchive(type, fromFile: path)
  }

  @Test("listed objects are saved, with new objects that they refer to", arguments: [false, true])
  func listed(isReopened: Bool) throws {
    var document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 500))
    if isReopened {
      document.close()
      document = try ArchiveDocument(opening: path)
    }
    let page = document.root.pages[123]
    page.text = "changed"
    #expect(try document.save(changed: [page]))
    #expect(try saved().pages[123].text == "changed")
    #expect(document.saves[1].byteCount < 200)

    let added = Drawing("added", [1, 2])
    added.links = [page, document.root.pages[7]]
    added.back = document.root.pages[8]
    page.links = [added]
    #expect(try document.save(changed: [page]))
    let read = try saved()
    let drawing = try #require(read.pages[123].links.first as? Drawing)
    #expect(drawing.points == [1, 2] && drawing.back === read.pages[8])
    #expect(drawing.links[0] === read.pages[123] && drawing.links[1] === read.pages[7])

    document.root.pages.removeAll { $0 === page }
    #expect(try document.save(changed: [document.root]))
    #expect(try saved().pages.count == 499)
    let bytes = try document.root.bytes
    #expect(try saved().bytes == bytes)
    try document.compact()
    #expect(try folder.read("notes") == bytes)
  }

  @Test("the next full save finds changes of unlisted objects")
  func notListed() throws {
    let document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 50))
    let pages = document.root.pages
    pages[3].text = "listed"
    pages[4].text = "not listed"
    try document.save(changed: [pages[3]])
    #expect(try saved().pages[3...4].map(\.text) == ["listed", "the text of page 4"])
    #expect(try document.save())
    #expect(try saved().pages[4].text == "not listed")
    #expect(try !document.save())
  }

  @Test("an object that was removed and added again is saved anew")
  func comesBack() throws {
    let document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 5))
    let page = document.root.pages.remove(at: 3)
    #expect(try document.save(changed: [document.root]))
    #expect(try !document.save())
    page.text = "changed meanwhile"
    document.root.pages.append(page)
    #expect(try document.save(changed: [document.root]))
    #expect(try saved().pages.last?.text == "changed meanwhile")
    #expect(try !document.save())
  }

  @Test("nothing is written for unchanged objects and objects outside the document")
  func nothing() throws {
    let document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 50))
    let bytes = try folder.read("notes")
    #expect(try !document.save(changed: []))
    #expect(try !document.save(changed: [NotePage("elsewhere")]))
    #expect(try !document.save(changed: document.root.pages + [document.root, document.root]))
    #expect(try folder.read("notes") == bytes)
  }

  @Test("nothing is written for unchanged objects with a shared string")
  func sharedStrings() throws {
    let document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 5))
    let pages = document.root.pages
    for page in pages { page.text = "the same text" }
    #expect(try document.save())
    let byteCount = try folder.read("notes").count
    for page in pages { #expect(try !document.save(changed: [page])) }
    #expect(try !document.save())
    #expect(try folder.read("notes").count == byteCount)
    pages[0].text = "another text"
    #expect(try document.save())
    #expect(try !document.save(changed: [pages[1]]))
    let read = try saved().pages.map(\.text)
    #expect(read == ["another text"] + Array(repeating: "the same text", count: 4))
    for page in [pages[0], pages[3]] {
      page.text = "the same texu"
      #expect(try document.save(changed: [page]))
    }
    #expect(try !document.save())
    #expect(try saved().pages[3].text == "the same texu")
  }

  @Test("a weak property finds its object when that is archived, even if its owner is not listed")
  func archivedLater() throws {
    let document = try ArchiveDocument(creating: path, root: Pinboard())
    let (pin, other) = (Pin("pin"), Pin("other"))
    pin.weakly = other
    document.root.pins = [pin]
    func weaklyReferred(by index: Int) throws -> String? {
      let board = try saved(Pinboard.self)
      return withExtendedLifetime(board) { board.pins[index].weakly?.name }
    }
    try document.save()
    #expect(try weaklyReferred(by: 0) == nil)
    document.root.pins.append(other)
    try document.save(changed: [document.root])
    #expect(try weaklyReferred(by: 0) == "other")
    // The same for an object that is archived again.
    document.root.pins.removeLast()
    try document.save()
    #expect(try weaklyReferred(by: 0) == nil)
    document.root.pins.insert(other, at: 0)
    try document.save(changed: [document.root])
    #expect(try weaklyReferred(by: 1) == "other")
    #expect(try !document.save())
  }

  @Test("a weak property finds its object also right after creation or compaction")
  func archivedAfterCreating() throws {
    let (pin, other, third) = (Pin("pin"), Pin("other"), Pin("third"))
    (pin.weakly, other.weakly) = (other, third)
    let board = Pinboard()
    board.pins = [pin]
    let document = try ArchiveDocument(creating: path, root: board)
    board.pins.append(other)
    try document.save(changed: [board])
    var back = try saved(Pinboard.self)
    #expect(back.pins[0].weakly === back.pins[1] && back.pins[1].weakly == nil)
    try document.compact()
    board.pins.insert(third, at: 0)
    try document.save(changed: [board])
    back = try saved(Pinboard.self)
    #expect(back.pins[2].weakly === back.pins[0])
  }

  private final class Pinboard: Codable { var pins: [Pin] = [] }

  private final class Pin: Codable {
    let name: String
    weak var weakly: Pin?

    init(_ name: String) { self.name = name }
  }

  @Test("a new reference under another key may close a cycle")
  func anotherKey() throws {
    let document = try ArchiveDocument(creating: path, root: Task("root"))
    let task = Task("task")
    document.root.tasks = [task]
    task.parent = document.root
    try document.save()
    task.note = Task.Note(subject: document.root)
    try document.save(changed: [task])
    let root = try saved(Task.self)
    #expect(root.tasks[0].note?.subject === root && root.tasks[0].parent === root)
    root.tasks = []
    document.root.tasks = []
  }

  @Test("a reference between listed objects may close a cycle through an unlisted one")
  func betweenListed() throws {
    let document = try ArchiveDocument(creating: path, root: Task("root"))
    let (first, between, last) = (Task("first"), Task("between"), Task("last"))
    document.root.tasks = [first, last]
    between.tasks = [first]
    last.tasks = [between]
    try document.save()
    first.note = Task.Note(subject: last)
    try document.save(changed: [first, last])
    let root = try saved(Task.self)
    #expect(root.tasks[1].tasks[0].tasks[0] === root.tasks[0])
    #expect(root.tasks[0].note?.subject === root.tasks[1])
    for task in [root.tasks[0], first] { task.note = nil }
  }

  @Test("a new root object is refused if no reader can begin its cycle there")
  func otherRoot() throws {
    let early = EarlySaveEnd()
    let late = LateSaveEnd(early)
    early.late = late
    defer { early.late = nil }
    let document = try ArchiveDocument(creating: path, root: early as SaveEnd)
    document.root = late
    #expect(throws: EncodingError.self) { try document.save(changed: []) }
    let back = try #require(try saved(SaveEnd.self) as? EarlySaveEnd)
    #expect(back.late?.early === back)
    back.late = nil
  }

  @Test("a cycle through a model can be read after a new reference to another of its objects")
  func otherStart() throws {
    let document = try ArchiveDocument(creating: path, root: Task("root"))
    let (item, task) = (Item(), Task("plain"))
    item.holder = Item.Holder(task: task)
    task.note = Task.Note(subject: Task("other"), item: item)
    document.root.item = item
    try document.save()
    document.root.tasks = [task]
    try document.save(changed: [document.root])
    let root = try saved(Task.self)
    #expect(root.tasks[0].note?.item === root.item && root.item?.holder.task === root.tasks[0])
    for item in [root.item, item] { item?.holder = Item.Holder() }
  }

  @Test("unlisted objects behind unchanged references of a model are not saved")
  func sameReferences() throws {
    let root = Task("root")
    let item = Item()
    item.holder = Item.Holder(task: Task("held"))
    root.item = item
    root.tasks = [Task("not listed")]
    let document = try ArchiveDocument(creating: path, root: root)
    item.label = "listed"
    root.tasks[0].tasks = [Task("new")]
    try document.save(changed: [item])
    let read = try saved(Task.self)
    #expect(read.item?.label == "listed" && read.item?.holder.task?.name == "held")
    #expect(read.tasks[0].tasks.isEmpty)
  }

  private final class Item: ArchivedModel {
    struct Holder: ArchivedFields { var task: Task? }
    var label = ""
    var holder = Holder()
  }

  private final class Task: Codable {
    struct Note: Codable {
      var subject: Task
      var item: Item?
    }

    let name: String
    var item: Item?
    var tasks: [Task] = []
    var parent: Task?
    var note: Note?

    init(_ name: String) { self.name = name }
  }

  @Test("a root that is a dictionary is saved even if no object is listed")
  func structure() throws {
    let document = try ArchiveDocument(creating: path, root: ["a": [NotePage("one")], "b": []])
    document.root["b"] = [NotePage("two")]
    try document.save(changed: [])
    #expect(try saved([String: [NotePage]].self)["b"]?.map(\.title) == ["two"])
  }

  private final class Shelf: Codable {
    @Lazy var pages: [NotePage] = (0..<100).map { NotePage("page \($0)") }
    var name = "shelf"
  }

  @Test("lazy values that were read are saved with their owner, and others are kept")
  func lazyValues() throws {
    try ArchiveDocument(creating: path, root: [Shelf(), Shelf()]).close()
    let document = try ArchiveDocument<[Shelf]>(opening: path)
    let shelf = document.root[0]
    shelf.pages[5].text = "changed"
    shelf.pages.append(NotePage("added"))
    try document.save(changed: [shelf, shelf.pages[5]])
    #expect(document.saves[1].byteCount < 1_000)
    let read = try saved([Shelf].self)
    #expect(read[0].pages[5].text == "changed" && read[0].pages.last?.title == "added")
    #expect(read[1].pages.count == 100)
    #expect(document.root[1].pages.count == 100)
  }

  private final class Part: Codable {
    var next: [Part]?
    let owner: Part?
    var name = ""

    init(owner: Part?) { self.owner = owner }
  }

  /// A property of this type is neither optional nor a collection, so no reader can close a cycle through it.
  private enum Link: Codable {
    case end
    case station(Station)
  }

  private final class Station: Codable {
    var link = Link.end
    var name = ""
  }

  @Test("a cycle through unlisted objects is refused, as in a full save")
  func cycles() throws {
    let stations = (0..<10).map { _ in Station() }
    for (station, next) in zip(stations, stations.dropFirst()) { station.link = .station(next) }
    let document = try ArchiveDocument(creating: path, root: stations)
    let bytes = try folder.read("notes")
    stations[9].link = .station(stations[0])
    let expected = #expect(throws: EncodingError.self) { try document.save() }
    let error = #expect(throws: EncodingError.self) { try document.save(changed: [stations[9]]) }
    #expect("\(String(describing: error))" == "\(String(describing: expected))")
    #expect(try folder.read("notes") == bytes)
    stations[9].link = .station(Station())
    #expect(try document.save(changed: [stations[9]]))
    #expect(try saved([Station].self).count == 10)
  }

  @Test("a reference back that closes no unreadable cycle is saved")
  func pathsBack() throws {
    let parts = (0..<20).map { _ in Part(owner: nil) }
    for (part, next) in zip(parts, parts.dropFirst()) { part.next = [next] }
    let document = try ArchiveDocument(creating: path, root: parts)
    let added = Part(owner: parts[0])
    parts[19].next = [added]
    #expect(try document.save(changed: [parts[19]]))
    let read = try saved([Part].self)
    #expect(try #require(read[19].next?.first).owner === read[0])
  }
}

// MARK: - Types

class SaveEnd: Codable {
  init() {}
}

/// The key is not the name of the property, so the property cannot be read last.
final class EarlySaveEnd: SaveEnd, SelfRegistering {
  var late: LateSaveEnd?
  private enum CodingKeys: CodingKey { case other }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    decoder.register(self)
    late = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(LateSaveEnd.self, forKey: .other)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(late, forKey: .other)
  }
}

final class LateSaveEnd: SaveEnd {
  let early: EarlySaveEnd
  private enum CodingKeys: CodingKey { case early }

  init(_ early: EarlySaveEnd) {
    self.early = early
    super.init()
  }

  required init(from decoder: any Decoder) throws {
    early = try decoder.container(keyedBy: CodingKeys.self).decode(EarlySaveEnd.self, forKey: .early)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(early, forKey: .early)
  }
}
