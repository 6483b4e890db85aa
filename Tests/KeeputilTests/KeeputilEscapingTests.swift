import Foundation
import Keepsake
import TestSupport
import Testing

@testable import keeputil

/// No text of an archive can control a terminal, whatever the command.
@Suite struct KeeputilEscaping {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A CSI, a new line, a change of direction, invisible characters, a tag, a private and an unassigned character, a
  /// combining mark with no base, a joiner after a digit.
  private static let strange =
    "\u{301}a\u{9B}31mb\u{85}c\u{202E}d\u{200B}\u{FEFF}e\u{E0041}\u{E000}\u{10FFFF}\u{7F}\u{3164}8\u{200D}"
  private static let harmless = "e\u{301} é 日本 👩‍👩‍👧 \u{FFFD}"

  private func write() throws {
    let archiver = KeyedArchiver()
    let texts = [Self.strange, Self.harmless]
    try archiver.encode([Self.strange: texts], forKey: Self.strange)
    try archiver.write(toFile: folder("a.keepsake"))
  }

  private func unsafeScalars(_ text: String) -> [Unicode.Scalar] {
    var previous: Unicode.Scalar?
    return text.unicodeScalars.filter { scalar in
      defer { previous = scalar }
      // A quotation mark is no base for a combining mark.
      let isFirst = previous == "\"" || previous == ">"
      return scalar != "\n" && scalar != "\t" && scalar.isStrange(after: isFirst ? nil : previous)
    }
  }

  @Test(
    arguments: [
      "print a.keepsake", "print --full a.keepsake", "print --json a.keepsake", "stats a.keepsake",
      "stats --json a.keepsake", "convert --to json a.keepsake -", "convert --to json --pretty a.keepsake -",
      "convert --to plist a.keepsake -", "report -o - a.keepsake", "diff a.keepsake b.keepsake",
    ]
  )
  func nothingRaw(command: String) throws {
    try write()
    try folder.archive(Self.strange, "b.keepsake")
    let result = try Keeputil.shell("\"$0\" \(command)", in: folder)
    #expect(result.errors.isEmpty)
    #expect(!result.output.isEmpty)
    #expect(unsafeScalars(result.output).isEmpty, "\(unsafeScalars(result.output).map { $0.value })")
  }

  @Test("a reader of JSON gets the original texts, and harmless characters are not escaped")
  func json() throws {
    try write()
    for command in ["print --json a.keepsake", "convert --to json a.keepsake -"] {
      let output = try Keeputil.shell("\"$0\" \(command)", in: folder).output
      let object = try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
      let inner = try #require(object.values.first as? [String: [String]])
      #expect(object.keys.first.map { Array($0.utf8) } == Array(Self.strange.utf8))
      let texts = try #require(inner.values.first)
      #expect(texts.map { Array($0.utf8) } == [Self.strange, Self.harmless].map { Array($0.utf8) })
      #expect(
        output.contains(
          #""\u0301a\u009b31mb\u0085c\u202ed\u200b\ufeffe\udb40\udc41\ue000\udbff\udfff\u007f\u31648\u200d""#
        )
      )
      #expect(output.contains("\"\(Self.harmless)\""))
    }
  }

  @Test("a reader of a property list gets the original texts, and harmless characters are not escaped")
  func propertyList() throws {
    try write()
    let output = try Keeputil.run("convert", "--to", "plist", "a.keepsake", "-", in: folder).output
    #expect(output.contains("&#x301;a&#x9B;31mb&#x85;c&#x202E;d"))
    #expect(output.contains("<string>\(Self.harmless)</string>"))
    let back = try Keeputil.run("convert", "-", "b.keepsake", input: Data(output.utf8), in: folder)
    #expect(back.status == 0 && back.errors.isEmpty)
    let archive = try ArchiveValue(forReadingFile: folder("b.keepsake"))
    let texts = try #require(try archive["root"]?[Self.strange]?[Self.strange]).members()
    #expect(
      try texts.map { try $0.value.stringValue.map { Array($0.utf8) } }
        == [Array(Self.strange.utf8), Array(Self.harmless.utf8)]
    )
  }
}
