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
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Blocks.byteCount) {
      append(word: bytes.checksum(start..<min(start + Blocks.byteCount, range.upperBound)))
    }
  }
}

/// Checks blocks of an archive when they are first read, or all at once.
package struct BlockVerifier {
  private let reader: ByteReader
  /// Where the first block begins.
  private let start: Int
  private let checksumsOffset: Int
  /// Whether each block was checked; empty if there are no checksums.
  private var verified: [Bool]

  package init(_ reader: ByteReader, _ trailer: Trailer) throws(ArchiveError) {
    let trailerOffset = reader.count - Trailer.byteCount
    let computed = try reader.checksum(trailer.coveredOffset..<(trailerOffset + 16))
    guard try computed == reader.word(at: trailerOffset + 16) else {
      throw .damaged(
        "The archive was damaged: the trailer does not match its checksum",
        at: trailer.coveredOffset
      )
    }
    self.init(reader, 0..<trailer.checksumsOffset, hasChecksums: trailer.hasBlockChecksums)
  }

  /// A verifier of a later save, whose trailer is whole.
  package init(_ reader: ByteReader, _ trailer: SaveTrailer) {
    self.init(reader, trailer.start..<trailer.checksumsOffset, hasChecksums: trailer.hasBlockChecksums)
  }

  private init(_ reader: ByteReader, _ covered: Range<Int>, hasChecksums: Bool) {
    self.reader = reader
    (start, checksumsOffset) = (covered.lowerBound, covered.upperBound)
    verified = Array(repeating: false, count: hasChecksums ? Blocks.count(coveringBytes: covered.count) : 0)
  }

  /// Checks the blocks that hold `range`, except those that were checked before.
  package mutating func verify(_ range: Range<Int>) throws(ArchiveError) {
    guard range.lowerBound >= start, range.upperBound <= checksumsOffset, !range.isEmpty, !verified.isEmpty
    else { return }
    let first = (range.lowerBound - start) / Blocks.byteCount
    let last = (range.upperBound - 1 - start) / Blocks.byteCount
    for block in first...last where !verified[block] {
      let start = start + block * Blocks.byteCount
      let end = min(start + Blocks.byteCount, checksumsOffset)
      guard try reader.checksum(start..<end) == reader.word(at: checksumsOffset + block * 8) else {
        throw .damaged(
          "The archive was damaged: bytes \(start) to \(end) do not match their checksum",
          at: start
        )
      }
      verified[block] = true
    }
  }

  package mutating func verifyAll() throws(ArchiveError) {
    try verify(start..<checksumsOffset)
  }
}
