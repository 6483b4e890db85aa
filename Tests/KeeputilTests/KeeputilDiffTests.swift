import Foundation
import HostileArchives
import Keepsake
import RandomArchives
import TestSupport
import Testing

@Suite struct KeeputilDiff {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The lines of the difference; empty if the archives are equal.
  private func diff(_ options: String...) throws -> [String] {
    let result = try Keeputil.shell(
      "\"$0\" diff \(options.joined(separator: " ")) a.keepsake b.keepsake",
      in: folder
    )
    #expect(result.status == (result.output.isEmpty ? 0 : 1), "\(result.errors)")
    #expect(result.errors.isEmpty)
    return result.output.split(separator: "\n").map(String.init)
  }

  private func diff(_ a: some Encodable, _ b: some Encodable) throws -> [String] {
    try folder.archive(a, "a.keepsake")
    try folder.archive(b, "b.keepsake")
    return try diff()
  }

  @Test("changed, new, removed and retyped values each take a line")
  func values() throws {
    struct Old: Codable {
      var same = 1
      var number = 5
      var text = "Momo"
      var gone = ["a": true]
      var kind = 5
      var date = Date(timeIntervalSinceReferenceDate: 0)
      var none: Int? = 5
      var odd = ["a key": 1]
      var data = Data([1, 2, 3, 4])
    }
    struct New: Codable {
      var text = "Momo!"
      var number = -5
      var same = 1
      var kind = 5.0
      var date = Date(timeIntervalSinceReferenceDate: 0.5)
      var added = [1, 2, 3, 4]
      var odd = ["a key": 2]
      var data = Data([1, 2, 9, 4])
    }
    #expect(
      try diff(Old(), New()) == [
        "~ root.number: 5 -> -5", "~ root.text: \"Momo\" -> \"Momo!\"", "- root.gone: {a: true}",
        "~ root.kind: 5 -> 5.0",
        "~ root.date: 2001-01-01 00:00:00 +0000 -> 2001-01-01 00:00:00.5 +0000",
        "- root.none: 5", "~ root.odd[\"a key\"]: 1 -> 2",
        "~ root.data: 4 bytes: 0x01020304 -> 4 bytes: 0x01020904 (from its byte 2 on)",
        "+ root.added: [1, 2, 3, … 1 more]",
      ]
    )
    #expect(try diff(5, "5") == ["~ root: 5 -> \"5\""])
    let float = "1.5 (a 32-bit float) -> 1.5 (a 64-bit float)"
    #expect(try diff(Float(1.5), 1.5) == ["~ root: \(float)"])
  }

  @Test("order of keys, packed numbers, maps for records and object numbers make no difference")
  func same() throws {
    let a: [UInt8] = [0x21, 0x61]
    let b: [UInt8] = [0x21, 0x62]
    func archive(_ bodies: [[UInt8]], _ root: [UInt8]) -> Data {
      HandmadeArchive.data(
        bodies: bodies,
        topLevel: CraftedArchive.root(root),
        strings: [[0x61]],
        keys: [[0x61], [0x62]],
        shapes: [[2, 0, 1], [2, 1, 0]]
      )
    }
    let plain = [Tag.shortArray + 2, 0x95, 0x08, 0x7F]
    let packed = [Tag.packedArray, 2, 2, 2, 0x05, 0, 0x7F, 0]
    let first = [Tag.shortRecord] + a + plain
    let others: [[UInt8]] = [
      [Tag.shortRecord + 1] + packed + a, [Tag.map, 2] + b + plain + a + a,
      [Tag.map, 2, Tag.stringReference, 0] + [Tag.stringReference, 0] + b + packed,
      [Tag.map, 2] + a + [Tag.string, 1, 0x61] + b + [Tag.array, 2, 0x08, 0x05, 0x09, 0x7F, 0],
    ]
    try folder.write(archive([], first), "a.keepsake")
    for other in others {
      try folder.write(archive([], other), "b.keepsake")
      #expect(try diff().isEmpty, "\(other)")
    }
    // The same objects in another order.
    let two = [Tag.shortArray + 2]
    try folder.write(
      archive([[1] + a, [1] + b], two + [Tag.objectReference, 1, Tag.objectReference, 2]),
      "a.keepsake"
    )
    try folder.write(
      archive([[1] + b, [1] + a], two + [Tag.objectReference, 2, Tag.objectReference, 1]),
      "b.keepsake"
    )
    #expect(try diff().isEmpty)
    // An integer and the text of its digits are one key.
    try folder.write(HandmadeArchive.data(topLevel: [0, Tag.map, 1, 0x97, 0x95]), "a.keepsake")
    try folder.write(HandmadeArchive.data(topLevel: [0, Tag.map, 1, 0x21, 0x37, 0x96]), "b.keepsake")
    #expect(try diff() == ["~ [7]: 5 -> 6"])
  }

  @Test("an inserted element takes one line, and the elements behind it none")
  func insertedElement() throws {
    let old = ShelfSample.make(books: 9)
    let new = ShelfSample.make(books: 9)
    new.books.insert(BookSample("Jim", AuthorSample("Ende"), new), at: 3)
    let added = try diff(old, new)
    #expect(added.count == 1)
    #expect(
      added.first?.wholeMatch(
        of:
          #/\+ root.books\[3\]: KeeputilTests.BookSample #\d+ {title: "Jim", author: KeeputilTests.AuthorSample #\d+, .*}/#
      ) != nil,
      "\(added)"
    )
    new.books.remove(at: 3)
    new.books.remove(at: 0)
    new.books[4].title = "Changed"
    let lines = try diff(old, new)
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("- root.books[0]: KeeputilTests.BookSample #") == true)
    #expect(lines.last == "~ root.books[4].title: \"Book 5\" -> \"Changed\"")
  }

  @Test("a removed value has its path in the first archive, even in an element that moved")
  func pathsInMovedElements() throws {
    struct Part: Codable {
      var name: String
      var tags: [String: [String]]
    }
    let old = [
      Part(name: "a", tags: ["x": ["p", "q"], "y": []]), Part(name: "b", tags: ["x": ["p", "q"]]),
    ]
    let new = [Part(name: "b", tags: ["x": ["q", "r"], "z": []])]
    #expect(
      try diff(old, new) == [
        "- root[0]: {name: \"a\", tags: {…}}", "- root[1].tags.x[0]: \"p\"", "+ root[0].tags.x[1]: \"r\"",
        "+ root[0].tags.z: []",
      ]
    )
  }

  @Test("a reference to another object, a removed weak reference and lost sharing are differences")
  func references() throws {
    let old = ShelfSample.make(books: 6)
    let new = ShelfSample.make(books: 6)
    new.books[4].author = new.books[0].author
    var lines = try diff(old, new)
    #expect(lines.count == 1)
    #expect(lines.first?.contains("~ root.books[4].author: KeeputilTests.AuthorSample #") == true, "\(lines)")
    #expect(lines.first?.hasSuffix(", another object") == true)
    new.books[4].author = new.books[1].author
    new.books[2].shelf = nil
    #expect(try diff(old, new) == ["- root.books[2].shelf: weak KeeputilTests.ShelfSample #1"])
    new.books[2].shelf = new
    #expect(try diff(old, new).isEmpty)
    // The same content, but no longer the same object.
    new.books[5].author = AuthorSample(new.books[2].author.name)
    lines = try diff(old, new)
    #expect(lines.count == 1 && lines[0].hasPrefix("~ root.books[5].author: "), "\(lines)")
  }

  @Test("changed classes in a cycle, types and weak references are found")
  func handmade() throws {
    let next = { (number: UInt8, value: UInt8) -> [UInt8] in
      [number] + CraftedArchive.map(("n", [Tag.objectReference, 3 - number]), ("v", [value]))
    }
    func write(_ name: String, _ classes: [String], _ last: UInt8, _ weak: UInt8, _ type: UInt8) throws {
      let data = HandmadeArchive.data(
        bodies: [next(1, 0x95), next(2, last), [1, Tag.none]],
        topLevel: [0]
          + CraftedArchive.map(
            ("w", [Tag.conditionalReference, 0]),
            ("a", [Tag.objectReference, 1]),
            ("t", [Tag.typed, type, 0x95]),
            ("c", [Tag.objectReference, 3])
          ),
        classes: classes.map { HandmadeArchive.type($0) }
          + ["Circle", "Square"].map { HandmadeArchive.type($0, flags: 2) },
        conditionals: [[weak]]
      )
      try folder.write(data, name)
    }
    try write("a.keepsake", ["Thing", "Other"], 0x95, 1, 2)
    try write("b.keepsake", ["Thing", "Other"], 0x95, 1, 2)
    #expect(try diff().isEmpty)
    try write("b.keepsake", ["Thing", "Third"], 0x96, 3, 3)
    #expect(
      try diff() == [
        "~ a.n: class Other -> Third", "~ a.n.v: 5 -> 6", "~ t: type Circle -> Square",
        "~ w: weak Thing #1 -> weak Thing #3, another object",
      ]
    )
  }

  @Test("arrays are aligned so that the lines turn the first into the second", arguments: 0..<6)
  func alignment(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var (a, b): ([String: [Int]], [String: [Int]]) = ([:], [:])
    for number in 0..<40 {
      let old = (0..<Int.random(in: 0...30, using: &random)).map { _ in Int.random(in: 0...5, using: &random)
      }
      var new = old
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let place = Int.random(in: 0...new.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: new.insert(Int.random(in: 0...5, using: &random), at: place)
        case 1 where place < new.count: new.remove(at: place)
        default: if place < new.count { new[place] = Int.random(in: 0...5, using: &random) }
        }
      }
      (a["k\(number)"], b["k\(number)"]) = (old, new)
    }
    // Arrays without common elements that are too long for exact alignment.
    a["long"] = (0..<1_500).map { $0 * 2 }
    b["long"] = (0..<1_400).map { $0 % 3 == 0 ? $0 * 2 : -$0 }
    var removed: [String: Set<Int>] = [:]
    var placed: [String: [Int: Int]] = [:]
    var changed: [String: [Int: Int]] = [:]
    for line in try diff(a, b) {
      let match = try #require(
        line.wholeMatch(of: #/([-+~]) root\.(\w+)\[(\d+)\]: (-?\d+)(?: -> (-?\d+))?/#),
        "\(line)"
      )
      let (key, index) = (String(match.2), try #require(Int(match.3)))
      let value = try #require(Int(match.5 ?? match.4))
      switch match.1 {
      case "-": removed[key, default: []].insert(index)
      case "+": placed[key, default: [:]][index] = value
      default: changed[key, default: [:]][index] = value
      }
    }
    for (key, old) in a {
      let new = try #require(b[key])
      var kept = old.enumerated().filter { removed[key]?.contains($0.offset) != true }.map(\.element)[...]
      var result: [Int] = []
      while result.count < new.count {
        if let value = placed[key]?[result.count] {
          result.append(value)
        } else {
          let first = kept.popFirst()
          let value = try #require(first)
          result.append(changed[key]?[result.count] ?? value)
        }
      }
      #expect(result == new && kept.isEmpty, "\(key)")
      let lines = (removed[key]?.count ?? 0) + (placed[key]?.count ?? 0) + (changed[key]?.count ?? 0)
      #expect(key == "long" || lines <= 16)
    }
  }

  @Test(
    "a packed array equals an array of the same numbers that is not packed",
    arguments: [("[1.5,2.5]", "1"), ("[true,false]", "1"), ("[1,2]", "3.5")]
  )
  func packed(array: String, added: String) throws {
    for (name, json) in [("a", array), ("b", "\(array.dropLast()),\(added)]")] {
      let result = try Keeputil.run(
        "convert",
        "-",
        "\(name).keepsake",
        input: Data(json.utf8),
        in: folder
      )
      #expect(result.status == 0)
    }
    #expect(try diff() == ["+ root[2]: \(added)"])
  }

  @Test("numbers with the same text are distinguished by their types")
  func floats() throws {
    let line = "~ root[0]: 1.5 (a 32-bit float) -> 1.5 (a 64-bit float)"
    #expect(try diff([1.5 as Float], [1.5]) == [line])
  }

  @Test("long texts are shown where they differ, and special characters are escaped")
  func texts() throws {
    let long = String(repeating: "x", count: 1_000)
    let lines = try diff([long + "abc" + long], [long + "abd" + long])
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("~ root[0]: …\"xx"))
    #expect(lines[0].contains("abc") && lines[0].contains("abd"))
    #expect(lines[0].count < 250)
    let strange = try diff(["\u{1B}[0m": "a\u{202E}"], ["\u{1B}[0m": "a\u{200B}"])
    #expect(strange == [#"~ root["\u{1B}[0m"]: "a\u{202E}" -> "a\u{200B}""#])
    // Canonically equal, with other bytes.
    #expect(try diff(["\u{E9}"], ["e\u{301}"]) == [#"~ root[0]: "\u{E9}" -> "e\u{301}""#])
    #expect(try diff(["\u{E9}": 1], ["e\u{301}": 1]).count == 2)
  }

  @Test("deep archives take no stack, and each pair of objects is compared once", arguments: [false, true])
  func deep(isObjects: Bool) throws {
    let depth = sized(40_000, inDebug: 4_000)
    try folder.writeDeep("a.keepsake", depth: depth, innermost: [0x95], isObjects: isObjects)
    try folder.writeDeep("b.keepsake", depth: depth, innermost: [0x96], isObjects: isObjects)
    let lines = try diff()
    #expect(lines.count == 1)
    #expect(lines.first?.hasSuffix(": 5 -> 6") == true)
    #expect(lines.first?.contains("…(\(depth / 1_000 - 1),953 steps)…") == true, "\(lines)")
    // Each object refers to the next twice, so that there are 2^60 paths through them.
    let bodies = (1...60).map { number -> [UInt8] in
      let next = number == 60 ? [Tag.none] : [Tag.objectReference, UInt8(number + 1)]
      return [1, Tag.shortArray + 2] + next + next
    }
    let data = HandmadeArchive.data(bodies: bodies, topLevel: CraftedArchive.root([Tag.objectReference, 1]))
    for name in ["a.keepsake", "b.keepsake"] { try folder.write(data, name) }
    #expect(try diff().isEmpty)
    // An object whose only value is a reference to itself.
    let cycle = HandmadeArchive.data(
      bodies: [[1, Tag.objectReference, 1]],
      topLevel: CraftedArchive.root([Tag.objectReference, 1])
    )
    for name in ["a.keepsake", "b.keepsake"] { try folder.write(cycle, name) }
    #expect(try diff().isEmpty)
  }

  @Test("diff supports colors, --quiet, standard input and a closed pipe")
  func uses() throws {
    #expect(try diff([1, 2], [1, 3]) == ["~ root[1]: 2 -> 3"])
    #expect(
      try diff("--color", "always") == ["\u{1B}[1;33m~\u{1B}[0m \u{1B}[36mroot[1]\u{1B}[0m: 2 -> 3"]
    )
    let quiet = try Keeputil.run("diff", "--quiet", "a.keepsake", "b.keepsake", in: folder)
    #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty)
    #expect(try Keeputil.run("diff", "--quiet", "a.keepsake", "a.keepsake", in: folder).status == 0)
    let piped = try Keeputil.shell("cat a.keepsake | \"$0\" diff - b.keepsake", in: folder)
    #expect(piped.output == "~ root[1]: 2 -> 3\n")
    try folder.archive((0..<100_000).map { "\($0)" }, "a.keepsake")
    try folder.archive((0..<100_000).map { "\($0)!" }, "b.keepsake")
    let closed = try Keeputil.shell("\"$0\" diff a.keepsake b.keepsake | head -n 1", in: folder)
    #expect(closed.output == "~ root[0]: \"0\" -> \"0!\"\n")
    #expect(closed.errors.isEmpty)
  }

  @Test("files that cannot be compared are errors")
  func faults() throws {
    try folder.archive([1], "a.keepsake")
    try folder.write(Data("{}".utf8), "text")
    for (arguments, status, words) in [
      ("a.keepsake", 64, "A and B expected, 1 given"), ("- -", 64, "only one of the two"),
      ("--x a b", 64, "no option"), ("a.keepsake absent", 66, "absent: cannot be read"),
      ("text a.keepsake", 65, "text: this is not a Keepsake archive"),
      ("a.keepsake text", 65, "text: this is not a Keepsake archive"),
    ] as [(String, Int32, String)] {
      let result = try Keeputil.shell("\"$0\" diff \(arguments)", in: folder)
      #expect(result.status == status)
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    // The error names the damaged file; differences before the damage are printed.
    func write(_ name: String, _ value: UInt8, _ tag: UInt8) throws {
      let top = [0] + CraftedArchive.map(("a", [value]), ("b", [Tag.shortArray + 1, tag]))
      try folder.write(HandmadeArchive.data(topLevel: top), name)
    }
    try write("x.keepsake", 0x95, 0x95)
    try write("y.keepsake", 0x96, 0x7F)
    let result = try Keeputil.run("diff", "x.keepsake", "y.keepsake", in: folder)
    #expect(result.status == 65)
    #expect(result.output == "~ a: 5 -> 6\n")
    #expect(result.errors.hasPrefix("keeputil: y.keepsake: Unknown tag 0x7f"))
  }
}
