/// Where the bodies of the first save are, of the groups of the offset table that were found to be sound, in pages so that a
/// few bodies of a large archive cost little (Format §5.6).
///
/// Whoever reads a graph asks for bodies in any order, while the table has their lengths.
struct BodyOffsets {
  /// How many groups are in a page.
  private static let pageSize = 8
  /// For each group where its bodies begin, and where the last one ends.
  private static let offsetsOfGroup = OffsetTable.groupSize + 1

  private var groupCount: Int
  /// Empty as long as no group of the page was looked at; 0 for the bodies of other groups.
  private var pages: [[Int]]

  init(bodyCount: Int) {
    groupCount = OffsetTable.groupCount(bodyCount)
    pages = Array(repeating: [], count: groupCount / BodyOffsets.pageSize + 1)
  }

  /// Where the body `index` of `group` is; `nil` if the group was not looked at.
  @inline(__always)
  func range(_ group: Int, _ index: Int) -> Range<Int>? {
    let (page, first) = BodyOffsets.place(group)
    let next = first &+ index &+ 1
    guard next < pages[page].count, pages[page][first] > 0 else { return nil }
    return pages[page][next &- 1]..<pages[page][next]
  }

  /// Notes where the bodies of `group` are, of which there are `count` and the first begins at `start`. They count once
  /// ``confirm(_:_:)`` is called.
  ///
  /// - Parameter length: gives the length of the body of that number in the group, which begins there.
  /// - Returns: where the last one ends.
  mutating func note(
    _ group: Int,
    _ count: Int,
    from start: Int,
    _ length: (_ index: Int, _ start: Int) throws(ArchiveError) -> Int
  ) throws(ArchiveError) -> Int {
    let (page, first) = BodyOffsets.place(group)
    if pages[page].isEmpty {
      let groups = min(BodyOffsets.pageSize, groupCount - page * BodyOffsets.pageSize)
      // A small archive has one group, which is seldom full.
      let size = groupCount == 1 ? count + 1 : groups * BodyOffsets.offsetsOfGroup
      pages[page].append(contentsOf: repeatElement(0, count: size))
    }
    var offsets: [Int] = []
    swap(&offsets, &pages[page])
    defer { pages[page] = offsets }
    var end = start
    for index in 0..<count {
      end += try length(index, end)
      offsets[first + index + 1] = end
    }
    return end
  }

  /// Notes that the bodies of `group` are sound, of which the first begins at `start`.
  mutating func confirm(_ group: Int, _ start: Int) {
    let (page, first) = BodyOffsets.place(group)
    pages[page][first] = start
  }

  /// Makes it that of another archive, in the memory that it has.
  mutating func startOver(bodyCount: Int) {
    groupCount = OffsetTable.groupCount(bodyCount)
    let pageCount = groupCount / BodyOffsets.pageSize + 1
    pages[0].removeAll(keepingCapacity: true)
    if pages.count > 1 { pages.removeSubrange(1...) }
    while pages.count < pageCount { pages.append([]) }
  }

  @inline(__always)
  private static func place(_ group: Int) -> (page: Int, first: Int) {
    let (page, index) = UInt(bitPattern: group).quotientAndRemainder(dividingBy: UInt(pageSize))
    return (Int(bitPattern: page), Int(bitPattern: index) &* offsetsOfGroup)
  }
}
