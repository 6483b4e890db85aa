import Keepsake

extension Sequence {
  /// The elements with the most bytes first. Elements with the same number of bytes keep their order.
  func largestFirst(_ bytes: (Element) -> Int) -> [Element] {
    enumerated().sorted { (bytes($0.element), $1.offset) > (bytes($1.element), $0.offset) }.map(\.element)
  }
}

/// The largest of many things. Of things of the same size, it has the first.
struct LargestList<Thing> {
  private let most: Int
  /// In the reverse order of ``things``.
  private var entries: [(size: Int, thing: Thing)] = []

  init(_ most: Int = .max) { self.most = most }

  /// The things, the largest first.
  var things: [Thing] { entries.reversed().map(\.thing) }

  /// Whether a thing of this size would get into the list. Ask before making the thing.
  func accepts(_ size: Int) -> Bool {
    guard entries.count == most else { return true }
    return entries.first.map { size > $0.size } ?? false
  }

  mutating func add(_ size: Int, _ thing: Thing) {
    guard accepts(size) else { return }
    if entries.count == most { entries.removeFirst() }
    entries.insert((size, thing), at: entries.partitioningIndex { $0.size >= size })
  }

  mutating func popFirst() -> Thing? { entries.popLast()?.thing }
}
