/// Where the last body began that was asked for in each of some groups of the offset table: the next one in the
/// group is found from there, and not from the beginning of the group (Format §5.6).
///
/// Whoever reads a tree depth first, whose bodies stand breadth first, is in as many places as the tree is deep.
struct BodyStarts {
  private static let count = 64

  private struct Start {
    var group = -1
    var index = 0
    var start = 0
  }

  /// Empty until there is something to remember, which of an archive with one body there never is.
  private var starts: [Start] = []

  mutating func removeAll() {
    if !starts.isEmpty { starts = [] }
  }

  /// A body of `group` no later than that at `index`, of which the beginning is known.
  @inline(__always)
  func nearest(_ group: Int, _ index: Int) -> (start: Int, index: Int)? {
    guard !starts.isEmpty else { return nil }
    let start = starts[group & (BodyStarts.count &- 1)]
    return start.group == group && start.index <= index ? (start.start, start.index) : nil
  }

  @inline(__always)
  mutating func note(_ group: Int, _ index: Int, _ start: Int) {
    if starts.isEmpty {
      guard index > 0 else { return }
      starts = Array(repeating: Start(), count: BodyStarts.count)
    }
    starts[group & (BodyStarts.count &- 1)] = Start(group: group, index: index, start: start)
  }
}

/// The groups of the offset table whose lengths were found to add up.
struct SoundGroups {
  /// A bit for each of the first 64, which are all that most archives have, and words of as many for the others.
  private var first: UInt64 = 0
  private var others: [UInt64]

  init(count: Int) {
    others = count > 64 ? Array(repeating: 0, count: count / 64) : []
  }

  @inline(__always)
  func contains(_ group: Int) -> Bool {
    (group < 64 ? first : others[group / 64 - 1]) &>> UInt64(group % 64) & 1 == 1
  }

  mutating func insert(_ group: Int) {
    if group < 64 {
      first |= 1 << UInt64(group)
    } else {
      others[group / 64 - 1] |= 1 << UInt64(group % 64)
    }
  }
}
