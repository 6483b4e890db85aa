import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// `keeputil print --key`.
@Suite struct KeeputilPaths {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func at(_ path: String, _ options: String...) throws -> Keeputil.Result {
    try Keeputil.shell(
      "\"$0\" print \(options.joined(separator: " ")) --key '\(path)' a.keepsake",
      in: folder
    )
  }

  private func expect(_ status: Int32, _ words: String, _ path: String) throws {
    let result = try at(path)
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  private struct Odd: Codable {
    var map = ["odd key": ["x": 1], "a.b": ["x": 2], "": ["x": 3], "quote\"\n\u{1F600}": ["x": 4]]
    var byNumber = [-3: "minus", 7: "seven"]
    var matrix = [[1, 2, 3], [4, 5, 6]]
    var doubles = (0..<5_000).map { Double($0) / 4 }
    var flags = (0..<3_000).map { $0 % 3 == 0 }
    var wide = (0..<3_000).map { 1 << ($0 / 60) }
    var nested: [[String: [Int]]] = [["k": [9, 8]]]
    var text = "abc"
    var none: Int?? = .some(.none)
  }

  @Test("a path leads to a value")
  func values() throws {
    try folder.archive(Odd(), "a.keepsake")
    for (path, expected) in [
      ("root.text", "\"abc\"\n"), ("root.map[\"odd key\"].x", "1\n"), ("root.map[\"a.b\"].x", "2\n"),
      ("root.map[\"\"].x", "3\n"), (#"root.map["quote\"\n\u{1F600}"].x"#, "4\n"),
      ("root.byNumber[7]", "\"seven\"\n"), ("root.byNumber.7", "\"seven\"\n"),
      ("root.byNumber.-3", "\"minus\"\n"), ("root.byNumber[-3]", "\"minus\"\n"),
      ("root.matrix[1][2]", "6\n"), ("root.nested[0].k[1]", "8\n"), ("root.doubles[0]", "0.0\n"),
      ("root.doubles[1024]", "256.0\n"), ("root.doubles[4999]", "1249.75\n"), ("root.flags[2999]", "false\n"),
      ("root.flags[2997]", "true\n"), ("root.wide[2999]", "\(1 << 49)\n"), ("root.wide[1]", "1\n"),
      ("root.wide[1023]", "\(1 << 17)\n"), ("root.wide[1024]", "\(1 << 17)\n"), ("root.none", "some nil\n"),
      ("root[\"text\"]", "\"abc\"\n"),
    ] {
      let result = try at(path)
      #expect(result.status == 0, "\(path): \(result.errors)")
      #expect(result.output == expected, "\(path)")
    }
    #expect(try at("root.doubles[9]", "--json").output == "2.25\n")
    #expect(try at("root.matrix", "--json").output == "[[1,2,3],[4,5,6]]\n")
  }

  @Test("paths follow references, also weak ones, and object numbers lead to objects")
  func references() throws {
    try folder.archive(ShelfSample.make(books: 2, authors: 1), "a.keepsake")
    #expect(try at("root.books[1].author.name").output == "\"Author 0\"\n")
    #expect(try at("root.best.shelf.books[0].title").output == "\"Book 0\"\n")
    let author = try at("root.books[0].author").output
    let number = try #require(author.split(separator: "#").last?.prefix { $0.isNumber })
    #expect(author == "KeeputilTests.AuthorSample #\(number) {\n  \"name\" => \"Author 0\"\n}\n")
    #expect(try at("#\(number)").output == author)
    #expect(try at("#\(number).name").output == "\"Author 0\"\n")
    let json = "{\"$class\":\"KeeputilTests.AuthorSample\",\"$id\":\(number),\"name\":\"Author 0\"}\n"
    #expect(try at("#\(number)", "--json").output == json)
    #expect(try at("root.books[0].author", "--json").output == json)
    try expect(65, "there is no object #999; the last has the number", "#999")
  }

  @Test("an error names the step that leads nowhere, and what exists instead")
  func missing() throws {
    try folder.archive(Odd(), "a.keepsake")
    try expect(65, "no key \"rot\" at the top level; did you mean \"root\"?", "rot.text")
    try expect(65, "no key \"txet\" in root; did you mean \"text\"? There are \"map\"", "root.txet.more")
    try expect(65, "no key \"TEXT\" in root; did you mean \"text\"?", "root.TEXT")
    try expect(65, "no key \"zzz\" in root.byNumber; there are", "root.byNumber.zzz")
    try expect(65, "there is no [2] in root.matrix, which has the elements [0] to [1]", "root.matrix[2][0]")
    try expect(65, "there is no [5000] in root.doubles", "root.doubles[5000]")
    try expect(65, "root.matrix is an array of 2 elements, and \"x\" is not an index", "root.matrix.x")
    try expect(65, "root.matrix is an array of 2 elements, and \"-1\" is not an index", "root.matrix[-1]")
    try expect(65, "root.matrix[0][1] is a single value, so there is nothing in it", "root.matrix[0][1].x")
    try expect(65, "root.text is a text, so there is nothing in it", "root.text.x")
  }

  @Test("a malformed path is an error")
  func misspelt() throws {
    try folder.archive(Odd(), "a.keepsake")
    for path in [
      "root.", ".root", "root..x", "root[", "root[x]", "root[\"a]", "root[0]x",
    ] {
      try expect(64, "\"\(path)\" is not a path: at character ", path)
    }
    try expect(64, "the path is empty", "")
    try expect(64, "at character 9 it has an unknown escape", #"root["\q"]"#)
    for path in ["#", "#0", "#x"] { try expect(64, "the number of an object belongs after '#'", path) }
  }

  @Test("paths through a reference to itself or a nil weak reference are errors")
  func cycles() throws {
    let data = HandmadeArchive.data(
      bodies: [[1, Tag.objectReference, 2], [1, Tag.objectReference, 1]],
      topLevel: [0]
        + CraftedArchive.map(("a", [Tag.objectReference, 1]), ("b", [Tag.conditionalReference, 0])),
      conditionals: [[0]]
    )
    try folder.write(data, "a.keepsake")
    try expect(65, "a is a reference to itself", "a.x")
    try expect(65, "b is nil, a weak reference", "b.x")
  }

  @Test("special characters in listed keys are escaped")
  func strange() throws {
    try folder.archive(
      ["\u{1B}[31mred": 1, "\u{202E}x": 2, String(repeating: "long", count: 100): 3],
      "a.keepsake"
    )
    let result = try at("root.absent")
    #expect(result.status == 65)
    #expect(result.errors.contains("\\u{1B}[31mred"))
    #expect(!result.errors.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    #expect(result.errors.count < 300)
    #expect(try at(#"root["\u{1B}[31mred"]"#).output == "1\n")
  }

  @Test("a path leads through values behind protocols")
  func typedValues() throws {
    let typed = [UInt8(Tag.typed), 1] + CraftedArchive.map(("x", [0x95]))
    let data = HandmadeArchive.data(
      bodies: [[1] + typed],
      topLevel: [0] + CraftedArchive.map(("t", typed), ("o", [0x40, 1]), ("s", [Tag.some, Tag.none])),
      classes: [HandmadeArchive.type("Thing"), HandmadeArchive.type("Circle", flags: 2)]
    )
    try folder.write(data, "a.keepsake")
    #expect(try at("t.x").output == "5\n")
    #expect(try at("o.x").output == "5\n")
    #expect(try at("t").output == "Circle {\n  \"x\" => 5\n}\n")
    try expect(65, "there is no key \"y\" in t (Circle)", "t.y")
    try expect(65, "there is no key \"y\" in o (Circle)", "o.y")
    try expect(65, "s is nil, so there is nothing in it", "s.x")
  }
}
