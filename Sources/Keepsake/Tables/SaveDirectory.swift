/// What a save after the first adds to a file, and where (Format §13.2).
package struct SaveDirectory: Sendable {
  package typealias Table = ArchiveDirectory.Table

  /// 2 for the first save that was appended, then 3, and so on.
  package let number: Int
  /// All bytes of the save, its trailer included.
  package let range: Range<Int>
  /// The date of the save, in seconds since the beginning of 2001, if the program gave one.
  package let date: Double?
  package let bodyCount: Int
  package let bodies: Range<Int>
  package let topLevel: Range<Int>
  package let keys: Table
  package let shapes: Table
  /// The whole class table if this save changes it, otherwise empty.
  package let classes: Table
  package let strings: Table
  package let conditionals: Table
  /// The numbers and lengths of the bodies in the save.
  package let bodyList: Table

  /// Whether the save adds no keys and shapes, and does not change the classes.
  var hasNoTypes: Bool { keys.count == 0 && shapes.count == 0 && classes.range.isEmpty }

  /// The most bodies that a file can have (Format §4.9).
  private static let mostBodies = Int(UInt32.max)

  init(_ reader: ByteReader, _ trailer: SaveTrailer) throws(ArchiveError) {
    let reader = reader.limited(to: trailer.checksumsOffset)
    var cursor = trailer.directoryOffset
    range = trailer.start..<trailer.end
    number = try reader.varint(at: &cursor)
    bodyCount = try reader.varint(at: &cursor)
    let bodiesByteCount = try reader.varint(at: &cursor)
    let topLevelByteCount = try reader.varint(at: &cursor)
    let available = trailer.directoryOffset - trailer.start
    guard topLevelByteCount > 0, topLevelByteCount <= available - bodiesByteCount,
      bodyCount <= SaveDirectory.mostBodies
    else {
      throw .damaged("A part of a save is longer than the save that contains it", at: trailer.directoryOffset)
    }
    bodies = trailer.start..<(trailer.start + bodiesByteCount)
    topLevel = bodies.upperBound..<(bodies.upperBound + topLevelByteCount)
    var tableStart = topLevel.upperBound
    func table(entryByteCount: Int) throws(ArchiveError) -> Table {
      try Table(reader, &cursor, &tableStart, endingBy: trailer.directoryOffset, entryByteCount)
    }
    keys = try table(entryByteCount: 1)
    shapes = try table(entryByteCount: 1)
    classes = try table(entryByteCount: 4)
    strings = try table(entryByteCount: 1)
    conditionals = try table(entryByteCount: 2)
    bodyList = try table(entryByteCount: 2)
    let hasDate = try reader.byte(at: cursor)
    cursor += 1
    if hasDate == 1 {
      date = Double(bitPattern: try reader.word(at: cursor))
      cursor += 8
    } else {
      date = nil
    }
    guard hasDate <= 1, tableStart == trailer.directoryOffset, cursor == trailer.checksumsOffset else {
      throw .damaged("There are unused bytes between the tables", at: cursor)
    }
  }

  /// The numbers and ranges of the bodies of the save, in the order of their numbers. The save must have all bodies with
  /// numbers above `countBefore`.
  func readBodies(
    _ reader: ByteReader,
    countBefore: Int
  ) throws(ArchiveError) -> [(number: Int, range: Range<Int>)] {
    var list: [(number: Int, range: Range<Int>)] = []
    var cursor = bodyList.range.lowerBound
    var (number, start) = (0, bodies.lowerBound)
    var addedCount = 0
    for _ in 0..<bodyList.count {
      let entry = cursor
      let passed = try reader.varint(at: &cursor)
      let length = try reader.varint(at: &cursor)
      guard passed < bodyCount - number, length > 0, length <= bodies.upperBound - start else {
        throw .damaged("A save has a body whose number or length is out of range", at: entry)
      }
      number += passed + 1
      if number > countBefore { addedCount += 1 }
      list.append((number, start..<(start + length)))
      start += length
    }
    guard cursor == bodyList.range.upperBound, start == bodies.upperBound,
      addedCount == bodyCount - countBefore
    else {
      throw .damaged(
        "The bodies of a save differ from those in its directory",
        at: bodyList.range.lowerBound
      )
    }
    return list
  }
}
