internal import Keepsake

/// Repairs the checksums of changed saves, as far as their trailers have their offsets (Format §13).
package enum SaveRepair {
  package static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var end = bytes.count
    var ends: [Int] = []
    while end >= SaveTrailer.byteCount, bytes[..<end].suffix(8).elementsEqual(SaveTrailer.signature) {
      ends.append(end)
      let start = Int(clamping: Bytes.number(bytes, at: end - SaveTrailer.byteCount + 16, byteCount: 8))
      guard start > 0, start < end else { break }
      end = start
    }
    // The oldest first: each has the checksum of the one before.
    for end in ends.reversed() { repair(&bytes, endingBy: end) }
    return bytes
  }

  private static func repair(_ bytes: inout [UInt8], endingBy end: Int) {
    let trailer = end - SaveTrailer.byteCount
    let checksums = Int(clamping: Bytes.number(bytes, at: trailer + 8, byteCount: 8))
    let start = Int(clamping: Bytes.number(bytes, at: trailer + 16, byteCount: 8))
    guard start >= Header.byteCount + 8, start < checksums, checksums <= trailer else { return }
    bytes.replaceSubrange((trailer + 24)..<(trailer + 32), with: bytes[(start - 16)..<(start - 8)])
    var place = checksums
    for block in stride(from: start, to: checksums, by: 1 << 16) where place + 8 <= trailer {
      let checksum = ChecksumRepair.checksum(bytes, block..<min(block + 1 << 16, checksums))
      bytes.replaceSubrange(place..<(place + 8), with: Bytes.word(checksum))
      place += 8
    }
    let checksum = ChecksumRepair.checksum(bytes, checksums..<(trailer + 32))
    bytes.replaceSubrange((trailer + 32)..<(trailer + 40), with: Bytes.word(checksum))
  }
}
