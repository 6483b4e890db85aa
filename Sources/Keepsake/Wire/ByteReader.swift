#if !_endian(little) || !_pointerBitWidth(_64)
  #error(
    "Keepsake needs a 64-bit little-endian platform: archives are written and read as numbers are in its memory"
  )
#endif

/// Checked access to the bytes of an archive.
///
/// This file holds all unsafe code of the reading direction. `base` points to `count` bytes, which `owner`
/// keeps alive and nobody changes. Every access below first checks that it stays within them.
@safe
package struct ByteReader {
  private let base: UnsafeRawPointer
  package let count: Int
  private let owner: AnyObject?

  /// - Parameter owner: Keeps `bytes` alive and in place, for which the caller vouches. `nil` if the caller itself does
  ///   so as long as a reader exists.
  @unsafe
  package init(_ bytes: UnsafeRawBufferPointer, owner: AnyObject?) {
    // An empty buffer may have no address; nothing is read through this one, as count is 0.
    unsafe base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = bytes.count
    self.owner = owner
  }

  func limited(to end: Int) -> ByteReader {
    // Within the bounds of this reader, with the same owner.
    unsafe ByteReader(UnsafeRawBufferPointer(start: base, count: min(max(0, end), count)), owner: owner)
  }

  /// The same without retaining the owner. This reader must outlive the result.
  func limitedForNow(to end: Int) -> ByteReader {
    unsafe ByteReader(UnsafeRawBufferPointer(start: base, count: min(max(0, end), count)), owner: nil)
  }

  // MARK: Bounds

  /// Throws unless `byteCount` bytes from `offset` on lie within the archive.
  @inline(__always)
  package func check(_ byteCount: Int, at offset: Int) throws(ArchiveError) {
    // As unsigned numbers, negative ones are very large.
    guard UInt(bitPattern: offset) <= UInt(bitPattern: count),
      UInt(bitPattern: byteCount) <= UInt(bitPattern: count &- offset)
    else { throw outOfBounds(offset) }
  }

  @inline(never)
  private func outOfBounds(_ offset: Int) -> ArchiveError {
    ArchiveError.damaged("A value extends past the end of its part of the archive", at: offset)
  }

  // MARK: Numbers

  @inline(__always)
  package func byte(at offset: Int) throws(ArchiveError) -> UInt8 {
    // The same as `check(1, at: offset)`, by one comparison.
    guard UInt(bitPattern: offset) < UInt(bitPattern: count) else { throw outOfBounds(offset) }
    return unsafe base.load(fromByteOffset: offset, as: UInt8.self)  // checked above; bytes need no alignment
  }

  /// The eight bytes at `offset`, least significant first.
  @inline(__always)
  package func word(at offset: Int) throws(ArchiveError) -> UInt64 {
    try check(8, at: offset)
    // The bounds were checked above.
    return unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// An integer of `byteCount` bytes, 1 to 8, sign-extended.
  @inline(__always)
  package func signed(at offset: Int, byteCount: Int) throws(ArchiveError) -> Int64 {
    let shift = UInt64(truncatingIfNeeded: 64 &- byteCount &* 8)
    return Int64(bitPattern: try window(at: offset, byteCount: byteCount) &<< shift)
      &>> Int64(bitPattern: shift)
  }

  /// An integer of `byteCount` bytes, 1 to 8, filled up with zeros.
  @inline(__always)
  package func unsigned(at offset: Int, byteCount: Int) throws(ArchiveError) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: 64 &- byteCount &* 8)
    return (try window(at: offset, byteCount: byteCount) &<< shift) &>> shift
  }

  /// At least `byteCount` bytes from `offset` on in one word, gathered one by one at the very end of the memory.
  @inline(__always)
  private func window(at offset: Int, byteCount: Int) throws(ArchiveError) -> UInt64 {
    if offset >= 0, offset <= count &- 8 {
      // The bounds were checked above.
      return unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var word: UInt64 = 0
    for index in 0..<byteCount {
      word |= UInt64(try byte(at: offset + index)) << UInt64(index * 8)
    }
    return word
  }

  // MARK: Runs of bytes

  package func hasBytes(_ expected: [UInt8], at offset: Int) -> Bool {
    guard (try? check(expected.count, at: offset)) != nil else { return false }
    let actual = unsafe UnsafeRawBufferPointer(start: base + offset, count: expected.count)  // checked above
    return unsafe actual.elementsEqual(expected)
  }

  package func checksum(_ range: Range<Int>) throws(ArchiveError) -> UInt64 {
    try withBytes(range) { Checksum.of($0) }
  }

  /// The string in `range`; throws if the bytes are not UTF-8, and never repairs them.
  package func string(_ range: Range<Int>) throws(ArchiveError) -> String {
    try check(range.count, at: range.lowerBound)
    if range.count <= SmallText.mostBytes, range.lowerBound <= count &- 16, SmallText.isKnown {
      // Sixteen bytes lie within the archive, as checked above.
      let first = unsafe UInt64(littleEndian: (base + range.lowerBound).loadUnaligned(as: UInt64.self))
      let second = unsafe UInt64(littleEndian: (base + range.lowerBound + 8).loadUnaligned(as: UInt64.self))
      if let text = SmallText(ascii: (first, second), count: range.count) { return text.asciiString }
    }
    let utf8 = unsafe UnsafeBufferPointer(
      // Checked above; UInt8 may alias anything.
      start: (base + range.lowerBound).assumingMemoryBound(to: UInt8.self),
      count: range.count
    )
    let string = unsafe String(decoding: utf8, as: UTF8.self)
    // Decoding repairs invalid text, so its bytes come out different. (Validating it first takes generic metadata.)
    let bytes = unsafe UnsafeRawBufferPointer(utf8).bytes
    guard bytes.isASCII || string.withUTF8Bytes({ $0.hasSameBytes(as: bytes) }) else {
      throw .damaged("A string is not valid UTF-8", at: range.lowerBound)
    }
    return string
  }

  /// The bytes of `range` as an array of numbers. In the archive, they are little-endian.
  package func array<Element: BitwiseCopyable>(
    of type: Element.Type,
    count: Int,
    at offset: Int
  ) throws(ArchiveError) -> [Element] {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.size)
    guard !overflow else { throw outOfBounds(offset) }
    try check(byteCount, at: offset)
    guard count > 0 else { return [] }
    let source = unsafe UnsafeRawBufferPointer(start: base + offset, count: byteCount)  // checked above
    return unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      // The buffer has room for `count` elements; Element is bitwise copyable with stride equal to size.
      unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: source)
      initialized = count
    }
  }

  package func withBytes<Result>(
    _ range: Range<Int>,
    _ body: (RawSpan) -> Result
  ) throws(ArchiveError) -> Result {
    try check(range.count, at: range.lowerBound)
    // Checked above; the span does not outlive this call, and the owner lives as long.
    return body(unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count).bytes)
  }

  /// The integers of a packed array whose blocks begin at `offset`, which moves past them (Format §4.7);
  /// `nil` if a block is wider than `Number`.
  @inline(__always)
  package func packedIntegers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int,
    signed isSigned: Bool,
    at offset: inout Int
  ) throws(ArchiveError) -> [Number]? {
    // Each number takes at least a byte, which bounds what is reserved.
    try check(count, at: offset)
    guard count > 0 else { return [] }
    var cursor = offset
    var isTooWide = false
    var failure: ArchiveError?
    let numbers = unsafe [Number](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(ArchiveError) {
        while initialized < count {
          let blockCount = min(count &- initialized, PackedNumbers.blockSize)
          let block = try PackedBlock(self, of: blockCount, at: cursor)
          guard block.width <= MemoryLayout<Number>.size else {
            isTooWide = true
            return
          }
          // The buffer has room for `count` numbers. `PackedBlock` has checked the bytes.
          let range = initialized..<(initialized &+ blockCount)
          let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[range])
          if block.isMixed {
            try unsafe loadMixed(block, widthsAt: cursor &+ 1, signed: isSigned, to: target)
          } else {
            unsafe loadIntegers(
              blockCount,
              byteCount: block.width,
              signed: isSigned,
              at: block.start,
              to: target
            )
          }
          initialized &+= blockCount
          cursor = block.end
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    guard !isTooWide else { return nil }
    offset = cursor
    return numbers
  }

  /// Loads the integers of a mixed block into `target`, which has room for them.
  @unsafe
  @inline(__always)
  private func loadMixed<Number: FixedWidthInteger>(
    _ block: PackedBlock,
    widthsAt offset: Int,
    signed isSigned: Bool,
    to target: UnsafeMutableBufferPointer<Number>
  ) throws(ArchiveError) {
    var cursor = block.start
    var index = 0
    // A byte of widths has those of four integers. Loading a word for each stays within 32 bytes.
    while index &+ 4 <= target.count, cursor <= count &- 32 {
      // The widths lie before `cursor`.
      let widths = unsafe base.load(fromByteOffset: offset &+ index / 4, as: UInt8.self)
      for number in 0..<4 {
        let code = (UInt64(widths) &>> UInt64(number &* 2)) & 3
        let word = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: cursor, as: UInt64.self))
        let shift = 64 &- (8 as UInt64 &<< code)
        // `index` and the three after it are below the count.
        unsafe target[index &+ number] = Number(word &<< shift, shiftedBy: shift, signed: isSigned)
        cursor &+= Int(truncatingIfNeeded: 1 as UInt64 &<< code)
      }
      index &+= 4
    }
    while index < target.count {
      let byteCount = 1 &<< (Int(try byte(at: offset &+ index / 4) &>> UInt8(index & 3 &* 2)) & 3)
      let word = try unsigned(at: cursor, byteCount: byteCount)
      let shift = UInt64(truncatingIfNeeded: 64 &- byteCount &* 8)
      unsafe target[index] = Number(word &<< shift, shiftedBy: shift, signed: isSigned)  // below the count
      cursor &+= byteCount
      index &+= 1
    }
  }

  /// Loads integers of `byteCount` bytes each. The caller has checked that they lie within the archive, that
  /// the target has room for `count`, and that its type has at least that many bytes.
  @unsafe
  @inline(__always)
  private func loadIntegers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int,
    byteCount: Int,
    signed isSigned: Bool,
    at offset: Int,
    to target: UnsafeMutableBufferPointer<Number>
  ) {
    if byteCount == MemoryLayout<Number>.size {
      // Both sides have the same number of bytes, and the caller has checked both.
      let source = unsafe UnsafeRawBufferPointer(start: base + offset, count: count &* byteCount)
      return unsafe UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
    }
    switch byteCount {
    case 1 where isSigned: unsafe loadWidened(Int8.self, count, at: offset, to: target)
    case 2 where isSigned: unsafe loadWidened(Int16.self, count, at: offset, to: target)
    case 4 where isSigned: unsafe loadWidened(Int32.self, count, at: offset, to: target)
    case 1: unsafe loadWidened(UInt8.self, count, at: offset, to: target)
    case 2: unsafe loadWidened(UInt16.self, count, at: offset, to: target)
    case 4: unsafe loadWidened(UInt32.self, count, at: offset, to: target)
    default: unsafe loadOdd(count, byteCount: byteCount, signed: isSigned, at: offset, to: target)
    }
  }

  @unsafe
  @inline(__always)
  private func loadWidened<Stored: FixedWidthInteger & BitwiseCopyable, Number: FixedWidthInteger>(
    _ type: Stored.Type,
    _ count: Int,
    at offset: Int,
    to target: UnsafeMutableBufferPointer<Number>
  ) {
    let source = unsafe base + offset
    for index in 0..<count {
      // The caller of `loadIntegers` has checked both sides.
      let cursor = index &* MemoryLayout<Stored>.size
      let stored = unsafe source.loadUnaligned(fromByteOffset: cursor, as: Stored.self)
      unsafe target[index] = Number(truncatingIfNeeded: Stored(littleEndian: stored))
    }
  }

  /// Loads integers of 3, 5, 6 or 7 bytes: a word for each, without the bytes that belong to the next.
  @unsafe
  @inline(__always)
  private func loadOdd<Number: FixedWidthInteger>(
    _ count: Int,
    byteCount: Int,
    signed isSigned: Bool,
    at offset: Int,
    to target: UnsafeMutableBufferPointer<Number>
  ) {
    let shift = UInt64(truncatingIfNeeded: 64 &- byteCount &* 8)
    // At the very end of the memory, a word would reach past it. There the bytes are gathered one by one.
    let spare = self.count &- offset &- 8
    let wholeWords = spare < 0 ? 0 : min(count, spare / byteCount &+ 1)
    for index in 0..<count {
      let cursor = offset &+ index &* byteCount
      let word =
        index < wholeWords
        // Eight bytes from `cursor` on lie within the memory, by the definition of `wholeWords`.
        ? unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: cursor, as: UInt64.self))
        : (try? window(at: cursor, byteCount: byteCount)) ?? 0
      unsafe target[index] = Number(word &<< shift, shiftedBy: shift, signed: isSigned)
    }
  }

  /// The booleans of a packed array, eight in each byte (Format §4.7).
  package func packedBools(_ count: Int, at offset: Int) throws(ArchiveError) -> [Bool] {
    try check(count / 8 + (count % 8 == 0 ? 0 : 1), at: offset)
    guard count > 0 else { return [] }
    return unsafe [Bool](unsafeUninitializedCapacity: count) { buffer, initialized in
      let target = UnsafeMutableRawBufferPointer(buffer)
      for index in 0..<(count / 8) {
        // Copies the byte to eight bytes, keeps a different bit in each, and turns any bit into 1.
        let byte = unsafe base.load(fromByteOffset: offset &+ index, as: UInt8.self)  // checked above
        let bits = (UInt64(byte) &* 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201
        let bools = ((bits &+ 0x7F7F_7F7F_7F7F_7F7F) &>> 7) & 0x0101_0101_0101_0101
        unsafe target.storeBytes(of: bools.littleEndian, toByteOffset: index &* 8, as: UInt64.self)
      }
      for index in (count & ~7)..<count {
        let byte = unsafe base.load(fromByteOffset: offset &+ index / 8, as: UInt8.self)  // checked above
        unsafe buffer.initializeElement(at: index, to: byte &>> UInt8(index & 7) & 1 == 1)
      }
      initialized = count
    }
  }
}

extension FixedWidthInteger {
  /// The bits of `word` above the lowest `shift`, sign-extended or filled up with zeros.
  @inline(__always)
  fileprivate init(_ word: UInt64, shiftedBy shift: UInt64, signed isSigned: Bool) {
    self =
      isSigned
      ? Self(truncatingIfNeeded: Int64(bitPattern: word) &>> Int64(bitPattern: shift))
      : Self(truncatingIfNeeded: word &>> shift)
  }
}

extension RawSpan {
  /// Eight bytes, least significant first. Traps past the end, so callers check it first.
  @inline(__always)
  func littleEndianWord(at offset: Int) -> UInt64 {
    // Bounds-checked.
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  func littleEndianWords(at offset: Int) -> (UInt64, UInt64, UInt64, UInt64) {
    // Bounds-checked once for all four words.
    let words = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: (UInt64, UInt64, UInt64, UInt64).self)
    return (
      UInt64(littleEndian: words.0), UInt64(littleEndian: words.1), UInt64(littleEndian: words.2),
      UInt64(littleEndian: words.3)
    )
  }

  @inline(__always)
  func littleEndianHalfWord(at offset: Int) -> UInt32 {
    // Bounds-checked.
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)  // bounds-checked
  }
}
