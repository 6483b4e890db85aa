// Copies, compares and examines runs of bytes as a whole.

extension ByteBuffer {
  /// Appends a text of a table: its number of bytes, and its bytes.
  func append(text string: String) {
    append(varint: string.utf8.count)
    string.withUTF8Bytes { append($0) }
  }

  /// Appends the bytes of another buffer in `range`, by default all of them.
  package func append(_ other: ByteBuffer, _ range: Range<Int>? = nil) {
    let range = range ?? 0..<other.count
    // Before the bytes are read: `other` may be this buffer, whose memory moves when it grows.
    reserve(range.count)
    other.withBytes(range) { append($0) }
  }
}

extension ByteReader {
  package func hasUTF8(of string: String, in range: Range<Int>) throws(ArchiveError) -> Bool {
    guard string.utf8.count == range.count else { return false }
    return try withBytes(range) { bytes in string.withUTF8Bytes { $0.hasSameBytes(as: bytes) } }
  }

  func hasBytes(_ other: ByteBuffer, in range: Range<Int>) throws(ArchiveError) -> Bool {
    guard other.count == range.count else { return false }
    return try withBytes(range) { bytes in other.withBytes(0..<range.count) { $0.hasSameBytes(as: bytes) } }
  }
}

extension RawSpan {
  func hasSameBytes(as other: RawSpan) -> Bool {
    let count = byteCount
    guard count == other.byteCount else { return false }
    var offset = 0
    while count &- offset >= 8 {
      guard littleEndianWord(at: offset) == other.littleEndianWord(at: offset) else { return false }
      offset &+= 8
    }
    // Some of the last eight bytes were compared already, but one word is faster than single bytes.
    if offset < count, count >= 8 {
      return littleEndianWord(at: count &- 8) == other.littleEndianWord(at: count &- 8)
    }
    while offset < count {
      guard byte(at: offset) == other.byte(at: offset) else { return false }
      offset &+= 1
    }
    return true
  }

  @inline(__always)
  var isASCII: Bool {
    var offset = 0
    var bits: UInt64 = 0
    while byteCount &- offset >= 8 {
      bits |= littleEndianWord(at: offset)
      offset &+= 8
    }
    if byteCount >= 8 {
      bits |= littleEndianWord(at: byteCount &- 8)
    } else {
      while offset < byteCount {
        bits |= UInt64(byte(at: offset))
        offset &+= 1
      }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
