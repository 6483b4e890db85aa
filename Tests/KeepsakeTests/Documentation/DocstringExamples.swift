import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples in the comments of the public symbols. Those that name a file in the working folder are only compiled.
@Suite("Documentation: the comments of the symbols") struct DocstringExamples {
  struct Book: Codable, Equatable {
    var title = "Lavinia"
    var author = "Ursula K. Le Guin"
  }

  struct Loan: Codable {
    var days = 28
  }

  final class Library: Codable {
    var books: [Book] = [Book()]
    fileprivate(set) var index: [String: [Book]] = [:]

    private enum CodingKeys: String, CodingKey { case books }
  }

  private let library = Library()
  private let books = [Book()]
  private let loans = [Loan()]

  // MARK: Archivers, coders and formats

  func filesInTheWorkingFolder() throws {
    try KeyedArchiver.archive(rootObject: library, toFile: "library.keepsake")

    let archiver = KeyedArchiver()
    try archiver.encode(books, forKey: "books")
    try archiver.encode(loans, forKey: "loans")
    try archiver.write(toFile: "library.keepsake")
  }

  func readingFilesInTheWorkingFolder() throws -> [Book] {
    let library = try KeyedUnarchiver.unarchive(Library.self, fromFile: "library.keepsake")

    let unarchiver = try KeyedUnarchiver(forReadingFile: "library.keepsake")
    let books = try unarchiver.decode([Book].self, forKey: "books")
    return library.books + books
  }

  func documentInTheWorkingFolder(_ book: Book) throws {
    let document = try ArchiveDocument<Library>(opening: "library.keepsake")
    document.root.books.append(book)
    try document.save()
  }

  private final class Note: Codable { var text = "" }
  private final class Notes: Codable { var notes: [Note] = [] }

