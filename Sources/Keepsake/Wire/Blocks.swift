/// The archive before its checksums, cut into blocks that are checked one by one (Format §8).
package enum Blocks {
  /// Bytes in each block but the last, which may be shorter.
  package static let byteCount = 1 << 16

  package static func count(coveringBytes byteCount: Int) -> Int {
    (byteCount + Blocks.byteCount - 1) / Blocks.byteCount
  }
}

/// Checks blocks of an archive when they are first read, or all at once.
package struct BlockVerifier {
  private let reader: ByteReader
  /// Where the first block begins.
  private let start: Int
  private let checksumsOffset: Int
  /// For each block whether it was checked; empty where there are no checksums to compare with.
  private var verified: [Bool]

  package init(_ reader: ByteReader, _ trailer: Trailer) throws(ArchiveError) {
    self.reader = reader
    start = 0
    checksumsOffset = trailer.checksumsOffset
    let trailerOffset = reader.count - Trailer.byteCount
    let computed = try reader.checksum(trailer.coveredOffset..<(trailerOffset + 16))
    guard try computed == Trailer.storedChecksum(reader) else {
      throw .damaged(
        "The archive was damaged: the trailer does not match its checksum",
        at: trailer.coveredOffset
      )
    }
    let blockCount = trailer.hasBlockChecksums ? Blocks.count(coveringBytes: checksumsOffset) : 0
    verified = Array(repeating: false, count: blockCount)
  }

  /// A verifier of a save behind the first, whose trailer is whole.
  package init(_ reader: ByteReader, _ trailer: SaveTrailer) {
    self.reader = reader
    start = trailer.start
    checksumsOffset = trailer.checksumsOffset
    let byteCount = checksumsOffset - start
    let blockCount = trailer.hasBlockChecksums ? Blocks.count(coveringBytes: byteCount) : 0
    verified = Array(repeating: false, count: blockCount)
  }

  /// Checks the blocks that hold `range`, those excepted that were checked before.
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
