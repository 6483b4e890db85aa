/// What a session knows about values that it passed over.
///
/// A value that was not requested is passed over in one walk, of which nothing is kept. But types that read only a part of
/// values nested deep in each other, or read them in an order of their own, have each level walk all those in it. When
/// much more was passed over than there is, the ends of what is large are kept from then on, and nothing is walked twice.
struct SkippedValues {
  /// Smaller values are walked each time.
  fileprivate static let noteworthyByteCount = 256
  /// Of containers that begin closer to each other, not each is noted, which bounds the memory that notes take.
  fileprivate static let closestNotes = 16
  /// Not so many containers are kept open in one walk, which bounds the memory that it takes; deeper ones are not noted.
  fileprivate static let mostOpen = 1 << 18
  /// How often the bytes of an archive are passed over, on the average, before notes are taken.
  fileprivate static let mostPassings = 4
  /// So many bytes are passed over in any case.
  fileprivate static let freeByteCount = 1 << 16

  /// Where values that were passed over end, by their places.
  fileprivate var ends: [Int: Int] = [:]
  /// How many bytes were passed over, each as often as that happened.
  fileprivate(set) var byteCount = 0
  /// Whether ends are noted.
  fileprivate(set) var areNoted = false
}

extension DecodingSession {
  /// The end of the value at `offset`, which is passed over.
  @inline(__always)
  func end(ofValueAt offset: Int) throws(ArchiveError) -> Int {
    let length = fixedLength(of: try reader.byte(at: offset))
    guard length > 0 else { return try end(ofLargeValueAt: offset) }
    try reader.check(length, at: offset)
    return offset &+ length
  }

  private func end(ofLargeValueAt offset: Int) throws(ArchiveError) -> Int {
    let tag = try reader.byte(at: offset)
    if tag == Tag.string || tag == Tag.bytes || tag == Tag.packedArray {
      // One step, which is not worth a note.
      var end = offset
      _ = try image.valuesBehindHead(at: &end, in: reader)
      return end
    }
    if lookups.skipped.areNoted { return try endNotingParts(of: offset) }
    let end = try image.end(ofValueAt: offset, in: reader)
    lookups.skipped.byteCount &+= end &- offset
    if (lookups.skipped.byteCount &- SkippedValues.freeByteCount) / SkippedValues.mostPassings > reader.count
    {
      lookups.skipped.areNoted = true
    }
    return end
  }

  /// The end of the value at `offset`, with notes of the ends of the large values in it.
  private func endNotingParts(of offset: Int) throws(ArchiveError) -> Int {
    var lastNoted = offset &- SkippedValues.closestNotes
    let end = try walk(
      offset,
      known: { lookups.skipped.ends[$0] },
      enter: { (start, _) throws(ArchiveError) in
        let isNoted = start &- lastNoted >= SkippedValues.closestNotes
        if isNoted { lastNoted = start }
        return isNoted
      },
      leave: { note($0, $1) }
    )
    note(offset, end)
    return end
  }

  /// Walks the value at `offset`, container by container, without recursion.
  ///
  /// - Parameters:
  ///   - known: gives the end of a value that need not be walked.
  ///   - enter: is told where a value with others in it begins, and its tag; returns whether `leave` is to be called.
  ///   - leave: is told where such a value begins, and where it ends.
  /// - Returns: the end of the value.
  @inline(__always)
  func walk(
    _ offset: Int,
    known: (Int) -> Int? = { _ in nil },
    enter: (_ start: Int, _ tag: UInt8) throws(ArchiveError) -> Bool,
    leave: (_ start: Int, _ end: Int) -> Void
  ) throws(ArchiveError) -> Int {
    /// The values around `cursor`: where each begins, and how many of its values are still to come.
    var open: [(start: Int, pending: Int, isMarked: Bool)] = []
    var cursor = offset
    repeat {
      let start = cursor
      let tag = try reader.byte(at: start)
      let length = fixedLength(of: tag)
      if length > 0 {
        lookups.skipped.byteCount &+= length
        cursor &+= length
      } else if let end = known(start) {
        cursor = end
      } else {
        var children = try image.valuesBehindHead(at: &cursor, in: reader)
        if children > 0, open.count >= SkippedValues.mostOpen {
          cursor = try image.end(ofValueAt: start, in: reader)
          children = 0
        }
        lookups.skipped.byteCount &+= cursor &- start
        if children > 0 {
          open.append((start, children, try enter(start, tag)))
          continue
        }
      }
      while let last = open.last {
        guard last.pending == 1 else {
          open[open.count - 1].pending -= 1
          break
        }
        open.removeLast()
        if last.isMarked { leave(last.start, cursor) }
      }
    } while !open.isEmpty
    // A value of a fixed length may reach beyond the end.
    try reader.check(0, at: cursor)
    return cursor
  }

  private func note(_ start: Int, _ end: Int) {
    if end &- start >= SkippedValues.noteworthyByteCount { lookups.skipped.ends[start] = end }
  }
}
