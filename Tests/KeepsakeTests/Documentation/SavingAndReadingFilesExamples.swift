import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of SavingAndReadingFiles.md.
@Suite("Documentation: saving and reading files") struct SavingAndReadingFilesExamples {
  final class Book: Codable {
    var title: String

    init(title: String) {
      self.title = title
    }
  }

  struct Library: Codable {
    var books: [Book] = []
  }

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("library.keepsake")
  }

  @Test("a root is saved and read, and a failed save keeps the file")
  func root() throws {
    let library = Library(books: [Book(title: "Lavinia")])

    try KeyedArchiver.archive(rootObject: library, toFile: path)
    let copy = try KeyedUnarchiver.unarchive(Library.self, fromFile: path)

    #expect(copy.books[0].title == "Lavinia")
    #expect(try folder.names == ["library.keepsake"])

    // A value that cannot be archived leaves the file unchanged.
    struct Refusing: Encodable {
      func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    #expect(throws: Refusal.self) { try KeyedArchiver.archive(rootObject: Refusing(), toFile: path) }
    #expect(try KeyedUnarchiver.unarchive(Library.self, fromFile: path).books.count == 1)
    #expect(try folder.names == ["library.keepsake"])
  }

  @Test("one of several keys is read")
  func keys() throws {
    let books = [Book(title: "Lavinia"), Book(title: "Tehanu")]

    let archiver = KeyedArchiver()
    try archiver.encode(books, forKey: "books")
    try archiver.encode(books[1], forKey: "current")
    try archiver.encode(Date.now, forKey: "saved")
    try archiver.write(toFile: path)

    let unarchiver = try KeyedUnarchiver(forReadingFile: path)
    let saved = try unarchiver.decode(Date.self, forKey: "saved")
    let current = try unarchiver.decodeIfPresent(Book.self, forKey: "current")
    let keys = unarchiver.allKeys  // ["books", "current", "saved"]

    #expect(saved <= .now && current?.title == "Tehanu" && keys == ["books", "current", "saved"])
    #expect(unarchiver.containsValue(forKey: "books") && !unarchiver.containsValue(forKey: "loans"))
    unarchiver.finishDecoding()
    #expect(throws: DecodingError.self) { try unarchiver.decode(Book.self, forKey: "current") }
  }

  @Test("a file is read with full verification")
  func verification() throws {
    try KeyedArchiver.archive(rootObject: Library(books: [Book(title: "Lavinia")]), toFile: path)

    let unarchiver = try KeyedUnarchiver(forReadingFile: path, verification: .everything)
    let library = try unarchiver.decode(Library.self, forKey: KeyedArchiver.rootKey)

    #expect(library.books.count == 1)
  }

  enum Opened {
    case library(Library)
    case missing
    case unreadable(String)
    case damaged(String)
    case newer
  }

  func openLibrary(_ path: String) throws -> Opened {
    do {
      return .library(try KeyedUnarchiver.unarchive(Library.self, fromFile: path))
    } catch let error as ArchiveError where error.code == .unreadableFile {
      guard FileManager.default.fileExists(atPath: path) else { return .missing }
      return .unreadable(error.description)
    } catch DecodingError.dataCorrupted(let context) {
      let code = (context.underlyingError as? ArchiveError)?.code
      return code == .unsupportedVersion ? .newer : .damaged(context.debugDescription)
    }
  }

  @Test("a background save reports its progress")
  func background() async throws {
    let url = URL(filePath: path)
    let library = Library(books: [Book(title: "Lavinia")])

    let progress = Progress(totalUnitCount: 1)
    try await KeyedArchiver.save(rootObject: library, to: url, progress: progress)

    #expect(progress.isFinished)
    #expect(try KeyedUnarchiver.unarchive(Library.self, from: url).books[0].title == "Lavinia")
  }

  @Test("errors distinguish missing, unreadable, damaged and newer files")
  func errors() throws {
    guard case .missing = try openLibrary(path) else { throw Refusal(reason: "it is there") }

    try KeyedArchiver.archive(rootObject: Library(books: [Book(title: "Lavinia")]), toFile: path)
    guard case .library = try openLibrary(path) else { throw Refusal(reason: "it is not read") }

    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    bytes[20] ^= 1
    try bytes.write(to: url)
    guard case .damaged(let sentence) = try openLibrary(path) else { throw Refusal(reason: "it is read") }
    #expect(sentence.contains("do not match their checksum (at byte 0)"))

    bytes[8] = 2
    try bytes.write(to: url)
    guard case .newer = try openLibrary(path) else { throw Refusal(reason: "it is read") }

    guard case .unreadable = try openLibrary(folder.path) else { throw Refusal(reason: "a folder is read") }
  }

  @Test("an error has the coding path of the wrong value")
  func codingPath() throws {
    try KeyedArchiver.archive(rootObject: ["books": [["title": 7]]], toFile: path)

    var place = ""
    do {
      _ = try KeyedUnarchiver.unarchive(Library.self, fromFile: path)
    } catch DecodingError.typeMismatch(_, let context) {
      place = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    #expect(place == "books.0.title")
  }

  @Test("sorted keys make the same bytes")
  func sortedKeys() throws {
    let counts = ["one": 1, "two": 2, "three": 3]

    try KeyedArchiver.archive(rootObject: counts, toFile: path, outputFormatting: .sortedKeys)

    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try KeyedArchiver.archivedData(withRootObject: counts, outputFormatting: .sortedKeys) == bytes)
  }
}
