/// The bodies of a save that the file does not have, or has otherwise.
struct ChangedBodies {
  private(set) var bodies: [(number: UInt32, range: Range<Int>)] = []
  /// How many bytes in the file they replace.
  private(set) var replacedByteCount = 0

  /// Whether the save has lazy values that were not read.
  private(set) var hasUnread = false

  private let content: SaveContent
  private let image: ArchiveImage
  /// Bodies that follow each other in the save as they do in the file, and are as long: they are compared at once.
  private var run: [(number: UInt32, range: Range<Int>)] = []
  /// Where the first of them is in the file.
  private var runStart = 0
  private var runEnd = 0

  private static let longestRun = 1 << 12

  init(_ content: SaveContent, _ image: ArchiveImage) throws(ArchiveError) {
    self.content = content
    self.image = image
    run.reserveCapacity(ChangedBodies.longestRun)
    var start = Header.byteCount
    for (number, length) in zip(content.numbers, content.lengths) {
      let range = start..<(start &+ length)
      start = range.upperBound
      // A lazy value that was not read stays as it is.
      guard length > 0 else {
        hasUnread = true
        continue
      }
      try compare(number, range)
    }
    try endRun()
  }

  private mutating func compare(_ number: UInt32, _ range: Range<Int>) throws(ArchiveError) {
    guard number <= image.directory.bodyCount else { return bodies.append((number, range)) }
    let saved = try image.body(Int(number), at: 0)
    guard saved.count == range.count else { return replace(number, range) }
    if saved.lowerBound != runEnd || run.count == ChangedBodies.longestRun
      || run.last?.range.upperBound != range.lowerBound
    {
      try endRun()
      runStart = saved.lowerBound
    }
    run.append((number, range))
    runEnd = saved.upperBound
  }

  private mutating func endRun() throws(ArchiveError) {
    defer { run.removeAll(keepingCapacity: true) }
    guard let first = run.first, let last = run.last else { return }
    let all = first.range.lowerBound..<last.range.upperBound
    if try image.has(content.bodies, all, in: runStart..<runEnd) { return }
    for (number, range) in run {
      let offset = runStart + range.lowerBound - all.lowerBound
      if try !image.has(content.bodies, range, in: offset..<(offset + range.count)) { replace(number, range) }
    }
  }

  private mutating func replace(_ number: UInt32, _ range: Range<Int>) {
    bodies.append((number, range))
    replacedByteCount += range.count
  }
}
