import Foundation
import Keepsake
import Synchronization
import TestSupport
import Testing

/// `@Lazy` values are read on first use, keep identities, and lose nothing.
@Suite struct LazyProperties {
  /// Counts the calls of its decoding initializer in `userInfo`.
  final class Page: Codable {
    var title: String
    var next: Page?

    init(_ title: String) { self.title = title }

    enum CodingKeys: CodingKey { case title, next }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      next = try container.decodeIfPresent(Page.self, forKey: .next)
      (decoder.userInfo[LazyProperties.counter] as? Counter)?.add()
    }
  }

  final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }

  static let counter = CodingUserInfoKey.named("counter")

  final class Chapter: Codable {
    var title = ""
    @Lazy var pages: [Page] = []
    @Lazy var first: Page?
    @Lazy var notes: [String: String] = [:]
  }

  final class Book: Codable {
    var chapters: [Chapter] = []
    var cover: Page?
  }

  private func book(_ chapterCount: Int, pageCount: Int = 10) -> Book {
    let book = Book()
    for number in 0..<chapterCount {
      let chapter = Chapter()
      chapter.title = "chapter \(number)"
      chapter.pages = (0..<pageCount).map { Page("page \(number).\($0)") }
      chapter.first = chapter.pages.first
      chapter.notes = ["number": "\(number)"]
      book.chapters.append(chapter)
    }
    book.cover = book.chapters.first?.pages.last
    return book
  }

  private func read(_ data: Data, _ counter: Counter = Counter()) throws -> Book {
    try KeyedUnarchiver.unarchive(
      Book.self,
      from: data,
      verification: .onDemand,
      userInfo: [Self.counter: counter]
    )
  }

  @Test("only lazy values that the program uses are read")
  func laziness() throws {
    let counter = Counter()
    let book = try read(KeyedArchiver.archivedData(withRootObject: book(500)), counter)
    // The cover is not lazy.
    #expect(counter.value == 1 && !book.chapters[7].$pages.isLoaded)
    #expect(book.chapters[7].pages.map(\.title) == (0..<10).map { "page 7.\($0)" })
    #expect(counter.value == 11 && book.chapters[7].$pages.isLoaded && !book.chapters[8].$pages.isLoaded)
    #expect(book.chapters[7].pages.count == 10 && book.chapters[7].notes == ["number": "7"])
    #expect(counter.value == 11)
  }

  @Test("an object has one instance, in any order of reading")
  func identity() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: book(3))
    let one = try read(data)
    #expect(one.chapters[1].first === one.chapters[1].pages[0])
    let other = try read(data)
    #expect(other.chapters[1].pages[0] === other.chapters[1].first)
    #expect(other.cover === other.chapters[0].pages[9])
    #expect(one.cover !== other.cover)
  }

  @Test("many threads use lazy values, and each is read once")
  func threads() async throws {
    let counter = Counter()
    let shared = try SharedValue(read(KeyedArchiver.archivedData(withRootObject: book(200)), counter))
    await withTaskGroup(of: Int.self) { tasks in
      for task in 0..<8 {
        tasks.addTask {
          shared.value.chapters.indices.reduce(0) { sum, index in
            let chapter = shared.value.chapters[(index * 7 + task * 31) % 200]
            return sum + chapter.pages.count + (chapter.first === chapter.pages.first ? 1 : 0)
          }
        }
      }
      for await sum in tasks { #expect(sum == 200 * 11) }
    }
    #expect(counter.value == 2_000)
  }

  @Test("lazy values are read while another thread decodes other keys")
  func besideDecoding() async throws {
    let count = 2_000
    let archiver = KeyedArchiver()
    try archiver.encode(book(count), forKey: "book")
    for index in 0..<count { try archiver.encode([Page("\(index)")], forKey: "pages \(index)") }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    nonisolated(unsafe) let book = try unarchiver.decode(Book.self, forKey: "book")
    async let touched = unsafe book.chapters.count { $0.pages.count == 10 && $0.first === $0.pages[0] }
    for index in 0..<count {
      let page = try #require(unarchiver.decodeIfPresent([Page].self, forKey: "pages \(index)")?.first)
      #expect(page.title == "\(index)" && unarchiver.containsValue(forKey: "pages \(index)"))
    }
    #expect(await touched == count && unarchiver.error == nil)
  }

  @Test("lazy values are read while another thread changes and releases the unarchiver")
  func besideChanges() throws {
    let count = 2_000
    var unarchiver: KeyedUnarchiver? = try KeyedUnarchiver(
      forReadingFrom: KeyedArchiver.archivedData(withRootObject: book(count))
    )
    let shared = try SharedValue(#require(unarchiver).decode(Book.self, forKey: "root"))
    let (chapters, touched) = (Counter(), Counter())
    let done = DispatchSemaphore(value: 0)
    // Not a task, which might have to wait until all other tests end.
    Thread.detachNewThread {
      for chapter in shared.value.chapters {
        chapters.add()
        if chapter.pages.count == 10, chapter.first === chapter.pages[0] { touched.add() }
      }
      done.signal()
    }
    var index = 0
    while chapters.value < count / 2 {
      unarchiver?.limits.maximumStringByteCount = 1_000_000 + index
      unarchiver?.setClass(index.isMultiple(of: 2) ? Page.self : nil, forClassName: "no class")
      unarchiver?.userInfo[Self.counter] = Counter()
      #expect(unarchiver?.error == nil)
      index += 1
    }
    unarchiver = nil
    done.wait()
    #expect(touched.value == count)
  }

  @Test("plain properties read what lazy ones wrote, and the other way round")
  func evolution() throws {
    struct Plain: Codable, Equatable {
      var lines: [String] = []
      var page: Page?
      static func == (left: Plain, right: Plain) -> Bool {
        left.lines == right.lines && left.page?.title == right.page?.title
      }
    }

    struct Delayed: Codable {
      @Lazy var lines: [String] = []
      @Lazy var page: Page?
    }

    let plain = Plain(lines: ["a", "b"], page: Page("p"))
    let delayed = try KeyedUnarchiver.unarchive(
      Delayed.self,
      from: KeyedArchiver.archivedData(withRootObject: plain)
    )
    #expect(!delayed.$lines.isLoaded && delayed.lines == ["a", "b"] && delayed.page?.title == "p")
    let back = try KeyedUnarchiver.unarchive(
      Plain.self,
      from: KeyedArchiver.archivedData(withRootObject: Delayed(lines: ["c"], page: Page("q")))
    )
    #expect(back == Plain(lines: ["c"], page: Page("q")))
    let none = try KeyedUnarchiver.unarchive(
      Delayed.self,
      from: KeyedArchiver.archivedData(withRootObject: Plain())
    )
    #expect(none.page == nil && none.lines.isEmpty)
  }

  @Test("other coders encode the plain value, and archiving an owner again keeps all its values")
  func otherArchives() throws {
    let counter = Counter()
    let book = try read(KeyedArchiver.archivedData(withRootObject: book(4)), counter)
    let again = try read(KeyedArchiver.archivedData(withRootObject: book))
    #expect(again.chapters[3].pages.map(\.title) == book.chapters[3].pages.map(\.title))
    #expect(again.cover === again.chapters[0].pages[9])
    let json = try JSONEncoder().encode(book.chapters[2])
    #expect(
      try JSONDecoder().decode(Chapter.self, from: json).pages.map(\.title)
        == book.chapters[2].pages.map(\.title)
    )
  }

  @Test("damage found on reading is remembered, thrown by load and never archived")
  func damage() throws {
    var data = try KeyedArchiver.archivedData(withRootObject: book(400, pageCount: 40))
    // In the middle of the bodies, far after those of the chapters.
    data[data.count / 2] ^= 0x40
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let book = try unarchiver.decode(Book.self, forKey: KeyedArchiver.rootKey)
    var hurt: [Chapter] = []
    for chapter in book.chapters where (try? chapter.$pages.load()) == nil { hurt.append(chapter) }
    let chapter = try #require(hurt.first)
    #expect(hurt.count < 300 && chapter.pages.isEmpty && chapter.$pages.error != nil)
    #expect(unarchiver.error != nil)
    #expect(throws: (any Error).self) { try chapter.$pages.load() }
    #expect(throws: (any Error).self) { try KeyedArchiver.archivedData(withRootObject: chapter) }
    // Changing it in place does not lose unreadable content.
    chapter.pages.removeAll()
    #expect(chapter.$pages.error != nil)
    #expect(throws: (any Error).self) { try KeyedArchiver.archivedData(withRootObject: chapter) }
    chapter.pages = []
    #expect(try roundTrip(chapter).pages.isEmpty)
  }

  @Test("objects with lazy values are released with their owner")
  func memory() throws {
    weak var page: Page?
    weak var chapter: Chapter?
    do {
      let book = try read(KeyedArchiver.archivedData(withRootObject: book(3)))
      chapter = book.chapters[1]
      page = book.chapters[1].pages[0]
      #expect(page != nil && chapter != nil)
    }
    #expect(page == nil && chapter == nil)
  }

  // MARK: Documents

  @Test("a document saves and compacts without reading unread values")
  func documents() throws {
    let folder = try TemporaryFolder()
    let path = folder("book")
    try ArchiveDocument(creating: path, root: book(300)).close()
    let counter = Counter()
    var document = try ArchiveDocument<Book>(opening: path, userInfo: [Self.counter: counter])
    document.compactsAutomatically = false
    #expect(try !document.save() && counter.value == 1)
    document.root.chapters[7].pages[3].title = "changed"
    document.root.chapters[9].title = "also changed"
    let shared = document.root.chapters[7].pages[3]
    document.root.chapters[9].pages.append(shared)
    #expect(try document.save())
    #expect(counter.value == 21 && (document.saves.last?.byteCount ?? .max) < 1_000)
    #expect(!document.root.chapters[8].$pages.isLoaded)
    try document.compact()
    #expect(document.saves.count == 1 && counter.value == 21)
    document.root.chapters[11].title = "after compacting"
    #expect(try document.save())
    // Read from the file, which is already removed.
    #expect(document.root.chapters[12].pages.map(\.title) == (0..<10).map { "page 12.\($0)" })
    document.root.chapters[12].pages.removeLast()
    #expect(try document.save())
    document.close()

    document = try ArchiveDocument(opening: path)
    let chapters = document.root.chapters
    #expect(chapters[7].pages[3].title == "changed" && chapters[9].pages.last === chapters[7].pages[3])
    #expect(chapters[9].title == "also changed" && chapters[11].title == "after compacting")
    #expect(chapters[12].pages.count == 9 && chapters[299].pages[9].title == "page 299.9")
    #expect(chapters[0].pages[9] === document.root.cover)
    #expect(chapters.allSatisfy { $0.first === $0.pages[0] })
  }

  @Test("a damaged document is not overwritten by a save")
  func faultyDocuments() throws {
    let folder = try TemporaryFolder()
    try KeyedArchiver.archive(rootObject: book(400, pageCount: 40), toFile: folder("book"))
    var data = try folder.read("book")
    data[data.count / 2] ^= 0x40
    try folder.write(data, "book")
    let document = try ArchiveDocument<Book>(opening: folder("book"))
    for chapter in document.root.chapters { chapter.pages.append(Page("new")) }
    let error = #expect(throws: ArchiveError.self) { try document.save() }
    #expect(error?.code == .damaged)
    #expect(throws: ArchiveError.self) { try document.compact() }
    #expect(try folder.read("book") == data)
  }

  @Test("a graph of 100,000 values is opened without reading them")
  func large() throws {
    let folder = try TemporaryFolder()
    final class Shelf: Codable { @Lazy var pages: [Page] = [] }
    let shelf = Shelf()
    shelf.pages = (0..<100_000).map { Page("page \($0)") }
    let shelves = [shelf, Shelf()]
    try KeyedArchiver.archive(rootObject: shelves, toFile: folder("shelves"))
    let counter = Counter()
    let read = try KeyedUnarchiver.unarchive(
      [Shelf].self,
      fromFile: folder("shelves"),
      verification: .onDemand,
      userInfo: [Self.counter: counter]
    )
    #expect(read[1].pages.isEmpty && counter.value == 0)
    #expect(read[0].pages.count == 100_000 && counter.value == 100_000)
  }
}
