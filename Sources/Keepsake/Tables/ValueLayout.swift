/// Reads the fixed parts of values: where they end, how many elements they have. Both directions walk with
/// it.
package protocol ValueLayout {
  /// How many keys a record of the shape `number` has.
  func slotCount(ofShape number: Int, at offset: Int) throws(ArchiveError) -> Int
  /// The name of a key of a shape.
  func keyName(slot: Int, ofShape number: Int) -> String
  /// A string of the string table.
  func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String
}

extension ArchiveImage: ValueLayout {
  package func keyName(slot: Int, ofShape number: Int) -> String {
    guard let slots = try? shape(number, at: 0), slot < slots.count else { return "" }
    return keys[shapeKey(slots.lowerBound + slot)]
  }

  package func slotCount(ofShape number: Int, at offset: Int) throws(ArchiveError) -> Int {
    try shape(number, at: offset).count
  }
}

extension ValueLayout {
  /// The end of the value at `offset` (Format §4). It takes no recursion, hence no stack, whatever is nested.
  package func end(ofValueAt offset: Int, in reader: ByteReader) throws(ArchiveError) -> Int {
    var place = offset
    var pending = 1
    while pending > 0 {
      pending -= 1
      let tag = try reader.byte(at: place)
      let tagPlace = place
      place += 1
      var children = 0
      switch TagKind(tag) {
      case .smallInteger, .none, .bool, .empty: break
      case .integer: place += Int(tag - Tag.integer) + 1
      case .shortString: place += Int(tag - Tag.shortString)
      case .float64, .uint64, .date: place += 8
      case .float32: place += 4
      case .int128, .uint128, .uuid: place += 16
      case .objectReference, .stringReference, .valueReference, .conditionalReference:
        place += Int(tag & 3) + 1
      case .string, .bytes:
        let count = try reader.varint(at: &place)
        try reader.check(count, at: place)
        place += count
      case .packedArray: place = try packedArray(at: tagPlace, in: reader).end
      case .some, .url: children = 1
      case .decimal: children = 2
      case .typed:
        _ = try reader.varint(at: &place)
        children = 1
      case .shortArray: children = Int(tag - Tag.shortArray)
      case .array: children = try reader.varint(at: &place)
      case .map:
        let count = try reader.varint(at: &place)
        try reader.check(count, at: place)
        children = count * 2
      case .shortRecord: children = try slotCount(ofShape: Int(tag - Tag.shortRecord), at: tagPlace)
      case .record: children = try slotCount(ofShape: try reader.varint(at: &place), at: tagPlace)
      case .reserved: throw unknownTag(tag, at: tagPlace)
      }
      // A value takes a byte at least, so that what is left bounds how many can still come.
      guard place <= reader.count, children <= reader.count - place,
        pending <= reader.count - place - children
      else {
        throw ArchiveError(
          .damaged,
          "A value has more parts than the archive has bytes left for them",
          byteOffset: tagPlace
        )
      }
      pending += children
    }
    return place
  }

  /// What stands at the head of the packed array at `offset`, and where it ends (Format §4.7).
  package func packedArray(
    at offset: Int,
    in reader: ByteReader
  ) throws(ArchiveError) -> (element: PackedElement, count: Int, payload: Int, end: Int) {
    var place = offset + 2
    guard let element = PackedElement(rawValue: try reader.byte(at: offset + 1)) else {
      throw ArchiveError(.damaged, "A packed array has elements of an unknown kind", byteOffset: offset + 1)
    }
    let count = try reader.varint(at: &place)
    let payload = place
    switch element {
    case .bool:
      try reader.check(count / 8 + (count % 8 == 0 ? 0 : 1), at: place)
      return (element, count, payload, place + (count + 7) / 8)
    case .float32, .float64:
      let size = element == .float32 ? 4 : 8
      guard count <= reader.count / size else { throw tooLong(offset) }
      try reader.check(count * size, at: place)
      return (element, count, payload, place + count * size)
    case .signed, .unsigned:
      guard count <= reader.count else { throw tooLong(offset) }
      var rest = count
      while rest > 0 {
        let width = Int(try reader.byte(at: place))
        guard width >= 1, width <= 8 else {
          throw ArchiveError(.damaged, "A block of numbers has an impossible width", byteOffset: place)
        }
        let blockCount = min(rest, PackedNumbers.blockSize)
        place += 1
        try reader.check(blockCount * width, at: place)
        place += blockCount * width
        rest -= blockCount
      }
      return (element, count, payload, place)
    }
  }

  private func tooLong(_ offset: Int) -> ArchiveError {
    ArchiveError(.damaged, "A packed array is longer than the archive", byteOffset: offset)
  }

  /// The error for a tag that this version does not know.
  package func unknownTag(_ tag: UInt8, at offset: Int) -> ArchiveError {
    ArchiveError(
      .damaged,
      "The byte 0x\(String(tag, radix: 16)) begins no kind of value that this version knows",
      byteOffset: offset
    )
  }
}
