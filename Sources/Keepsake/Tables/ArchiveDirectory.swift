/// The location of each table of an archive, and its number of entries (Format §6).
package struct ArchiveDirectory: Sendable {
  package struct Table: Sendable {
    package let count: Int
    package let range: Range<Int>
  }

  package internal(set) var topLevel: Range<Int>
  /// The number of bodies, without the top level.
  package internal(set) var bodyCount: Int
  /// The range of all bodies but that of the top level.
  package let bodies: Range<Int>
  /// The number of bytes of a body's length in the short form (Format §7), whose offset table has no heads of groups;
  /// `nil` in the long form.
  let lengthWidth: Int?

  package var isShort: Bool { lengthWidth != nil }
  package let keys: Table
  package let shapes: Table
  package let classes: Table
  package let strings: Table
  package let conditionals: Table
  package let offsets: Table

  init(_ reader: ByteReader, _ trailer: Trailer) throws(ArchiveError) {
    var cursor = trailer.directoryOffset
    let topLevelOffset = try reader.varint(at: &cursor)
    let tablesOffset = try reader.varint(at: &cursor)
    guard topLevelOffset >= Header.byteCount, topLevelOffset < tablesOffset,
      tablesOffset <= trailer.directoryOffset
    else {
      throw .damaged("An offset in the directory is outside the archive", at: trailer.directoryOffset)
    }
    topLevel = topLevelOffset..<tablesOffset
    bodies = Header.byteCount..<topLevelOffset
    lengthWidth = nil
    bodyCount = try reader.varint(at: &cursor)
    var tableStart = tablesOffset
    func table(entryByteCount: Int) throws(ArchiveError) -> Table {
      try Table(reader, &cursor, &tableStart, endingBy: trailer.directoryOffset, entryByteCount)
    }
    keys = try table(entryByteCount: 1)
    shapes = try table(entryByteCount: 1)
    classes = try table(entryByteCount: 4)
    strings = try table(entryByteCount: 1)
    conditionals = try table(entryByteCount: 1)
    let offsetsStart = cursor
    let offsetsLength = try reader.varint(at: &cursor)
    guard offsetsLength == trailer.directoryOffset - tableStart, cursor == trailer.checksumsOffset else {
      throw .damaged("There are unused bytes between the tables", at: offsetsStart)
    }
    guard bodyCount <= offsetsLength,
      OffsetTable.groupCount(bodyCount) * OffsetTable.groupByteCount <= offsetsLength - bodyCount
    else {
      throw .damaged("The offset table is too short for its bodies", at: offsetsStart)
    }
    offsets = Table(count: OffsetTable.groupCount(bodyCount), range: tableStart..<trailer.directoryOffset)
  }

  /// The directory with the top level and the number of bodies of a later save, if there is one.
  func of(_ save: SaveDirectory?) -> ArchiveDirectory {
    guard let save else { return self }
    var directory = self
    (directory.topLevel, directory.bodyCount) = (save.topLevel, save.bodyCount)
    return directory
  }
}

extension ArchiveDirectory.Table {
  /// Reads the number of entries and the length of the table at `start`. `cursor` moves past these, and `start` to the
  /// next table. Each entry has at least `entryByteCount` bytes, which bounds what the count can make a reader reserve.
  init(
    _ reader: ByteReader,
    _ cursor: inout Int,
    _ start: inout Int,
    endingBy end: Int,
    _ entryByteCount: Int
  ) throws(ArchiveError) {
    let entryOffset = cursor
    count = try reader.varint(at: &cursor)
    let length = try reader.varint(at: &cursor)
    guard length <= end - start, count <= length / entryByteCount else {
      throw .damaged("A table is longer than the part of the archive that contains it", at: entryOffset)
    }
    range = start..<(start + length)
    start += length
  }
}
