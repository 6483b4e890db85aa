/// The tables of an archive that is put together.
protocol WrittenTables {
  var keys: KeyRegistry { get }
  var shapes: ShapeTrie { get set }
  var strings: StringSharing { get }
  var classEntries: [ClassEntry] { get }
}

/// Where the finished part of an archive goes while the rest is being made.
protocol ArchiveSink: AnyObject {
  /// Takes the bytes behind those that it was given before.
  func append(_ bytes: RawSpan) throws(ArchiveError)

  /// Bytes that it was given, for the rare case that the path of a value in them is needed; `nil` when they
  /// cannot be had any more.
  func bytes(_ range: Range<Int>) -> ByteBuffer?
}

/// Puts an archive together: header, bodies, tables, checksums and trailer, in this order (Format §1).
///
/// With a sink, what is complete leaves memory block by block. It cannot be taken back then: a sink is for archives
/// of which nothing is wanted once an error came.
struct ArchiveAssembly {
  /// The archive so far, as far as it has not left. Bodies are built at its end.
  let buffer = ByteBuffer()
  /// Where a small archive is put together in the end.
  private let shortForm = ByteBuffer(minimumCapacity: 64)
  /// Whether a small archive is written in the short form (Format §7).
  var prefersShortForm = true
  private var offsets = OffsetTableBuilder()
  private var flags: Header.Flags = []
  /// The checksums of the blocks that have left (Format §8.1).
  private let checksums = ByteBuffer(minimumCapacity: 64)
  /// How many bytes have left: whole blocks.
  private var leftByteCount = 0
  private var sink: (any ArchiveSink)?

  /// With so many bytes, whole blocks leave.
  private static let leavingByteCount = 16 * Blocks.byteCount
  /// A buffer that a large body has made larger than this is given back.
  private static let mostKept = 64 * Blocks.byteCount

  /// A point to which the bodies can be taken back.
  struct Mark {
    fileprivate let byteCount: Int
    fileprivate let bodyCount: Int
  }

  init() {
    Header.write(to: buffer, flags)
  }

  /// Makes it an archive without block checksums (Format §8.3). To be called before anything is written.
  mutating func leaveOutChecksums() {
    flags.insert(.withoutChecksums)
    buffer.truncate(to: 0)
    Header.write(to: buffer, flags)
  }

  /// Makes it an archive of which nothing is written, in the memory that it has.
  mutating func startOver() {
    flags = []
    buffer.truncate(to: 0)
    Header.write(to: buffer, flags)
    offsets.truncate(to: 0)
    checksums.truncate(to: 0)
    leftByteCount = 0
    if sink != nil { sink = nil }
    prefersShortForm = true
  }

  /// How many bytes the archive has so far, but for what is being written.
  var byteCount: Int { leftByteCount + buffer.count }

  var mark: Mark { Mark(byteCount: byteCount, bodyCount: bodyCount) }

  var bodyCount: Int { offsets.count }

  /// How many bytes each body has.
  var lengths: [Int] { offsets.lengths }

  /// How many bytes the body `number` has, which is complete.
  func byteCount(ofBody number: Int) -> Int { offsets.range(of: number)?.count ?? 0 }

  /// Notes where in the buffer the next body is, which was written there.
  mutating func addBody(_ range: Range<Int>) {
    offsets.add(offset: leftByteCount + range.lowerBound, length: range.count)
  }

  /// Takes back what came after `mark`.
  ///
  /// - Returns: false when some of it has left. Then the archive cannot be completed.
  mutating func truncate(to mark: Mark) -> Bool {
    buffer.truncate(to: max(0, mark.byteCount - leftByteCount))
    offsets.truncate(to: mark.bodyCount)
    return mark.byteCount >= leftByteCount
  }

  // MARK: Looking back

  /// A reader of a finished body, and where in it the body begins, also when the body has left.
  ///
  /// - Parameter held: the buffer that holds what is in ``buffer`` while no body is being written.
  func reader(ofBody number: Int, in held: ByteBuffer) -> (reader: ByteReader, start: Int)? {
    guard let range = offsets.range(of: number) else { return nil }
    guard range.lowerBound < leftByteCount else { return (held.reader(), range.lowerBound - leftByteCount) }
    guard let bytes = sink?.bytes(range.lowerBound..<min(range.upperBound, leftByteCount)) else { return nil }
    if range.upperBound > leftByteCount { bytes.append(held, 0..<(range.upperBound - leftByteCount)) }
    return (bytes.reader(), 0)
  }

