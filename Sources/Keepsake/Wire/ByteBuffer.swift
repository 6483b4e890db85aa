/// A growing run of bytes: an archive, or a part of one, under construction.
///
/// This file holds all unsafe code of the writing direction. `base` owns `capacity` bytes, the first `count`
/// of which are initialized. Every write below first calls `reserve` or compares against `count`.
@safe
package final class ByteBuffer {
  @safe @exclusivity(unchecked)
  private var base: UnsafeMutableRawPointer
  @safe @exclusivity(unchecked)
  package private(set) var capacity: Int
  @safe @exclusivity(unchecked)
  package private(set) var count = 0

  package init(minimumCapacity: Int = 512) {
    capacity = max(minimumCapacity, 16)
    base = unsafe OwnedMemory.resized(nil, to: capacity)
  }

  deinit {
    unsafe OwnedMemory.giveBack(base)  // its own, never shared
  }

  /// Makes room for `extra` bytes, so that appending them does not move the memory.
  @inline(__always)
  func reserve(_ extra: Int) {
    if extra > capacity &- count { grow(extra) }
  }

  @inline(never)
  private func grow(_ extra: Int) {
    let needed = count + extra
    // Mostly tables and checksums follow a large piece. Room for them saves moving it once more.
    capacity = max(capacity * 2, extra < ByteBuffer.largePiece ? needed : needed + needed / 64 + 4_096)
    unsafe base = OwnedMemory.resized(base, to: capacity)  // its own, and larger than before
  }

  private static let largePiece = 1 << 16

  // MARK: Appending

  @inline(__always)
  package func append(_ byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)  // reserved above
    count &+= 1
  }

  /// Appends `byte` and then the low `byteCount` bytes, 0 to 8, of `word`, least significant first.
  @inline(__always)
  package func append(_ byte: UInt8, word: UInt64, byteCount: Int) {
    reserve(9)
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)  // nine bytes reserved above
    unsafe base.storeBytes(of: word.littleEndian, toByteOffset: count &+ 1, as: UInt64.self)
    count &+= 1 &+ byteCount
  }

  @inline(__always)
  package func append(word: UInt64, byteCount: Int = 8) {
    reserve(8)
    unsafe base.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)  // reserved above
    count &+= byteCount
  }

  @inline(__always)
  package func append(_ span: RawSpan) {
    reserve(span.byteCount)
    unsafe span.withUnsafeBytes { bytes in
      // Room reserved above; the source cannot overlap a buffer that is never handed out.
      unsafe UnsafeMutableRawBufferPointer(start: base + count, count: bytes.count).copyMemory(from: bytes)
    }
    count &+= span.byteCount
  }

  @inline(__always)
  package func append<Number: BitwiseCopyable>(memoryOf numbers: [Number]) {
    // Numbers have no padding, so every byte is initialized.
    unsafe numbers.withUnsafeBytes { append(unsafe $0.bytes) }
  }

  /// Appends the blocks of a packed array of integers (Format §4.7).
  @inline(__always)
  package func append<Number: FixedWidthInteger & BitwiseCopyable>(blocksOf numbers: [Number]) {
    // Room for the numbers, the heads of blocks, the widths of a mixed block, and a whole word for the last number.
    let blockCount = (numbers.count &+ PackedNumbers.blockSize &- 1) / PackedNumbers.blockSize
    reserve(numbers.count &* MemoryLayout<Number>.size &+ blockCount &+ PackedNumbers.blockSize / 4 &+ 8)
    unsafe numbers.withUnsafeBufferPointer { numbers in
      guard var source = numbers.baseAddress else { return }
      var target = unsafe base + count
      var rest = numbers.count
      while rest > 0 {
        let blockCount = min(rest, PackedNumbers.blockSize)
        // `source` has `rest` elements left.
        let block = unsafe UnsafeBufferPointer(start: source, count: blockCount)
        let width = unsafe PackedNumbers.width(of: block)
        let mixedCount = width > 1 ? unsafe ByteBuffer.storeMixed(block, at: target + 1) : Int.max
        let isMixed = mixedCount < blockCount &* width
        let head = isMixed ? PackedNumbers.mixed : width
        unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: head), as: UInt8.self)
        if !isMixed { unsafe ByteBuffer.store(block, byteCount: width, at: target + 1) }
        unsafe target += 1 &+ (isMixed ? mixedCount : blockCount &* width)
        unsafe source += blockCount
        rest &-= blockCount
      }
      count = unsafe target - UnsafeMutableRawPointer(base)
    }
  }

  /// Stores two bits for the width of each number, then the numbers; returns how many bytes that takes. The caller
  /// has reserved room for all of this, and for seven bytes after the last.
  @unsafe
  @inline(__always)
  private static func storeMixed<Number: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: UnsafeBufferPointer<Number>,
    at target: UnsafeMutableRawPointer
  ) -> Int {
    var cursor = unsafe target + (numbers.count &+ 3) / 4
    for first in stride(from: 0, to: numbers.count, by: 4) {
      var widths: UInt64 = 0
      // The compiler unrolls a loop of four. The last group may be shorter.
      for index in 0..<4 where first &+ index < numbers.count {
        let number = unsafe numbers[first &+ index]
        let (code, byteCount) = PackedNumbers.mixedWidth(of: number)
        // Each word also covers bytes of the next numbers, which are stored later.
        unsafe cursor.storeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian, as: UInt64.self)
        unsafe cursor += byteCount
        widths |= code &<< UInt64(truncatingIfNeeded: index &* 2)
      }
      // The widths precede the numbers. The caller has reserved room for both.
      unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: widths), toByteOffset: first / 4, as: UInt8.self)
    }
    return unsafe cursor - target
  }

  /// Stores the lowest `byteCount` bytes of each number. The caller has reserved room for all of them, and for
  /// seven bytes after the last.
  @unsafe
  @inline(__always)
  private static func store<Number: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: UnsafeBufferPointer<Number>,
    byteCount: Int,
    at target: UnsafeMutableRawPointer
  ) {
    if byteCount == MemoryLayout<Number>.size {
      // Both sides have the same number of bytes, for which the caller has reserved room.
      let target = unsafe UnsafeMutableRawBufferPointer(start: target, count: numbers.count &* byteCount)
      return unsafe target.copyMemory(from: UnsafeRawBufferPointer(numbers))
    }
    switch byteCount {
    case 1: unsafe storeNarrowed(numbers, as: UInt8.self, at: target)
    case 2: unsafe storeNarrowed(numbers, as: UInt16.self, at: target)
    case 4: unsafe storeNarrowed(numbers, as: UInt32.self, at: target)
    default:
      // Each word also covers bytes of the next numbers, which are stored later.
      var cursor = unsafe target
      for index in 0..<numbers.count {
        let word = unsafe UInt64(truncatingIfNeeded: numbers[index]).littleEndian
        unsafe cursor.storeBytes(of: word, as: UInt64.self)
        unsafe cursor += byteCount
      }
    }
  }

  @unsafe
  @inline(__always)
  private static func storeNarrowed<Number: FixedWidthInteger, Stored: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: UnsafeBufferPointer<Number>,
    as type: Stored.Type,
    at target: UnsafeMutableRawPointer
  ) {
    for index in 0..<numbers.count {
      // The caller has reserved room for all numbers.
      let stored = unsafe Stored(truncatingIfNeeded: numbers[index]).littleEndian
      unsafe target.storeBytes(of: stored, toByteOffset: index &* MemoryLayout<Stored>.size, as: Stored.self)
    }
  }

  /// Appends booleans, eight in each byte (Format §4.7).
  package func append(bitsOf bools: [Bool]) {
    let byteCount = bools.count / 8 + (bools.count % 8 == 0 ? 0 : 1)
    reserve(byteCount)
    unsafe bools.withUnsafeBytes { memory in
      let bytes = unsafe memory.bytes  // a Bool is one byte, 0 or 1
      for index in 0..<(bools.count / 8) {
        // Each bit of the factor moves one of the eight booleans to its own bit of the highest byte.
        let packed = (bytes.littleEndianWord(at: index &* 8) &* 0x0102_0408_1020_4080) &>> 56
        // Room was reserved above.
        unsafe base.storeBytes(of: UInt8(packed), toByteOffset: count &+ index, as: UInt8.self)
      }
    }
    if bools.count % 8 != 0 {
      var last: UInt8 = 0
      for index in (bools.count & ~7)..<bools.count where bools[index] { last |= 1 << UInt8(index & 7) }
      // Room was reserved above.
      unsafe base.storeBytes(of: last, toByteOffset: count &+ byteCount &- 1, as: UInt8.self)
    }
    count &+= byteCount
  }

  // MARK: Editing

  @inline(__always)
  package func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    count = newCount
  }

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

  /// Replaces the bytes of `range`, and moves the bytes after it if the lengths differ.
  package func replace(_ range: Range<Int>, with bytes: [UInt8]) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    move(from: range.upperBound, by: bytes.count - range.count)
    for (index, byte) in bytes.enumerated() { self[range.lowerBound + index] = byte }
  }

  /// Replaces the `kept` bytes at `start` by `tag`, followed by `number` if there is one.
  ///
  /// - Returns: The distance by which the bytes after them moved.
  @inline(__always)
  func setHead(at start: Int, kept: Int, _ tag: UInt8, varint number: Int?) -> Int {
    let byteCount = number.map { 2 &+ (max(1, 64 &- $0.leadingZeroBitCount) &- 1) / 7 } ?? 1
    let change = byteCount &- kept
    if change != 0 { move(from: start + kept, by: change) }
    self[start] = tag
    guard var rest = number else { return change }
    for offset in (start &+ 1)..<(start &+ byteCount &- 1) {
      self[offset] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest &>>= 7
    }
    self[start &+ byteCount &- 1] = UInt8(truncatingIfNeeded: rest)
    return change
  }

  /// Moves the bytes from `offset` on. They may overwrite the bytes before them, or leave a gap of arbitrary bytes.
  private func move(from offset: Int, by change: Int) {
    precondition(offset >= 0 && offset <= count && offset + change >= 0)
    if change > 0 { reserve(change) }
    // The tail is initialized and fits, as room was reserved for the change.
    unsafe (base + (offset + change)).copyMemory(from: base + offset, byteCount: count - offset)
    count += change
  }

  /// Removes the first `prefix` bytes and moves the rest to the front.
  func removePrefix(_ prefix: Int) {
    precondition(prefix >= 0 && prefix <= count)
    unsafe base.copyMemory(from: base + prefix, byteCount: count - prefix)  // within the initialized part
    count -= prefix
  }

  /// Gives back the memory that the bytes do not need.
  func giveBackMemory() {
    capacity = max(count, 512)
    unsafe base = OwnedMemory.resized(base, to: capacity)  // its own, and large enough for the bytes
  }

  package func exchange(with other: ByteBuffer) {
    unsafe swap(&base, &other.base)  // each owns one block before and after
    swap(&capacity, &other.capacity)
    swap(&count, &other.count)
  }

  // MARK: Giving away

  /// Hands over the memory, which the caller must `free`, and its number of bytes. The buffer is then empty.
  @unsafe
  func takeMemory() -> (address: UnsafeMutableRawPointer, byteCount: Int) {
    let byteCount = count
    // Much unused memory would stay allocated as long as the bytes, so it is given back. A little remains.
    let isMuch = capacity - byteCount > byteCount / 32 + 8_192
    let memory = unsafe isMuch ? OwnedMemory.resized(base, to: max(byteCount, 16)) : base
    capacity = 16
    count = 0
    unsafe base = OwnedMemory.resized(nil, to: capacity)
    return unsafe (memory, byteCount)
  }

  // MARK: Reading

  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ range: Range<Int>,
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    // Checked above; the span does not outlive this call, and `self` lives as long.
    return try body(unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count).bytes)
  }

  package func bytes(_ range: Range<Int>) -> [UInt8] {
    withBytes(range) { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }

  /// The checksum of the bytes of `range` (Format §8.2).
  package func checksum(_ range: Range<Int>) -> UInt64 { withBytes(range) { Checksum.of($0) } }

  /// A reader of the bytes written so far. Do not use it after the next write.
  package func reader() -> ByteReader {
    // The reader keeps the buffer alive, which owns the memory. The caller does not write while it reads.
    unsafe ByteReader(UnsafeRawBufferPointer(start: base, count: count), owner: self)
  }
}

extension String {
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    // The spans do not outlive the closures, in which the buffers are valid. The first path needs no copy of the
    // string, which would be retained. The second path is for bridged strings, which are not stored as UTF-8.
    let result = unsafe utf8.withContiguousStorageIfAvailable {
      body(unsafe UnsafeRawBufferPointer($0).bytes)
    }
    if let result { return result }
    var string = self
    return string.withUTF8 { body(unsafe UnsafeRawBufferPointer($0).bytes) }
  }
}

extension Array {
  /// Calls `body` with the elements in place.
  @inline(__always)
  func withSpan<Result, Failure: Error>(
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return try body(span) }
    // Earlier Apple systems have no span of an array. The elements do not move during the call.
    return try unsafe withUnsafeBufferPointer { (elements) throws(Failure) in try body(unsafe elements.span) }
  }
}
