import Foundation
import HostileArchives
import Keepsake
import Testing

@testable import keeputil

/// The tree of a report: bounded, with consistent sums, and each object at most once.
@Suite struct KeeputilReportTrees {
  private func nodes(_ data: Data) throws -> (path: [ReportNode], byClass: [ReportNode]) {
    let image = try ArchiveImage(data: data, verification: .everything)
    let summary = try image.verifyStructure()
    var pass = try StatisticsPass(image, summary, top: 10, wantsClassKeys: true)
    try pass.run()
    return (try ReportTree(pass).nodes, ReportClassTree.nodes(pass))
  }

  /// Expects that the children of a node are not larger than it, and that each body is in the tree at most once.
  private func expectSound(_ nodes: [ReportNode], _ byteCount: Int, _ name: String) {
    #expect(nodes.count <= ReportTree.mostNodes + 20_000, "\(name)")
    #expect(nodes[0].parent == -1 && nodes[0].bytes == byteCount, "\(name)")
    var inside = nodes.map { _ in 0 }
    var bodies: Set<Int> = []
    var places = 0
    for (index, node) in nodes.enumerated().dropFirst() {
      guard node.parent >= 0, node.parent < index else {
        Issue.record("\(name): node \(index) stands before the one that it is in")
        return
      }
      inside[node.parent] += node.bytes
      if node.body != 0, node.kind != .reference, node.kind != .weak {
        places += 1
        bodies.insert(node.body)
      }
    }
    #expect(bodies.count == places, "\(name): a body stands in two places")
    // One expectation for all nodes, since there are very many.
    let overfull = nodes.indices.filter { nodes[$0].bytes < inside[$0] || nodes[$0].bytes < 0 }
    #expect(overfull.isEmpty, "\(name): more is in \(overfull.prefix(3)) than they have")
  }

  @Test("trees of all kinds of values have each body at most once, and consistent sums")
  func seeds() throws {
    for seed in try SeedArchives.make() {
      let (path, byClass) = try nodes(Data(seed.bytes))
      // An implied top level counts as if it were stored.
      let count = try ArchiveImage(data: Data(seed.bytes), verification: .everything).reader.count
      expectSound(path, count, seed.name)
      expectSound(byClass, count, seed.name + " by class")
    }
  }

