/// Where a body begins, and what its group of the offset table tells of those behind it (Format §5.6).
struct BodyStart: BitwiseCopyable {
  let group: Int
  /// Where the lengths of the bodies of the group stand, of which each has ``width`` bytes.
  let lengths: Int
  let width: Int
  var start: Int
  /// The number of the body in its group.
  var index = 0
}

/// Where the last body began that was asked for in each of some groups of the offset table: the next one in the group is
/// found from there. Whoever reads a tree depth first, whose bodies stand breadth first, is in as many places as it is deep.
struct BodyStarts {
  private static let count = 64

  /// Empty until there is something to remember. Those of group -1 are not used.
  private var starts: [BodyStart] = []

  mutating func removeAll() {
    if !starts.isEmpty { starts = [] }
  }

  /// A body of `group` no later than that at `index`, of which the beginning is known.
  @inline(__always)
  func nearest(_ group: Int, _ index: Int) -> BodyStart? {
    guard !starts.isEmpty else { return nil }
    let start = starts[group & (BodyStarts.count &- 1)]
    return start.group == group && start.index <= index ? start : nil
  }

  /// Notes a body of a group that was found to be sound.
  @inline(__always)
  mutating func note(_ body: BodyStart) {
    if starts.isEmpty {
      guard body.index > 0 else { return }
      let unused = BodyStart(group: -1, lengths: 0, width: 0, start: 0)
      starts = Array(repeating: unused, count: BodyStarts.count)
    }
    starts[body.group & (BodyStarts.count &- 1)] = body
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