  @Test func changesOfADocument() throws {
    let folder = try TemporaryFolder()
    let document = try ArchiveDocument(creating: folder("notes"), root: Notes())
    document.root.notes = [Note()]
    try document.save()
    let note = document.root.notes[0]
    note.text = "changed"
    document.root.notes.append(Note())
    try document.save(changed: [note, document.root])
    #expect(
      try KeyedUnarchiver.unarchive(Notes.self, fromFile: folder("notes")).notes.map(\.text) == [
        "changed", "",
      ]
    )
  }

  final class Chapter: Codable {
    var title = ""
    @Lazy var pages: [Page] = []
  }

  struct Page: Codable {
    var text = ""
  }

  func lazyPages(of chapter: Chapter) throws -> [Page] {
    let pages = try chapter.$pages.load()
    return pages
  }

  func saving(to libraryURL: URL) throws {
    try KeyedArchiver.archive(rootObject: library, to: libraryURL)
  }

  func savingInBackground(to libraryURL: URL) async throws {
    try await KeyedArchiver.save(rootObject: library, to: libraryURL)
  }

  @Test("a library passes the check and is copied for another task")
  func checkAndCopy() async throws {
    library.awakeFromArchive()
    let check = KeyedArchiver.check(library)
    #expect(check.isPassed, "\(check)")

    let snapshot = try KeyedArchiver.disconnectedCopy(of: library)
    Task.detached { report(on: snapshot) }
  }

  @Test("a placeholder stands for an unknown type")
  func placeholder() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("NoSuchPlugin.Blob", for: Blob.self)
    try archiver.encode(Drawing(shapes: [Blob()]), forKey: "drawing")
    let data = try archiver.encodedData

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.placeholders = [UnknownShape.self]
    let drawing = try unarchiver.decode(Drawing.self, forKey: "drawing")
    #expect((drawing.shapes[0] as? UnknownShape)?.content.typeName == "NoSuchPlugin.Blob")
  }

  func reading(from libraryURL: URL) throws -> Library {
    let library = try KeyedUnarchiver.unarchive(Library.self, from: libraryURL)
    return library
  }

  func uploadInTheWorkingFolder() throws -> KeyedUnarchiver {
    var limits = ArchiveLimits()
    limits.maximumByteCount = 10 << 20
    limits.maximumAllocation = 100 << 20
    let unarchiver = try KeyedUnarchiver(forReadingFile: "upload.keepsake", limits: limits)
    return unarchiver
  }

  func peopleInTheDefaultsOfThisProgram() throws {
    let people = ["Ada"]
    try UserDefaults.standard.archive(people, forKey: "people")
  }

  func lookingIntoTheWorkingFolder() throws -> String? {
    let archive = try ArchiveValue(forReadingFile: "library.keepsake")
    for book in try archive["books"]?.members() ?? [] {
      print(try book.value["title"]?.stringValue ?? "untitled")
    }
    let title = try archive[path: "root.books[3].title"]?.stringValue
    return title
  }

  func editingTheWorkingFolder() throws {
    var editor = try ArchiveEditor(forReadingFile: "library.keepsake")
    editor.renameKey("titel", to: "title", inObjectsOfClass: "Book")
    try editor.removeValue(at: "drafts")
    try editor.setValue(2, at: "schema")
    try editor.write(toFile: "library.keepsake")
  }

  @Test("the drop-in coders and unarchive(_:from:) read a library")
  func coders() throws {
    let data = try ArchiveEncoder().encode(library)
    let titles: [String]
    do {
      let library = try ArchiveDecoder().decode(Library.self, from: data)
      titles = library.books.map(\.title)
    }
    #expect(titles == ["Lavinia"])
    do {
      let library = try KeyedUnarchiver.unarchive(Library.self, from: data)
      #expect(library.books == books && library.index == ["Ursula K. Le Guin": books])
    }
  }

  @Test("a dictionary archived with sorted keys is read")
  func formatting() throws {
    let counts = ["one": 1, "two": 2]
    let data = try KeyedArchiver.archivedData(withRootObject: counts, outputFormatting: .sortedKeys)
    #expect(try KeyedUnarchiver.unarchive([String: Int].self, from: data) == counts)
  }

  @Test("a file is read with full verification")
  func verification() throws {
    let folder = try TemporaryFolder()
    let path = folder("library.keepsake")
    try KeyedArchiver.archive(rootObject: library, toFile: path)
    let unarchiver = try KeyedUnarchiver(forReadingFile: path, verification: .everything)
    #expect(unarchiver.allKeys == [KeyedArchiver.rootKey])
  }

  // MARK: Errors

  private func reports(of path: String) throws -> [String] {
    var reports: [String] = []
    func report(_ text: String) { reports.append(text) }
    var library = Library()
    do {
      library = try KeyedUnarchiver.unarchive(Library.self, fromFile: path)
    } catch let error as ArchiveError {
      report(error.description)  // library.keepsake: cannot open the file: No such file or directory
    } catch DecodingError.dataCorrupted(let context) {
      report(context.debugDescription)
    }
    #expect(library.books.count == 1)
    return reports
  }

  private func advice(on context: DecodingError.Context) -> [String] {
    var advice: [String] = []
    func report(_ text: String) { advice.append(text) }
    let error = context.underlyingError as? ArchiveError
    if error?.code == .unsupportedVersion { report("A later version of this program is needed.") }
    return advice
  }

  @Test("errors of reading are reported")
  func errors() throws {
    let folder = try TemporaryFolder()
    let path = folder("library.keepsake")
    #expect(try reports(of: path) == ["\(path): cannot open the file: No such file or directory"])

    try KeyedArchiver.archive(rootObject: library, toFile: path)
    #expect(try reports(of: path).isEmpty)

    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data[8] = 2
    try data.write(to: URL(fileURLWithPath: path))
    #expect(try reports(of: path).count == 1)
    do {
      _ = try KeyedUnarchiver.unarchive(Library.self, fromFile: path)
      Issue.record("the version of the format was not looked at")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(advice(on: context) == ["A later version of this program is needed."])
    }
  }

  // MARK: Names

  class Animal: Codable {}

  final class Dog: Animal {}

  @Test("a subclass is found by its stated name and by an older one")
  func statedNames() throws {
    let animals: [Animal] = [Dog()]
    for name in ["Dog", "Zoo.Hound"] {
      let archiver = KeyedArchiver()
      archiver.setClassName(name, for: Dog.self)
      try archiver.encode(animals, forKey: "pets")

      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      #expect(try unarchiver.decode([Animal].self, forKey: "pets")[0] is Dog)
    }
    #expect(Dog.archiveVersion == 2)
  }

  @Test("a registered class is decoded with registeredOnly")
  func policy() throws {
    let archiver = KeyedArchiver()
    let animals: [Animal] = [Dog()]
    try archiver.encode(animals, forKey: "pets")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.classPolicy = .registeredOnly
    unarchiver.setClass(Dog.self, forClassName: "Dog")
    let pets = try unarchiver.decode([Animal].self, forKey: "pets")
    #expect(pets[0] is Dog)
  }

  func namesOfTheWholeProcess() {
    KeyedArchiver.setClassName("Hound", for: Dog.self)
    KeyedUnarchiver.setClass(Dog.self, forClassName: "Hound")
  }

  enum OfSubclasses {
    class Animal: Codable, ArchivableClass {
      class var archivedClassName: String { "Animal" }
    }

    class Cat: Animal {
      override class var archivedClassName: String { "Cat" }
    }
  }

  @Test("a subclass is found by its stated name")
  func subclasses() throws {
    let animals: [OfSubclasses.Animal] = [OfSubclasses.Cat(), OfSubclasses.Animal()]
    #expect(try roundTrip(animals)[0] is OfSubclasses.Cat)
    #expect(OfSubclasses.Cat.archivedClassName == "Cat")
  }

  // MARK: Wrappers

  enum OfDeferred {
    final class Author: Codable { var posts: [Post] = [] }
    final class Post: Codable {
      @Deferred var author: Author

      init(author: Author) { self.author = author }
    }
  }

  @Test("a deferred property closes a cycle")
  func deferred() throws {
    let author = OfDeferred.Author()
    author.posts = [OfDeferred.Post(author: author)]
    let copy = try KeyedArchiver.copy(of: author)
    #expect(copy.posts[0].author === copy)
    for post in copy.posts {
      let author = try post.$author.get()
      #expect(author === copy)
    }
    author.posts = []
    copy.posts = []
  }

  final class Author: Codable {
    var posts: [Post] = []
  }

  final class Post: Codable {
    private(set) var author: Author

    private enum CodingKeys: String, CodingKey { case author }

    init(author: Author) { self.author = author }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      author = Author()
      try container.decodeDeferred(Author.self, forKey: .author) { [weak self] in self?.author = $0 }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeDeferred(author, forKey: .author)
    }
  }

  @Test("a cycle is deferred by hand")
  func deferredByHand() throws {
    let author = Author()
    author.posts = [Post(author: author)]
    let copy = try KeyedArchiver.copy(of: author)
    #expect(copy.posts[0].author === copy)
    author.posts = []
    copy.posts = []
  }

  final class Node: Codable {
    var children: [Node] = []
    @WeakReference var parent: Node?
  }

  @Test("a weak property leads back")
  func weakReference() throws {
    let node = Node()
    node.children = [Node()]
    node.children[0].parent = node
    let copy = try KeyedArchiver.copy(of: node)
    #expect(copy.children[0].parent === copy)
  }

  protocol Shape: Codable { var area: Double { get } }

  struct Square: Shape {
    var area = 4.0
  }

  struct Drawing: Codable {
    @Polymorphic var shapes: [any Shape] = []
  }

  @Test("a value behind a protocol is copied")
  func polymorphic() throws {
    #expect(try KeyedArchiver.copy(of: Drawing(shapes: [Square()])).shapes[0] is Square)
  }

  // MARK: Graphs

  final class File: Codable {
    var folder: Folder

    init(folder: Folder) { self.folder = folder }
  }

  final class Folder: Codable, SelfRegistering {
    var name: String
    var files: [File] = []  // each of which has a property `folder`

    private enum CodingKeys: String, CodingKey { case name, files }

    init(name: String) { self.name = name }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      decoder.register(self)
      files = try container.decode([File].self, forKey: .files)
    }
  }

  @Test("a class that registers itself closes a cycle")
  func selfRegistering() throws {
    let folder = Folder(name: "Letters")
    folder.files = [File(folder: folder)]
    let copy = try KeyedArchiver.copy(of: folder)
    #expect(copy.files[0].folder === copy && copy.name == "Letters")
    folder.files = []
    copy.files = []
  }

  // MARK: Models and declared fields

  enum OfKeys {
    class User: ArchivedModel {
      override class var archivedKeys: [String: String?] { ["friends": "mates", "cache": nil] }

      var friends: [User] = []
      var cache: [Int]?
    }

    struct Reply: ArchivedFields {
      var text = ""
      var cache: [String: Int] = [:]

      static var archivedKeys: [String: String?] { ["text": "body", "cache": nil] }
    }
  }

  class User: ArchivedModel {
    var name = ""
    var friends: [User] = []
    weak var boss: User?
    private var secret: Data?
  }
  class Admin: User {
    var level = 1
  }

  @Test("models ignore properties, keep subclasses and close cycles")
  func models() throws {
    let user = OfKeys.User()
    user.cache = [1]
    #expect(try KeyedArchiver.copy(of: user).cache == nil)
    #expect(try KeyedArchiver.copy(of: OfKeys.Reply(text: "Yes", cache: ["a": 1])).cache.isEmpty)

    let admin = Admin()
    admin.friends = [admin]
    admin.level = 3
    let copy = try KeyedArchiver.copy(of: admin)
    #expect(copy.friends[0] === copy && copy.level == 3)
    admin.friends = []
    copy.friends = []
  }

  struct Address: ArchivedFields {
    var street = ""
    var city = ""
    var postalCode = 0
  }

  struct Point: ArchivedFields {
    var x = 0.0
    var y = 0.0
  }

  @Test("declared fields are archived, and read from JSON")
  func fields() throws {
    #expect(try KeyedArchiver.copy(of: Point(x: 1, y: 2)).y == 2)
    let json: Data
    do {
      let address = Address(street: "Damrak", city: "Amsterdam", postalCode: 1012)
      let data = try KeyedArchiver.archivedData(withRootObject: address)
      #expect(try KeyedUnarchiver.unarchive(Address.self, from: data).city == "Amsterdam")
      json = try encoded(address)
    }
    let address = try JSONDecoder().decode(Address.self, from: json)
    #expect(address.postalCode == 1012)
  }

  private func encoded(_ address: Address) throws -> Data {
    let json = try JSONEncoder().encode(address)
    return json
  }

  // MARK: Delegates

  final class Style: Codable {
    var name: String

    init(name: String) { self.name = name }
  }

  final class Preview: Codable {}

  final class Paragraph: Codable {
    var style = Style(name: "plain")
    var preview: Preview? = Preview()
  }

  final class WithoutPreviews: KeyedArchiverDelegate {
    func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
      object is Preview ? nil : object
    }
  }

  final class StyleCatalog: KeyedUnarchiverDelegate {
    let plain = Style(name: "plain")

    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
      guard let style = object as? Style else { return object }
      return style.name == plain.name ? plain : style
    }
  }

  @Test("delegates leave out and replace objects")
  func delegates() throws {
    let archiver = KeyedArchiver()
    let withoutPreviews = WithoutPreviews()
    archiver.delegate = withoutPreviews
    try archiver.encode(Paragraph(), forKey: "paragraph")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let catalog = StyleCatalog()
    unarchiver.delegate = catalog
    let paragraph = try unarchiver.decode(Paragraph.self, forKey: "paragraph")
    #expect(paragraph.preview == nil && paragraph.style === catalog.plain)
  }
}

private typealias Dog = DocstringExamples.Dog

extension Dog: ArchivableClass {
  static var archivedClassName: String { "Dog" }
  static var archivedClassAliases: [String] { ["Zoo.Hound"] }  // what older archives call it
  static var archiveVersion: Int { 2 }
}

private typealias Library = DocstringExamples.Library
private typealias Book = DocstringExamples.Book

extension Library: ArchiveAwakening {
  func awakeFromArchive() { index = Dictionary(grouping: books, by: \.author) }
}

private func report(on library: DocstringExamples.Library) {}

extension DocstringExamples {
  struct Blob: Shape {
    var area: Double { 1 }
  }

  struct UnknownShape: Shape, ArchivePlaceholder {
    let content: UnknownValue
    var area: Double { 0 }

    init(_ content: UnknownValue) { self.content = content }
  }
}
