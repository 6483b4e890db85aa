internal import Keepsake

extension ArchivePieces {
  /// Parses an archive; `nil` if not even its directory can be read.
  ///
  /// A damaged body or entry becomes one piece, so that mutants can be mutated again.
  package init?(_ bytes: [UInt8]) {
    let trailer = bytes.count - Trailer.byteCount
    guard trailer >= Header.byteCount else { return nil }
    minor = bytes[9]
    flags = bytes[10]
    let directoryOffset = Int(clamping: Bytes.number(bytes, at: trailer, byteCount: 8))
    guard directoryOffset >= Header.byteCount, directoryOffset <= trailer else { return nil }
    var place = directoryOffset
    var directory: [Int] = []
    for _ in 0..<14 {
      guard let number = Bytes.varint(bytes, at: &place) else { return nil }
      directory.append(number)
    }
    let (topLevelOffset, tablesOffset) = (directory[0], directory[1])
    guard topLevelOffset >= Header.byteCount, topLevelOffset < tablesOffset, tablesOffset <= directoryOffset
    else {
      return nil
    }
    var start = tablesOffset
    for table in Table.allCases {
      let count = directory[3 + 2 * table.rawValue]
      let length = directory[4 + 2 * table.rawValue]
      guard length <= directoryOffset - start else { return nil }
      var parser = PieceParser(bytes, start..<(start + length), [])
      self[table] = parser.entries(count, of: table)
      start += length
    }
    let shapeSizes = self[.shapes].map { $0.count - 1 }
    for range in ArchivePieces.bodyRanges(
      bytes,
      start..<directoryOffset,
      directory[2],
      endingAt: topLevelOffset
    ) {
      var parser = PieceParser(bytes, range, shapeSizes)
      bodies.append(parser.body())
    }
    var parser = PieceParser(bytes, topLevelOffset..<tablesOffset, shapeSizes)
    topLevel = parser.body()
  }

  /// The ranges of the bodies, as far as the offset table has possible ones.
  private static func bodyRanges(
    _ bytes: [UInt8],
    _ table: Range<Int>,
    _ bodyCount: Int,
    endingAt end: Int
  ) -> [Range<Int>] {
    guard bodyCount <= table.count else { return [] }
    let groups = (bodyCount + 63) / 64
    var ranges: [Range<Int>] = []
    for number in 0..<bodyCount {
      let head = table.lowerBound + number / 64 * 12
      let word = Bytes.number(bytes, at: head, byteCount: 8)
      let width = 1 << Int(word & 3)
      let lengths =
        table.lowerBound + groups * 12 + Int(Bytes.number(bytes, at: head + 8, byteCount: 4))
      let length = Int(clamping: Bytes.number(bytes, at: lengths + number % 64 * width, byteCount: width))
      let start = number % 64 == 0 ? Int(clamping: word >> 2) : ranges[number - 1].upperBound
      guard start >= Header.byteCount, start <= end, length <= end - start else { return ranges }
      ranges.append(start..<(start + length))
    }
    return ranges
  }
}

/// Splits a run of bytes into pieces. Bytes that it cannot parse or does not reach are left in one piece.
private struct PieceParser {
  private struct Unreadable: Error {}

  private let bytes: [UInt8]
  private let end: Int
  private let shapeSizes: [Int]
  private var place: Int
  private var pieces: [ArchivePiece] = []
  /// Deeper values are not parsed: the parser is recursive, and a mutant may be nested as deep as it is long.
  private static let deepest = 200

  init(_ bytes: [UInt8], _ range: Range<Int>, _ shapeSizes: [Int]) {
    self.bytes = bytes
    self.shapeSizes = shapeSizes
    place = range.lowerBound
    end = range.upperBound
  }

  // MARK: Wholes

  mutating func body() -> [ArchivePiece] {
    do {
      _ = try varint(.classNumber)
      try value(depth: 0)
    } catch {}
    return finish()
  }

  mutating func entries(_ count: Int, of table: ArchivePieces.Table) -> [[ArchivePiece]] {
    var entries: [[ArchivePiece]] = []
    while place < end, entries.count < count {
      do { try entry(of: table) } catch {
        entries.append(finish())
        return entries
      }
      entries.append(pieces)
      pieces = []
    }
    if place < end { entries.append(finish()) }
    return entries
  }

