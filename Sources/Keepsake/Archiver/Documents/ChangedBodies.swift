/// The bodies of a save that the file does not have, or has otherwise.
struct ChangedBodies {
  private(set) var bodies: [(number: UInt32, range: Range<Int>)] = []
  /// How many bytes in the file they replace.
  private(set) var replacedByteCount = 0
  /// Whether the save has lazy values that were not read.
  private(set) var hasUnread = false

  init(_ content: SaveContent, _ image: ArchiveImage) throws(ArchiveError) {
    var start = Header.byteCount
    for (number, length) in zip(content.numbers, content.lengths) {
      let range = start..<(start &+ length)
      start = range.upperBound
      // A lazy value that was not read stays as it is.
      guard length > 0 else {
        hasUnread = true
        continue
      }
      if number <= image.directory.bodyCount {
        if try image.has(content.bodies, range, in: image.body(Int(number), at: 0)) { continue }
        replacedByteCount += length
      }
      bodies.append((number, range))
    }
  }
}
