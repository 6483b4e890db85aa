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
    bytes.withBytes(range) { bytes in
      Checksum.forEachBlock(of: bytes) { checksum in
        append(word: checksum)
        return true
      }
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
    var block = first
    while block <= last {
      let next = verified[block...last].firstIndex(of: !verified[block]) ?? last + 1
      if !verified[block] { try compare(block..<next) }
      block = next
    }
  }

  /// Compares `blocks` with their checksums.
  private mutating func compare(_ blocks: Range<Int>) throws(ArchiveError) {
    var next = blocks.lowerBound
    try reader.withBytes(offset(of: next)..<offset(of: blocks.upperBound)) { bytes in
      Checksum.forEachBlock(of: bytes) { checksum in
        guard checksum == (try? reader.word(at: checksumsOffset + next * 8)) else { return false }
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
  private func offset(of number: Int) -> Int { min(start + number * Blocks.byteCount, checksumsOffset) }

  package mutating func verifyAll() throws(ArchiveError) {
    try verify(start..<checksumsOffset)
  }
}
