import Foundation
import Keepsake
import TestSupport
import Testing

/// Values that were read release their file: otherwise a replaced file keeps its space, and its volume stays in use.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/maps"), "there is no /proc"))
struct ReleasedFiles {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var isMapped: Bool {
    get throws {
      let maps = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
      var bytes = Data()
      while let piece = try maps.read(upToCount: 1 << 16), !piece.isEmpty { bytes += piece }
      return String(decoding: bytes, as: UTF8.self).contains(folder.path)
    }
  }

  private final class Diary: Codable {
    var name = "diary"
    @Lazy var entries: [String] = ["one"]
  }

  @Test("an unarchiver releases its file", arguments: [3, 3000])
  func unarchiver(count: Int) throws {
    let path = folder("numbers")
    try KeyedArchiver.archive(rootObject: (0..<count).map(String.init), toFile: path)
    #expect(try KeyedUnarchiver.unarchive([String].self, fromFile: path).count == count)
    #expect(try !isMapped)
  }

  enum Use: CaseIterable { case reading, changing, lazyReading, lazyChanging, compacting, earlier, reverting }

  @Test("a closed document and all that it has read release the file", arguments: Use.allCases)
  func document(_ use: Use) throws {
    let path = folder("diary")
    try ArchiveDocument(creating: path, root: Diary()).close()
    #expect(try !isMapped)
    for round in 0..<3 {
      let document = try ArchiveDocument<Diary>(opening: path, verification: .everything)
      switch use {
      case .reading: break
      case .changing: document.root.name = "diary \(round)"
      case .lazyReading:
        #expect(document.root.entries.first == "one")
        document.root.name = "diary \(round)"
      case .lazyChanging: document.root.entries.append("\(round)")
      case .compacting:
        document.root.name = "diary \(round)"
        try document.compact()
      case .earlier:
        document.root.name = "diary \(round)"
        #expect(try document.root(asOf: 1).name == "diary")
      case .reverting:
        document.root.name = "diary \(round)"
        try document.save()
        try document.revert(to: 1)
      }
      try document.save()
      document.close()
    }
    #expect(try !isMapped)
  }

  @Test("a lazy value that is read after its unarchiver is gone releases the file")
  func lazyValue() throws {
    let path = folder("shelf")
    try KeyedArchiver.archive(rootObject: Shelf(), toFile: path)
    do {
      let shelf = try KeyedUnarchiver.unarchive(Shelf.self, fromFile: path)
      #expect(try isMapped)
      #expect(shelf.books.count == 5000)
    }
    #expect(try !isMapped)
  }

  private final class Shelf: Codable {
    @Lazy var books: [Book] = (0..<5000).map { Book(title: "book \($0)", pages: [$0: "page"]) }
  }

  private struct Book: Codable {
    let title: String
    let pages: [Int: String]
  }
}
