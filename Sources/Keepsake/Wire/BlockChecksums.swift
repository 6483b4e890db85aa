internal import CKeepsake

extension Checksum {
  /// Calls `body` with the checksum of each block of `bytes` until it returns `false`. The last block may be shorter
  /// (Format §8.2).
  ///
  /// Some processors compute those of several blocks in the time that one takes.
  @inline(never)
  static func forEachBlock(of bytes: RawSpan, _ body: (UInt64) -> Bool) {
    var start = 0
    while bytes.byteCount - start >= 2 * Blocks.byteCount, keepsake_checksum_count() > 1 {
      let count = min(keepsake_checksum_count(), (bytes.byteCount - start) / Blocks.byteCount)
      let end = start + count * Blocks.byteCount
      let lanes = unsafe bytes.extracting(start..<end).withUnsafeBytes { bytes in
        // These bytes are `count` whole blocks.
        unsafe bytes.baseAddress.map { unsafe keepsake_lanes($0, Blocks.byteCount, count) }
      }
      guard let lanes else { break }
      for block in 0..<count {
        let checksum = Checksum.ofStripes(Blocks.byteCount) { keepsake_lane(lanes, block, $0) }
        guard body(checksum) else { return }
      }
      start = end
    }
    while start < bytes.byteCount {
      let end = min(start + Blocks.byteCount, bytes.byteCount)
      guard body(Checksum.of(bytes.extracting(start..<end))) else { return }
      start = end
    }
  }
}
