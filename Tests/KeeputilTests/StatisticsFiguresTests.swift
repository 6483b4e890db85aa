import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

@testable import keeputil

/// The figures of an archive count everything once.
@Suite struct KeeputilStatisticsFigures {
  private func figures(_ data: Data, top: Int = 10) throws -> (
    ArchiveStatistics, ArchiveSummary, ArchiveImage
  ) {
    let image = try ArchiveImage(data: data, verification: .everything)
    let summary = try image.verifyStructure()
    var pass = try StatisticsPass(image, summary, top: top, wantsClassKeys: true)
    try pass.run()
    return (pass.statistics, summary, image)
  }

  private func expectSums(_ data: Data, _ name: String) throws {
    let (statistics, summary, image) = try figures(data)
    #expect(statistics.parts.reduce(0) { $0 + $1.range.count } == data.count, "\(name)")
    var end = 0
    for part in statistics.parts {
      #expect(part.range.lowerBound == end, "\(name): \(part.kind)")
      end = part.range.upperBound
    }
    #expect(end == data.count, "\(name)")
    // An implied top level counts as if it were stored.
    let bodies = image.directory.bodies.count + image.directory.topLevel.count
    let byClass = statistics.classes.reduce(0) { $0 + $1.bodies.bytes }
    #expect(byClass + statistics.topLevelValues.bytes + statistics.topLevel.bytes == bodies, "\(name)")
    #expect(statistics.keys.reduce(0) { $0 + $1.ownBytes } == bodies, "\(name)")
    let byKind = statistics.kinds.reduce(0) { $0 + $1.tally.bytes }
    #expect(byKind + statistics.classNumbers.bytes == bodies, "\(name)")
    #expect(statistics.valueCount == summary.valueCount, "\(name)")
    #expect(statistics.objectCount == summary.objectCount, "\(name)")
    for row in statistics.keys {
      #expect(row.totalBytes >= row.ownBytes && row.openCount == 0, "\(name): \(row)")
    }
    #expect(statistics.largestValues.map(\.bytes) == statistics.largestValues.map(\.bytes).sorted(by: >))
    for place in statistics.largestValues + statistics.largestObjects where image.directory.bodyCount > 0 {
      #expect(!place.path.isEmpty || place.body == 0, "\(name): \(place)")
    }
  }

  @Test("parts, classes, keys and kinds add up for all kinds of values")
  func sums() throws {
    let seeds = try SeedArchives.make()
    #expect(seeds.count > 20)
    for seed in seeds { try expectSums(Data(seed.bytes), seed.name) }
  }

