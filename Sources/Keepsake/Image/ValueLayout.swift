/// Reads the fixed parts of values: where they end, and how many elements they have. Both directions use it.
protocol ValueLayout {
  func slotCount(ofShape number: Int, at offset: Int) throws(ArchiveError) -> Int
  func keyName(slot: Int, ofShape number: Int) -> String
  func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String
}

extension ArchiveImage: ValueLayout {
  func keyName(slot: Int, ofShape number: Int) -> String {
    guard let slots = try? shape(number, at: 0), slot < slots.count else { return "" }
    return keys[shapeKey(slots.lowerBound + slot)]
  }

  func slotCount(ofShape number: Int, at offset: Int) throws(ArchiveError) -> Int {
    try shape(number, at: offset).count
  }
}

extension ValueLayout {
  /// The end of the value at `offset` (Format §4). Finds it without recursion, so nesting takes no stack.
  func end(ofValueAt offset: Int, in reader: ByteReader) throws(ArchiveError) -> Int {
    var cursor = offset
    var pending = 1
    repeat {
      let tag = try reader.byte(at: cursor)
      let length = fixedLength(of: tag)
      if length > 0 {
        cursor &+= length
      } else if tag == Tag.string {
        cursor &+= 1
        let count = try reader.varint(at: &cursor)
        try reader.check(count, at: cursor)
        cursor &+= count
      } else if tag == Tag.packedArray {
        cursor = try packedArray(at: cursor, in: reader).end
      } else {
        let children = try valuesBehindHead(at: &cursor, in: reader)
        // A value takes at least a byte. So the remaining bytes bound the number of values to come, this one included.
        guard pending &- 1 <= reader.count &- cursor &- children else { throw tooManyParts(cursor) }
        pending &+= children
      }
      pending &-= 1
    } while pending > 0
    // A value of fixed length may extend past the end.
    try reader.check(0, at: cursor)
    return cursor
  }

  /// The number of values after the head of a value without a fixed length at `cursor`. `cursor` moves past the head
  /// and past content that is not values. At least a byte remains for each value.
  func valuesBehindHead(at cursor: inout Int, in reader: ByteReader) throws(ArchiveError) -> Int {
    let start = cursor
    let tag = try reader.byte(at: start)
    cursor &+= 1
    let children: Int
    switch tag {
    case Tag.shortArray..<Tag.shortRecord: children = Int(tag &- Tag.shortArray)
    case Tag.shortRecord...(Tag.shortRecord + 15):
      children = try slotCount(ofShape: Int(tag &- Tag.shortRecord), at: start)
    case Tag.string, Tag.bytes:
      _ = try reader.countedRange(at: &cursor)
      return 0
    case Tag.packedArray:
      cursor = try packedArray(at: start, in: reader).end
      return 0
    case Tag.array: children = try reader.varint(at: &cursor)
    case Tag.map:
      let count = try reader.varint(at: &cursor)
      try reader.check(count, at: cursor)
      children = count &* 2
    case Tag.record: children = try slotCount(ofShape: try reader.varint(at: &cursor), at: start)
    case Tag.some, Tag.url: children = 1
    case Tag.decimal, Tag.negativeDecimal: children = 2
    case Tag.typed:
      _ = try reader.varint(at: &cursor)
      children = 1
    default: throw unknownTag(tag, at: start)
    }
    guard children <= reader.count &- cursor else { throw tooManyParts(start) }
    return children
  }

  private func tooManyParts(_ offset: Int) -> ArchiveError {
    ArchiveError.damaged("A value has more parts than there are bytes left", at: offset)
  }

  /// The content of the head of the packed array at `offset` (Format §4.7), and where its elements begin.
  @inline(__always)
  func packedHead(
    at offset: Int,
    in reader: ByteReader
  ) throws(ArchiveError) -> (element: PackedElement, count: Int, payload: Int) {
    guard let element = PackedElement(rawValue: try reader.byte(at: offset + 1)) else {
      throw .damaged("A packed array has elements of an unknown kind", at: offset + 1)
    }
    var cursor = offset + 2
    let count = try reader.varint(at: &cursor)
    return (element, count, cursor)
  }

  /// The content of the head of the packed array at `offset`, and the end of the array, found in one step for each
  /// block of integers, or one for other elements.
  func packedArray(
    at offset: Int,
    in reader: ByteReader
  ) throws(ArchiveError) -> (element: PackedElement, count: Int, payload: Int, end: Int) {
    let (element, count, payload) = try packedHead(at: offset, in: reader)
    var end = payload
    switch element {
    case .bool:
      let byteCount = count / 8 + (count % 8 == 0 ? 0 : 1)
      try reader.check(byteCount, at: payload)
      end += byteCount
    case .float32, .float64:
      let size = element == .float32 ? 4 : 8
      guard count <= reader.count / size else { throw tooLong(offset) }
      try reader.check(count * size, at: payload)
      end += count * size
    case .signed, .unsigned:
      guard count <= reader.count else { throw tooLong(offset) }
      var rest = count
      while rest > 0 {
        end = try PackedBlock(reader, of: min(rest, PackedNumbers.blockSize), at: end).end
        rest &-= PackedNumbers.blockSize
      }
    }
    return (element, count, payload, end)
  }

  /// The number of elements in the packed array or bytes at `offset`; throws if there cannot be so many.
  func elementCount(ofPackedArrayAt offset: Int, in reader: ByteReader) throws(ArchiveError) -> Int {
    let isPacked = try reader.byte(at: offset) == Tag.packedArray
    let isBits = isPacked ? try reader.byte(at: offset + 1) == PackedElement.bool.rawValue : false
    var cursor = offset + (isPacked ? 2 : 1)
    let count = try reader.varint(at: &cursor)
    try reader.check(isBits ? count / 8 : count, at: cursor)
    return count
  }

  private func tooLong(_ offset: Int) -> ArchiveError {
    ArchiveError.damaged("A packed array is longer than the archive", at: offset)
  }

  func unknownTag(_ tag: UInt8, at offset: Int) -> ArchiveError {
    ArchiveError.damaged("Unknown tag 0x\(String(tag, radix: 16))", at: offset)
  }
}

/// The numbers of a packed array, in the widest type of their kind.
package enum ArchiveNumbers {
  case bools([Bool])
  case signed([Int64])
  case unsigned([UInt64])
  case floats([Float])
  case doubles([Double])

  init(_ element: PackedElement, _ count: Int, _ reader: ByteReader, at offset: Int) throws(ArchiveError) {
    self =
      switch element {
      case .bool: .bools(try reader.packedBools(count, at: offset))
      case .signed: .signed(try reader.widestIntegers(count, at: offset))
      case .unsigned: .unsigned(try reader.widestIntegers(count, at: offset))
      case .float32: .floats(try reader.array(of: Float.self, count: count, at: offset))
      case .float64: .doubles(try reader.array(of: Double.self, count: count, at: offset))
      }
  }

  /// Each number in decimal, without rounding.
  package var texts: [String] { list.map { "\($0)" } }
  package var count: Int { list.count }

  private var list: any Collection {
    switch self {
    case .bools(let numbers): numbers
    case .signed(let numbers): numbers
    case .unsigned(let numbers): numbers
    case .floats(let numbers): numbers
    case .doubles(let numbers): numbers
    }
  }
}
