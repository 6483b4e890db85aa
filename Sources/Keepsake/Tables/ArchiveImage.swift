/// Which parts of an archive are compared with their checksums.
public enum ArchiveVerification: Sendable {
  /// All of it, when it is opened.
  case everything
  /// Each part when it is first read.
  case onlyWhatIsRead
  /// Nothing. Damage then shows only where the structure of the archive is hurt.
  case none
}

/// An opened archive: its bytes, its tables, its bodies. It knows nothing of Swift types.
package final class ArchiveImage {
  package let reader: ByteReader
  package let directory: ArchiveDirectory
  /// The names of the keys, by number.
  package let keys: [String]
  /// Where the keys of each shape begin in `shapeKeys`, and one entry more for the end of the last.
  private let shapeStarts: [UInt32]
  private let shapeKeys: [UInt32]
  package let classes: [ClassEntry]
  @safe @exclusivity(unchecked)
  private var verifier: BlockVerifier?
  @safe @exclusivity(unchecked)
  private var stringPlaces: [Int]?
  @safe @exclusivity(unchecked)
  private var strings: [String?] = []

  package init(_ reader: ByteReader, verification: ArchiveVerification) throws(ArchiveError) {
    self.reader = reader
    try Header.check(reader)
    let trailer = try Trailer(reader)
    if verification != .none {
      var verifier = try BlockVerifier(reader, trailer)
      if verification == .everything {
        try verifier.verifyAll()
      } else {
        try verifier.verify(0..<Header.byteCount)
        try verifier.verify(trailer.directoryOffset..<trailer.checksumsOffset)
      }
      self.verifier = verifier
    }
    directory = try ArchiveDirectory(reader, trailer)
    try verifier?.verify(directory.topLevel)
    try verifier?.verify(directory.keys.range.lowerBound..<directory.classes.range.upperBound)
    keys = try ArchiveImage.readKeys(reader, directory.keys)
    (shapeStarts, shapeKeys) = try ArchiveImage.readShapes(reader, directory.shapes, keyCount: keys.count)
    classes = try ArchiveImage.readClasses(reader, directory.classes)
    guard directory.conditionals.count == 0, directory.conditionals.range.isEmpty else {
      throw ArchiveError(
        .unsupportedVersion,
        "The archive has conditional references, which this version of the library does not read",
        byteOffset: directory.conditionals.range.lowerBound
      )
    }
  }

  // MARK: Tables

  private static func readKeys(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) -> [String] {
    var keys: [String] = []
    keys.reserveCapacity(table.count)
    var seen: Set<ExactString> = []
    var place = table.range.lowerBound
    for _ in 0..<table.count {
      let range = try stringRange(reader, at: &place)
      let key = try reader.string(range)
      guard seen.insert(ExactString(string: key)).inserted else {
        throw ArchiveError(.damaged, "The key table has a key twice", byteOffset: range.lowerBound)
      }
      keys.append(key)
    }
    try checkEnd(place, table, "key")
    return keys
  }

  private static func readShapes(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table,
    keyCount: Int
  ) throws(ArchiveError) -> (starts: [UInt32], keys: [UInt32]) {
    var starts: [UInt32] = [0]
    var keys: [UInt32] = []
    starts.reserveCapacity(table.count + 1)
    // For each key the last shape that had it, to find a key that stands twice in one shape.
    var lastShape = [Int](repeating: -1, count: keyCount)
    var place = table.range.lowerBound
    for shape in 0..<table.count {
      let count = try reader.varint(at: &place)
      guard count <= table.range.upperBound - place else {
        throw ArchiveError(.damaged, "A shape has more keys than its table has room for", byteOffset: place)
      }
      for _ in 0..<count {
        let keyPlace = place
        let key = try reader.varint(at: &place)
        guard key < keyCount, lastShape[key] != shape else {
          throw ArchiveError(
            .damaged,
            "A shape names a key twice, or one that does not exist",
            byteOffset: keyPlace
          )
        }
        lastShape[key] = shape
        keys.append(UInt32(truncatingIfNeeded: key))
      }
      starts.append(UInt32(truncatingIfNeeded: keys.count))
    }
    try checkEnd(place, table, "shape")
    return (starts, keys)
  }

  private static func readClasses(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) -> [ClassEntry] {
    var classes: [ClassEntry] = []
    var place = table.range.lowerBound
    for number in 0..<table.count {
      classes.append(try ClassEntry(reader, at: &place, number: number))
    }
    try checkEnd(place, table, "class")
    return classes
  }

  private static func checkEnd(
    _ place: Int,
    _ table: ArchiveDirectory.Table,
    _ name: String
  ) throws(ArchiveError) {
    guard place == table.range.upperBound else {
      throw ArchiveError(.damaged, "The \(name) table does not fill the space that it has", byteOffset: place)
    }
  }

  /// The extent of a string that is written as a length and UTF-8; `place` moves behind it.
  private static func stringRange(_ reader: ByteReader, at place: inout Int) throws(ArchiveError) -> Range<
    Int
  > {
    let count = try reader.varint(at: &place)
    try reader.check(count, at: place)
    defer { place += count }
    return place..<(place + count)
  }

  package var shapeCount: Int { shapeStarts.count - 1 }

  /// The numbers of the keys of a shape; throws when there is no such shape.
  @inline(__always)
  package func shape(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    guard number < shapeStarts.count - 1 else {
      throw ArchiveError(.damaged, "A record has a shape that does not exist", byteOffset: offset)
    }
    return Int(shapeStarts[number])..<Int(shapeStarts[number + 1])
  }

  /// The number of the key in `slot` of the range that ``shape(_:at:)`` returned.
  @inline(__always)
  package func shapeKey(_ slot: Int) -> Int { Int(shapeKeys[slot]) }

  /// The string of the string table under `number`, built once and shared.
  package func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    let places = if let stringPlaces { stringPlaces } else { try readStringPlaces() }
    guard number < places.count else {
      throw ArchiveError(.damaged, "A reference names a string that does not exist", byteOffset: offset)
    }
    if let string = strings[number] { return string }
    var place = places[number]
    let string = try reader.string(ArchiveImage.stringRange(reader, at: &place))
    strings[number] = string
    return string
  }

  private func readStringPlaces() throws(ArchiveError) -> [Int] {
    try verifier?.verify(directory.strings.range)
    var places: [Int] = []
    places.reserveCapacity(directory.strings.count)
    var place = directory.strings.range.lowerBound
    for _ in 0..<directory.strings.count {
      places.append(place)
      _ = try ArchiveImage.stringRange(reader, at: &place)
    }
    try ArchiveImage.checkEnd(place, directory.strings, "string")
    stringPlaces = places
    strings = Array(repeating: nil, count: places.count)
    return places
  }

  // MARK: Bodies

  /// The extent of body `number`, from 1 on, verified; throws when there is no such body (Format §5.6).
  package func body(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    guard number >= 1, number <= directory.bodyCount else {
      throw ArchiveError(.damaged, "A reference names an object that does not exist", byteOffset: offset)
    }
    let table = directory.offsets
    let group = (number - 1) / OffsetTable.groupSize
    let index = (number - 1) % OffsetTable.groupSize
    let groupPlace = table.range.lowerBound + group * OffsetTable.groupByteCount
    try verifier?.verify(groupPlace..<(groupPlace + OffsetTable.groupByteCount))
    let entry = try reader.word(at: groupPlace)
    let width = 1 << Int(entry & 3)
    let lengths =
      table.range.lowerBound + table.count * OffsetTable.groupByteCount
      + Int(try reader.unsigned(at: groupPlace + 8, byteCount: 4))
    let lengthsEnd = lengths + (index + 1) * width
    guard lengthsEnd <= table.range.upperBound, entry >> 2 < UInt64(directory.topLevel.lowerBound) else {
      throw ArchiveError(.damaged, "The offset table points outside of the archive", byteOffset: groupPlace)
    }
    try verifier?.verify(lengths..<lengthsEnd)
    var start = Int(entry >> 2)
    for earlier in 0..<index {
      let length = try reader.unsigned(at: lengths + earlier * width, byteCount: width)
      guard length <= UInt64(directory.topLevel.lowerBound - start) else { throw outsideBodies(groupPlace) }
      start += Int(length)
    }
    let length = try reader.unsigned(at: lengths + index * width, byteCount: width)
    guard start >= Header.byteCount, length <= UInt64(directory.topLevel.lowerBound - start), length > 0
    else {
      throw outsideBodies(groupPlace)
    }
    let range = start..<(start + Int(length))
    try verifier?.verify(range)
    return range
  }

  private func outsideBodies(_ offset: Int) -> ArchiveError {
    ArchiveError(.damaged, "The offset table gives a body a place where no bodies are", byteOffset: offset)
  }

  /// Reads the class number at the start of a body (Format §4.1): `nil` for the body of a value.
  package func classNumber(at offset: inout Int) throws(ArchiveError) -> Int? {
    let place = offset
    let number = try reader.varint(at: &offset)
    guard number <= classes.count else {
      throw ArchiveError(.damaged, "An object is of a class that does not exist", byteOffset: place)
    }
    return number == 0 ? nil : number - 1
  }
}

extension ArchiveImage {
  /// The number of the body that holds the byte at `offset`, or `nil` when that is not in a numbered body.
  package func bodyNumber(containing offset: Int) -> Int? {
    var low = 1
    var high = directory.bodyCount
    while low <= high {
      let middle = (low + high) / 2
      guard let range = try? body(middle, at: offset) else { return nil }
      if range.contains(offset) { return middle }
      if offset < range.lowerBound { high = middle - 1 } else { low = middle + 1 }
    }
    return nil
  }
}
