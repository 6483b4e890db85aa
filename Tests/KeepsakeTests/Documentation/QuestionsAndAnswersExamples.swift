import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of QuestionsAndAnswers.md.
@Suite("Documentation: questions and answers") struct QuestionsAndAnswersExamples {
  // MARK: Another task

  final class Library: Codable {
    var books: [Book] = [Book(title: "Lavinia", pages: 279)]
  }

  struct Book: Codable, Equatable {
    var title: String
    var pages: Int
  }

  @Test("a copy goes to another task")
  func copyForAnotherTask() async throws {
    let library = Library()
    let snapshot = try KeyedArchiver.disconnectedCopy(of: library)
    let words = await Task.detached { countWords(snapshot) }.value
    #expect(words == 1)
  }

  // MARK: Enumerations

  private enum OldPriority: String, Codable { case low, medium }

  enum Priority: String, Codable {
    case low, high, unknown

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      self = Priority(rawValue: text) ?? .unknown
    }
  }

  private enum OldStep: Codable { case move(to: String) }

  enum Step: Codable {
    case move(destination: String)

    private enum MoveCodingKeys: String, CodingKey { case destination = "to" }
  }

  @Test("a removed case is read as unknown, and a renamed label by its old key")
  func enumerations() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [OldPriority.medium, .low])
    #expect(try KeyedUnarchiver.unarchive([Priority].self, from: data) == [.unknown, .low])
    let steps = try KeyedArchiver.archivedData(withRootObject: OldStep.move(to: "home"))
    guard case .move("home") = try KeyedUnarchiver.unarchive(Step.self, from: steps) else {
      throw Refusal(reason: "another step")
    }
  }

  // MARK: Elements

  struct Readable<Element: Decodable>: Decodable {
    let element: Element?

    init(from decoder: any Decoder) throws {
      element = try? decoder.singleValueContainer().decode(Element.self)
    }
  }

  private struct OldBook: Codable {
    var title: String
    var pages: Int?
  }

  @Test("unreadable elements are skipped")
  func elements() throws {
    let archiver = KeyedArchiver()
    let old = [
      OldBook(title: "Lavinia", pages: 279), OldBook(title: "Tehanu"), OldBook(title: "Gifts", pages: 274),
    ]
    try archiver.encode(old, forKey: "books")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)

    let books = try unarchiver.decode([Readable<Book>].self, forKey: "books").compactMap(\.element)
    #expect(books.map(\.title) == ["Lavinia", "Gifts"])
  }

  // MARK: Plugins

  protocol Tool: Codable { var name: String { get } }

  struct Hammer: Tool {
    var name = "Hammer"
    var weight = 500
  }

  struct Toolbox: Codable {
    @Polymorphic var tools: [any Tool]
  }

  struct MissingTool: Tool, ArchivePlaceholder {
    let content: UnknownValue
    var name: String { "Missing: \(content.typeName)" }

    init(_ content: UnknownValue) { self.content = content }
  }

  @Test("the value of a missing plugin survives until the plugin is back")
  func plugins() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Plugin.Hammer", for: Hammer.self)
    try archiver.encode(Toolbox(tools: [Hammer(weight: 300)]), forKey: "box")
    let data = try archiver.encodedData

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.placeholders = [MissingTool.self]
    let box = try unarchiver.decode(Toolbox.self, forKey: "box")

    #expect(box.tools[0].name == "Missing: Plugin.Hammer")
    let later = try KeyedUnarchiver(forReadingFrom: KeyedArchiver.archivedData(withRootObject: box))
    later.setClass(Hammer.self, forClassName: "Plugin.Hammer")
    #expect(try (later.decode(Toolbox.self, forKey: "root").tools[0] as? Hammer)?.weight == 300)
  }

  // MARK: JSON

  func openLibrary(_ data: Data) throws -> Library {
    do {
      return try KeyedUnarchiver.unarchive(Library.self, from: data)
    } catch DecodingError.dataCorrupted(let context)
      where (context.underlyingError as? ArchiveError)?.code == .notAnArchive
    {
      return try JSONDecoder().decode(Library.self, from: data)
    }
  }

  @Test("a file that was JSON is read")
  func json() throws {
    let library = Library()
    #expect(try openLibrary(JSONEncoder().encode(library)).books == library.books)
    #expect(try openLibrary(KeyedArchiver.archivedData(withRootObject: library)).books == library.books)
  }

  // MARK: Checks

  @Test("KeyedArchiver.check finds nothing lost")
  func check() {
    let library = Library()
    let check = KeyedArchiver.check(library)
    let isComplete = check.isPassed  // otherwise print(check)
    #expect(isComplete, "\(check)")
  }
}

private func countWords(_ library: QuestionsAndAnswersExamples.Library) -> Int {
  library.books.reduce(0) { $0 + $1.title.split(separator: " ").count }
}
