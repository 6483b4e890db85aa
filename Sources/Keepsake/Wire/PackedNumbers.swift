/// Packed arrays of numbers (Format §4.7): integers in blocks of 128, each block in the least width that
/// holds it.
package enum PackedNumbers {
  package static let blockSize = 128

  /// The least number of bytes, 1 to 8, that holds every one of `numbers`.
  @inline(__always)
  static func width<Number: FixedWidthInteger>(of numbers: some Sequence<Number>) -> Int {
    var bits: Number = 0
    for number in numbers {
      // Of signed numbers the bits that differ from the one below: the highest of these is the lowest of those
      // that only repeat the sign. (An arithmetic shift by 63 would say the same, but few vector units have
      // one.)
      bits |= Number.isSigned ? number ^ (number &<< 1) : number
    }
    return max(1, (Number.bitWidth - bits.leadingZeroBitCount + 7) / 8)
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

  package func append(packed numbers: [Float]) {
    append(packedHead: .float32, count: numbers.count)
    #if _endian(little)
      append(memoryOf: numbers)
    #else
      for number in numbers { append(word: UInt64(number.bitPattern), byteCount: 4) }
    #endif
  }

  package func append(packed numbers: [Double]) {
    append(packedHead: .float64, count: numbers.count)
    #if _endian(little)
      append(memoryOf: numbers)
    #else
      for number in numbers { append(word: number.bitPattern) }
    #endif
  }

  private func append(packedHead element: PackedElement, count: Int) {
    append(Tag.packedArray)
    append(element.rawValue)
    append(varint: count)
  }
}

extension ByteReader {
  /// The signed integers of a packed array whose blocks begin at `offset`.
  package func signedNumbers(_ count: Int, at offset: Int) throws(ArchiveError) -> [Int64] {
    var place = offset
    // No block is wider than these numbers.
    return try packedIntegers(count, signed: true, at: &place) ?? []
  }

  /// The unsigned integers of a packed array whose blocks begin at `offset`.
  package func unsignedNumbers(_ count: Int, at offset: Int) throws(ArchiveError) -> [UInt64] {
    var place = offset
    // No block is wider than these numbers.
    return try packedIntegers(count, signed: false, at: &place) ?? []
  }

  package func packedFloats(_ count: Int, at offset: Int) throws(ArchiveError) -> [Float] {
    #if _endian(little)
      try array(of: Float.self, count: count, at: offset)
    #else
      try array(of: UInt32.self, count: count, at: offset).map { Float(bitPattern: UInt32(littleEndian: $0)) }
    #endif
  }

  package func packedDoubles(_ count: Int, at offset: Int) throws(ArchiveError) -> [Double] {
    #if _endian(little)
      try array(of: Double.self, count: count, at: offset)
    #else
      try array(of: UInt64.self, count: count, at: offset).map {
        Double(bitPattern: UInt64(littleEndian: $0))
      }
    #endif
  }
}
