/// The keys, shapes and classes of an archive (Format §5.1 to §5.3), all read when it is opened.
struct ArchiveTables {
  let keys: [String]
  /// The start of each shape's keys in ``shapeKeys``, followed by the end of the last.
  let shapeStarts: [UInt32]
  let shapeKeys: [UInt32]
  let classes: [ClassEntry]
  /// Whether there can be references to lazy values.
  let haveLazyValues: Bool
  /// A hash of the tables' bytes. If these are few, they are kept, too: the same bytes mean the same tables.
  let hash: UInt32
  private let bytes = ByteBuffer(minimumCapacity: 0)

  private static let mostKeptBytes = 1 << 12

  /// Reads the tables, including the additions of `saves`.
  init(
    _ reader: ByteReader,
    _ directory: ArchiveDirectory,
    _ saves: [SaveDirectory]
  ) throws(ArchiveError) {
    keys = try ArchiveTables.readKeys(reader, [directory.keys] + saves.map(\.keys))
    (shapeStarts, shapeKeys) = try ArchiveTables.readShapes(
      reader,
      [directory.shapes] + saves.map(\.shapes),
      keyCount: keys.count,
      isShort: directory.isShort
    )
    let newest = saves.last { !$0.classes.range.isEmpty }
    classes = try ArchiveTables.readClasses(reader, newest?.classes ?? directory.classes)
    haveLazyValues = classes.contains { $0.name == ClassEntry.lazyName }
    let range = ArchiveTables.range(in: directory)
    let keepsBytes = range.count <= ArchiveTables.mostKeptBytes && directory.isShort
    hash = keepsBytes ? try reader.withBytes(range) { KeyHash.unseeded.of($0) } : 0
    if keepsBytes { try reader.withBytes(range) { bytes.append($0) } }
  }

  /// Whether the tables were read from the bytes `other`, with the ``KeyHash/unseeded`` hash `hash`, and from an
  /// archive with `directory`. In the short form, these bytes and two counts determine everything else.
  func areRead(from other: RawSpan, _ hash: UInt32, _ directory: ArchiveDirectory) -> Bool {
    guard hash == self.hash, shapeStarts.count - 1 == directory.shapes.count,
      classes.count == directory.classes.count
    else { return false }
    return bytes.withBytes(0..<bytes.count) { $0.hasSameBytes(as: other) }
  }

  /// Whether these tables can be found for another archive that has the same bytes.
  var canBeShared: Bool { bytes.count > 0 || shapeStarts.count == 1 && classes.isEmpty }

  static func range(in directory: ArchiveDirectory) -> Range<Int> {
    min(
      directory.keys.range.lowerBound,
      directory.shapes.range.lowerBound
    )..<directory.classes.range.upperBound
  }

  private static func readKeys(
    _ reader: ByteReader,
    _ tables: [ArchiveDirectory.Table]
  ) throws(ArchiveError) -> [String] {
    var keys: [String] = []
    let count = tables.reduce(0) { $0 + $1.count }
    keys.reserveCapacity(count)
    var seen: Set<ExactString> = []
    for table in tables {
      try table.forEachEntry(of: "key") { (cursor) throws(ArchiveError) in
        let range = try reader.countedRange(at: &cursor)
        let key = try reader.string(range)
        let isNew =
          count <= fewKeys
          ? !keys.contains { ExactString(string: $0) == ExactString(string: key) }
          : seen.insert(ExactString(string: key)).inserted
        guard isNew else {
          throw .damaged("The key table contains a key twice", at: range.lowerBound)
        }
        keys.append(key)
      }
    }
    return keys
  }

  private static func readShapes(
    _ reader: ByteReader,
    _ tables: [ArchiveDirectory.Table],
    keyCount: Int,
    isShort: Bool
  ) throws(ArchiveError) -> (starts: [UInt32], keys: [UInt32]) {
    var starts: [UInt32] = [0]
    var keys: [UInt32] = []
    // The last shape that had each key, to find a key that is in one shape twice.
    var lastShape = Array(repeating: -1, count: keyCount)
    // In the short form, the lowest number of a key that no shape has had.
    var newKey = 0
    for table in tables {
      starts.reserveCapacity(starts.count + table.count)
      try table.forEachEntry(of: "shape") { (cursor) throws(ArchiveError) in
        let shape = starts.count - 1
        let head = try reader.varint(at: &cursor)
        let count = isShort ? head >> 1 : head
        if isShort, head & 1 == 1 {
          // There are as many keys as the shapes say.
          keys += (newKey..<(newKey + count)).map { UInt32(truncatingIfNeeded: $0) }
          newKey += count
        } else {
          guard count <= table.range.upperBound - cursor else {
            throw .damaged("A shape has more keys than fit into its table", at: cursor)
          }
          for _ in 0..<count {
            let keyOffset = cursor
            let key = try reader.varint(at: &cursor)
            guard key < keyCount, lastShape[key] != shape else {
              throw .damaged(
                "A shape contains a key twice, or the number of a key is out of range",
                at: keyOffset
              )
            }
            lastShape[key] = shape
            newKey = max(newKey, key + 1)
            keys.append(UInt32(truncatingIfNeeded: key))
          }
        }
        guard let end = UInt32(exactly: keys.count) else {
          throw .limitExceeded("The shapes have more keys than can be counted", at: cursor)
        }
        starts.append(end)
      }
    }
    return (starts, keys)
  }

  /// Up to this number of keys, comparing all pairs takes less than making a table of them.
  private static let fewKeys = 16
  private static let mostSuperclasses = 128

  private static func readClasses(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) -> [ClassEntry] {
    var classes: [ClassEntry] = []
    /// The number of superclasses of each class. A reader may walk that chain for each of very many objects.
    var chainLengths: [Int] = []
    try table.forEachEntry(of: "class") { (cursor) throws(ArchiveError) in
      let start = cursor
      let entry = try ClassEntry(reader, at: &cursor, after: classes)
      let length = entry.superclass.map { chainLengths[$0] + 1 } ?? 0
      guard length <= mostSuperclasses else {
        throw .limitExceeded("A class has more than \(mostSuperclasses) superclasses", at: start)
      }
      classes.append(entry)
      chainLengths.append(length)
    }
    return classes
  }
}

extension ArchiveDirectory.Table {
  /// Calls `read` with the offset of each entry, which it moves past the entry; throws unless they fill the table.
  @inline(__always)
  func forEachEntry(
    of name: String,
    _ read: (_ cursor: inout Int) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    var cursor = range.lowerBound
    for _ in 0..<count { try read(&cursor) }
    guard cursor == range.upperBound else {
      throw .damaged("The \(name) table does not fill its part of the archive", at: cursor)
    }
  }
}