  private mutating func entry(of table: ArchivePieces.Table) throws(Unreadable) {
    switch table {
    case .keys, .strings:
      try take(.text, try varint(.length))
    case .shapes:
      let count = try varint(.count)
      guard count <= end - place else { throw Unreadable() }
      for _ in 0..<count { _ = try varint(.keyNumber) }
    case .classes:
      try take(.text, try varint(.length))
      _ = try varint(.version)
      _ = try varint(.superclass)
      try take(.classFlags, 1)
      if bytes[place - 1] & 4 != 0 {
        let count = try varint(.count)
        guard count <= end - place else { throw Unreadable() }
        for _ in 0..<count { try take(.text, try varint(.length)) }
      }
    case .conditionals:
      _ = try varint(.conditionalTarget)
    }
  }

  /// All pieces, and the rest in one more.
  private mutating func finish() -> [ArchivePiece] {
    if place < end { pieces.append(ArchivePiece(.rest, Array(bytes[place..<end]))) }
    place = end
    defer { pieces = [] }
    return pieces
  }

  // MARK: Parts

  private mutating func take(_ role: ArchivePiece.Role, _ count: Int) throws(Unreadable) {
    guard count >= 0, count <= end - place else { throw Unreadable() }
    pieces.append(ArchivePiece(role, Array(bytes[place..<(place + count)])))
    place += count
  }

  private mutating func varint(_ role: ArchivePiece.Role) throws(Unreadable) -> Int {
    let start = place
    var after = place
    guard let number = Bytes.varint(bytes, at: &after), after <= end else { throw Unreadable() }
    try take(role, after - start)
    return number
  }

  private mutating func values(_ count: Int, _ depth: Int) throws(Unreadable) {
    guard count <= end - place else { throw Unreadable() }
    for _ in 0..<count { try value(depth: depth + 1) }
  }

  private func shapeSize(_ number: Int) throws(Unreadable) -> Int {
    guard shapeSizes.indices.contains(number) else { throw Unreadable() }
    return shapeSizes[number]
  }

  private mutating func value(depth: Int) throws(Unreadable) {
    guard place < end, depth < PieceParser.deepest else { throw Unreadable() }
    let tag = bytes[place]
    let index = pieces.count
    try take(.tag, 1)
    defer { pieces[index].span = pieces.count - index }
    let numberByteCount = Int(tag & 3) + 1
    switch TagKind(tag) {
    case .reserved: throw Unreadable()
    case .none, .bool, .empty, .smallInteger: break
    case .some, .url: try values(1, depth)
    case .float32: try take(.payload, 4)
    case .float64, .uint64, .date: try take(.payload, 8)
    case .int128, .uint128, .uuid: try take(.payload, 16)
    case .integer: try take(.payload, Int(tag - Tag.integer) + 1)
    case .decimal: try values(2, depth)
    case .string: try take(.text, try varint(.length))
    case .bytes: try take(.payload, try varint(.length))
    case .shortString: try take(.text, Int(tag - Tag.shortString))
    case .objectReference: try take(.objectReference, numberByteCount)
    case .stringReference: try take(.stringReference, numberByteCount)
    case .valueReference: try take(.valueReference, numberByteCount)
    case .conditionalReference: try take(.conditionalReference, numberByteCount)
    case .array: try values(try varint(.count), depth)
    case .shortArray: try values(Int(tag - Tag.shortArray), depth)
    case .map:
      let count = try varint(.count)
      guard count <= end - place else { throw Unreadable() }
      try values(2 * count, depth)
    case .record: try values(try shapeSize(try varint(.shape)), depth)
    case .shortRecord: try values(try shapeSize(Int(tag - Tag.shortRecord)), depth)
    case .typed:
      _ = try varint(.typeNumber)
      try values(1, depth)
    case .packedArray: try packedArray()
    }
  }

  private mutating func packedArray() throws(Unreadable) {
    guard place < end else { throw Unreadable() }
    let element = PackedElement(rawValue: bytes[place])
    try take(.elementType, 1)
    let count = try varint(.count)
    guard count <= 8 * (end - place) else { throw Unreadable() }
    switch element {
    case .bool?: try take(.payload, (count + 7) / 8)
    case .float32?: try take(.payload, 4 * count)
    case .float64?: try take(.payload, 8 * count)
    case .signed?, .unsigned?:
      for first in stride(from: 0, to: count, by: 128) {
        let blockCount = min(128, count - first)
        try take(.blockWidth, 1)
        let width = Int(bytes[place - 1])
        let widths = place
        // A mixed block: two bits for each number.
        if width == 0 { try take(.payload, (blockCount + 3) / 4) }
        let byteCount =
          width > 0
          ? width * blockCount
          : (0..<blockCount).reduce(0) { (sum: Int, index: Int) in
            let power = bytes[widths + index / 4] >> UInt8(2 * (index % 4)) & 3
            return sum + 1 << Int(power)
          }
        try take(.payload, byteCount)
      }
    case nil: throw Unreadable()
    }
  }
}
