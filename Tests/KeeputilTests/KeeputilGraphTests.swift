import Foundation
import HostileArchives
import Keepsake
import RandomArchives
import TestSupport
import Testing

@Suite struct KeeputilGraph {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func draw(_ options: String...) throws -> Picture {
    let result = try Keeputil.shell("\"$0\" graph \(options.joined(separator: " ")) a.keepsake", in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.isEmpty)
    return try Picture(result.output)
  }

  /// Expects that boxes are on the page and do not overlap, and that arrows begin and end at boxes.
  private func expectOrder(_ picture: Picture, sourceLocation: SourceLocation = #_sourceLocation) {
    for (index, box) in picture.boxes.enumerated() {
      #expect(box.minX >= 0 && box.minY >= 0, sourceLocation: sourceLocation)
      #expect(box.maxX <= picture.width && box.maxY <= picture.height, sourceLocation: sourceLocation)
      for other in picture.boxes[..<index] {
        #expect(!box.intersects(other), "\(box) and \(other)", sourceLocation: sourceLocation)
      }
    }
    // Each arrow begins and ends at the side of a box.
    for ends in picture.arrows {
      for end in [ends.start, ends.end] {
        let isAtBox = picture.boxes.contains { box in
          abs(end.x - box.minX) < 0.2 || abs(end.x - box.maxX) < 0.2
            ? (box.minY...box.maxY).contains(end.y) : false
        }
        #expect(isAtBox, "\(end)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("a graph shows objects with class, number and values, references with keys, and weak ones dashed")
  func objects() throws {
    try folder.archive(ShelfSample.make(books: 5, authors: 2), "a.keepsake")
    let picture = try draw()
    expectOrder(picture)
    // The top level, a shelf, five books, two authors.
    #expect(picture.boxes.count == 9)
    #expect(picture.titles.contains("top level"))
    #expect(picture.titles.filter { $0.hasPrefix("KeeputilTests.BookSample  #") }.count == 5)
    #expect(picture.lines.contains("title: \"Book 4\""))
    #expect(picture.lines.contains("name: \"Shelf\""))
    // Five books, one of which is also `best`; their authors; the root.
    #expect(picture.arrows.count(where: { !$0.isWeak }) == 11)
    #expect(picture.arrows.count(where: \.isWeak) == 5)
    for label in ["root", "books[0]", "books[4], best", "author", "shelf"] {
      #expect(picture.labels.contains(label), "\(picture.labels)")
    }
    #expect(picture.text.contains("@media (prefers-color-scheme: dark)"))
    #expect(!picture.text.contains("href"))
  }

  @Test("the picture is the same each time, in a file and on standard output")
  func deterministic() throws {
    try folder.archive(ShelfSample.make(books: 20, authors: 7), "a.keepsake")
    let picture = try draw()
    for output in ["-", "a.svg"] {
      let result = try Keeputil.run("graph", "-o", output, "a.keepsake", in: folder)
      #expect(result.status == 0)
      let text = output == "-" ? result.output : String(decoding: try folder.read("a.svg"), as: UTF8.self)
      #expect(text == picture.text)
      if output != "-" { #expect(result.output.isEmpty) }
    }
    let piped = try Keeputil.shell("cat a.keepsake | \"$0\" graph -", in: folder)
    #expect(piped.output == picture.text)
  }

  @Test("boxes never overlap, in cycles, lists and random graphs")
  func shapes() throws {
    var random = SplitMix(seed: 7)
    var graphs: [[[Int]]] = [
      [[0]], [[1], [0]], [[1, 2, 3], [2], [3], [0, 3]], (0..<30).map { [$0 + 1] } + [[]],
      [(1...40).map { $0 }] + (1...40).map { _ in [] }, (0..<12).map { _ in (0..<12).map { $0 } },
      (0..<6).map { _ in [] },
    ]
    for _ in 0..<5 {
      let count = Int.random(in: 2...50, using: &random)
      graphs.append(
        (0..<count).map { _ in
          (0..<Int.random(in: 0...4, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
        }
      )
    }
    for graph in graphs {
      let bodies = graph.map { targets in
        [UInt8](arrayLiteral: 1) + CraftedArchive.array(targets.map { [Tag.objectReference, UInt8($0 + 1)] })
      }
      let data = HandmadeArchive.data(
        bodies: bodies,
        topLevel: CraftedArchive.root([Tag.objectReference, 1])
      )
      try folder.write(data, "a.keepsake")
      let picture = try draw()
      expectOrder(picture)
      #expect(picture.boxes.count == graph.count + 1)
      // References that would need long arrows are shown as text.
      let told = picture.lines.count { $0.contains("→ #") }
      #expect(picture.arrows.count + told == graph.reduce(1) { $0 + Set($1).count })
    }
  }

  @Test("a long chain is broken into rows that fit a page, with text where it continues")
  func bands() throws {
    let count = 60
    let bodies = (1...count).map { number -> [UInt8] in
      [1] + CraftedArchive.array(number < count ? [[Tag.objectReference, UInt8(number + 1)]] : [])
    }
    try folder.write(
      HandmadeArchive.data(bodies: bodies, topLevel: CraftedArchive.root([Tag.objectReference, 1])),
      "a.keepsake"
    )
    let picture = try draw()
    expectOrder(picture)
    #expect(picture.boxes.count == count + 1)
    #expect(picture.width < 2_500 && picture.height < 2_500, "\(picture.width) × \(picture.height)")
    let rows = Set(picture.boxes.map(\.midY)).count
    let told = picture.lines.filter { $0.contains("→ #") }
    #expect(rows > 3 && told.count == rows - 1, "\(rows) rows, \(told)")
    #expect(picture.arrows.count == count - told.count)
  }

  @Test("a short graph is drawn whole, with an arrow for each reference")
  func noBands() throws {
    try folder.archive(ShelfSample.make(books: 20, authors: 7), "a.keepsake")
    #expect(try draw().lines.allSatisfy { !$0.contains("→") && !$0.contains("⇢") })
  }

  @Test("many objects are grouped by class, and an option chooses either view")
  func byClass() throws {
    try folder.archive(ShelfSample.make(books: 100, authors: 10), "a.keepsake")
    let picture = try draw()
    expectOrder(picture)
    #expect(picture.boxes.count == 4)
    #expect(picture.titles.contains("KeeputilTests.BookSample  100 objects"))
    #expect(picture.titles.contains("KeeputilTests.ShelfSample  1 object"))
    for label in ["author ×100", "books, best ×101", "shelf ×100", "root"] {
      #expect(picture.labels.contains(label), "\(picture.labels)")
    }
    let all = try draw("--all")
    expectOrder(all)
    #expect(all.boxes.count == 112)
    try folder.archive(ShelfSample.make(books: 3), "a.keepsake")
    #expect(try draw("--by-class").titles.contains("KeeputilTests.BookSample  3 objects"))
  }

  @Test("--all refuses very many objects, and the classes beyond 59 share a box")
  func many() throws {
    let classes = (0..<90).map { HandmadeArchive.type("C\($0)") }
    let bodies = (0..<2_000).map { number -> [UInt8] in
      [UInt8(number % 90 + 1)] + CraftedArchive.reference(number * 7 % 2_000 + 1)
    }
    let data = HandmadeArchive.data(
      bodies: bodies,
      topLevel: CraftedArchive.root(CraftedArchive.reference(1)),
      classes: classes
    )
    try folder.write(data, "a.keepsake")
    let picture = try draw()
    expectOrder(picture)
    // The top level, 59 classes and a box for the others.
    #expect(picture.boxes.count == 61)
    #expect(picture.titles.contains { $0.hasPrefix("31 other classes") })
    let all = try Keeputil.run("graph", "--all", "a.keepsake", in: folder)
    #expect(all.status == 64)
    #expect(all.output.isEmpty)
    #expect(all.errors.contains("a.keepsake: the archive has 2,000 objects"))
  }

  @Test("an archive without objects, deep values and special characters are drawn")
  func strange() throws {
    try folder.archive(["a": 1], "a.keepsake")
    #expect(try draw().boxes.count == 1)
    let names = ["<b>&amp;\"'", "\u{1B}[31m\u{202E}", "\u{0}\u{FFFE}\u{FFFF}", "日本\u{1F600}", "]]>--><!--"]
    let bodies = names.indices.map { index -> [UInt8] in
      [UInt8(index + 1)]
        + CraftedArchive.map(
          (names[index], CraftedArchive.text(names[index])),
          (names[index] + "2", [Tag.objectReference, UInt8((index + 1) % names.count + 1)])
        )
    }
    let data = HandmadeArchive.data(
      bodies: bodies,
      topLevel: CraftedArchive.root([Tag.objectReference, 1]),
      classes: names.map { HandmadeArchive.type($0) }
    )
    try folder.write(data, "a.keepsake")
    let picture = try draw()
    expectOrder(picture)
    #expect(picture.boxes.count == 6)
    #expect(picture.titles.contains { $0.hasPrefix("<b>&amp;\"'  #1") }, "\(picture.titles)")
    #expect(picture.titles.contains { $0.hasPrefix("\\u{1B}[31m\\u{202E}  #2") }, "\(picture.titles)")
    #expect(picture.titles.contains { $0.hasPrefix("]]>--><!--  #5") })
    try folder.writeDeep("a.keepsake", depth: 20_000, innermost: [0x95])
    #expect(try draw().boxes.count == 1)
    try folder.writeDeep("a.keepsake", depth: 20_000, isObjects: true)
    #expect(try draw().labels.contains("next ×19,999"))
  }

  @Test(
    "counting references in deep nesting by class takes bounded time",
    .timeLimit(.minutes(20))
  )
  func deepReferences() throws {
    let count = 100_000
    let nested =
      [UInt8](repeating: Tag.shortArray + 1, count: count) + [Tag.array] + Bytes.varint(count)
      + (0..<count).flatMap { _ in CraftedArchive.reference(1) }
    let data = HandmadeArchive.data(bodies: [[1, Tag.empty]], topLevel: CraftedArchive.root(nested))
    try folder.write(data, "a.keepsake")
    let line = "ulimit -t 60; \"$0\" graph --by-class --dot a.keepsake"
    let result = try Keeputil.shell(line, in: folder)
    #expect(result.output.contains("×100,000"), "\(result.errors)")
  }

  @Test("the Graphviz output escapes quotes and backslashes and marks weak references")
  func dot() throws {
    let data = HandmadeArchive.data(
      bodies: [
        [1] + CraftedArchive.map(("a\"\\", [Tag.objectReference, 2]), ("w", [Tag.conditionalReference, 0])),
        [2] + CraftedArchive.map(("t", CraftedArchive.text("x\"y\"\u{301}"))),
      ],
      topLevel: CraftedArchive.root([Tag.objectReference, 1]),
      classes: ["Th\"ing", "Ot\\her"].map { HandmadeArchive.type($0) },
      conditionals: [[2]]
    )
    try folder.write(data, "a.keepsake")
    let result = try Keeputil.run("graph", "--dot", "a.keepsake", in: folder)
    #expect(
      result.output == #"""
        // 2 objects, 3 references
        digraph archive {
          rankdir=LR;
          node [shape=box, style=rounded, fontname="monospace", fontsize=11];
          edge [fontname="monospace", fontsize=9];
          n0 [label="top level\l", style="rounded,dashed"];
          n1 [label="Th\"ing #1\l"];
          n2 [label="Ot\\her #2\lt: \"x\\\"y\\\"́\"\l"];
          n0 -> n1 [label="root"];
          n1 -> n2 [label="[\"a\\\"\\\\\"]"];
          n1 -> n2 [label="w", style=dashed, constraint=false];
        }

        """#
    )
  }

  @Test("files that cannot be drawn and output that cannot be written are errors")
  func faults() throws {
    try folder.archive([1], "a.keepsake")
    try folder.write(Data("{}".utf8), "text")
    try folder.write(
      HandmadeArchive.data(bodies: [[1, 0x7F]], topLevel: CraftedArchive.root([0x95])),
      "b.keepsake"
    )
    for (arguments, status, words) in [
      ("", 64, "one file expected, 0 given"), ("--all --by-class a.keepsake", 64, "exclude each other"),
      ("-o", 64, "needs a value"), ("absent", 66, "No such file"), ("text", 65, "not a Keepsake archive"),
      ("-o absent/a.svg a.keepsake", 74, "absent/a.svg: cannot open the folder absent"),
      ("-o x.svg b.keepsake", 65, "Unknown tag 0x7f"),
    ] as [(String, Int32, String)] {
      let result = try Keeputil.shell("\"$0\" graph \(arguments)", in: folder)
      #expect(result.status == status)
      #expect(result.output.isEmpty)
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    // No part of a picture stays behind after an error.
    #expect(try folder.names.allSatisfy { !$0.contains("svg") })
    let closed = try Keeputil.shell("\"$0\" graph a.keepsake | true", in: folder)
    #expect(closed.errors.isEmpty)
  }

  @Test("--all refuses objects with too many references")
  func manyReferences() throws {
    final class Friend: Codable { var friends: [Friend] = [] }
    let friends = (0..<110).map { _ in Friend() }
    for friend in friends { friend.friends = friends }
    defer { for friend in friends { friend.friends = [] } }
    try folder.archive(friends, "a.keepsake")
    let result = try Keeputil.run("graph", "--all", "a.keepsake", in: folder)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.contains("pairs of objects refer to each other, and '--all' draws 5,000: "),
      "\(result.errors)"
    )
  }

  @Test("values behind protocols and optionals that hold nil are drawn")
  func wrappedValues() throws {
    let typed = [UInt8(Tag.typed), 1]
    let data = HandmadeArchive.data(
      bodies: [
        [1] + typed + CraftedArchive.map(("name", CraftedArchive.text("in a value"))),
        [1] + [UInt8](repeating: Tag.some, count: 7) + [Tag.none],
        [1] + [UInt8](repeating: Tag.some, count: 8) + [Tag.none],
      ],
      topLevel: [0] + CraftedArchive.map(("a", [0x40, 1]), ("b", [0x40, 2]), ("c", [0x40, 3])),
      classes: [HandmadeArchive.type("Thing"), HandmadeArchive.type("Circle", flags: 2)]
    )
    try folder.write(data, "a.keepsake")
    let picture = try draw()
    expectOrder(picture)
    #expect(picture.boxes.count == 4)
    let dot = try Keeputil.run("graph", "--dot", "a.keepsake", in: folder).output
    #expect(dot.contains("name: \\\"in a value\\\""), "\(dot)")
  }
}
