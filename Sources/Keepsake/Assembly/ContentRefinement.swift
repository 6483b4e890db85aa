/// Distinguishes the parts of a graph by how they are related: first by the colors they are given, then by the colors
/// of what they refer to and of what refers to them, until nothing changes.
///
/// Colors depend on the graph alone, not on the order in which its parts were found. If a class of parts is split, its
/// largest piece keeps the color. So each part gets a new color at most log n times, and n references take n log n
/// steps in all, however far away a difference is.
struct ContentRefinement {
  /// The part `source` refers to the part `target`, at `position` among its references. In a set, all positions are 0.
  struct Reference {
    let source: Int
    let position: Int
    let target: Int
  }

  /// The color of each part.
  private(set) var colors: [Int] = []
  /// For each part, the parts that refer to it and, with a complemented position, those to which it refers.
  private var incoming: [[(source: Int, position: Int)]] = []
  /// The parts grouped by color, and the index of each in that list.
  private var members: [Int] = []
  private var positions: [Int] = []
  /// For each color, the range of its parts in ``members``.
  private var classes: [Range<Int>] = []
  /// The classes that were split, each with its color and the range of its parts before.
  private var splits: [(color: Int, range: Range<Int>)] = []

  /// A point to which the refinement can be taken back.
  struct Mark: Equatable {
    fileprivate let partCount: Int
    fileprivate let classCount: Int
    fileprivate let splitCount: Int
  }

  var mark: Mark { Mark(partCount: colors.count, classCount: classes.count, splitCount: splits.count) }

  /// Forgets parts and colors since `mark`. The order of the parts in a class may change, which does not matter.
  mutating func truncate(to mark: Mark) {
    while splits.count > mark.splitCount, let split = splits.popLast() {
      for part in members[split.range] { colors[part] = split.color }
      classes[split.color] = split.range
    }
    for part in mark.partCount..<colors.count {
      // Each reference comes after those that existed before.
      for (other, _) in incoming[part] where other < mark.partCount {
        while let last = incoming[other].last, last.source >= mark.partCount { incoming[other].removeLast() }
      }
    }
    colors.removeSubrange(mark.partCount...)
    positions.removeSubrange(mark.partCount...)
    incoming.removeSubrange(mark.partCount...)
    members.removeSubrange(mark.partCount...)
    classes.removeSubrange(mark.classCount...)
  }

  /// A reference whose target has a new color.
  private struct Change {
    let source: Int
    let position: Int
    let color: Int
  }

  /// Adds parts, all of which differ from the existing ones.
  ///
  /// - Parameters:
  ///   - newClasses: the new parts, in sorted classes that are alike at first, numbered after the existing parts.
  ///   - references: the references of the new parts.
  mutating func add(_ newClasses: [[Int]], _ references: [Reference]) {
    let first = colors.count
    let count = newClasses.reduce(0) { $0 + $1.count }
    colors += Array(repeating: 0, count: count)
    positions += Array(repeating: 0, count: count)
    incoming += Array(repeating: [], count: count)
    for parts in newClasses {
      for (position, part) in zip(members.count..., parts) {
        colors[part] = classes.count
        positions[part] = position
      }
      classes.append(members.count..<(members.count + parts.count))
      members += parts
    }
    // Each reference counts in both directions. The references to a part have no order among themselves.
    for reference in references {
      incoming[reference.target].append((reference.source, reference.position))
      incoming[reference.source].append((reference.target, ~reference.position))
    }
    refine(Array(first..<colors.count))
  }

  /// Distinguishes `part` from those that are like it.
  mutating func singleOut(_ part: Int) {
    let color = colors[part]
    guard classes[color].count > 1 else { return }
    let last = classes[color].upperBound - 1
    swap(positions[part], last)
    refine(recolor([classes[color].lowerBound..<last, last..<(last + 1)], color))
  }

  /// Propagates the new colors of `changed`.
  private mutating func refine(_ changed: [Int]) {
    var changed = changed
    while !changed.isEmpty {
      var changes: [Change] = []
      for target in changed {
        for (source, position) in incoming[target] where classes[colors[source]].count > 1 {
          changes.append(Change(source: source, position: position, color: colors[target]))
        }
      }
      changes = changes.ordered { left, right in
        (colors[left.source], left.source, left.position, left.color)
          < (colors[right.source], right.source, right.position, right.color)
      }
      changed = []
      for ofOneClass in changes.runs(by: { colors[$0.source] }) { changed += split(ofOneClass) }
    }
  }

  /// Splits a class by the changes in what its parts refer to.
  ///
  /// - Returns: the parts that got a new color.
  private mutating func split(_ changes: ArraySlice<Change>) -> [Int] {
    guard let color = changes.first.map({ colors[$0.source] }) else { return [] }
    let bySource = changes.runs { $0.source }.ordered { $0.lexicographicallyPrecedes($1, by: isBefore) }
    // Moves the pieces behind the unaffected parts, the last piece first.
    var pieces: [Range<Int>] = []
    var end = classes[color].upperBound
    var last = bySource.endIndex
    while last > 0 {
      let first = bySource[..<last].lastIndex { precedes($0, bySource[last - 1]) }.map { $0 + 1 } ?? 0
      let upper = end
      for changesOfPart in bySource[first..<last] {
        guard let source = changesOfPart.first?.source else { continue }
        end -= 1
        swap(positions[source], end)
      }
      pieces.append(end..<upper)
      last = first
    }
    if end > classes[color].lowerBound { pieces.append(classes[color].lowerBound..<end) }
    pieces.reverse()
    return recolor(pieces, color)
  }

  /// Gives each of `pieces`, once a class of `color`, a color of its own, except that the largest keeps the old one.
  private mutating func recolor(_ pieces: [Range<Int>], _ color: Int) -> [Int] {
    if pieces.count > 1 { splits.append((color, classes[color])) }
    let largest = pieces.indices.max { (pieces[$0].count, $1) < (pieces[$1].count, $0) }
    var changed: [Int] = []
    for (index, piece) in pieces.enumerated() {
      if index == largest {
        classes[color] = piece
        continue
      }
      for part in members[piece] { colors[part] = classes.count }
      changed += members[piece]
      classes.append(piece)
    }
    return changed
  }

  private mutating func swap(_ position: Int, _ other: Int) {
    members.swapAt(position, other)
    positions[members[position]] = position
    positions[members[other]] = other
  }

  private func isBefore(_ left: Change, _ right: Change) -> Bool {
    (left.position, left.color) < (right.position, right.color)
  }

  private func precedes(_ left: ArraySlice<Change>, _ right: ArraySlice<Change>) -> Bool {
    left.lexicographicallyPrecedes(right, by: isBefore)
  }
}

extension RandomAccessCollection where Index == Int {
  /// The runs of consecutive elements with the same `property`.
  func runs<Property: Equatable>(by property: (Element) -> Property) -> [SubSequence] {
    var runs: [SubSequence] = []
    var start = startIndex
    for index in indices.dropFirst() where property(self[index]) != property(self[start]) {
      runs.append(self[start..<index])
      start = index
    }
    if start < endIndex { runs.append(self[start..<endIndex]) }
    return runs
  }
}
