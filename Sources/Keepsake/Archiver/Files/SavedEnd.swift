// The end of the newest save in a file, found by the trailers (Format §13.5).
extension OpenFile {
  private static let pieceByteCount = 1 << 16

  /// The end of the newest save in this file of `count` bytes. The bytes are read and not mapped, since those after the
  /// newest trailer may be cut off at any time.
  ///
  /// `nil` if the file is not an archive in the long form, or has no trailer. Opening it reports what is wrong.
  func savedEnd(_ count: Int) throws(SystemError) -> Int? {
    guard let head = try buffer(0..<min(count, Header.byteCount))?.reader(),
      let flags = try? Header.flags(head), !flags.contains(.short)
    else { return nil }
    var end = count
    while end > Header.byteCount + 8 {
      let start = max(0, end - OpenFile.pieceByteCount)
      guard let bytes = try buffer(start..<end)?.reader() else {
        // A writer has just cut off what an interrupted save had left.
        return try savedEnd(min(end - 1, status().byteCount))
      }
      var last = bytes.count
      while let offset = SaveSearch.signature(before: last, bytes) {
        let candidate = start + offset + 8
        if isConsistentTrailer(bytes.limited(to: offset + 8), endingAt: candidate) { return candidate }
        last = offset + 7
      }
      // A trailer may begin in the piece before and end in this one.
      end = start == 0 ? 0 : start + SaveTrailer.byteCount - 1
    }
    return nil
  }

  /// Whether the numbers of the trailer with which `bytes` end fit its `end` in the file. Opening the archive compares its
  /// checksum.
  private func isConsistentTrailer(_ bytes: ByteReader, endingAt end: Int) -> Bool {
    func number(_ fromEnd: Int) -> Int {
      (try? bytes.word(at: bytes.count - fromEnd)).flatMap { Int(exactly: $0) } ?? -1
    }
    let isSave = bytes.hasBytes(SaveTrailer.signature, at: bytes.count - 8)
    let (checksums, covered) = isSave ? (number(40), number(32)) : (number(24), 0)
    let trailer = end - (isSave ? SaveTrailer.byteCount : Trailer.byteCount)
    guard covered >= 0, checksums > covered, checksums <= trailer else { return false }
    let byteCount = trailer - checksums
    return byteCount == 0 || byteCount == Blocks.count(coveringBytes: checksums - covered) * 8
  }

  /// The bytes in `range`; `nil` if the file ends before that.
  func buffer(_ range: Range<Int>) throws(SystemError) -> ByteBuffer? {
    let bytes = try bytes(range)
    guard bytes.count == range.count else { return nil }
    let buffer = ByteBuffer(minimumCapacity: bytes.count)
    buffer.append(memoryOf: bytes)
    return buffer
  }
}
