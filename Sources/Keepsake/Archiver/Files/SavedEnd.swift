/// Where the newest save of a file ends, by the trailers in the file (Format §13.5). It is read and not mapped: what stands
/// behind the newest trailer may be cut off at any time.
struct SavedEnd {
  let end: Int

  private static let pieceByteCount = 1 << 16

  /// `nil` where the file is no archive of the long form, or has no trailer: who opens it says what is wrong.
  init?(_ file: OpenFile, _ count: Int) throws(SystemError) {
    guard let head = try SavedEnd.read(file, 0..<min(count, Header.byteCount)),
      head.starts(with: Header.signature),
      head.count == Header.byteCount, head[10] & UInt8(Header.Flags.short.rawValue) == 0
    else { return nil }
    var end = count
    while true {
      guard let offset = try SavedEnd.signature(file, before: end) else { return nil }
      if try SavedEnd.isConsistent(file, endingBy: offset + 8) {
        self.end = offset + 8
        return
      }
      end = offset + 7
    }
  }

  /// Where the last closing signature begins that ends no later than `end`.
  private static func signature(_ file: OpenFile, before end: Int) throws(SystemError) -> Int? {
    var end = end
    while end > Header.byteCount + 8 {
      let start = max(Header.byteCount, end - pieceByteCount)
      guard let bytes = try read(file, start..<end) else { return nil }
      var index = bytes.count - 8
      while index >= 0 {
        if bytes[index + 7] == 0x89,
          bytes[index...].starts(with: Trailer.signature)
            || bytes[index...].starts(with: SaveTrailer.signature)
        {
          return start + index
        }
        index -= 1
      }
      // One may begin in the piece before and end in this one.
      end = start == Header.byteCount ? 0 : start + 7
    }
    return nil
  }

  /// Whether the numbers of the trailer that ends at `end` fit its place. Its checksum is compared by who opens the archive.
  private static func isConsistent(_ file: OpenFile, endingBy end: Int) throws(SystemError) -> Bool {
    let start = max(0, end - SaveTrailer.byteCount)
    guard let bytes = try read(file, start..<end) else { return false }
    let buffer = ByteBuffer(minimumCapacity: SaveTrailer.byteCount)
    buffer.append(memoryOf: bytes)
    let reader = buffer.reader()
    func number(_ fromEnd: Int) -> Int {
      (try? reader.word(at: bytes.count - fromEnd)).flatMap { Int(exactly: $0) } ?? -1
    }
    let isSave = bytes.suffix(8).starts(with: SaveTrailer.signature)
    let (checksums, covered) = isSave ? (number(40), number(32)) : (number(24), 0)
    let trailer = end - (isSave ? SaveTrailer.byteCount : Trailer.byteCount)
    guard covered >= 0, checksums > covered, checksums <= trailer else { return false }
    let byteCount = trailer - checksums
    return byteCount == 0 || byteCount == Blocks.count(coveringBytes: checksums - covered) * 8
  }

  /// The bytes of `range`; `nil` where the file ends before.
  private static func read(_ file: OpenFile, _ range: Range<Int>) throws(SystemError) -> [UInt8]? {
    let bytes = try file.bytes(range)
    return bytes.count == range.count ? bytes : nil
  }
}
