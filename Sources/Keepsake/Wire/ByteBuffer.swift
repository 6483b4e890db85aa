/// A growing run of bytes: what is under construction.
///
/// This file holds all unsafe code of the writing direction. `base` owns `capacity` bytes, the first `count`
/// of which are initialized; every write below first makes room by `reserve` or compares against `count`.
@safe
package final class ByteBuffer {
  @safe @exclusivity(unchecked)
  private var base: UnsafeMutableRawPointer
  @safe @exclusivity(unchecked)
  private var capacity: Int
  /// How many bytes have been written.
  @safe @exclusivity(unchecked)
  package private(set) var count = 0

  package init(minimumCapacity: Int = 512) {
    capacity = max(minimumCapacity, 16)
    base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    unsafe base.deallocate()  // allocated in init or grow, never shared
  }

  /// Makes room for `extra` more bytes.
  @inline(__always)
  private func reserve(_ extra: Int) {
    if extra > capacity &- count { grow(extra) }
  }

  @inline(never)
  private func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    unsafe larger.copyMemory(from: base, byteCount: count)  // both hold at least `count` bytes
    unsafe base.deallocate()
    unsafe base = larger
  }

  // MARK: Appending

  @inline(__always)
  package func append(_ byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)  // room made above
    count &+= 1
  }

  /// Appends `byte` and then the low `byteCount` bytes, 0 to 8, of `word`, least significant first.
  @inline(__always)
  package func append(_ byte: UInt8, word: UInt64, byteCount: Int) {
    reserve(9)
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)  // room for nine made above
    unsafe base.storeBytes(of: word.littleEndian, toByteOffset: count &+ 1, as: UInt64.self)
    count &+= 1 &+ byteCount
  }

  @inline(__always)
  package func append(word: UInt64, byteCount: Int = 8) {
    reserve(8)
    unsafe base.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)  // room made above
    count &+= byteCount
  }

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

  /// Appends the bytes of `span`.
  @inline(__always)
  package func append(_ span: RawSpan) {
    reserve(span.byteCount)
    unsafe span.withUnsafeBytes { bytes in
      // Room made above; the source is the caller's memory and cannot overlap a buffer that is never handed
      // out.
      unsafe UnsafeMutableRawBufferPointer(start: base + count, count: bytes.count).copyMemory(from: bytes)
    }
    count &+= span.byteCount
  }

  /// Appends the memory of an array of numbers.
  @inline(__always)
  package func append<Number: BitwiseCopyable>(memoryOf numbers: [Number]) {
    append(unsafe numbers.span.bytes)  // numbers have no padding, so every byte is initialized
  }

  /// Appends the UTF-8 of a string.
  @inline(__always)
  package func append(utf8 string: String) {
    string.withUTF8Bytes { append($0) }
  }

  /// Appends the bytes `range` of another buffer.
  package func append(_ other: ByteBuffer, _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= other.count)
    other.withBytes(range) { append($0) }
  }

  package func append(_ other: ByteBuffer) {
    append(other, 0..<other.count)
  }

  /// Appends each number in `byteCount` bytes, of which the rest are cut off (Format §4.7).
  @inline(__always)
  package func append<Integers: RandomAccessCollection>(narrowed numbers: Integers, byteCount: Int)
  where Integers.Element: FixedWidthInteger & BitwiseCopyable {
    reserve(numbers.count &* byteCount &+ 8)
    switch byteCount {
    case 1: unsafe storeNarrowed(numbers, as: UInt8.self)
    case 2: unsafe storeNarrowed(numbers, as: UInt16.self)
    case 4: unsafe storeNarrowed(numbers, as: UInt32.self)
    default:
      for number in numbers {
        append(word: UInt64(truncatingIfNeeded: number), byteCount: byteCount)
      }
    }
  }

  /// The caller has made room for all the numbers.
  @unsafe
  @inline(__always)
  private func storeNarrowed<Integers: RandomAccessCollection, Stored: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: Integers,
    as type: Stored.Type
  ) where Integers.Element: FixedWidthInteger {
    var offset = count
    for number in numbers {
      let stored = Stored(truncatingIfNeeded: number).littleEndian
      unsafe base.storeBytes(of: stored, toByteOffset: offset, as: Stored.self)
      offset &+= MemoryLayout<Stored>.size
    }
    count = offset
  }

  // MARK: Going back

  /// Drops everything from `newCount` on.
  @inline(__always)
  package func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    count = newCount
  }

  /// The byte at `offset`.
  @inline(__always)
  package subscript(offset: Int) -> UInt8 {
    get {
      precondition(offset >= 0 && offset < count)
      return unsafe base.load(fromByteOffset: offset, as: UInt8.self)  // checked above
    }
    set {
      precondition(offset >= 0 && offset < count)
      unsafe base.storeBytes(of: newValue, toByteOffset: offset, as: UInt8.self)  // checked above
    }
  }

  /// Replaces the bytes of `range`, moving what is behind it when the lengths differ.
  package func replace(_ range: Range<Int>, with bytes: [UInt8]) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    let change = bytes.count - range.count
    if change > 0 { reserve(change) }
    // The tail was initialized and fits, as room was made for the change.
    unsafe (base + (range.upperBound + change)).copyMemory(
      from: base + range.upperBound,
      byteCount: count - range.upperBound
    )
    for (index, byte) in bytes.enumerated() {
      unsafe base.storeBytes(of: byte, toByteOffset: range.lowerBound + index, as: UInt8.self)
    }
    count += change
  }

  /// Forgets the first `prefix` bytes and moves the rest to the front.
  package func removePrefix(_ prefix: Int) {
    precondition(prefix >= 0 && prefix <= count)
    unsafe base.copyMemory(from: base + prefix, byteCount: count - prefix)  // within the initialized part
    count -= prefix
  }

  /// Exchanges all bytes with another buffer.
  package func exchange(with other: ByteBuffer) {
    unsafe swap(&base, &other.base)  // each owns one block before and after
    swap(&capacity, &other.capacity)
    swap(&count, &other.count)
  }

  // MARK: Looking

  /// Lets `body` see the bytes of `range`.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ range: Range<Int>,
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    // Checked above; the span does not outlive this call, and `self` lives as long.
    return try body(unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count).bytes)
  }

  /// A copy of the bytes of `range`.
  package func bytes(_ range: Range<Int>) -> [UInt8] {
    withBytes(range) { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }

  /// A reader of what was written so far. It must not be used after the next write.
  package func reader() -> ByteReader {
    // The buffer owns the memory and is kept alive by the reader; the caller does not write meanwhile.
    unsafe ByteReader(UnsafeRawBufferPointer(start: base, count: count), owner: self)
  }
}

