import Keepsake

/// Finds which elements of two arrays correspond, so that an inserted element is one difference, not a change of all
/// elements after it.
struct SequenceAlignment {
  /// A range in which all elements are the same, or a range in which they differ.
  struct Stretch: Equatable {
    var first: Range<Int>
    var second: Range<Int>
    var isSame: Bool
  }

  /// The most changes that are found one by one. The time and memory for it grow with the square of their number.
  private static let mostChanges = 400

  /// The ranges in order, with as few differences as can be found at a reasonable cost.
  static func align(_ first: [UInt64], _ second: [UInt64]) -> [Stretch] {
    var alignment = SequenceAlignment(first: first, second: second)
    alignment.align(0..<first.count, 0..<second.count, isAnchored: false)
    return alignment.stretches
  }

  private let first: [UInt64]
  private let second: [UInt64]
  private var stretches: [Stretch] = []

  private mutating func add(_ a: Range<Int>, _ b: Range<Int>, same isSame: Bool) {
    guard !a.isEmpty || !b.isEmpty else { return }
    if let last = stretches.last, last.isSame == isSame {
      stretches[stretches.count - 1].first = last.first.lowerBound..<a.upperBound
      stretches[stretches.count - 1].second = last.second.lowerBound..<b.upperBound
    } else {
      stretches.append(Stretch(first: a, second: b, isSame: isSame))
    }
  }

  /// - Parameter isAnchored: whether the two ranges lie between unique elements.
  private mutating func align(_ a: Range<Int>, _ b: Range<Int>, isAnchored: Bool) {
    let prefix = zip(first[a], second[b]).prefix { $0 == $1 }.count
    let (startA, startB) = (a.lowerBound + prefix, b.lowerBound + prefix)
    let suffix = zip(first[startA..<a.upperBound].reversed(), second[startB..<b.upperBound].reversed())
      .prefix { $0 == $1 }.count
    let (a2, b2) = (startA..<(a.upperBound - suffix), startB..<(b.upperBound - suffix))
    add(a.lowerBound..<startA, b.lowerBound..<startB, same: true)
    if a2.isEmpty || b2.isEmpty {
      add(a2, b2, same: false)
    } else if let pairs = shortestEdit(a2, b2) {
      add(pairs, a2, b2)
    } else if isAnchored {
      add(a2, b2, same: false)
    } else {
      alignByUnique(a2, b2)
    }
    add(a2.upperBound..<a.upperBound, b2.upperBound..<b.upperBound, same: true)
  }

  private mutating func add(_ pairs: [(Int, Int)], _ a: Range<Int>, _ b: Range<Int>) {
    var (nextA, nextB) = (a.lowerBound, b.lowerBound)
    for (i, j) in pairs {
      add(nextA..<i, nextB..<j, same: false)
      add(i..<(i + 1), j..<(j + 1), same: true)
      (nextA, nextB) = (i + 1, j + 1)
    }
    add(nextA..<a.upperBound, nextB..<b.upperBound, same: false)
  }

  /// The pairs of a longest common subsequence, by Myers' greedy algorithm. `nil` if there are too many changes.
  private func shortestEdit(_ a: Range<Int>, _ b: Range<Int>) -> [(Int, Int)]? {
    let (n, m) = (a.count, b.count)
    let limit = min(n + m, SequenceAlignment.mostChanges)
    guard abs(n - m) <= limit else { return nil }
    // furthest[k + limit + 1] is the furthest position in `a` on diagonal k. There is a spare entry at both ends.
    var furthest = [Int](repeating: 0, count: 2 * limit + 3)
    var trace: [[Int]] = []
    for changes in 0...limit {
      trace.append(Array(furthest[(limit + 1 - changes)...(limit + 1 + changes)]))
      for k in stride(from: -changes, through: changes, by: 2) {
        let (below, above) = (furthest[limit + k], furthest[limit + k + 2])
        var x = k == -changes || (k != changes && below < above) ? above : below + 1
        while x < n, x - k < m, first[a.lowerBound + x] == second[b.lowerBound + x - k] { x += 1 }
        furthest[limit + 1 + k] = x
        if x >= n, x - k >= m { return walkBack(trace, a, b) }
      }
    }
    return nil
  }

  private func walkBack(_ trace: [[Int]], _ a: Range<Int>, _ b: Range<Int>) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, y) = (a.count, b.count)
    for changes in stride(from: trace.count - 1, through: 0, by: -1) {
      let k = x - y
      var (previousX, previousY) = (0, 0)
      if changes > 0 {
        // The furthest position before this change on diagonal k, from -changes to changes. The outermost diagonals are
        // not reached yet.
        func reached(_ k: Int) -> Int { trace[changes][k + changes] }
        let isDown = k == -changes || (k != changes && reached(k - 1) < reached(k + 1))
        let previousK = isDown ? k + 1 : k - 1
        previousX = reached(previousK)
        previousY = previousX - previousK
      }
      while x > previousX, y > previousY {
        (x, y) = (x - 1, y - 1)
        pairs.append((a.lowerBound + x, b.lowerBound + y))
      }
      (x, y) = (previousX, previousY)
    }
    return pairs.reversed()
  }

  /// Aligns the elements that occur once in each range, in a longest increasing sequence, and the ranges between.
  private mutating func alignByUnique(_ a: Range<Int>, _ b: Range<Int>) {
    // An element that occurs several times has the index -1.
    let indexesA = Dictionary(a.map { (first[$0], $0) }) { _, _ in -1 }
    let indexesB = Dictionary(b.map { (second[$0], $0) }) { _, _ in -1 }
    let pairs = a.compactMap { i in
      indexesB[first[i]].flatMap { j in indexesA[first[i]] == i && j >= 0 ? (i, j) : nil }
    }
    var (nextA, nextB) = (a.lowerBound, b.lowerBound)
    for (i, j) in SequenceAlignment.longestRising(pairs) {
      align(nextA..<i, nextB..<j, isAnchored: true)
      add(i..<(i + 1), j..<(j + 1), same: true)
      (nextA, nextB) = (i + 1, j + 1)
    }
    align(nextA..<a.upperBound, nextB..<b.upperBound, isAnchored: true)
  }

  /// The longest sequence of pairs in which both numbers increase.
  private static func longestRising(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for index in pairs.indices {
      let place = ends.partitioningIndex { pairs[$0].1 >= pairs[index].1 }
      if place > 0 { before[index] = ends[place - 1] }
      if place < ends.count { ends[place] = index } else { ends.append(index) }
    }
    var row: [(Int, Int)] = []
    var index = ends.last ?? -1
    while index >= 0 {
      row.append(pairs[index])
      index = before[index]
    }
    return row.reversed()
  }
}
