/// An integer as it stands in an archive, whatever its width (Format §4.3).
package enum IntegerValue {
  case signed(Int128)
  case unsigned(UInt128)

  /// Reads the integer at `cursor`, which moves past it; `nil` when something else is there.
  package init?(_ reader: ByteReader, at cursor: inout Int) throws(ArchiveError) {
    let tag = try reader.byte(at: cursor)
    switch TagKind(tag) {
    case .smallInteger: self = .signed(Int128(tag) - Int128(Tag.smallInteger) - 16)
    case .integer:
      self = .signed(Int128(try reader.signed(at: cursor + 1, byteCount: Int(tag - Tag.integer) + 1)))
    case .uint64: self = .signed(Int128(try reader.word(at: cursor + 1)))
    case .int128: self = .signed(Int128(bitPattern: try reader.wide(at: cursor + 1)))
    case .uint128: self = .unsigned(try reader.wide(at: cursor + 1))
    default: return nil
    }
    cursor += fixedLength(of: tag)
  }
}

extension Numeric {
  /// The integer in this type; `nil` if the type cannot represent it exactly.
  package init?(exactly value: IntegerValue) {
    switch value {
    case .signed(let number): self.init(exactly: number)
    case .unsigned(let number): self.init(exactly: number)
    }
  }
}

extension BinaryFloatingPoint {
  /// The floating-point number nearest to the integer; `nil` if the integer is too large.
  init?(rounding value: IntegerValue) {
    switch value {
    case .signed(let number): self.init(number)
    case .unsigned(let number): self.init(number)
    }
    guard isFinite else { return nil }
  }
}

extension ByteReader {
  /// Reads the variable-length number (Format §3.2) at `offset`, which moves past it.
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
        guard next != 0 else { throw .damaged("A varint is longer than necessary", at: start) }
        return value
      }
      shift += 7
      guard shift <= 56 else { throw .damaged("A varint is longer than 9 bytes", at: start) }
    }
  }

  /// The range of bytes that follow their number, as those of a text do; `cursor` moves past them.
  func countedRange(at cursor: inout Int) throws(ArchiveError) -> Range<Int> {
    let count = try varint(at: &cursor)
    try check(count, at: cursor)
    defer { cursor += count }
    return cursor..<(cursor + count)
  }

  package func wide(at offset: Int) throws(ArchiveError) -> UInt128 {
    try UInt128(word(at: offset)) | UInt128(word(at: offset + 8)) << 64
  }

  /// The number in the reference at `offset`: of a string, an object or a value (Format §4.9).
  @inline(__always)
  package func referencedNumber(at offset: Int) throws(ArchiveError) -> Int {
    Int(try unsigned(at: offset + 1, byteCount: Int(byte(at: offset) & 3) + 1))
  }

  /// The number in the head of an array, a map or a record, whose `tag` was read: the number of elements, or of the
  /// shape (Format §4.6, §4.8). `cursor` moves past the head.
  @inline(__always)
  func numberInHead(_ tag: UInt8, at cursor: inout Int) throws(ArchiveError) -> Int {
    tag < Tag.shortArray ? try varint(at: &cursor) : Int(tag & 0x0F)
  }
}
