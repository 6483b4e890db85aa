import Foundation
import Keepsake
import TestSupport
import Testing

final class ExampleAuthor: Codable {
  let name: String

  init(name: String) {
    self.name = name
  }
}

struct ExampleBook: Codable {
  let title: String
  let shelf: String
  let ratings: [Int]
  let author: ExampleAuthor
}

/// The worked examples of Docs/Format.md, §7 and §12, have the bytes that the library writes.
@Suite struct WorkedExample {
  static func books() -> [ExampleBook] {
    let austen = ExampleAuthor(name: "Jane Austen")
    return [
      ExampleBook(title: "Emma", shelf: "fiction", ratings: [5, 300, 400], author: austen),
      ExampleBook(title: "Persuasion", shelf: "fiction", ratings: [-1], author: austen),
    ]
  }

  /// A row of the tables of an example: `| offset | bytes | meaning |`.
  private struct Row {
    let offset: Int
    let bytes: [UInt8]
  }

  private static func rows(_ section: String = "## 12") throws -> [Row] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Docs/Format.md").standardized
    let lines = try String(contentsOf: page, encoding: .utf8).split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    let start = try #require(lines.firstIndex { $0.hasPrefix(section) })
    return try lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, let offset = Int(cells[0]) else { return nil }
      // Two digits each; spaces are ignored.
      let digits = cells[1].filter { $0 != "`" && $0 != " " }
      let bytes = try stride(from: 0, to: digits.count, by: 2).map { start in
        try #require(UInt8(digits.dropFirst(start).prefix(2), radix: 16), "\(line)")
      }
      return Row(offset: offset, bytes: bytes)
    }
  }

  @Test("the library writes the bytes of the example")
  func isWhatThePageShows() throws {
    let rows = try WorkedExample.rows()
    #expect(rows.count > 20)
    var shown: [UInt8] = []
    for row in rows {
      #expect(row.offset == shown.count)
      shown += row.bytes
    }
    let written = try Array(
      KeyedArchiver.archivedData(withRootObject: WorkedExample.books(), outputFormatting: .longForm)
    )
    #expect(written == shown, "\(written.map { String(format: "%02X", $0) }.joined(separator: " "))")
  }

  @Test("the library writes the bytes of the example in the short form")
  func short() throws {
    struct Point: Codable, Equatable {
      var x: Double
      var y: Double
    }

    var shown: [UInt8] = []
    for row in try WorkedExample.rows("## 7") {
      #expect(row.offset == shown.count)
      shown += row.bytes
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Point(x: 1.5, y: -2))
    #expect(Array(data) == shown)
    #expect(try KeyedUnarchiver.unarchive(Point.self, from: Data(shown)) == Point(x: 1.5, y: -2))
    #expect(try KeyedArchiver().encodedData.count == 18)
  }

  @Test("the bytes of the example are read")
  func isRead() throws {
    let data = try Data(WorkedExample.rows().flatMap(\.bytes))
    let books = try KeyedUnarchiver.unarchive([ExampleBook].self, from: data)
    #expect(books.map(\.title) == ["Emma", "Persuasion"])
    #expect(books.map(\.shelf) == ["fiction", "fiction"])
    #expect(books.map(\.ratings) == [[5, 300, 400], [-1]])
    #expect(books[0].author === books[1].author && books[0].author.name == "Jane Austen")
  }
}
