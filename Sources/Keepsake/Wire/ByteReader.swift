/// Checked access to the bytes of an archive.
///
/// This file holds all unsafe code of the reading direction. `base` points to `count` bytes which `owner`
/// keeps alive and nobody changes; every access below first shows that what it touches lies within them.
@safe
package struct ByteReader {
  private let base: UnsafeRawPointer
  package let count: Int
  private let owner: AnyObject

  /// - Parameter owner: keeps `bytes` alive and where they are; whoever calls vouches for that.
  @unsafe
  package init(_ bytes: UnsafeRawBufferPointer, owner: AnyObject) {
    // An empty buffer may have no address; nothing is read through this one, as count is 0.
    unsafe base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = bytes.count
    self.owner = owner
  }

  // MARK: Bounds

  /// Throws unless `byteCount` bytes from `offset` on lie within the archive.
  @inline(__always)
  package func check(_ byteCount: Int, at offset: Int) throws(ArchiveError) {
    guard offset >= 0, offset <= count, byteCount >= 0, byteCount <= count &- offset else {
      throw outOfBounds(offset)
    }
  }

  @inline(never)
  private func outOfBounds(_ offset: Int) -> ArchiveError {
    ArchiveError(
      .damaged,
      "A value reaches past the end of the part of the archive that it is in",
      byteOffset: offset
    )
  }

  // MARK: Numbers

  @inline(__always)
  package func byte(at offset: Int) throws(ArchiveError) -> UInt8 {
    try check(1, at: offset)
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

  /// At least `byteCount` bytes from `offset` on in one word. Nearly always eight can be read at once; only
  /// at the very end of the memory the bytes are gathered one by one.
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

  package func wide(at offset: Int) throws(ArchiveError) -> UInt128 {
    try UInt128(word(at: offset)) | UInt128(word(at: offset + 8)) << 64
  }

  /// A variable-length number (Format §3.2) at `offset`, which moves behind it.
  @inline(__always)
  package func varint(at offset: inout Int) throws(ArchiveError) -> Int {
    let first = try byte(at: offset)
    offset &+= 1
    return first < 0x80 ? Int(first) : try longVarint(first, at: &offset)
  }

  private func longVarint(_ first: UInt8, at offset: inout Int) throws(ArchiveError) -> Int {
    let start = offset - 1
    var value = Int(first & 0x7F)
    var shift = 7
    while true {
      let next = try byte(at: offset)
      offset += 1
      value |= Int(next & 0x7F) << shift
      if next < 0x80 {
        guard next != 0 else {
          throw ArchiveError(.damaged, "A number is written longer than it needs to be", byteOffset: start)
        }
        return value
      }
      shift += 7
      guard shift <= 56 else {
        throw ArchiveError(.damaged, "A number is longer than any that can occur", byteOffset: start)
      }
    }
  }

  // MARK: Runs of bytes

  package func hasBytes(_ expected: [UInt8], at offset: Int) -> Bool {
    guard (try? check(expected.count, at: offset)) != nil else { return false }
    let actual = unsafe UnsafeRawBufferPointer(start: base + offset, count: expected.count)  // checked above
    return unsafe actual.elementsEqual(expected)
  }

  /// Whether the bytes of `range` are the UTF-8 of `string`.
  package func hasUTF8(of string: String, in range: Range<Int>) -> Bool {
    guard (try? check(range.count, at: range.lowerBound)) != nil, string.utf8.count == range.count else {
      return false
    }
    // Checked above.
    let actual = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    return unsafe actual.elementsEqual(string.utf8)
  }

  package func checksum(_ range: Range<Int>) throws(ArchiveError) -> UInt64 {
    try check(range.count, at: range.lowerBound)
    // Checked above.
    let bytes = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    return unsafe Checksum.of(bytes.bytes)
  }

  /// The string in `range`; throws when the bytes are not UTF-8, as nothing is ever repaired.
  package func string(_ range: Range<Int>) throws(ArchiveError) -> String {
    try check(range.count, at: range.lowerBound)
    let utf8 = unsafe UnsafeBufferPointer(
      // Checked above; UInt8 may alias anything.
      start: (base + range.lowerBound).assumingMemoryBound(to: UInt8.self),
      count: range.count
    )
    // For plain ASCII, which is valid as it is, this way to a string is shorter.
    if unsafe UnsafeRawBufferPointer(utf8).bytes.isASCII {
      return unsafe String(decoding: utf8, as: UTF8.self)
    }
    guard let string = unsafe String(validating: utf8, as: UTF8.self) else {
      throw ArchiveError(.damaged, "A string is not valid UTF-8", byteOffset: range.lowerBound)
    }
    return string
  }

  /// The bytes of `range` as an array of numbers, which they hold least significant byte first.
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

  /// Lets `body` see the bytes of `range`.
  package func withBytes<Result>(
    _ range: Range<Int>,
    _ body: (RawSpan) -> Result
  ) throws(ArchiveError) -> Result {
    try check(range.count, at: range.lowerBound)
    // Checked above; the span does not outlive this call, and the owner lives as long.
    return body(unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count).bytes)
  }

  /// Integers of `byteCount` bytes each, sign- or zero-extended, appended to `array` (Format §4.7).
  ///
  /// The bit pattern of each must fit into `Element`, which has at least `byteCount` bytes: the caller checks
  /// that.
  @inline(__always)
  package func appendIntegers<Element: FixedWidthInteger>(
    _ count: Int,
    byteCount: Int,
    signed isSigned: Bool,
    at offset: Int,
    to array: inout [Element]
  ) throws(ArchiveError) {
    try check(count &* byteCount, at: offset)
    switch byteCount {
    case 1 where isSigned: unsafe appendWidened(Int8.self, count, at: offset, to: &array)
    case 2 where isSigned: unsafe appendWidened(Int16.self, count, at: offset, to: &array)
    case 4 where isSigned: unsafe appendWidened(Int32.self, count, at: offset, to: &array)
    case 8 where isSigned: unsafe appendWidened(Int64.self, count, at: offset, to: &array)
    case 1: unsafe appendWidened(UInt8.self, count, at: offset, to: &array)
    case 2: unsafe appendWidened(UInt16.self, count, at: offset, to: &array)
    case 4: unsafe appendWidened(UInt32.self, count, at: offset, to: &array)
    case 8: unsafe appendWidened(UInt64.self, count, at: offset, to: &array)
    default:
      for index in 0..<count {
        let place = offset + index * byteCount
        array.append(
          isSigned
            ? Element(truncatingIfNeeded: try signed(at: place, byteCount: byteCount))
            : Element(truncatingIfNeeded: try unsigned(at: place, byteCount: byteCount))
        )
      }
    }
  }

  /// The caller has checked that `count` numbers of type `Stored` lie within the archive from `offset` on.
  @unsafe
  @inline(__always)
  private func appendWidened<Stored: FixedWidthInteger & BitwiseCopyable, Element: FixedWidthInteger>(
    _ type: Stored.Type,
    _ count: Int,
    at offset: Int,
    to array: inout [Element]
  ) {
    let size = MemoryLayout<Stored>.size
    for index in 0..<count {
      let stored = unsafe base.loadUnaligned(fromByteOffset: offset &+ index &* size, as: Stored.self)
      array.append(Element(truncatingIfNeeded: Stored(littleEndian: stored)))
    }
  }
}

