/// The positions of the nodes of a graph: in columns, such that references lead from left to right where possible (the
/// method of Sugiyama, Tagawa and Toda). The same graph always has the same layout.
struct LayeredLayout {
  struct Size {
    var width: Double
    var height: Double
  }

  struct Link {
    let from: Int
    let to: Int
    /// Whether the link counts for the columns. A weak reference does not, since it often leads back.
    let isStrong: Bool
    /// The width that the label needs beside the nodes.
    let labelWidth: Double
  }

  /// A position in a column: of a node, or of an edge that passes through.
  struct Slot {
    let node: Int?
    let rank: Int
    var height: Double
    /// The linked slots in the columns beside this one.
    var before: [Int] = []
    var after: [Int] = []
    /// The vertical middle.
    var y = 0.0
  }

  /// The slots on the path of an edge from left to right. Empty for an edge within a column. Only both ends if there
  /// are so many edges that they are drawn straight.
  private(set) var ways: [[Int]] = []
  /// Whether an edge stays within a column.
  func isFlat(_ edge: Int) -> Bool { ways[edge].isEmpty }
  /// Whether an edge leads from right to left.
  private(set) var isReversed: [Bool] = []
  private(set) var slots: [Slot] = []
  private(set) var ranks: [Int] = []
  /// The slots of each column from top to bottom.
  private(set) var columns: [[Int]] = []
  /// The left side and the width of each column.
  private(set) var columnExtents: [(x: Double, width: Double)] = []

  private static let passingHeight = 10.0
  /// With more slots for passing edges, edges do not go around the nodes between their ends.
  private static let mostPassing = 20_000
  private static let leastGap = 70.0
  static let bandGap = 56.0

  /// - Parameter bandStarts: the first column of each band. No link leads from one band to another.
  init(_ sizes: [Size], _ links: [Link], _ ranks: [Int], _ bandStarts: [Int]) {
    self.ranks = ranks
    makeSlots(sizes, links)
    var order = LayerOrder(slots, columns)
    columns = order.bestColumns()
    LayerPlacing.place(&slots, columns)
    placeColumns(sizes, links, bandStarts)
    placeBands(bandStarts)
  }

  /// The column of each node: to the right of all nodes that refer to it, except in cycles.
  static func ranks(_ count: Int, _ links: [Link]) -> [Int] {
    let forward = acyclic(count, links)
    var successors = [[Int]](repeating: [], count: count)
    var predecessorCounts = [Int](repeating: 0, count: count)
    for (from, to) in forward {
      successors[from].append(to)
      predecessorCounts[to] += 1
    }
    let sources = Set((0..<count).filter { predecessorCounts[$0] == 0 })
    var ranks = [Int](repeating: 0, count: count)
    var ready = sources.sorted()
    var next = 0
    while next < ready.count {
      let node = ready[next]
      next += 1
      for successor in successors[node] {
        ranks[successor] = max(ranks[successor], ranks[node] + 1)
        predecessorCounts[successor] -= 1
        if predecessorCounts[successor] == 0 { ready.append(successor) }
      }
    }
    // A node to which nothing refers is beside those to which it refers, except the first node, the top level.
    for node in sources.sorted() where node != 0 {
      if let least = successors[node].map({ ranks[$0] }).min() { ranks[node] = max(0, least - 1) }
    }
    return ranks
  }

  /// The links between different nodes, reversed where they would close a cycle.
  private static func acyclic(_ count: Int, _ links: [Link]) -> [(from: Int, to: Int)] {
    var outgoing = [[Int]](repeating: [], count: count)
    for (index, link) in links.enumerated() where link.isStrong && link.from != link.to {
      outgoing[link.from].append(index)
    }
    enum Mark { case new, open, done }
    var marks = [Mark](repeating: .new, count: count)
    var forward: [(from: Int, to: Int)] = []
    for root in 0..<count where marks[root] == .new {
      marks[root] = .open
      var path = [(node: root, next: 0)]
      while let (node, next) = path.last {
        guard next < outgoing[node].count else {
          marks[node] = .done
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let target = links[outgoing[node][next]].to
        switch marks[target] {
        case .open: forward.append((target, node))
        case .done: forward.append((node, target))
        case .new:
          forward.append((node, target))
          marks[target] = .open
          path.append((target, 0))
        }
      }
    }
    return forward
  }

  private mutating func makeSlots(_ sizes: [Size], _ links: [Link]) {
    columns = Array(repeating: [], count: (ranks.max() ?? 0) + 1)
    for node in sizes.indices {
      slots.append(Slot(node: node, rank: ranks[node], height: sizes[node].height))
      columns[ranks[node]].append(node)
    }
    let passing = links.reduce(0) { $0 + max(0, abs(ranks[$1.to] - ranks[$1.from]) - 1) }
    for link in links {
      let isReversed = ranks[link.to] < ranks[link.from]
      self.isReversed.append(isReversed)
      let (left, right) = isReversed ? (link.to, link.from) : (link.from, link.to)
      guard ranks[left] < ranks[right] else {
        ways.append([])
        continue
      }
      var way = [left]
      if passing <= LayeredLayout.mostPassing {
        for rank in (ranks[left] + 1)..<ranks[right] {
          columns[rank].append(slots.count)
          way.append(slots.count)
          slots.append(Slot(node: nil, rank: rank, height: LayeredLayout.passingHeight))
        }
      }
      way.append(right)
      for (slot, next) in zip(way, way.dropFirst()) where slots[next].rank == slots[slot].rank + 1 {
        slots[slot].after.append(next)
        slots[next].before.append(slot)
      }
      ways.append(way)
    }
  }

  struct Column {
    var width = 1.0
    /// The gap to the right of the column.
    var gap = leastGap
  }

  static func columnWidths(_ sizes: [Size], _ links: [Link], _ ranks: [Int]) -> [Column] {
    var columns = Array(repeating: Column(), count: (ranks.max() ?? 0) + 1)
    for (rank, size) in zip(ranks, sizes) { columns[rank].width = max(columns[rank].width, size.width) }
    // Reserve space between columns for the labels of the edges that start or end there.
    for link in links where !link.labelWidth.isZero {
      let (low, high) = (min(ranks[link.from], ranks[link.to]), max(ranks[link.from], ranks[link.to]))
      columns[low].gap = max(columns[low].gap, link.labelWidth + 44)
      if high > low { columns[high - 1].gap = max(columns[high - 1].gap, link.labelWidth + 44) }
    }
    return columns
  }

  private mutating func placeColumns(_ sizes: [Size], _ links: [Link], _ starts: [Int]) {
    var x = 0.0
    for (rank, column) in LayeredLayout.columnWidths(sizes, links, ranks).enumerated() {
      if starts.contains(rank) { x = 0 }
      columnExtents.append((x, column.width))
      x += column.width + column.gap
    }
  }

  private mutating func placeBands(_ bandStarts: [Int]) {
    var top = 0.0
    for (start, end) in zip(bandStarts, bandStarts.dropFirst() + [columns.count]) {
      let band = columns[start..<end].joined()
      let highest = band.map { slots[$0].y - slots[$0].height / 2 }.min() ?? 0
      let lowest = band.map { slots[$0].y + slots[$0].height / 2 }.max() ?? 0
      for slot in band { slots[slot].y += top - highest }
      top += lowest - highest + LayeredLayout.bandGap
    }
  }
}
