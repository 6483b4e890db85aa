/// Reads a binary property list, `bplist00`: objects, a table of their offsets, and a trailer of 32 bytes. Foundation's
/// reader keeps references in objects of a private class, and a damaged file can end the program.
///
/// A sound file has each object once. So whatever the table says, this reads no more content than the file has.
struct BinaryPropertyListReader {
  static let signature = [UInt8]("bplist0".utf8)
  private static let headerByteCount = 8
  private static let trailerByteCount = 32

  private let bytes: [UInt8]
  private(set) var budget: ReadingBudget
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  private let objectCount: Int
  private let root: Int
  private let table: Range<Int>
  /// The number of bytes of texts, data and references that were read.
  private var contentByteCount = 0

  init(_ bytes: [UInt8], _ budget: ReadingBudget) throws(ReadingError) {
    self.bytes = bytes
    self.budget = budget
    let trailer = bytes.count - BinaryPropertyListReader.trailerByteCount
    guard trailer >= BinaryPropertyListReader.headerByteCount else {
      throw .damaged("The property list is truncated", at: bytes.count)
    }
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    let count = try bytes.bigEndian(at: trailer + 8, byteCount: 8)
    let root = try bytes.bigEndian(at: trailer + 16, byteCount: 8)
    let start = try bytes.bigEndian(at: trailer + 24, byteCount: 8)
    guard 1...8 ~= offsetByteCount, 1...8 ~= referenceByteCount,
      start >= BinaryPropertyListReader.headerByteCount, start <= trailer, root < count,
      // By division, to avoid overflow.
      count <= (UInt64(trailer) - start) / UInt64(offsetByteCount)
    else {
      throw .damaged("The property list does not end with a trailer: it is truncated or damaged", at: trailer)
    }
    objectCount = Int(count)
    self.root = Int(root)
    table = Int(start)..<(Int(start) + objectCount * offsetByteCount)
  }

  mutating func read() throws(ReadingError) -> PropertyList {
    var list = PropertyList()
    list.root = root
    try budget.charge(objectCount, of: PropertyList.nodeByteCount, at: table.lowerBound)
    list.nodes.reserveCapacity(objectCount)
    list.offsets.reserveCapacity(objectCount)
    for cursor in stride(from: table.lowerBound, to: table.upperBound, by: offsetByteCount) {
      let offset = try bytes.bigEndian(at: cursor, byteCount: offsetByteCount)
      guard offset >= BinaryPropertyListReader.headerByteCount, offset < table.lowerBound else {
        throw .damaged("The offset of an object is outside the property list", at: cursor)
      }
      list.nodes.append(try node(at: Int(offset)))
      list.offsets.append(Int(offset))
    }
    return list
  }

