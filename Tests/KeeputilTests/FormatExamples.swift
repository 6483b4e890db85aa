import Foundation
import HostileArchives
import TestSupport
import Testing

@testable import Keepsake
@testable import keeputil

/// Checks the tables of Docs/FormatExamples.md: the tool shows each value for its bytes, and refuses faulty bytes.
@Suite struct FormatExamples {
  /// The rows of the table under the heading `section`, each as its cells.
  private static func rows(_ section: String) throws -> [[String]] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Docs/FormatExamples.md").standardized
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("## \(section)") })
    return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| ") }.dropFirst(2)
      .map { line in
        line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map {
          $0.trimmingCharacters(in: CharacterSet(charactersIn: "` "))
        }
      }
  }

  /// The bytes of `text`, two digits each; spaces are ignored.
  private static func bytes(_ text: String) throws -> [UInt8] {
    let digits = text.filter { $0 != " " }
    #expect(digits.count.isMultiple(of: 2), "\(text)")
    return try stride(from: 0, to: digits.count, by: 2).map { start in
      try #require(UInt8(digits.dropFirst(start).prefix(2), radix: 16), "\(text)")
    }
  }

  /// An archive with the tables that the page describes, and the value under "root".
  private static func archive(_ value: [UInt8]) -> Data {
    HandmadeArchive.data(
      bodies: [[1, 0x60, 0x24] + Array("Ada!".utf8)],
      topLevel: CraftedArchive.root(value),
      strings: [Array("shared".utf8)],
      classes: [HandmadeArchive.type("Person"), HandmadeArchive.type("Circle", flags: 2)],
      conditionals: [[1], [0]],
      keys: [Array("name".utf8), Array("age".utf8), Array("relative".utf8)],
      shapes: [[1, 0], [2, 0, 1], [0], [1, 2]]
    )
  }

  private final class Text: Output {
    var text = ""
    func write(_ text: String) throws(CommandFailure) { self.text += text }
    func write(_ data: Data) throws(CommandFailure) { text += String(decoding: data, as: UTF8.self) }
  }

  static func json(_ value: ArchiveValue) throws -> String {
    let output = Text()
    var tree = try JSONTree(value, output, TreeOptions())
    try tree.write()
    return output.text.trimmingCharacters(in: .newlines)
  }

  @Test("the bytes of each example give the value that the page shows")
  func values() throws {
    let rows = try Self.rows("1 ")
    #expect(rows.count >= 58)
    for row in rows {
      let data = try Self.archive(Self.bytes(row[0]))
      let value = try #require(try ArchiveValue(forReadingFrom: data)["root"])
      #expect(try Self.json(value) == row[1].replacingOccurrences(of: "\\|", with: "|"), "\(row)")
      #expect(EveryReader(data).verified == .accepted, "\(row)")
    }
  }

  @Test("faulty values are refused")
  func wrongValues() throws {
    let rows = try Self.rows("2 ")
    #expect(rows.count >= 20)
    for row in rows {
      let reader = try EveryReader(Self.archive(Self.bytes(row[0])))
      #expect(reader.viewed.verdict.isRefused && reader.verified.isRefused, "\(row): \(reader.viewed)")
      #expect(reader.decoded != .accepted, "\(row): \(reader.decoded)")
    }
  }

  @Test("faulty archives are refused, and the valid archive that they derive from is not")
  func wrongArchives() throws {
    let rows = try Self.rows("3 ")
    #expect(rows.count >= 15)
    for row in rows {
      let data = try Data(Self.bytes(row[2]))
      let reader = EveryReader(data)
      if row[0] == "none" {
        #expect(reader.verified == .accepted && reader.decoded == .accepted, "\(row)")
      } else {
        #expect(reader.verified != .accepted, "\(row)")
        guard row[0] == "2" else { continue }
        let error = #expect(throws: ArchiveError.self, "\(row)") { try ArchiveValue(forReadingFrom: data) }
        #expect(error?.code == .unsupportedVersion, "\(row)")
      }
    }
  }

  // MARK: Frozen archives

  private static let freezingFolder = ProcessInfo.processInfo.environment["KEEPSAKE_FREEZE_JSON"]

  /// The archives of a folder, each with the URL of its JSON file.
  private static func archives(in folder: URL) throws -> [(data: Data, json: URL)] {
    try FrozenArchives.all(in: folder).map { name, data in
      (data, folder.appendingPathComponent(name).deletingPathExtension().appendingPathExtension("json"))
    }
  }

  @Test("the JSON that frozen archives lack is written", .enabled(if: freezingFolder != nil))
  func freeze() throws {
    for (data, json) in try Self.archives(in: URL(fileURLWithPath: #require(Self.freezingFolder))) {
      guard !FileManager.default.fileExists(atPath: json.path) else { continue }
      let text = try Self.json(ArchiveValue(forReadingFrom: data)) + "\n"
      try Data(text.utf8).write(to: json, options: .withoutOverwriting)
    }
  }

  @Test(
    "`print --json` shows each frozen archive as the JSON file beside it does",
    .enabled(if: freezingFolder == nil)
  )
  func frozen() throws {
    let files = try Self.archives(in: FrozenArchives.folder)
    #expect(files.count > 15)
    for (data, json) in files {
      let text = try String(contentsOf: json, encoding: .utf8)
      #expect(try Self.json(ArchiveValue(forReadingFrom: data)) + "\n" == text, "\(json.lastPathComponent)")
    }
  }
}
