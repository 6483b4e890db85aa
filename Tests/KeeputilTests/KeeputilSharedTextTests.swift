import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// One long text, key or name with very many references: the output and the time are in proportion to the archive.
@Suite struct KeeputilSharedTexts {
  let folder: TemporaryFolder
  private static let length = 1 << 20
  private static let count = sized(20_000, inDebug: 4_000)

  init() throws { folder = try TemporaryFolder() }

  /// A text that differs from others of its length only at its end.
  private static func long(_ end: String = "a") -> [UInt8] {
    [UInt8](repeating: 0x61, count: length - 1) + Array(end.utf8)
  }

  /// An archive with `count` copies of `element`, in which texts, keys, shapes and types have the number 0.
  private func write(_ element: [UInt8], _ name: String, end: String = "a", count: Int = count) throws {
    let long = Self.long(end)
    let data = HandmadeArchive.data(
      bodies: [
        [0] + [Tag.array] + Bytes.varint(count) + Array(repeating: element, count: count).flatMap(\.self)
      ],
      topLevel: CraftedArchive.root([Tag.valueReference, 1]),
      strings: [long],
      classes: [HandmadeArchive.type(String(decoding: long, as: UTF8.self), flags: 2)],
      keys: [long],
      shapes: [[1, 0]]
    )
    try folder.write(data, name)
  }

  private static let text: [UInt8] = [Tag.stringReference, 0]
  private static let elements: [(name: String, bytes: [UInt8])] = [
    ("texts", text), ("keys of dictionaries", [Tag.map, 1] + text + [0x95]),
    ("keys of records", [Tag.shortRecord, 0x95]),
    ("names of types", [Tag.typed, 0, 0x95]),
    ("URLs", [Tag.url, Tag.map, 1] + CraftedArchive.text("relative") + text),
  ]

  @Test("print shows the start of a long text and its length", .timeLimit(.minutes(20)), arguments: 0..<5)
  func tree(kind: Int) throws {
    let count = 2_000
    try write(Self.elements[kind].bytes, "a.keepsake", count: count)
    let result = try Keeputil.shell("\"$0\" print a.keepsake >out; wc -c <out; head -c 2000 out", in: folder)
    #expect(result.errors.isEmpty)
    let size = try #require(result.output.split(separator: "\n").first.flatMap { Int($0.filter(\.isNumber)) })
    #expect(size > count * 500 && size < count * 800, "\(Self.elements[kind].name): \(size)")
    #expect(
      result.output.contains(String(repeating: "a", count: 500) + (kind == 3 ? "…" : "\"… 1,048,576 bytes"))
    )
  }

  @Test("--full and JSON show long texts whole, and texts that are not long are always whole")
  func full() throws {
    try write(Self.text, "a.keepsake", end: "z", count: 3)
    let full = try Keeputil.run("print", "--full", "a.keepsake", in: folder).output
    #expect(full.utf8.count > 3 * Self.length && full.contains("az\"\n"))
    let json = try Keeputil.run("print", "--json", "--key", "root[1]", "a.keepsake", in: folder).output
    #expect(json.utf8.count == Self.length + 3)
    let short = String(repeating: "é", count: 500)
    try folder.archive([short, short + "z"], "b.keepsake")
    let lines = try Keeputil.run("print", "b.keepsake", in: folder).output
    #expect(lines.contains("0 => \"\(short)\"\n") && lines.contains("1 => \"\(short)\"… 1,001 bytes\n"))
  }

  @Test("a character of very many scalars is treated as a long text")
  func marks() throws {
    let marks = "e" + String(repeating: "\u{301}", count: 200_000)
    try folder.archive([marks], "a.keepsake")
    try folder.archive([marks + "z", marks], "b.keepsake")
    for command in ["print a.keepsake", "diff a.keepsake b.keepsake", "stats a.keepsake"] {
      let output = try Keeputil.shell("\"$0\" \(command)", in: folder).output
      #expect(output.utf8.count < 20_000 && !output.isEmpty, "\(command)")
    }
  }

  @Test("many references to equal long texts are no difference", .timeLimit(.minutes(20)), arguments: 0..<5)
  func equal(kind: Int) throws {
    try write(Self.elements[kind].bytes, "a.keepsake")
    try write(Self.elements[kind].bytes, "b.keepsake")
    let result = try Keeputil.run("diff", "a.keepsake", "b.keepsake", in: folder)
    #expect(result.status == 0, "\(Self.elements[kind].name): \(result.errors)")
    #expect(result.output.isEmpty && result.errors.isEmpty)
  }

  @Test("different long texts and keys are abridged at each occurrence", .timeLimit(.minutes(20)))
  func different() throws {
    let count = 2_000
    try write(Self.text, "a.keepsake", count: count)
    try write(Self.text, "b.keepsake", end: "z", count: count)
    let lines = try Keeputil.run("diff", "a.keepsake", "b.keepsake", in: folder).output.split(separator: "\n")
    let texts = [#"…"aaaaaaaaaaaaaaaaaaaaa""#, #"…"aaaaaaaaaaaaaaaaaaaaz""#]
    #expect(lines.count == count)
    #expect(lines.last.map(String.init) == "~ root[\(count - 1)]: \(texts.joined(separator: " -> "))")
    // Differences under a long key, or in values of a type with a long name.
    try write([Tag.shortRecord, 0x95], "a.keepsake", count: count)
    try write([Tag.shortRecord, 0x96], "b.keepsake", count: count)
    let records = try Keeputil.run("diff", "a.keepsake", "b.keepsake", in: folder).output
    #expect(records.split(separator: "\n").count == count && records.utf8.count < count * 400)
    #expect(records.hasSuffix("a…\"]: 5 -> 6\n"))
  }

  @Test(
    "the output of stats is short despite very many references to long texts",
    .timeLimit(.minutes(20)),
    arguments: 0..<5
  )
  func statistics(kind: Int) throws {
    try write(Self.elements[kind].bytes, "a.keepsake")
    let result = try Keeputil.run("stats", "a.keepsake", in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.utf8.count < 20_000)
  }
}
