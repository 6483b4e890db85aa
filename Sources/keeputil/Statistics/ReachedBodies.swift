/// The path by which each body is first reached from the top level. It is a shortest one: the search is breadth first.
///
/// This takes twenty bytes for each body, and nothing for its values.
struct ReachedBodies {
  /// The bodies in the order in which they were reached. Bodies to which nothing leads come last.
  private(set) var order: [UInt32] = []
  /// For each body, the body with the first reference to it; 0 is the top level.
  private var parents: [UInt32]
  /// The offset of that reference; 0 for a body that was not reached yet, -1 for a body to which nothing leads. A later
  /// reference to the latter, as in a cycle, does not become its path.
  private var offsets: [Int]
  /// The row of the key of that reference.
  private var rows: [UInt32]

  init(bodyCount: Int) {
    order.reserveCapacity(bodyCount)
    parents = Array(repeating: 0, count: bodyCount + 1)
    offsets = Array(repeating: 0, count: bodyCount + 1)
    rows = Array(repeating: 0, count: bodyCount + 1)
  }

  /// Notes a reference if it is the first to its body.
  mutating func note(_ body: Int, from parent: Int, at offset: Int, under row: Int) {
    guard body > 0, body < offsets.count, offsets[body] == 0 else { return }
    offsets[body] = offset
    parents[body] = UInt32(truncatingIfNeeded: parent)
    rows[body] = UInt32(truncatingIfNeeded: row)
    order.append(UInt32(truncatingIfNeeded: body))
  }

  /// Adds to the order a body to which nothing leads.
  mutating func noteUnreached(_ body: Int) {
    offsets[body] = -1
    order.append(UInt32(truncatingIfNeeded: body))
  }

  func isReached(_ body: Int) -> Bool { offsets[body] > 0 }
  func parent(_ body: Int) -> Int { Int(parents[body]) }
  func offset(_ body: Int) -> Int { offsets[body] }
  func row(_ body: Int) -> Int { Int(rows[body]) }

  /// Whether the reference at `offset` in the body `parent` is the first to `body`.
  func isFirst(_ body: Int, from parent: Int, at offset: Int) -> Bool {
    offsets[body] == offset && parents[body] == UInt32(truncatingIfNeeded: parent)
  }
}