  @Test("all of a small archive is in the tree")
  func small() throws {
    let (path, byClass) = try nodes(KeyedArchiver.archivedData(withRootObject: Crew()))
    #expect(!path.contains { $0.kind == .others || $0.isFolded })
    let objects = path.filter { $0.kind == .object }
    #expect(
      objects.compactMap(\.typeName) == [
        "KeeputilTests.Crew", "KeeputilTests.Crew.Sailor", "KeeputilTests.Crew.Sailor",
      ]
    )
    #expect(path.count { $0.kind == .reference } == 1)
    #expect(objects[1].references == 2)
    for text in [
      "\"Ann\"", "\"Bo\\u{202E}b\"", "3 bytes: 0x0001ff", "2001-01-01 00:00:00.5 +0000", "[0.5, inf]",
    ] {
      #expect(path.contains { $0.text == text }, "\(text) in \(path.compactMap(\.text))")
    }
    #expect(path.contains { $0.text == "\"https://example.org/crew?a=1\"" })
    #expect(byClass.contains { $0.kind == .type && $0.count == 2 })
    // Everything but these three bytes is below the root.
    let root = path.filter { $0.parent == 0 }.reduce(0) { $0 + $1.bytes }
    #expect(path[0].bytes - root == 3, "the class number, the tag and the count of the top level are its own")
  }

  @Test("the start of a long text ends with a whole scalar", arguments: ["👨‍👩‍👧‍👦", "é", "x", "😀"])
  func longText(character: String) throws {
    let text = String(repeating: character, count: 5_000)
    let (path, _) = try nodes(KeyedArchiver.archivedData(withRootObject: text))
    let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(80)))
    #expect(path.contains { $0.text == "\"\(start)…\"" }, "\(path.compactMap(\.text))")
  }

  @Test("a large archive is folded, with consistent sums")
  func large() throws {
    let nodes = (0..<30_000).map { number in
      let node = CountedNode(name: "number \(number)")
      node.numbers = [number]
      return node
    }
    // The last object is the largest, so the tree has to show it.
    nodes[nodes.count - 1].bytes = Data(repeating: 7, count: 50_000)
    let data = try KeyedArchiver.archivedData(withRootObject: nodes)
    let (path, byClass) = try self.nodes(data)
    expectSound(path, data.count, "large")
    expectSound(byClass, data.count, "large by class")
    #expect(path.count > 1_000 && path.count <= ReportTree.mostNodes + 100, "\(path.count)")
    let others = path.filter { $0.kind == .others }
    #expect(others.reduce(0) { $0 + $1.count } > 20_000)
    #expect(
      path.contains { $0.kind == .bytes && $0.bytes > 50_000 && $0.text?.hasPrefix("50,000 bytes") == true }
    )
  }

  @Test("a body with very many values is folded")
  func wide() throws {
    let rows = (0..<40_000).map { ["name": "row \($0)", "note": String(repeating: "x", count: $0 % 50)] }
    let data = try KeyedArchiver.archivedData(withRootObject: rows)
    let (path, _) = try nodes(data)
    expectSound(path, data.count, "wide")
    #expect(path.count > 200 && path.count <= ReportTree.mostNodes, "\(path.count)")
    #expect(path.contains { $0.text?.hasPrefix("\"row") == true })
  }

  @Test("cycles, deep nesting and long chains have consistent sums")
  func strange() throws {
    let cycle = HandmadeArchive.data(
      bodies: [
        [1, Tag.shortArray + 2, Tag.objectReference, 2, Tag.objectReference, 1],
        [1, Tag.shortArray + 1, Tag.objectReference, 1], [1, Tag.shortArray + 1, Tag.objectReference, 3],
      ],
      topLevel: CraftedArchive.root([Tag.objectReference, 1])
    )
    let (path, _) = try nodes(cycle)
    expectSound(path, cycle.count, "cycle")
    #expect(path.count { $0.kind == .reference } == 3)
    #expect(path.contains { $0.kind == .group && $0.bytes == 4 })
    for tag in [Tag.some, Tag.shortArray + 1] {
      let nested = HandmadeArchive.data(topLevel: [0] + [UInt8](repeating: tag, count: 100_000) + [Tag.none])
      expectSound(try nodes(nested).path, nested.count, "nested \(tag)")
    }
    let count = 60_000
    let chain = (1...count).map { number -> [UInt8] in
      let next = min(number + 1, count)
      return [1, Tag.shortArray + 1, Tag.objectReference + 1, UInt8(next & 0xFF), UInt8(next >> 8)]
    }
    let long = HandmadeArchive.data(bodies: chain, topLevel: CraftedArchive.root([Tag.objectReference, 1]))
    let (chained, _) = try nodes(long)
    expectSound(chained, long.count, "chain")
    #expect(chained.count <= ReportTree.mostNodes + 100)
    #expect(chained.contains { $0.isFolded })
  }

  @Test("a body with more nested values than a report shows is folded")
  func nested() throws {
    let lists = (0..<120).map { first in
      (0..<120).map { second in (0..<10).map { "\(first) \(second) \($0)" } }
    }
    var all = lists
    all[70][80][5] = String(repeating: "long ", count: 5_000)
    let data = try KeyedArchiver.archivedData(withRootObject: all)
    let (path, byClass) = try nodes(data)
    expectSound(path, data.count, "nested lists")
    expectSound(byClass, data.count, "nested lists by class")
    #expect(path.count > 200 && path.count <= ReportTree.mostNodes + 100, "\(path.count)")
    #expect(path.contains { $0.bytes > 25_000 && $0.text?.hasPrefix("\"long long") == true })
    // All values are there, single or counted.
    let strings = path.reduce(0) { $0 + ($1.text != nil ? 1 : 0) }
    let folded = path.filter { $0.kind == .others }.reduce(0) { $0 + $1.count }
    #expect(strings + folded > 120 && folded > 0)
  }

  @Test("very many unreachable objects are grouped, and very many keys of classes have consistent sums")
  func many() throws {
    let unreached = HandmadeArchive.data(
      bodies: [[1, 0x95]] + (0..<1_500).map { [1] + CraftedArchive.text("number \($0)") },
      topLevel: CraftedArchive.root([Tag.objectReference, 1])
    )
    let (path, _) = try nodes(unreached)
    expectSound(path, unreached.count, "unreached")
    let group = try #require(path.firstIndex { $0.kind == .group })
    let members = path.filter { $0.parent == group }
    #expect(path[group].count == 1_500 && members.count == 1_001)
    #expect(members.reduce(0) { $0 + $1.bytes } == path[group].bytes)
    #expect(members.filter { $0.kind == .others }.map(\.count) == [500])

    let (classCount, keyCount) = (100, 210)
    let keys = (0..<keyCount).map { Array("key \($0)".utf8) }
    let shape = Bytes.varint(keyCount) + (0..<keyCount).flatMap { Bytes.varint($0) }
    let data = HandmadeArchive.data(
      bodies: (0..<classCount).map { [UInt8($0 + 1), 0x60] + [UInt8](repeating: 0x95, count: keyCount) },
      topLevel: CraftedArchive.root([0x50]),
      classes: (0..<classCount).map { HandmadeArchive.type("C\($0)") },
      keys: keys,
      shapes: [shape]
    )
    let (_, byClass) = try nodes(data)
    expectSound(byClass, data.count, "keys of classes")
  }
}
