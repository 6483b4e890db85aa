/// What the coding paths of an archive have cost so far: who forgives errors gets a path with each. Paths become short, and
/// are searched for no more, once they have cost more than what is in proportion to the archive.
struct PathCosts {
  /// So many steps are given in any case, and so many bytes searched: some milliseconds.
  static let freeSteps = 1 << 17
  static let freeSearch = 1 << 20
  /// What a search costs beside the bytes that it may look at.
  private static let search = 64
  /// How many steps of a path are given, from its end, where values are nested deeper; and how many once very many were.
  private static let longestPath = 256
  private static let shortPath = 8

  private var stepCount = 0
  private var searchedByteCount = 0

  mutating func charge(steps: Int) { stepCount &+= steps }

  /// Whether paths are still given with hundreds of steps, for an archive of `byteCount` bytes.
  func allowsLongPaths(byteCount: Int) -> Bool { (stepCount &- PathCosts.freeSteps) / 16 <= byteCount }

  func longestPath(byteCount: Int) -> Int {
    allowsLongPaths(byteCount: byteCount) ? PathCosts.longestPath : PathCosts.shortPath
  }

  /// Whether a body of `bodyByteCount` bytes may be searched for a path, in an archive of `byteCount` bytes.
  mutating func allowsSearch(of bodyByteCount: Int, byteCount: Int) -> Bool {
    guard (searchedByteCount &- PathCosts.freeSearch) / 64 <= byteCount else { return false }
    searchedByteCount = searchedByteCount.addingSaturating(bodyByteCount &+ PathCosts.search)
    return true
  }
}
