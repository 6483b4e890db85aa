/// Cached facts about values that a session passed over.
///
/// Passing over a value takes one walk, and usually caches nothing. But if types read deeply nested values in part, or
/// in an order of their own, each level walks all values in it. Once the session has passed over much more than the
/// archive has, it notes the ends of large values, and walks nothing twice.
struct SkippedValues {
  /// Smaller values are walked each time.
  fileprivate static let noteworthyByteCount = 256
  /// The least distance between the starts of noted containers, which bounds the memory of the notes.
  fileprivate static let closestNotes = 16
  /// The most containers that are open in one walk, which bounds its memory. Deeper containers are not noted.
  fileprivate static let mostOpen = 1 << 18
  /// How often, on average, the bytes of an archive are passed over before ends are noted.
  fileprivate static let mostPassings = 4
  /// How many bytes are passed over in any archive before ends are noted.
  fileprivate static let freeByteCount = 1 << 16

  /// The ends of values that were passed over, by their offsets.
  fileprivate var ends: [Int: Int] = [:]
  /// How many bytes were passed over, counted each time.
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
      // A single step, not worth a note.
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

  /// The end of the value at `offset`. Notes the ends of large values in it.
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
  ///   - known: returns the end of a value that need not be walked.
  ///   - enter: receives the start and the tag of a value that contains others; returns whether to call `leave` for it.
  ///   - leave: receives the start and the end of such a value.
  /// - Returns: the end of the value.
  @inline(__always)
  func walk(
    _ offset: Int,
    known: (Int) -> Int? = { _ in nil },
    enter: (_ start: Int, _ tag: UInt8) throws(ArchiveError) -> Bool,
    leave: (_ start: Int, _ end: Int) -> Void
  ) throws(ArchiveError) -> Int {
    /// The values around `cursor`: the start of each, and how many of its values are still to come.
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
    // A value of fixed length may extend past the end.
    try reader.check(0, at: cursor)
    return cursor
  }

  private func note(_ start: Int, _ end: Int) {
    if end &- start >= SkippedValues.noteworthyByteCount { lookups.skipped.ends[start] = end }
  }
}
