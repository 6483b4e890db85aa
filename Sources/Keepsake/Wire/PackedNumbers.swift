/// Packed arrays of numbers (Format §4.7): integers in blocks of 128, each block in the least width that
/// holds it.
package enum PackedNumbers {
  package static let blockSize = 128

  /// The least number of bytes, 1 to 8, that holds every one of `numbers`; eight numbers at a time, so that
  /// the compiler can use vectors.
  @inline(__always)
  static func width<Number: FixedWidthInteger>(of numbers: ArraySlice<Number>) -> Int {
    var bits: Number = 0
    for number in numbers {
      // For signed numbers the bits that differ from the sign; for unsigned ones the number itself.
      bits |= Number.isSigned ? number ^ (number &>> (Number.bitWidth &- 1)) : number
    }
    let needed = Number.bitWidth - bits.leadingZeroBitCount + (Number.isSigned ? 1 : 0)
    return max(1, (needed + 7) / 8)
  }
}

extension ByteBuffer {
  @inline(__always)
  package func append<Number: FixedWidthInteger & BitwiseCopyable>(packed numbers: [Number]) {
    append(packedHead: Number.isSigned ? .signed : .unsigned, count: numbers.count)
    for start in stride(from: 0, to: numbers.count, by: PackedNumbers.blockSize) {
      let block = numbers[start..<min(start + PackedNumbers.blockSize, numbers.count)]
      let width = PackedNumbers.width(of: block)
      append(UInt8(width))
      append(narrowed: block, byteCount: width)
    }
  }

  package func append(packed numbers: [Bool]) {
    append(packedHead: .bool, count: numbers.count)
    for start in stride(from: 0, to: numbers.count, by: 8) {
      var byte: UInt8 = 0
      for index in start..<min(start + 8, numbers.count) where numbers[index] {
        byte |= 1 << UInt8(index - start)
      }
      append(byte)
    }
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
  /// The integers of a packed array whose blocks begin at `offset` and were found to lie within the archive.
  @inline(__always)
  package func packedIntegers<Number: FixedWidthInteger>(
    _ count: Int,
    signed isSigned: Bool,
    at offset: Int
  ) throws(ArchiveError) -> [Number] {
    var numbers: [Number] = []
    numbers.reserveCapacity(count)
    var place = offset
    while numbers.count < count {
      let blockCount = min(count - numbers.count, PackedNumbers.blockSize)
      let width = Int(try byte(at: place))
      guard width >= 1, width <= 8 else {
        throw ArchiveError(.damaged, "A block of numbers has an impossible width", byteOffset: place)
      }
      try appendIntegers(blockCount, byteCount: width, signed: isSigned, at: place + 1, to: &numbers)
      place += 1 + blockCount * width
    }
    return numbers
  }

  /// The width of the widest block of a packed array of integers.
  package func widestBlock(_ count: Int, at offset: Int) -> Int {
    var widest = 0
    var place = offset
    var rest = count
    while rest > 0, let width = try? byte(at: place) {
      widest = max(widest, Int(width))
      let blockCount = min(rest, PackedNumbers.blockSize)
      place += 1 + blockCount * Int(width)
      rest -= blockCount
    }
    return widest
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

  package func packedBools(_ count: Int, at offset: Int) throws(ArchiveError) -> [Bool] {
    try check((count + 7) / 8, at: offset)
    var bools: [Bool] = []
    bools.reserveCapacity(count)
    for index in 0..<count {
      bools.append(try byte(at: offset + index / 8) >> UInt8(index % 8) & 1 == 1)
    }
    return bools
  }
}
