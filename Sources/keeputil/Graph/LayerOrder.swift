/// The order of the slots in each column, with few crossings of the edges between the columns.
struct LayerOrder {
  private static let sweeps = 12

  private let slots: [LayeredLayout.Slot]
  private var columns: [[Int]]
  private var positions: [Int]

  init(_ slots: [LayeredLayout.Slot], _ columns: [[Int]]) {
    self.slots = slots
    self.columns = columns
    positions = Array(repeating: 0, count: slots.count)
    for column in columns { number(column) }
  }

  private mutating func number(_ column: [Int]) {
    for (index, slot) in column.enumerated() { positions[slot] = index }
  }

  /// The columns in the best order that sweeps in both directions find.
  mutating func bestColumns() -> [[Int]] {
    var best = (columns: columns, crossings: crossings())
    for sweep in 0..<LayerOrder.sweeps where best.crossings > 0 {
      if sweep % 2 == 0 {
        for rank in columns.indices.dropFirst() { sort(rank) { $0.before } }
      } else {
        for rank in columns.indices.dropLast().reversed() { sort(rank) { $0.after } }
      }
      let count = crossings()
      if count < best.crossings { best = (columns, count) }
    }
    return best.columns
  }

  /// Sorts a column by the average position of the neighbors of its slots on one side.
  private mutating func sort(_ rank: Int, _ neighbours: (LayeredLayout.Slot) -> [Int]) {
    let column = columns[rank]
    let keys = column.enumerated().map { index, slot in
      let beside = neighbours(slots[slot])
      // A slot without neighbors stays about where it is.
      guard !beside.isEmpty else { return Double(index) }
      return Double(beside.reduce(0) { $0 + positions[$1] }) / Double(beside.count)
    }
    let sorted = column.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
    columns[rank] = sorted.map { column[$0] }
    number(columns[rank])
  }

  private func crossings() -> Int {
    columns.indices.dropLast().reduce(0) { $0 + crossings(between: $1) }
  }

  /// The number of pairs of edges to the next column that cross: their ends and their starts are in different orders.
  private func crossings(between rank: Int) -> Int {
    let ends = columns[rank].flatMap { slots[$0].after.map { positions[$0] }.sorted() }
    // For each position, the number of edges so far that end there, as a binary indexed tree.
    var tree = [Int](repeating: 0, count: columns[rank + 1].count + 1)
    var count = 0
    for (seen, end) in ends.enumerated() {
      var notBehind = 0
      var position = end + 1
      while position > 0 {
        notBehind += tree[position]
        position &= position - 1
      }
      count += seen - notBehind
      position = end + 1
      while position < tree.count {
        tree[position] += 1
        position += position & -position
      }
    }
    return count
  }
}

/// The vertical positions of the slots of each column: near those of linked slots, without overlaps.
enum LayerPlacing {
  private static let sweeps = 24
  static let nodeGap = 20.0
  private static let passingGap = 8.0

  static func place(_ slots: inout [LayeredLayout.Slot], _ columns: [[Int]]) {
    for column in columns { settle(column, column.map { _ in 0 }, &slots) }
    for sweep in 0..<sweeps {
      let isForward = sweep % 2 == 0
      for column in isForward ? columns : columns.reversed() {
        let wanted = column.map { slot in
          // In the last sweeps, both sides count.
          let beside =
            sweep >= sweeps - 4
            ? slots[slot].before + slots[slot].after : isForward ? slots[slot].before : slots[slot].after
          guard !beside.isEmpty else { return slots[slot].y }
          return beside.reduce(0) { $0 + slots[$1].y } / Double(beside.count)
        }
        settle(column, wanted, &slots)
      }
    }
    let top = slots.map { $0.y - $0.height / 2 }.min() ?? 0
    for index in slots.indices { slots[index].y -= top }
  }

  /// Places the slots of a column as close to their ideal positions as their order and the gaps allow. Minimizes the
  /// squares of the distances by pooling neighbors that would overlap.
  private static func settle(_ column: [Int], _ wanted: [Double], _ slots: inout [LayeredLayout.Slot]) {
    var shifts = [0.0]
    for (above, below) in zip(column, column.dropFirst()).map({ (slots[$0], slots[$1]) }) {
      let gap = above.node == nil || below.node == nil ? passingGap : nodeGap
      shifts.append(shifts[shifts.count - 1] + (above.height + below.height) / 2 + gap)
    }
    // After the gaps are subtracted, positions must not decrease.
    var pools: [(sum: Double, count: Int)] = []
    for index in column.indices {
      pools.append((wanted[index] - shifts[index], 1))
      while pools.count > 1 {
        let (last, before) = (pools[pools.count - 1], pools[pools.count - 2])
        guard before.sum / Double(before.count) > last.sum / Double(last.count) else { break }
        pools.removeLast()
        pools[pools.count - 1] = (before.sum + last.sum, before.count + last.count)
      }
    }
    let places = pools.flatMap { Array(repeating: $0.sum / Double($0.count), count: $0.count) }
    for (slot, (place, shift)) in zip(column, zip(places, shifts)) { slots[slot].y = place + shift }
  }
}
