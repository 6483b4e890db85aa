/// Packed arrays of numbers (Format §4.7): integers in blocks of 128. A block has one width for all its integers, the
/// least that holds them. If it is shorter that way, it is mixed: two bits for each integer give its width.
package enum PackedNumbers {
  package static let blockSize = 128

  /// The first byte of a mixed block, in place of a width.
  static let mixed = 0

  /// The least number of bytes, 1 to 8, that holds every one of `numbers`.
  @inline(__always)
  static func width<Number: FixedWidthInteger>(of numbers: some Sequence<Number>) -> Int {
    var bits: Number = 0
    for number in numbers { bits |= significantBits(number) }
    return max(1, (Number.bitWidth - bits.leadingZeroBitCount + 7) / 8)
  }

  /// A number whose highest set bit is the highest bit to store.
  @inline(__always)
  private static func significantBits<Number: FixedWidthInteger>(_ number: Number) -> Number {
    // In a signed number, the bits that differ from the bit below: the highest of them is the lowest copy of the sign.
    // (An arithmetic shift by 63 would do the same, but few vector units have one.)
    Number.isSigned ? number ^ (number &<< 1) : number
  }

  /// The number of bytes of `number` in a mixed block (1, 2, 4 or 8), and the two bits that stand for it.
  @inline(__always)
  static func mixedWidth<Number: FixedWidthInteger>(of number: Number) -> (code: UInt64, byteCount: Int) {
    let bits = UInt64(truncatingIfNeeded: Number.Magnitude(truncatingIfNeeded: significantBits(number)))
    let highest = UInt64(truncatingIfNeeded: 63 &- (bits | 1).leadingZeroBitCount)
    // Two tables with four bits for each number of the highest byte.
    let shift = (highest &>> 1) & 0x1C
    return (0x3333_2210 &>> shift & 3, Int(truncatingIfNeeded: 0x8888_4421 as UInt64 &>> shift & 0xF))
  }
}

extension ByteBuffer {
  @inline(__always)
  package func append<Number: FixedWidthInteger & BitwiseCopyable>(packed numbers: [Number]) {
    append(packedHead: Number.isSigned ? .signed : .unsigned, count: numbers.count)
    append(blocksOf: numbers)
  }

  package func append(packed numbers: [Bool]) {
    append(packedHead: .bool, count: numbers.count)
    append(bitsOf: numbers)
  }

  /// Appends floating-point numbers, as they are in memory.
  @inline(__always)
  package func append<Number: BitwiseCopyable>(packed numbers: [Number], as element: PackedElement) {
    append(packedHead: element, count: numbers.count)
    append(memoryOf: numbers)
  }

  private func append(packedHead element: PackedElement, count: Int) {
    append(Tag.packedArray)
    append(element.rawValue)
    append(varint: count)
  }
}

/// The location of the integers of a block.
struct PackedBlock {
  let isMixed: Bool
  /// The largest width of an integer, in bytes.
  let width: Int
  /// Where the integers begin, after their widths.
  let start: Int
  let end: Int

  /// The block of `count` integers, at most 128, at `offset`; throws unless all of it lies within the archive.
  @inline(__always)
  init(_ reader: ByteReader, of count: Int, at offset: Int) throws(ArchiveError) {
    let width = Int(try reader.byte(at: offset))
    guard width != PackedNumbers.mixed else {
      self = try PackedBlock(mixed: reader, of: count, at: offset &+ 1)
      return
    }
    guard width <= 8 else { throw .damaged("A block of numbers has an impossible width", at: offset) }
    isMixed = false
    self.width = width
    start = offset &+ 1
    try reader.check(count &* width, at: start)
    end = start &+ count &* width
  }

  /// The mixed block whose widths begin at `offset`: 0 for one byte, 1 for two, 2 for four, 3 for eight.
  private init(mixed reader: ByteReader, of count: Int, at offset: Int) throws(ArchiveError) {
    isMixed = true
    start = offset &+ (count &+ 3) / 4
    var byteCount = count
    var widest: UInt64 = 0
    for cursor in stride(from: offset, to: start, by: 8) {
      let widths = try reader.unsigned(at: cursor, byteCount: min(8, start &- cursor))
      let low = widths & 0x5555_5555_5555_5555
      let high = (widths &>> 1) & 0x5555_5555_5555_5555
      byteCount &+= low.nonzeroBitCount &+ 3 &* (high.nonzeroBitCount &+ (low & high).nonzeroBitCount)
      widest |= (low & high != 0 ? 8 : 0) | (high != 0 ? 4 : 0) | (low != 0 ? 2 : 1)
    }
    if count % 4 != 0, try reader.byte(at: start &- 1) &>> UInt8(count % 4 &* 2) != 0 {
      throw .damaged("A block of numbers has a width after its last number", at: start &- 1)
    }
    width = 1 &<< (63 &- widest.leadingZeroBitCount)
    try reader.check(byteCount, at: start)
    end = start &+ byteCount
  }
}

extension ByteReader {
  /// The integers of a packed array whose blocks begin at `offset`. `Number` is the widest type of their kind.
  func widestIntegers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int,
    at offset: Int
  ) throws(ArchiveError) -> [Number] {
    var cursor = offset
    // Never `nil`: no block is wider than these numbers.
    return try packedIntegers(count, signed: Number.isSigned, at: &cursor) ?? []
  }
}
