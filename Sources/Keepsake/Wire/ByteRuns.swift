// Runs of bytes that are copied or compared as a whole.

extension ByteBuffer {
  /// Appends the UTF-8 of a string.
  @inline(__always)
  package func append(utf8 string: String) {
    string.withUTF8Bytes { append($0) }
  }

  /// Appends a text of a table: how many bytes it has, and these.
  func append(text string: String) {
    append(varint: string.utf8.count)
    append(utf8: string)
  }

  /// Appends the bytes `range` of another buffer, by default all.
  package func append(_ other: ByteBuffer, _ range: Range<Int>? = nil) {
    other.withBytes(range ?? 0..<other.count) { append($0) }
  }
}

extension ByteReader {
  /// Whether the bytes from `offset` on are those of `range` in `other`.
  func hasBytes(_ other: ByteBuffer, _ range: Range<Int>, at offset: Int) throws(ArchiveError) -> Bool {
    try withBytes(offset..<(offset + range.count)) { own in
      other.withBytes(range) { own.hasSameBytes(as: $0) }
    }
  }

  /// Whether the bytes of `range` are the UTF-8 of `string`.
  package func hasUTF8(of string: String, in range: Range<Int>) throws(ArchiveError) -> Bool {
    guard string.utf8.count == range.count else { return false }
    return try withBytes(range) { bytes in string.withUTF8Bytes { $0.hasSameBytes(as: bytes) } }
  }
}
