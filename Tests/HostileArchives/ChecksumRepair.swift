internal import Keepsake

/// Repairs the header, the trailer and the checksums of damaged bytes as far as possible, so that the damage passes the
/// opening of an archive and reaches the code behind it.
///
/// An attacker would do the same.
package enum ChecksumRepair {
  private static let blockByteCount = 1 << 16

  /// The bytes with a valid header and trailer.
  ///
  /// Possible offsets in the trailer are kept. Otherwise, everything up to the checksums counts as contents, and the
  /// directory is searched from the end. All checksums are written again.
  package static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    if let short = repairedShort(bytes) { return short }
    if bytes.suffix(8).elementsEqual(SaveTrailer.signature) { return SaveRepair.repaired(bytes) }
    var content = bytes
    let least = Header.byteCount + Trailer.byteCount
    if content.count < least { content += [UInt8](repeating: 0, count: least - content.count) }
    let header = Header.signature + [Header.major, Header.minor, content[10] & 1]
    content.replaceSubrange(0..<Header.byteCount, with: header + [UInt8](repeating: 0, count: 5))
    let hasChecksums = content[10] & 1 == 0
    let trailer = content.count - Trailer.byteCount
    let directory = Bytes.number(content, at: trailer, byteCount: 8)
    let checksums = Bytes.number(content, at: trailer + 8, byteCount: 8)
    content.removeLast(Trailer.byteCount)
    var end = hasChecksums ? contentCount(before: trailer) : trailer
    var start = Int(clamping: directory)
    if checksums >= Header.byteCount, checksums <= trailer, start >= Header.byteCount, start <= checksums,
      trailer - Int(checksums) <= 8 * (blockCount(Int(checksums)) + 2)
    {
      end = Int(checksums)
    } else {
      start = likelyDirectory(content, endingAt: end)
    }
    return closed(Array(content.prefix(end)), directoryOffset: start, hasChecksums: hasChecksums)
  }

  /// The bytes with a valid header and checksum, if they are an archive in the short form; the flags stay.
  private static func repairedShort(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= Header.shortByteCount, bytes[10] & 2 != 0 else { return nil }
    var content = Header.signature + [Header.major, bytes[9]] + bytes[10...]
    content[10] &= 3
    content[11] &= 0x7F
    guard content[10] & 1 == 0 else { return content }
    content.removeLast(min(4, content.count - Header.shortByteCount))
    return content + Bytes.word(checksum(content, 0..<content.count)).prefix(4)
  }

  /// The contents (header, bodies, tables and directory) with their checksums and trailer.
  package static func closed(_ content: [UInt8], directoryOffset: Int, hasChecksums: Bool) -> [UInt8] {
    var bytes = content
    if hasChecksums { bytes += blockChecksums(content) }
    let ends = Bytes.word(UInt64(clamping: directoryOffset)) + Bytes.word(UInt64(content.count))
    let covered = hasChecksums ? content.count : min(max(0, directoryOffset), content.count)
    bytes += ends
    bytes += Bytes.word(checksum(bytes, covered..<bytes.count))
    return bytes + Trailer.signature
  }

  /// The checksums of all blocks of the contents, in order.
  package static func blockChecksums(_ content: [UInt8]) -> [UInt8] {
    stride(from: 0, to: content.count, by: blockByteCount).flatMap { start in
      Bytes.word(checksum(content, start..<min(start + blockByteCount, content.count)))
    }
  }

  /// The checksum of a part of the bytes.
  package static func checksum(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
    unsafe bytes.withUnsafeBytes { Checksum.of(unsafe $0.bytes.extracting(range)) }
  }

  private static func blockCount(_ byteCount: Int) -> Int {
    (byteCount + blockByteCount - 1) / blockByteCount
  }

  /// The number of bytes before the trailer that are contents, if the rest are their checksums.
  private static func contentCount(before trailer: Int) -> Int {
    max(Header.byteCount, trailer - 8 * blockCount(trailer))
  }

  /// The offset of fourteen varints that end at `end`: the directory, if nothing behind it moved.
  private static func likelyDirectory(_ bytes: [UInt8], endingAt end: Int) -> Int {
    var place = end
    var numbers = 0
    while place > Header.byteCount {
      // A varint begins behind each byte without the high bit.
      if place < end, bytes[place - 1] < 0x80 {
        numbers += 1
        if numbers == 14 { return place }
      }
      place -= 1
    }
    return min(max(Header.byteCount, place), end)
  }
}
