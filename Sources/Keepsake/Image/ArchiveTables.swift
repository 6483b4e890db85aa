/// The keys, shapes and classes of an archive (Format §5.1 to §5.3), all read when it is opened.
///
/// An image that opens one small archive after the other keeps the keys and shapes of all of them, with the same
/// numbers, as decoders know these.
struct ArchiveTables {
  private(set) var keys = KeyRegistry()
  private(set) var shapes = KnownShapes()
  let classes: [ClassEntry]
  /// Whether there can be references to lazy values.
  let haveLazyValues: Bool
  /// A hash of the bytes of the class table.
  let classesHash: UInt32
  /// The bytes of the tables if these are few and in the short form: the same bytes mean the same tables.
  private let bytes = ByteBuffer(minimumCapacity: 0)
  private let classesByteCount: Int
  /// Whether the image can open archives with other keys and shapes.
  private(set) var canBeShared = false

  /// The numbers of the archive's keys in ``keys``, by their numbers in the archive.
  private var numbers: [UInt32] = []
  /// For each of ``keys``, the mark of the table or shape that had it last, to find a key that is in one twice.
  private var marks: [Int] = []
  private var mark = 0
  /// The first mark of the archive.
  private var firstMark = 1

  private static let mostKeptBytes = 1 << 12
  private static let mostKeptKeys = 1 << 10
  private static let mostKeptSlots = 1 << 14

  /// Reads the tables, including the additions of `saves`.
  init(
    _ reader: ByteReader,
    _ directory: ArchiveDirectory,
    _ saves: [SaveDirectory]
  ) throws(ArchiveError) {
    let newest = saves.last { !$0.classes.range.isEmpty }
    let classTable = newest?.classes ?? directory.classes
    classes = try ArchiveTables.readClasses(reader, classTable)
    haveLazyValues = classes.contains { $0.name == ClassEntry.lazyName }
    classesHash = directory.isShort ? try reader.withBytes(classTable.range) { KeyHash.unseeded.of($0) } : 0
    classesByteCount = classTable.range.count
    try read(reader, directory, saves)
  }

  /// Reads the tables of another archive of the short form, which has the same classes. After an error, the tables
  /// cannot be shared.
  mutating func read(_ reader: ByteReader, anotherWith directory: ArchiveDirectory) throws(ArchiveError) {
    guard try !areRead(from: reader, directory) else { return }
    shapes.beginArchive()
    firstMark = mark + 1
    try read(reader, directory, [])
  }

  private mutating func read(
    _ reader: ByteReader,
    _ directory: ArchiveDirectory,
    _ saves: [SaveDirectory]
  ) throws(ArchiveError) {
    canBeShared = false
    bytes.truncate(to: 0)
    numbers.removeAll(keepingCapacity: true)
    try readKeys(reader, directory.keys)
    for save in saves { try readKeys(reader, save.keys) }
    try readShapes(reader, directory.shapes, isShort: directory.isShort)
    for save in saves { try readShapes(reader, save.shapes, isShort: false) }
    guard directory.isShort else { return (numbers, marks) = ([], []) }
    let range = ArchiveTables.range(in: directory)
    guard range.count <= ArchiveTables.mostKeptBytes else { return }
    try reader.withBytes(range) { bytes.append($0) }
    canBeShared =
      keys.names.count <= ArchiveTables.mostKeptKeys && shapes.keys.count <= ArchiveTables.mostKeptSlots
  }

  /// Whether these are the tables of the archive in `reader`, which has the same classes. In the short form, their bytes
  /// and a count determine everything else.
  private func areRead(from reader: ByteReader, _ directory: ArchiveDirectory) throws(ArchiveError) -> Bool {
    guard shapes.count == directory.shapes.count else { return false }
    return try reader.withBytes(ArchiveTables.range(in: directory)) { other in
      bytes.withBytes(0..<bytes.count) { $0.hasSameBytes(as: other) }
    }
  }

  /// Whether the class table was read from the bytes `other`, with ``classesHash``, and has `count` entries.
  func haveClasses(in other: RawSpan, count: Int) -> Bool {
    guard canBeShared, count == classes.count else { return false }
    return bytes.withBytes((bytes.count - classesByteCount)..<bytes.count) { $0.hasSameBytes(as: other) }
  }

  static func range(in directory: ArchiveDirectory) -> Range<Int> {
    min(
      directory.keys.range.lowerBound,
      directory.shapes.range.lowerBound
    )..<directory.classes.range.upperBound
  }

  private mutating func readKeys(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) {
    mark += 1
    numbers.reserveCapacity(numbers.count + table.count)
    try table.forEachEntry(of: "key") { (cursor) throws(ArchiveError) in
      let range = try reader.countedRange(at: &cursor)
      let number = try keys.number(forUTF8In: range, reader)
      if number == marks.count { marks.append(0) }
      guard marks[number] < firstMark else {
        throw .damaged("The key table contains a key twice", at: range.lowerBound)
      }
      marks[number] = mark
      numbers.append(UInt32(truncatingIfNeeded: number))
    }
  }

  private mutating func readShapes(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table,
    isShort: Bool
  ) throws(ArchiveError) {
    // In the short form, the lowest number of a key that no shape has had.
    var newKey = 0
    shapes.reserve(table.count)
    try table.forEachEntry(of: "shape") { (cursor) throws(ArchiveError) in
      mark += 1
      let first = shapes.keys.count
      let head = try reader.varint(at: &cursor)
      let count = isShort ? head >> 1 : head
      if isShort, head & 1 == 1 {
        // There are as many keys as the shapes say.
        for key in newKey..<(newKey + count) { shapes.append(numbers[key]) }
        newKey += count
      } else {
        guard count <= table.range.upperBound - cursor else {
          throw .damaged("A shape has more keys than fit into its table", at: cursor)
        }
        for _ in 0..<count {
          let keyOffset = cursor
          let key = try reader.varint(at: &cursor)
          guard key < numbers.count, marks[Int(numbers[key])] != mark else {
            throw .damaged(
              "A shape contains a key twice, or the number of a key is out of range",
              at: keyOffset
            )
          }
          marks[Int(numbers[key])] = mark
          newKey = max(newKey, key + 1)
          shapes.append(numbers[key])
        }
      }
      try shapes.end(first, at: cursor)
    }
  }

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
