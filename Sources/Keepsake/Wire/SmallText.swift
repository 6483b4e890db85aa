/// The text of a string of at most 15 bytes, which the string itself holds. Hashing and writing it take no branches.
struct SmallText {
  /// The bytes, the first one lowest, and zeros after them. The highest byte of the second word is the number of bytes.
  let words: (UInt64, UInt64)

  @inline(__always)
  var byteCount: Int { Int(truncatingIfNeeded: words.1 &>> 56) }

  /// The text of `string`, or `nil` if the string does not hold it itself. Use only if ``isKnown``.
  @inline(__always)
  init?(_ string: String) {
    // A string has the size of two words, as `isKnown` checks.
    let words = unsafe unsafeBitCast(string, to: (UInt64, UInt64).self)
    // `isKnown` also checks what the bits mean.
    guard words.1 & 0x2000_0000_0000_0000 != 0 else { return nil }
    self.words = (words.0, words.1 & 0x0FFF_FFFF_FFFF_FFFF)
  }

  /// The text with these bytes, at most 15.
  init(_ utf8: RawSpan) {
    let count = utf8.byteCount
    let length = UInt64(count) &<< 56
    if count >= 8 {
      let last = utf8.littleEndianWord(at: count - 8) >> (128 - count * 8)
      words = (utf8.littleEndianWord(at: 0), length | last)
    } else {
      words = ((0..<count).reduce(0) { $0 | UInt64(utf8.byte(at: $1)) << ($1 * 8) }, length)
    }
  }

  /// The text of the first `count` bytes of `words`, at most 15; `nil` if it is not ASCII.
  @inline(__always)
  init?(ascii words: (UInt64, UInt64), count: Int) {
    let low = count >= 8 ? words.0 : words.0 & ((1 &<< UInt64(count &* 8)) &- 1)
    let high = count <= 8 ? 0 : words.1 & ((1 &<< UInt64((count &- 8) &* 8)) &- 1)
    guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
    self.words = (low, high | UInt64(count) &<< 56)
  }

  @inline(__always)
  private var asciiWords: (UInt64, UInt64) { (words.0, words.1 | 0xE000_0000_0000_0000) }

  /// This text, which is ASCII, as a string. Use only if ``isKnown``.
  @inline(__always)
  var asciiString: String { unsafe unsafeBitCast(asciiWords, to: String.self) }  // as `isKnown` checks

  static let mostBytes = 15

  /// Whether strings have the expected form, which is private to the standard library and differs between systems.
  /// Examines ASCII and other strings of each length, and a string with memory of its own.
  static let isKnown: Bool = {
    guard MemoryLayout<String>.size == 16 else { return false }
    let areSmall = (0...mostBytes).allSatisfy { count in
      let ascii = String("0123456789abcde".prefix(count))
      let other = String(repeating: "z", count: count % 2) + String(repeating: "é", count: count / 2)
      guard let known = SmallText(ascii), let known2 = SmallText(other) else { return false }
      return unsafe unsafeBitCast(ascii, to: (UInt64, UInt64).self) == known.asciiWords
        && ascii.withUTF8Bytes { SmallText($0).words == known.words }
        && other.withUTF8Bytes { SmallText($0).words == known2.words }
    }
    return areSmall && SmallText(String(repeating: "z", count: mostBytes + 1)) == nil
  }()
}
