extension Sequence {
  /// What takes most bytes comes first; what takes the same stays in its order.
  func largestFirst(_ bytes: (Element) -> Int) -> [Element] {
    enumerated().sorted { (bytes($0.element), $1.offset) > (bytes($1.element), $0.offset) }.map(\.element)
  }
}

/// The largest of many things; of things of one size the first.
struct LargestList<Thing> {
  private let most: Int
  /// From the last to the first.
  private var entries: [(size: Int, thing: Thing)] = []

  init(_ most: Int = .max) { self.most = most }

  /// The things, the largest first.
  var things: [Thing] { entries.reversed().map(\.thing) }

  /// Whether a thing of this size would be in the list: worth asking before the thing is made.
  func accepts(_ size: Int) -> Bool {
    guard entries.count == most else { return true }
    return entries.first.map { size > $0.size } ?? false
  }

  mutating func add(_ size: Int, _ thing: Thing) {
    guard accepts(size) else { return }
    if entries.count == most { entries.removeFirst() }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].size < size { low = middle + 1 } else { high = middle }
    }
    entries.insert((size, thing), at: low)
  }

  mutating func popFirst() -> Thing? { entries.popLast()?.thing }
}