  // MARK: Leaving

  /// From now on, what is complete goes to `sink`.
  mutating func stream(to sink: any ArchiveSink) { self.sink = sink }

  /// Whether so much is in `held`, the buffer that holds the archive while bodies are written, that blocks are to go.
  @inline(__always)
  func isDue(_ held: ByteBuffer) -> Bool { held.count >= ArchiveAssembly.leavingByteCount && sink != nil }

  /// Lets whole blocks go when there are enough of them. To be called when no body is being written.
  @inline(__always)
  mutating func letBlocksGo() throws(ArchiveError) {
    if isDue(buffer) { try letAllBlocksGo() }
  }

  private mutating func letAllBlocksGo() throws(ArchiveError) {
    let count = buffer.count / Blocks.byteCount * Blocks.byteCount
    if !flags.contains(.withoutChecksums) { checksums.append(blockChecksumsOf: buffer, 0..<count) }
    try letGo(count)
    if buffer.capacity > ArchiveAssembly.mostKept { buffer.giveBackMemory() }
  }

  private mutating func letGo(_ count: Int) throws(ArchiveError) {
    guard let sink else { return }
    try buffer.withBytes(0..<count) { (bytes) throws(ArchiveError) in try sink.append(bytes) }
    buffer.removePrefix(count)
    leftByteCount += count
  }

  // MARK: Finishing

  /// Appends the top-level body and everything behind it. The buffer then holds the whole archive, or the sink
  /// has it.
  ///
  /// - Parameter conditionals: for each entry of the conditional table the number of the object's body, or 0.
  mutating func finish(
    topLevel: ByteBuffer,
    tables: inout some WrittenTables,
    conditionals: [Int]
  ) throws(ArchiveError) {
    if prefersShortForm, leftByteCount == 0, let lengths = offsets.fewLengths,
      ShortArchive.write(
        to: shortForm,
        bodies: buffer,
        lengths: lengths,
        topLevel: topLevel,
        tables: &tables,
        conditionals: conditionals,
        flags
      )
    {
      buffer.exchange(with: shortForm)
      return try letGo(buffer.count)
    }
    let topLevelOffset = byteCount
    buffer.append(topLevel)
    let tablesOffset = byteCount
    let (keyCount, shapesStart) = tables.shapes.write(to: buffer, names: tables.keys.names)
    let shapesOffset = leftByteCount + shapesStart
    let classesOffset = byteCount
    let classes = tables.classEntries
    for entry in classes { entry.write(to: buffer) }
    try letBlocksGo()
    let stringsOffset = byteCount
    for number in 0..<tables.strings.count {
      tables.strings.write(number, to: buffer)
      try letBlocksGo()
    }
    let conditionalsOffset = byteCount
    for number in conditionals { buffer.append(varint: number) }
    let offsetsOffset = byteCount
    let bodyCount = offsets.count
    for table in offsets.finish() {
      for start in stride(from: 0, to: table.count, by: Blocks.byteCount) {
        buffer.append(table, start..<min(start + Blocks.byteCount, table.count))
        try letBlocksGo()
      }
    }
    let directoryOffset = byteCount

    let directory = [
      topLevelOffset, tablesOffset, bodyCount,
      keyCount, shapesOffset - tablesOffset,
      tables.shapes.count, classesOffset - shapesOffset,
      classes.count, stringsOffset - classesOffset,
      tables.strings.count, conditionalsOffset - stringsOffset,
      conditionals.count, offsetsOffset - conditionalsOffset,
      directoryOffset - offsetsOffset,
    ]
    for number in directory { buffer.append(varint: number) }
    writeChecksums(directoryOffset: directoryOffset)
    try letGo(buffer.count)
  }

  private func writeChecksums(directoryOffset: Int) {
    let checksumsOffset = byteCount
    var coveredStart = buffer.count
    if flags.contains(.withoutChecksums) {
      coveredStart = directoryOffset - leftByteCount
    } else {
      checksums.append(blockChecksumsOf: buffer, 0..<buffer.count)
      buffer.append(checksums)
    }
    buffer.append(word: UInt64(directoryOffset))
    buffer.append(word: UInt64(checksumsOffset))
    buffer.append(word: buffer.checksum(coveredStart..<buffer.count))
    buffer.append(memoryOf: Trailer.signature)
  }
}
