/// The cost of an archive's coding paths so far: a program that catches errors and continues gets a path with each.
/// When they have cost more than is in proportion to the archive, paths become short, and searches for them end.
struct PathCosts {
  /// The steps that are given, and the bytes that are searched, in any case: some milliseconds.
  static let freeSteps = 1 << 17
  static let freeSearch = 1 << 20
  /// The cost of a search, in addition to the bytes that it may examine.
  private static let search = 64
  /// The most steps of a path, counted from its end; and the most when very many steps have been given.
  private static let longestPath = 256
  private static let shortPath = 8

  private(set) var stepCount = 0
  private var searchedByteCount = 0

  mutating func charge(steps: Int) { stepCount &+= steps }

  /// Whether paths may still have hundreds of steps, in an archive of `byteCount` bytes.
  func allowsLongPaths(byteCount: Int) -> Bool { (stepCount &- PathCosts.freeSteps) / 16 <= byteCount }

  func longestPath(byteCount: Int) -> Int {
    allowsLongPaths(byteCount: byteCount) ? PathCosts.longestPath : PathCosts.shortPath
  }

  /// Whether a search for a path may examine a body of `bodyByteCount` bytes, in an archive of `byteCount` bytes.
  mutating func allowsSearch(of bodyByteCount: Int, byteCount: Int) -> Bool {
    guard (searchedByteCount &- PathCosts.freeSearch) / 64 <= byteCount else { return false }
    searchedByteCount = searchedByteCount.addingSaturating(bodyByteCount &+ PathCosts.search)
    return true
  }
}
