import Foundation
import Keepsake
import TestSupport
import Testing

/// Random graphs of objects with properties of all kinds: either the archiver refuses a cycle that no reader
/// could close, or the same graph comes back, with the same identities.
@Suite struct RandomGraphs {
  @Test("without registering classes, exactly cycles of plain references are refused")
  func plain() throws {
    var generator = SeededGenerator("random graphs")
    var refused = 0
    let count = sized(1_500, inDebug: 300)
    for _ in 0..<count {
      let nodes = makeNodes(using: &generator) { _, _ in false }
      let isRing = hasPlainRing(nodes[0])
      do {
        let back = try roundTrip(nodes[0])
        #expect(!isRing, "an unreadable cycle was archived")
        compare(nodes[0], back)
      } catch let error as EncodingError {
        #expect(Failure(error)?.code == .cycle && isRing, "\(error)")
        refused += 1
      }
      for node in nodes { node.cut() }
    }
    #expect(refused > count / 50 && refused < count * 49 / 50, "\(refused) of \(count) refused")
  }

  @Test("with registering classes, exactly the graphs that no reader can complete are refused")
  func registering() throws {
    var generator = SeededGenerator("random graphs with registering classes")
    var refused = 0
    let count = sized(1_500, inDebug: 300)
    for _ in 0..<count {
      let nodes = makeNodes(using: &generator) { _, generator in Int.random(in: 0..<3, using: &generator) > 0
      }
      var reader = Reader()
      let isStuck = !reader.reads(nodes[0])
      do {
        let back = try roundTrip(nodes[0])
        #expect(!isStuck, "an unreadable cycle was archived")
        compare(nodes[0], back)
      } catch let error as EncodingError {
        #expect(Failure(error)?.code == .cycle && isStuck, "\(error)")
        refused += 1
      }
      for node in nodes { node.cut() }
    }
    #expect(refused > count / 50 && refused < count * 49 / 50, "\(refused) of \(count) refused")
  }

  @Test("graphs that share objects come back under keys read in any order")
  func keys() throws {
    var generator = SeededGenerator("random graphs under keys")
    for _ in 0..<sized(200, inDebug: 50) {
      let nodes = makeNodes(using: &generator) { _, _ in false }
      let archiver = KeyedArchiver()
      var written: [(key: String, node: RandomNode)] = []
      for index in 0..<4 {
        let node = nodes[Int.random(in: 0..<nodes.count, using: &generator)]
        do {
          try archiver.encode(node, forKey: "\(index)")
          #expect(!hasPlainRing(node))
          written.append(("\(index)", node))
        } catch {
          #expect(Failure(error)?.code == .cycle && hasPlainRing(node))
        }
      }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData, verification: .everything)
      #expect(unarchiver.allKeys == written.map(\.key))
      // Without classes that register, any order works.
      written.shuffle(using: &generator)
      var match = Matching()
      for (key, node) in written {
        match.pair(node, try unarchiver.decode(RandomNode.self, forKey: key))
      }
      match.check()
      for node in nodes { node.cut() }
    }
  }

  @Test("with registering classes, graphs under keys come back in any order")
  func registeringUnderKeys() throws {
    var generator = SeededGenerator("random graphs with registering classes under keys")
    var (refused, accepted) = (0, 0)
    for _ in 0..<sized(600, inDebug: 240) {
      let nodes = makeNodes(using: &generator) { _, generator in Int.random(in: 0..<3, using: &generator) > 0
      }
      let archiver = KeyedArchiver()
      var written: [(key: String, node: RandomNode)] = []
      for index in 0..<6 {
        let node = nodes[Int.random(in: 0..<nodes.count, using: &generator)]
        var reader = Reader()
        let isStuck = !reader.reads(node)
        do {
          try archiver.encode(node, forKey: "\(index)")
          #expect(!isStuck, "an unreadable cycle was archived")
          written.append(("\(index)", node))
        } catch {
          #expect(Failure(error)?.code == .cycle && isStuck, "\(error)")
          refused += 1
        }
      }
      accepted += written.count
      let data = try archiver.encodedData
      for _ in 0..<3 {
        written.shuffle(using: &generator)
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
        var match = Matching()
        for (key, node) in written {
          match.pair(node, try unarchiver.decode(RandomNode.self, forKey: key))
        }
        match.check()
      }
      for node in nodes { node.cut() }
    }
    let least = sized(200, inDebug: 40)
    #expect(refused > least && accepted > least, "\(refused) refused, \(accepted) accepted")
  }
}

// MARK: - Making graphs

