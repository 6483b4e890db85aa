extension ByteBuffer {
  /// Appends a variable-length number (Format §3.2).
  @inline(__always)
  package func append(varint value: Int) {
    var rest = UInt64(truncatingIfNeeded: value)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends an integer in the fewest bytes (Format §4.3).
  @inline(__always)
  package func append(integer value: Int64) {
    if value >= -16, value <= 111 {
      append(Tag.smallInteger &+ UInt8(truncatingIfNeeded: value &+ 16))
    } else {
      let bits = UInt64(bitPattern: value ^ (value &>> 63))
      let byteCount = (64 &- bits.leadingZeroBitCount) / 8 &+ 1
      append(
        Tag.integer &+ UInt8(truncatingIfNeeded: byteCount &- 1),
        word: UInt64(bitPattern: value),
        byteCount: byteCount
      )
    }
  }

  /// Appends an integer of any width in the fewest bytes (Format §4.3).
  @inline(__always)
  package func append<Integer: FixedWidthInteger>(integer value: Integer) {
    if let small = Int64(exactly: value) {
      append(integer: small)
    } else if let unsigned = UInt64(exactly: value) {
      append(Tag.uint64, word: unsigned, byteCount: 8)
    } else {
      let fits = Int128(exactly: value) != nil
      append(fits ? Tag.int128 : Tag.uint128, word: UInt64(truncatingIfNeeded: value), byteCount: 8)
      append(word: UInt64(truncatingIfNeeded: value >> 64))
    }
  }

  /// Appends one of the four kinds of reference (Format §4.9).
  @inline(__always)
  package func append(reference tag: UInt8, _ number: Int) {
    let byteCount = number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 24 ? 3 : 4
    append(tag &+ UInt8(truncatingIfNeeded: byteCount &- 1), word: UInt64(number), byteCount: byteCount)
  }

  /// Appends a string inline (Format §4.5).
  @inline(__always)
  package func append(string utf8: RawSpan) {
    if utf8.byteCount <= Tag.longestShortString {
      append(Tag.shortString &+ UInt8(truncatingIfNeeded: utf8.byteCount))
    } else {
      append(Tag.string)
      append(varint: utf8.byteCount)
    }
    append(utf8)
  }

  @inline(__always)
  func append(string text: SmallText) {
    append(Tag.shortString &+ UInt8(truncatingIfNeeded: text.byteCount))
    append(text)
  }

  /// Appends the bytes of a text.
  @inline(__always)
  func append(_ text: SmallText) {
    let end = count &+ text.byteCount
    append(word: text.words.0)
    append(word: text.words.1)
    truncate(to: end)
  }

  /// Appends the head of an array of `count` elements. The caller appends the elements (Format §4.6).
  package func append(arrayHead count: Int) {
    if count <= Tag.longestShortArray {
      append(Tag.shortArray + UInt8(count))
    } else {
      append(Tag.array)
      append(varint: count)
    }
  }

  /// Appends the head of a map, whose keys and values follow alternately (Format §4.8).
  func append(mapHead count: Int) {
    append(Tag.map)
    append(varint: count)
  }

  /// Appends the head of `count` bytes. The caller appends the bytes (Format §4.5).
  func append(bytesHead count: Int) {
    append(Tag.bytes)
    append(varint: count)
  }
}
