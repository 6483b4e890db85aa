/// Reads the short form of small archives (Format §7).
enum ShortForm {
  static let checksumByteCount = 4
  /// The first bytes of a top level that has only the key "root", as a little-endian number: no class, a map of one
  /// entry, and the key.
  static let topLevelWord: UInt64 = 0x746F_6F72_2401_1C00
  static let impliedByteCount = 10

  /// Whether `topLevel` has only the key "root", which leads to the first of `bodies`. A header precedes the bodies.
  static func isImplied(_ topLevel: ByteBuffer, _ bodies: ByteBuffer) -> Bool {
    guard topLevel.count == impliedByteCount, bodies.count > Header.byteCount else { return false }
    return topLevel[8] == reference(isObject: bodies[Header.byteCount] != 0) && topLevel[9] == 1
      && topLevel.withBytes(0..<8) { $0.littleEndianWord(at: 0) } == topLevelWord
  }

  private static func reference(isObject: Bool) -> UInt8 {
    isObject ? Tag.objectReference : Tag.valueReference
  }

  /// Opens the archive in `buffer`: finds its parts, unless `known` has them, and adds the top level if it is implied.
  static func open(
    _ buffer: ByteBuffer,
    _ flags: Header.Flags,
    _ known: ArchiveDirectory? = nil,
    comparesChecksum: Bool
  ) throws(ArchiveError) -> ArchiveDirectory {
    let reader = buffer.reader()
    let coversAll = !flags.contains(.withoutChecksums)
    if comparesChecksum, coversAll { try verify(0..<end(reader), reader) }
    var directory = if let known { known } else { try directory(reader, flags) }
    if comparesChecksum, !coversAll { try verify(0..<directory.bodies.lowerBound, reader) }
    if flags.contains(.impliedTopLevel) { try addImpliedTopLevel(to: buffer, &directory) }
    return directory
  }

  /// Finds the parts of an archive without comparing the checksum.
  static func directory(_ reader: ByteReader, _ flags: Header.Flags) throws(ArchiveError) -> ArchiveDirectory
  {
    try ArchiveDirectory(short: reader.limited(to: end(reader)), flags)
  }

  /// Where the checksum begins.
  private static func end(_ reader: ByteReader) throws(ArchiveError) -> Int {
    guard reader.count >= Header.shortByteCount + checksumByteCount else { throw truncated(reader) }
    return reader.count - checksumByteCount
  }

  private static func addImpliedTopLevel(
    to buffer: ByteBuffer,
    _ directory: inout ArchiveDirectory
  ) throws(ArchiveError) {
    guard directory.bodyCount > 0, directory.topLevel.isEmpty, directory.bodies.lowerBound < buffer.count
    else {
      throw .damaged("The archive has no body for its root object", at: buffer.count - checksumByteCount)
    }
    let start = buffer.count
    let isObject = buffer[directory.bodies.lowerBound] != 0
    buffer.append(word: topLevelWord)
    buffer.append(reference(isObject: isObject), word: 1, byteCount: 1)
    directory.topLevel = start..<buffer.count
  }

  /// Compares the bytes of `range` with the checksum at the end of the archive.
  private static func verify(_ range: Range<Int>, _ reader: ByteReader) throws(ArchiveError) {
    let stored = try reader.unsigned(at: reader.count - checksumByteCount, byteCount: checksumByteCount)
    guard try reader.checksum(range) & UInt64(UInt32.max) == stored else {
      throw .damaged(
        "The archive was damaged: bytes 0 to \(range.upperBound) do not match their checksum",
        at: 0
      )
    }
  }

  static func truncated(_ reader: ByteReader) -> ArchiveError {
    ArchiveError.damaged("The archive is truncated", at: reader.count)
  }
}

extension ArchiveDirectory {
  /// Finds the parts of an archive in the short form, which ends where `reader` ends.
  init(short reader: ByteReader, _ flags: Header.Flags) throws(ArchiveError) {
    var cursor = Header.shortByteCount
    func count(_ flag: Header.Flags, _ cursor: inout Int, entryByteCount: Int) throws(ArchiveError) -> Int {
      guard flags.contains(flag) else { return 0 }
      let start = cursor
      let count = try reader.varint(at: &cursor)
      guard count > 0, count <= (reader.count - cursor) / entryByteCount else {
        throw .damaged(
          "A table is longer than the part of the archive that contains it, or has no entry",
          at: start
        )
      }
      return count
    }
    let shapeCount = try count(.shapes, &cursor, entryByteCount: 1)
    let classCount = try count(.classes, &cursor, entryByteCount: 4)
    let stringCount = try count(.strings, &cursor, entryByteCount: 1)
    let conditionalCount = try count(.conditionals, &cursor, entryByteCount: 1)
    let width = flags.contains(.wideLengths) ? 2 : 1
    bodyCount = try count(.bodies, &cursor, entryByteCount: width)
    guard bodyCount <= OffsetTable.groupSize else {
      throw .damaged("A short archive has more than \(OffsetTable.groupSize) bodies", at: cursor)
    }
    lengthWidth = width
    offsets = Table(count: bodyCount > 0 ? 1 : 0, range: cursor..<(cursor + bodyCount * width))
    var bodiesByteCount = 0
    for index in 0..<bodyCount {
      bodiesByteCount += Int(try reader.unsigned(at: cursor + index * width, byteCount: width))
    }
    cursor = offsets.range.upperBound

    let shapesStart = cursor
    var keyCount = 0
    for _ in 0..<shapeCount {
      let head = try reader.varint(at: &cursor)
      guard head & 1 == 0 else {
        keyCount = keyCount.addingSaturating(head >> 1)
        continue
      }
      guard head >> 1 <= reader.count - cursor else { throw ShortForm.truncated(reader) }
      for _ in 0..<(head >> 1) {
        keyCount = max(keyCount, try reader.varint(at: &cursor).addingSaturating(1))
      }
    }
    shapes = Table(count: shapeCount, range: shapesStart..<cursor)
    guard keyCount <= reader.count - cursor else {
      throw .damaged("A shape has more keys than fit into the archive", at: shapesStart)
    }
    keys = try ArchiveDirectory.texts(keyCount, reader, &cursor)
    let classesStart = cursor
    for _ in 0..<classCount { try ClassEntry.skip(reader, at: &cursor) }
    classes = Table(count: classCount, range: classesStart..<cursor)
    strings = try ArchiveDirectory.texts(stringCount, reader, &cursor)
    let conditionalsStart = cursor
    for _ in 0..<conditionalCount { _ = try reader.varint(at: &cursor) }
    conditionals = Table(count: conditionalCount, range: conditionalsStart..<cursor)
    try reader.check(bodiesByteCount, at: cursor)
    bodies = cursor..<(cursor + bodiesByteCount)
    topLevel = bodies.upperBound..<reader.count
    guard flags.contains(.impliedTopLevel) || !topLevel.isEmpty else {
      throw .damaged("The archive has no top level", at: reader.count)
    }
  }

  private static func texts(
    _ count: Int,
    _ reader: ByteReader,
    _ cursor: inout Int
  ) throws(ArchiveError) -> Table {
    let start = cursor
    for _ in 0..<count { _ = try reader.countedRange(at: &cursor) }
    return Table(count: count, range: start..<cursor)
  }
}