  private mutating func node(at offset: Int) throws(ReadingError) -> PropertyList.Node {
    let marker = try bytes.byte(at: offset)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where marker == 0x08 || marker == 0x09:
      return .bool(marker == 0x09)
    case 0x1 where low <= 4:
      return .integer(try integer(at: offset + 1, byteCount: 1 << low))
    case 0x2 where low == 2:
      let bits = try bytes.bigEndian(at: offset + 1, byteCount: 4)
      return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case 0x2 where low == 3:
      return .real(Double(bitPattern: try bytes.bigEndian(at: offset + 1, byteCount: 8)))
    case 0x3 where low == 3:
      return .date(Double(bitPattern: try bytes.bigEndian(at: offset + 1, byteCount: 8)))
    case 0x4:
      let extent = try extent(at: offset, low, unitByteCount: 1, memory: 1)
      return .data(Array(bytes[extent]))
    case 0x5:
      return .string(try utf8(extent(at: offset, low, unitByteCount: 1, memory: 1)))
    case 0x6:
      return .string(bytes.utf16(try extent(at: offset, low, unitByteCount: 2, memory: 3)))
    case 0x8 where low < 8:
      let number = try bytes.bigEndian(at: offset + 1, byteCount: low + 1)
      return .reference(Int(clamping: number))
    case 0xA:
      let word = MemoryLayout<Int>.stride
      let extent = try extent(at: offset, low, unitByteCount: referenceByteCount, memory: word)
      return .array(try references(extent))
    case 0xD:
      // Keys and values are a list of their own before they become members.
      let memory = 2 * MemoryLayout<PropertyList.Member>.stride
      let extent = try extent(at: offset, low, unitByteCount: 2 * referenceByteCount, memory: memory)
      let numbers = try references(extent)
      let count = numbers.count / 2
      return .dictionary(
        (0..<count).map { PropertyList.Member(key: numbers[$0], value: numbers[count + $0]) }
      )
    default:
      throw .damaged("The property list contains an object that NSKeyedArchiver does not write", at: offset)
    }
  }

  /// An integer: unsigned up to four bytes, signed from eight bytes on.
  private func integer(at offset: Int, byteCount: Int) throws(ReadingError) -> Int128 {
    guard byteCount > 8 else {
      let bits = try bytes.bigEndian(at: offset, byteCount: byteCount)
      return Int128(Int64(bitPattern: bits))
    }
    let high = try bytes.bigEndian(at: offset, byteCount: 8)
    let low = try bytes.bigEndian(at: offset + 8, byteCount: 8)
    return Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))
  }

  /// The range of the content of the object at `offset`. Its count is `low` or, if that is 15, an integer after the
  /// marker. Charges `memory` bytes for each unit.
  private mutating func extent(
    at offset: Int,
    _ low: Int,
    unitByteCount: Int,
    memory: Int
  ) throws(ReadingError) -> Range<Int> {
    var start = offset + 1
    var count = low
    if low == 0x0F {
      let marker = try bytes.byte(at: start)
      guard marker & 0xF8 == 0x10, marker & 0x0F <= 3 else {
        throw .damaged("An object of the property list has no valid count", at: start)
      }
      let byteCount = 1 << Int(marker & 0x0F)
      count = Int(clamping: try bytes.bigEndian(at: start + 1, byteCount: byteCount))
      start += 1 + byteCount
    }
    let (length, overflow) = count.multipliedReportingOverflow(by: unitByteCount)
    try bytes.check(overflow ? .max : length, at: start)
    contentByteCount += length
    guard contentByteCount <= bytes.count else {
      throw .damaged("The objects of the property list overlap", at: offset)
    }
    try budget.charge(ReadingBudget.blockByteCount, at: offset)
    try budget.charge(count, of: memory, at: offset)
    return start..<(start + length)
  }

  private func references(_ extent: Range<Int>) throws(ReadingError) -> [Int] {
    let offsets = stride(from: extent.lowerBound, to: extent.upperBound, by: referenceByteCount)
    return try offsets.map { (offset) throws(ReadingError) in
      let number = try bytes.bigEndian(at: offset, byteCount: referenceByteCount)
      guard number < objectCount else {
        throw .damaged("A reference to an object of the property list is out of range", at: offset)
      }
      return Int(number)
    }
  }

  /// The format requires ASCII, but other writers may use UTF-8.
  private func utf8(_ extent: Range<Int>) throws(ReadingError) -> String {
    guard let text = String(validating: bytes[extent], as: UTF8.self) else {
      throw .damaged("A string is not valid UTF-8", at: extent.lowerBound)
    }
    return text
  }
}

extension [UInt8] {
  /// The text in UTF-16 in `range`. Invalid code units become the replacement character, as everywhere in Foundation.
  func utf16(_ range: Range<Int>, isLittleEndian: Bool = false) -> String {
    let units = stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).lazy.map { index in
      let (first, second) = (UInt16(self[index]), UInt16(self[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    return String(decoding: Array<UInt16>(units), as: UTF16.self)
  }

  fileprivate func check(_ byteCount: Int, at offset: Int) throws(ReadingError) {
    guard offset >= 0, offset <= count, byteCount >= 0, byteCount <= count - offset else {
      throw .damaged("A value extends past the end of the property list", at: offset)
    }
  }

  fileprivate func byte(at offset: Int) throws(ReadingError) -> UInt8 {
    try check(1, at: offset)
    return self[offset]
  }

  /// The big-endian number in the `byteCount` bytes, 1 to 8, at `offset`.
  fileprivate func bigEndian(at offset: Int, byteCount: Int) throws(ReadingError) -> UInt64 {
    try check(byteCount, at: offset)
    var number: UInt64 = 0
    for index in offset..<(offset + byteCount) { number = number << 8 | UInt64(self[index]) }
    return number
  }
}