extension ByteBuffer {
  /// The checksum of the bytes of `range` (Format §8.2).
  package func checksum(_ range: Range<Int>) -> UInt64 {
    withBytes(range) { Checksum.of($0) }
  }
}

extension String {
  /// Lets `body` see the UTF-8 of the string.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    // The spans do not outlive the closures, in which the buffers are valid. The first way takes no copy of the string,
    // which would have to be counted; the second one is that of strings of other systems, which have no UTF-8.
    let result = unsafe utf8.withContiguousStorageIfAvailable {
      body(unsafe UnsafeRawBufferPointer($0).bytes)
    }
    if let result { return result }
    var string = self
    return string.withUTF8 { body(unsafe UnsafeRawBufferPointer($0).bytes) }
  }
}

extension RawSpan {
  /// Whether both hold the same bytes.
  func hasSameBytes(as other: RawSpan) -> Bool {
    let count = byteCount
    guard count == other.byteCount else { return false }
    var offset = 0
    while count &- offset >= 8 {
      guard littleEndianWord(at: offset) == other.littleEndianWord(at: offset) else { return false }
      offset &+= 8
    }
    // The last eight bytes may have been compared in part already, which is quicker than one by one.
    if offset < count, count >= 8 {
      return littleEndianWord(at: count &- 8) == other.littleEndianWord(at: count &- 8)
    }
    while offset < count {
      guard byte(at: offset) == other.byte(at: offset) else { return false }
      offset &+= 1
    }
    return true
  }
}
