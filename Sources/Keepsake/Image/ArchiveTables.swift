/// The keys, shapes and classes of an archive (Format §5.1 to §5.3), all read when it is opened.
///
/// An image that opens one small archive after the other keeps those of all of them, with the same numbers, as decoders
/// know these.
struct ArchiveTables {
  private(set) var keys = KeyRegistry()
  private(set) var shapes = KnownShapes()
  private(set) var classes = KnownClasses()
  /// Whether there can be references to lazy values.
  private(set) var haveLazyValues = false
  /// Whether the image can open another archive.
  private(set) var canBeShared = false
  /// The bytes of the tables if these are few and in the short form.
  private var bytes = ByteBuffer(minimumCapacity: 0)
  /// What was read from other bytes, by their hashes, once there is a second archive.
  private var earlier = HashedCache<Earlier>()

  private struct Earlier {
    let bytes: ByteBuffer
    let shapes: [KnownShapes.Shape]
    let classes: [Int]
    let haveLazyValues: Bool
  }

  /// The numbers of the archive's keys in ``keys``, by their numbers in the archive.
  private var numbers: [UInt32] = []
  /// For each of ``keys``, the mark of the table or shape that had it last, to find a key that is in one twice.
  private var marks: [Int] = []
  private var mark = 0
  /// The first mark of the archive.
  private var firstMark = 1

  private static let mostKeptBytes = 1 << 12
  private static let mostEarlierBytes = 1 << 9
  private static let mostKeptKeys = 1 << 10
  private static let mostKeptSlots = 1 << 14
  private static let mostKeptClasses = 1 << 8

  /// Reads the tables, including the additions of `saves`.
  init(
    _ reader: ByteReader,
    _ directory: ArchiveDirectory,
    _ saves: [SaveDirectory]
  ) throws(ArchiveError) {
    try read(reader, directory, saves)
  }

  /// Reads the tables of another archive of the short form. After an error, they cannot be shared.
  @inline(__always)
  mutating func read(_ reader: ByteReader, anotherWith directory: ArchiveDirectory) throws(ArchiveError) {
    let isSame = try ArchiveTables.are(
      bytes,
      shapes.inArchive.count,
      classes.numbers.count,
      in: reader,
      directory
    )
    if !isSame { try readOther(reader, directory) }
  }

  /// Whether the tables in `reader` are those of `bytes`, which had as many shapes and classes. In the short form, that
  /// determines everything else.
  @inline(__always)
  private static func are(
    _ bytes: ByteBuffer,
    _ shapeCount: Int,
    _ classCount: Int,
    in reader: ByteReader,
    _ directory: ArchiveDirectory
  ) throws(ArchiveError) -> Bool {
    guard shapeCount == directory.shapes.count, classCount == directory.classes.count else { return false }
    return try reader.hasBytes(bytes, in: range(in: directory))
  }

  @inline(never)
  private mutating func readOther(
    _ reader: ByteReader,
    _ directory: ArchiveDirectory
  ) throws(ArchiveError) {
    if earlier.isEmpty { keepCurrent(bytes.withBytes(0..<bytes.count) { KeyHash.unseeded.of($0) }) }
    let hash = try reader.withBytes(ArchiveTables.range(in: directory)) { KeyHash.unseeded.of($0) }
    if let known = earlier[hash],
      try ArchiveTables.are(known.bytes, known.shapes.count, known.classes.count, in: reader, directory)
    {
      shapes.beginArchive(with: known.shapes)
      classes.beginArchive(with: known.classes)
      (bytes, haveLazyValues) = (known.bytes, known.haveLazyValues)
    } else {
      shapes.beginArchive()
      classes.beginArchive()
      firstMark = mark + 1
      try read(reader, directory, [])
      keepCurrent(hash)
    }
  }

  private mutating func keepCurrent(_ hash: UInt32) {
    guard bytes.count <= ArchiveTables.mostEarlierBytes else { return }
    earlier[hash] = Earlier(
      bytes: bytes,
      shapes: shapes.inArchive,
      classes: classes.numbers,
      haveLazyValues: haveLazyValues
    )
  }

  private mutating func read(
    _ reader: ByteReader,
    _ directory: ArchiveDirectory,
    _ saves: [SaveDirectory]
  ) throws(ArchiveError) {
    canBeShared = false
    numbers.removeAll(keepingCapacity: true)
    try readKeys(reader, directory.keys)
    for save in saves { try readKeys(reader, save.keys) }
    try readShapes(reader, directory.shapes, isShort: directory.isShort)
    for save in saves { try readShapes(reader, save.shapes, isShort: false) }
    let newest = saves.last { !$0.classes.range.isEmpty }
    try classes.read(reader, newest?.classes ?? directory.classes)
    haveLazyValues = classes.inArchive.contains { $0.name == ClassEntry.lazyName }
    guard directory.isShort else { return (numbers, marks) = ([], []) }
    bytes = ByteBuffer(minimumCapacity: 0)
    guard ArchiveTables.canBeShared(directory) else { return }
    try reader.withBytes(ArchiveTables.range(in: directory)) { bytes.append($0) }
    canBeShared =
      keys.names.count <= ArchiveTables.mostKeptKeys && shapes.keys.count <= ArchiveTables.mostKeptSlots
      && classes.entries.count <= ArchiveTables.mostKeptClasses
  }

  /// Whether the tables in `directory` are small enough for an image that opens several archives.
  static func canBeShared(_ directory: ArchiveDirectory) -> Bool {
    range(in: directory).count <= mostKeptBytes && directory.classes.count <= mostKeptClasses
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
      let areNew = isShort && head & 1 == 1
      guard count <= (areNew ? numbers.count - newKey : table.range.upperBound - cursor) else {
        throw .damaged("A shape has more keys than fit into its table", at: cursor)
      }
      if areNew {
        for key in newKey..<(newKey + count) { shapes.append(numbers[key]) }
        newKey += count
      } else {
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