extension RawSpan {
  /// Eight bytes, least significant first. Traps past the end: for bytes whose extent the caller has
  /// compared.
  @inline(__always)
  func littleEndianWord(at offset: Int) -> UInt64 {
    // Bounds-checked.
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  func littleEndianHalfWord(at offset: Int) -> UInt32 {
    // Bounds-checked.
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Whether all bytes are below 128.
  @inline(__always)
  var isASCII: Bool {
    var offset = 0
    var bits: UInt64 = 0
    while byteCount &- offset >= 8 {
      bits |= littleEndianWord(at: offset)
      offset &+= 8
    }
    while offset < byteCount {
      bits |= UInt64(byte(at: offset))
      offset &+= 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)  // bounds-checked
  }
}

/// The bit pattern of a value of at most one byte, or `nil` for larger ones.
///
/// The synthesized `CodingKeys` of a type are such values, and the pattern tells which case it is.
@inline(__always)
func bitPattern<Value>(of value: Value) -> Int? {
  switch MemoryLayout<Value>.size {
  case 0: 0
  // Exactly one byte, and no byte of a value that small is padding or a reference. (Looking at it through a pointer
  // would cost ten times as much where the type is not known to the compiler.)
  case 1: unsafe Int(unsafeBitCast(value, to: UInt8.self))
  default: nil
  }
}

/// `object`, whose class the caller knows to be `Subclass` because it was stored under that type's
/// identifier.
@inline(__always)
func knownDowncast<Subclass: AnyObject>(_ object: AnyObject, to type: Subclass.Type) -> Subclass {
  // Checked in debug builds; see the callers for the table's invariant.
  unsafe unsafeDowncast(object, to: type)
}