  @Test("parts, classes, keys and kinds add up for random graphs")
  func randomSums() throws {
    var generator = SeededGenerator("figures of random graphs")
    for round in 0..<60 {
      var nodes: [CountedNode] = []
      for number in 0..<Int.random(in: 1...60, using: &generator) {
        let node = CountedNode(name: "node \(number % 7)")
        node.bytes = Data(repeating: 1, count: Int.random(in: 0...300, using: &generator))
        node.numbers = (0..<Int.random(in: 0...20, using: &generator)).map { $0 * $0 }
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          // Refers only to earlier nodes, so there are no cycles.
          if let other = nodes.randomElement(using: &generator) { node.others.append(other) }
        }
        node.named = Dictionary(uniqueKeysWithValues: node.others.prefix(1).map { ($0.name, $0) })
        nodes.append(node)
      }
      let archiver = KeyedArchiver()
      try archiver.encode(nodes, forKey: "nodes")
      try archiver.encode(nodes.last, forKey: "last")
      try archiver.encode(["a", "node 1"], forKey: "texts")
      try expectSums(archiver.encodedData, "round \(round)")
    }
  }

  @Test("the figures of the example in the format are exact")
  func example() throws {
    let austen = FigureAuthor(name: "Jane Austen")
    let books = [
      FigureBook(title: "Emma", shelf: "fiction", ratings: [5, 300, 400], author: austen),
      FigureBook(title: "Persuasion", shelf: "fiction", ratings: [-1], author: austen),
    ]
    let data = try KeyedArchiver.archivedData(withRootObject: books, outputFormatting: .longForm)
    let (statistics, _, _) = try figures(data)
    let sizes = Dictionary(uniqueKeysWithValues: statistics.parts.map { ($0.kind, $0.range.count) })
    #expect(sizes[.header] == 16 && sizes[.bodies] == 63 && sizes[.topLevel] == 10 && sizes[.keys] == 32)
    #expect(sizes[.shapes] == 7 && sizes[.strings] == 8 && sizes[.conditionals] == 0 && sizes[.trailer] == 32)
    #expect(sizes[.checksums] == 8)
    let author = try #require(statistics.classes.first)
    #expect(author.bodies == .init(count: 1, bytes: 14))
    #expect(statistics.topLevelValues == .init(count: 1, bytes: 49))
    let keys = Dictionary(uniqueKeysWithValues: statistics.keys.map { ($0.name, $0) })
    #expect(keys["title"]?.ownBytes == 5 + 11 && keys["title"]?.count == 2)
    #expect(keys["shelf"]?.ownBytes == 8 + 2)
    #expect(keys["ratings"]?.ownBytes == 10 + 5)
    // Two references, and the object's class number and record tag.
    #expect(keys["author"]?.ownBytes == 4 + 2)
    #expect(keys["name"]?.ownBytes == 12)
    // The key and the reference, and the body's class number, array and record tags.
    #expect(keys["root"]?.ownBytes == 5 + 2 + 4)
    #expect(statistics.sharing.objectCount == 1 && statistics.sharing.furtherReferences == 1)
    #expect(statistics.sharing.savedBytes == 14)
    #expect(statistics.sharing.most.map(\.path) == ["root[0].author"])
    // Inline, the text would take eight bytes; the reference takes two and the table eight.
    #expect(statistics.strings.references == .init(count: 1, bytes: 2))
    #expect(statistics.strings.inlineBytes == 8 && statistics.strings.savedBytes == -2)
    #expect(statistics.largestValues.first?.path == "root[0].author.name")
    #expect(statistics.largestObjects.map(\.path) == ["root[0].author"])
  }

  private final class Notes: Codable {
    var texts: [String] = []
  }

  @Test("the texts of all saves of a document count")
  func textsOfSaves() throws {
    let folder = try TemporaryFolder()
    let document = try ArchiveDocument(creating: folder("notes.keepsake"), root: Notes())
    for text in ["one that is shared", "another"] {
      document.root.texts += [text, text]
      #expect(try document.save())
    }
    let strings = try figures(folder.read("notes.keepsake")).0.strings
    // In the table and inline, a text takes a byte more than its length.
    #expect(strings.entryCount == 2 && strings.tableBytes == 19 + 8 && strings.inlineBytes == 19 + 8)
    #expect(strings.references == .init(count: 2, bytes: 4) && strings.savedBytes == -4)
  }

  @Test("a key nested in itself counts its bytes once, and two spellings of é are two keys")
  func keys() throws {
    let archiver = KeyedArchiver()
    let inner: [String: [String: [String: String]]] = ["again": ["again": ["again": "x"]]]
    try archiver.encode(inner, forKey: "nested")
    try archiver.encode([1: "one", -7: "seven"], forKey: "numbers")
    let (statistics, _, _) = try figures(archiver.encodedData)
    let again = try #require(statistics.keys.first { $0.name == "again" })
    #expect(again.count == 3)
    // Three keys, of which two are references, two nested maps of one entry, and the text.
    #expect(again.ownBytes == 6 + 2 + 2 + 2 * 2 + 2)
    #expect(again.totalBytes == again.ownBytes)
    #expect(statistics.keys.first { $0.name == "(integer keys)" }?.count == 2)
    // The two are equal as `String`.
    let accents = CraftedArchive.map(("\u{E9}", [Tag.none]), ("e\u{301}", [Tag.none]))
    let (told, _, _) = try figures(HandmadeArchive.data(topLevel: [0] + accents))
    let names = told.keys.filter { $0.count > 0 }.map { Array($0.name.utf8) }
    #expect(Set(names) == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
  }

  @Test("keys of dictionaries beyond a limit share a row")
  func manyKeys() throws {
    let dictionary = Dictionary(uniqueKeysWithValues: (0..<12_000).map { ("key \($0)", $0) })
    let data = try KeyedArchiver.archivedData(withRootObject: dictionary)
    let (statistics, _, _) = try figures(data)
    #expect(statistics.keys.count <= KeyRows.mostDictionaryKeys + 3)
    let further = try #require(statistics.keys.first { $0.name == "(further keys of dictionaries)" })
    // One of the names is that of the top-level key.
    #expect(further.count == 12_000 - (KeyRows.mostDictionaryKeys - 1))
    try expectSums(data, "many keys")
  }

  @Test("unreachable objects are counted, also in cycles")
  func unreached() throws {
    let reference = { (number: UInt8) -> [UInt8] in [Tag.objectReference, number] }
    let data = HandmadeArchive.data(
      bodies: [
        [1, Tag.shortArray], [1, Tag.shortArray + 1] + reference(3), [1, Tag.shortArray + 1] + reference(2),
        [1, Tag.shortArray + 1] + reference(2),
      ],
      topLevel: CraftedArchive.root(reference(1))
    )
    let (statistics, _, _) = try figures(data)
    #expect(statistics.unreached == .init(count: 3, bytes: 12))
    #expect(statistics.largestObjects.first?.path == "(unreferenced #2)")
    try expectSums(data, "unreached")
  }

  @Test("deep nesting and long chains take no stack, and their paths are abridged")
  func deep() throws {
    let depth = 20_000
    let nested = [0] + [UInt8](repeating: Tag.shortArray + 1, count: depth) + [Tag.shortString + 1, 0x61]
    let (statistics, _, _) = try figures(HandmadeArchive.data(topLevel: nested))
    #expect(statistics.valueCount == depth + 1)
    #expect(statistics.largestValues.first?.path.contains("levels)…[0]") == true)
    var chain: [[UInt8]] = []
    for number in 1...3_000 {
      let next = number == 3_000 ? number : number + 1
      chain.append([1, Tag.shortArray + 1, Tag.objectReference + 1, UInt8(next & 0xFF), UInt8(next >> 8)])
    }
    let data = HandmadeArchive.data(bodies: chain, topLevel: CraftedArchive.root([Tag.objectReference, 1]))
    let (long, _, _) = try figures(data, top: 3_000)
    let last = try #require(long.largestObjects.last?.path)
    #expect(last.hasPrefix("root[0]") && last.contains("objects)…") && last.count < 200, "\(last)")
    try expectSums(data, "chain")
  }

  @Test("placing objects of a long chain on the page takes bounded time", .timeLimit(.minutes(20)))
  func manyPlacesInChain() throws {
    let count = 500_000
    let chain = (1...count).map { number -> [UInt8] in
      let next = (0..<4).map { UInt8(truncatingIfNeeded: min(number + 1, count) >> ($0 * 8)) }
      let more = number > count - 200 ? [Tag.none] : []
      return [1, Tag.shortArray + 1 + UInt8(more.count), Tag.objectReference + 3] + next + more
    }
    let folder = try TemporaryFolder()
    try folder.write(
      HandmadeArchive.data(bodies: chain, topLevel: CraftedArchive.root([Tag.objectReference, 1])),
      "chain.keepsake"
    )
    let line = "ulimit -t 60; \"$0\" report --top 200 -o page.html chain.keepsake"
    let result = try Keeputil.shell(line, in: folder)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("wide and combining characters leave the columns of a table aligned")
  func wideNames() {
    let rows = [["図書館", "1"], ["e\u{301}te\u{301}", "22"], ["plain", "3"]]
    let lines = TextTable("name", ">values", rows: rows).lines(margin: "")
    #expect(
      lines == [
        "name    values", "図書館       1", "e\u{301}te\u{301}         22", "plain        3",
      ]
    )
  }

  @Test("the paths of many objects at the end of a long chain take time in proportion to their number")
  func manyLongPaths() throws {
    var last: String?
    try expectTimeInProportion(to: 150_000) { count in
      let chain = (1...count).map { number -> [UInt8] in
        // The largest objects are in the second half.
        let next = (0..<4).map { UInt8(truncatingIfNeeded: min(number + 1, count) >> ($0 * 8)) }
        let more = number > count / 2 ? [Tag.none] : []
        return [1, Tag.shortArray + 1 + UInt8(more.count), Tag.objectReference + 3] + next + more
      }
      let data = HandmadeArchive.data(
        bodies: chain,
        topLevel: CraftedArchive.root([Tag.objectReference, 1])
      )
      last = try figures(data, top: count / 15).0.largestObjects.last?.path
    }
    let end = String(repeating: "[0]", count: 9)
    #expect(last == "root[0][0][0][0][0]…(84,985 objects)…" + end, "\(last ?? "")")
  }
}

/// An object of random graphs.
final class CountedNode: Codable {
  var name: String
  var bytes = Data()
  var numbers: [Int] = []
  var others: [CountedNode] = []
  var named: [String: CountedNode] = [:]
  init(name: String) { self.name = name }
}

private final class FigureAuthor: Codable {
  let name: String
  init(name: String) { self.name = name }
}

private struct FigureBook: Codable {
  let title: String
  let shelf: String
  let ratings: [Int]
  let author: FigureAuthor
}
