/// The archive before its checksums, cut into blocks that are checked one by one (Format §8).
package enum Blocks {
  /// Bytes in each block but the last, which may be shorter.
  package static let byteCount = 1 << 16

  package static func count(coveringBytes byteCount: Int) -> Int {
    (byteCount + Blocks.byteCount - 1) / Blocks.byteCount
  }
}

extension ByteBuffer {
  /// Appends the checksum of each block of `bytes` in `range`, which begins at a block.
  func append(blockChecksumsOf bytes: ByteBuffer, _ range: Range<Int>) {
    // Before the bytes are read: `bytes` may be this buffer, whose memory moves when it grows.
    reserve(Blocks.count(coveringBytes: range.count) * 8)
    bytes.withBytes(range) { bytes in
      Checksum.forEachBlock(of: bytes) { checksum in
        append(word: checksum)
        return true
      }
    }
  }
}

/// Compares the blocks of an archive, and of the saves after it, with their checksums: when they are first read, or all
/// at once.
package struct BlockVerifier {
  /// The blocks of one save.
  private struct Part {
    /// The bytes of the blocks. Their checksums follow.
    let covered: Range<Int>
    /// Whether each block was checked; empty if there are no checksums.
    var verified: [Bool]

    init(_ covered: Range<Int>, hasChecksums: Bool) {
      self.covered = covered
      verified = Array(repeating: false, count: hasChecksums ? Blocks.count(coveringBytes: covered.count) : 0)
    }

    mutating func verify(_ range: Range<Int>, in reader: ByteReader) throws(ArchiveError) {
      let range = range.clamped(to: covered)
      guard !range.isEmpty, !verified.isEmpty else { return }
      let first = (range.lowerBound - covered.lowerBound) / Blocks.byteCount
      let last = (range.upperBound - 1 - covered.lowerBound) / Blocks.byteCount
      var block = first
      while block <= last {
        let next = verified[block...last].firstIndex(of: !verified[block]) ?? last + 1
        if !verified[block] { try compare(block..<next, in: reader) }
        block = next
      }
    }

    /// Compares `blocks` with their checksums.
    private mutating func compare(_ blocks: Range<Int>, in reader: ByteReader) throws(ArchiveError) {
      var next = blocks.lowerBound
      try reader.withBytes(offset(of: next)..<offset(of: blocks.upperBound)) { bytes in
        Checksum.forEachBlock(of: bytes) { checksum in
          guard checksum == (try? reader.word(at: covered.upperBound + next * 8)) else { return false }
          verified[next] = true
          next += 1
          return true
        }
      }
      guard next == blocks.upperBound else {
        let (start, end) = (offset(of: next), offset(of: next + 1))
        throw .damaged(
          "The archive was damaged: bytes \(start) to \(end) do not match their checksum",
          at: start
        )
      }
    }

    /// Where the block `number` begins, or where the last one ends.
    private func offset(of number: Int) -> Int {
      min(covered.lowerBound + number * Blocks.byteCount, covered.upperBound)
    }
  }

  private var reader: ByteReader
  private var parts: [Part]

  /// Creates a verifier of the first save, and compares its trailer with its checksum.
  package init(_ reader: ByteReader, _ trailer: Trailer) throws(ArchiveError) {
    let trailerOffset = reader.count - Trailer.byteCount
    let computed = try reader.checksum(trailer.coveredOffset..<(trailerOffset + 16))
    guard try computed == reader.word(at: trailerOffset + 16) else {
      throw .damaged(
        "The archive was damaged: the trailer does not match its checksum",
        at: trailer.coveredOffset
      )
    }
    self.reader = reader
    parts = [Part(0..<trailer.checksumsOffset, hasChecksums: trailer.hasBlockChecksums)]
  }

  /// Adds the later saves of the file that `reader` reads. Their trailers are whole.
  mutating func add(_ trailers: [SaveTrailer], _ reader: ByteReader) {
    self.reader = reader
    for trailer in trailers {
      parts.append(Part(trailer.start..<trailer.checksumsOffset, hasChecksums: trailer.hasBlockChecksums))
    }
  }

  /// Checks the blocks that hold `range`, which is in one save, except those that were checked before.
  package mutating func verify(_ range: Range<Int>) throws(ArchiveError) {
    // The last save that begins at or before the range. The first begins at 0.
    let next = parts.count == 1 ? 1 : parts.partitioningIndex { $0.covered.lowerBound > range.lowerBound }
    try parts[max(0, next - 1)].verify(range, in: reader)
  }

  mutating func verifyAll() throws(ArchiveError) {
    for index in parts.indices { try parts[index].verify(parts[index].covered, in: reader) }
  }
}