private func makeNodes(
  using generator: inout SeededGenerator,
  isEarly: (Int, inout SeededGenerator) -> Bool
) -> [RandomNode] {
  let count = Int.random(in: 2...14, using: &generator)
  let nodes = (0..<count).map { isEarly($0, &generator) ? EarlyRandomNode($0) : RandomNode($0) }
  // In some graphs, plain references lead only forward.
  let backward = Double.random(in: 0...0.15, using: &generator)
  // In some, plain references are rare, so deferred values reach many objects first.
  let plainness = Double.random(in: 0.1...0.6, using: &generator)
  func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < probability }
  func any() -> RandomNode { nodes[Int.random(in: 0..<count, using: &generator)] }
  func plain(from index: Int) -> RandomNode? {
    if chance(backward) { return any() }
    return index + 1 < count ? nodes[Int.random(in: (index + 1)..<count, using: &generator)] : nil
  }
  for (index, node) in nodes.enumerated() {
    if chance(plainness) { node.plain = plain(from: index) }
    if chance(0.5) { node.later = any() }
    if chance(0.5) { node.watched = any() }
    while chance(plainness), let other = plain(from: index) { node.list.append(other) }
    while chance(0.4) { node.laterList.append(chance(0.2) ? nil : any()) }
    while chance(plainness), let other = plain(from: index) { node.table["\(node.table.count)"] = other }
    while chance(0.3) { node.laterTable["\(node.laterTable.count)"] = any() }
    while chance(0.3) { node.watchedList.append(WeakReference(wrappedValue: any())) }
    while chance(0.3) { node.pairs.append(RandomPair(plain: plain(from: index), later: any())) }
    while chance(0.6) { node.laterPairs.append(RandomPair(plain: any(), later: chance(0.3) ? nil : any())) }
  }
  return nodes
}

// MARK: - Expectations

/// Whether plain references of the objects that `root` reaches form a cycle. Those in a deferred structure are deferred
/// themselves.
private func hasPlainRing(_ root: RandomNode) -> Bool {
  let nodes = reachable(root)
  var edges = Dictionary(
    uniqueKeysWithValues: nodes.map { ($0.number, Set($0.plainReferences.map(\.number))) }
  )
  // Removes objects without plain references until there are none.
  while let (number, _) = edges.first(where: { $0.value.isEmpty }) {
    edges[number] = nil
    for key in edges.keys { edges[key]?.remove(number) }
  }
  return !edges.isEmpty
}

private func reachable(_ root: RandomNode) -> [RandomNode] {
  var seen = [ObjectIdentifier(root): root]
  var next = [root]
  while let node = next.popLast() {
    for other in node.strongReferences where seen.updateValue(other, forKey: ObjectIdentifier(other)) == nil {
      next.append(other)
    }
  }
  return Array(seen.values)
}

/// Reads a graph as an unarchiver does.
private struct Reader {
  private var open: Set<Int> = []
  private var done: Set<Int> = []
  private var queue: [RandomNode.Step] = []

  mutating func reads(_ root: RandomNode) -> Bool {
    guard build(root) else { return false }
    var index = 0
    while index < queue.count {
      if !take(queue[index]) { return false }
      index += 1
    }
    return true
  }

  private mutating func take(_ step: RandomNode.Step) -> Bool {
    switch step {
    case .now(let node): return node.map { build($0) } ?? true
    case .later(let steps):
      queue += steps
      return true
    }
  }

  private mutating func build(_ node: RandomNode) -> Bool {
    if done.contains(node.number) { return true }
    if open.contains(node.number) { return node is EarlyRandomNode }
    open.insert(node.number)
    for step in node.steps where !take(step) { return false }
    open.remove(node.number)
    done.insert(node.number)
    return true
  }
}

private func compare(_ old: RandomNode, _ new: RandomNode) {
  var match = Matching()
  match.pair(old, new)
  match.check()
}

/// Which object of the copy corresponds to which one of the original.
private struct Matching {
  private var partners: [ObjectIdentifier: RandomNode] = [:]
  private var originals: [ObjectIdentifier: RandomNode] = [:]

  mutating func pair(_ old: RandomNode, _ new: RandomNode) {
    var next = [(old, new)]
    while let (old, new) = next.popLast() {
      if let partner = partners[ObjectIdentifier(old)] {
        #expect(partner === new, "\(old.number) came back as two")
        continue
      }
      #expect(originals.updateValue(old, forKey: ObjectIdentifier(new)) == nil, "two came back as one")
      partners[ObjectIdentifier(old)] = new
      #expect(old !== new && old.number == new.number && type(of: old) == type(of: new))
      let (references, copies) = (old.ordered, new.ordered)
      #expect(references.count == copies.count && references.map { $0 == nil } == copies.map { $0 == nil })
      for case (let reference?, let copy?) in zip(references, copies) { next.append((reference, copy)) }
    }
  }

  /// Compares the weak references once all strong ones are matched.
  func check() {
    for (identifier, old) in originals {
      guard let new = partners[ObjectIdentifier(old)], ObjectIdentifier(new) == identifier else { continue }
      let (references, copies) = (old.weakReferences, new.weakReferences)
      #expect(references.count == copies.count)
      for (reference, copy) in zip(references, copies) {
        let expected = reference.flatMap { partners[ObjectIdentifier($0)] }
        #expect(copy === expected, "a weak reference of \(old.number)")
      }
    }
  }
}
