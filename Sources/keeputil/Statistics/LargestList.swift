/// The largest of many things, as many as one asks for, in order; of things of one size those that came first.
struct LargestList<Thing> {
  private let most: Int
  private(set) var entries: [(size: Int, thing: Thing)] = []

  init(_ most: Int) {
    self.most = max(0, most)
  }

  /// Whether a thing of this size would be in the list: worth asking before the thing is made.
  func accepts(_ size: Int) -> Bool {
    guard entries.count == most else { return most > 0 }
    guard let last = entries.last else { return false }
    return size > last.size
  }

  mutating func add(_ size: Int, _ thing: Thing) {
    guard accepts(size) else { return }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].size >= size { low = middle + 1 } else { high = middle }
    }
    if entries.count == most { entries.removeLast() }
    entries.insert((size, thing), at: low)
  }
}
