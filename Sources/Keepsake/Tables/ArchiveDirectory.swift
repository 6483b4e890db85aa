/// Where the tables of an archive are and how many entries they have (Format §6).
package struct ArchiveDirectory: Sendable {
  package struct Table: Sendable {
    package let count: Int
    package let range: Range<Int>
  }

  package internal(set) var topLevel: Range<Int>
  /// How many bodies there are, the top level not counted.
  package internal(set) var bodyCount: Int
  /// All bodies but that of the top level.
  package let bodies: Range<Int>
  /// How many bytes the length of a body has in the short form (Format §7), where the groups of the offset table have no
  /// heads; `nil` in the long form.
  let lengthWidth: Int?

  /// Whether the archive has the short form.
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
    // Each entry of a table takes at least this many bytes; that bounds what its count can make a reader
    // reserve.
    keys = try ArchiveDirectory.table(reader, &cursor, &tableStart, trailer, entryByteCount: 1)
    shapes = try ArchiveDirectory.table(reader, &cursor, &tableStart, trailer, entryByteCount: 1)
    classes = try ArchiveDirectory.table(reader, &cursor, &tableStart, trailer, entryByteCount: 4)
    strings = try ArchiveDirectory.table(reader, &cursor, &tableStart, trailer, entryByteCount: 1)
    conditionals = try ArchiveDirectory.table(reader, &cursor, &tableStart, trailer, entryByteCount: 1)
    let offsetsStart = cursor
    let offsetsLength = try reader.varint(at: &cursor)
    guard offsetsLength == trailer.directoryOffset - tableStart, cursor == trailer.checksumsOffset else {
      throw .damaged("There are unused bytes between the tables", at: offsetsStart)
    }
    guard bodyCount <= offsetsLength else {
      throw .damaged("The offset table is too short for its bodies", at: offsetsStart)
    }
    let groupCount = OffsetTable.groupCount(bodyCount)
    guard groupCount * OffsetTable.groupByteCount <= offsetsLength - bodyCount
    else {
      throw .damaged("The offset table is too short for its bodies", at: offsetsStart)
    }
    offsets = Table(count: groupCount, range: tableStart..<trailer.directoryOffset)
  }

  private static func table(
    _ reader: ByteReader,
    _ cursor: inout Int,
    _ tableStart: inout Int,
    _ trailer: Trailer,
    entryByteCount: Int
  ) throws(ArchiveError) -> Table {
    let entryOffset = cursor
    let count = try reader.varint(at: &cursor)
    let length = try reader.varint(at: &cursor)
    guard length <= trailer.directoryOffset - tableStart, count <= length / entryByteCount else {
      throw .damaged("A table is longer than the part of the archive that contains it", at: entryOffset)
    }
    defer { tableStart += length }
    return Table(count: count, range: tableStart..<(tableStart + length))
  }
}
