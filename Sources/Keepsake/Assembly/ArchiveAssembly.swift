/// Where the finished part of an archive goes while the rest is being made.
protocol ArchiveSink: AnyObject {
  /// Takes the bytes that follow those it already has.
  func append(_ bytes: RawSpan) throws(ArchiveError)

  /// Returns bytes that it was given, or `nil` if they are no longer available. Called only for the coding path of a
  /// value in them, which is rare.
  func bytes(_ range: Range<Int>) -> ByteBuffer?
}

/// Puts an archive together: header, bodies, tables, checksums and trailer, in this order (Format §1).
///
/// With a sink, finished parts leave memory block by block and cannot be taken back. So a sink is only for archives
/// that are worthless after an error.
struct ArchiveAssembly {
  /// The part of the archive that is still in memory. Bodies are built at its end.
  let buffer = ByteBuffer()
  /// The short form of a small archive, assembled at the end.
  private let shortForm = ByteBuffer(minimumCapacity: 64)
  /// Whether a small archive is written in the short form (Format §7).
  var prefersShortForm = true
  private var offsets = OffsetTableBuilder()
  private var flags: Header.Flags = []
  /// The checksums of the blocks that have left (Format §8.1).
  private let checksums = ByteBuffer(minimumCapacity: 64)
  /// The number of bytes that have left memory, always whole blocks.
  private var leftByteCount = 0
  private var sink: (any ArchiveSink)?

  /// The size of the buffer at which whole blocks leave it.
  private static let leavingByteCount = 16 * Blocks.byteCount
  /// The buffer gives back its memory if a large body has made it larger than this.
  private static let mostKept = 64 * Blocks.byteCount

  /// A point to which the bodies can be taken back.
  struct Mark {
    fileprivate let byteCount: Int
    fileprivate let bodyCount: Int
  }

  init() {
    Header.write(to: buffer, flags)
  }

  /// Makes this an archive without block checksums (Format §8.3). Call it before anything is written.
  mutating func leaveOutChecksums() {
    flags.insert(.withoutChecksums)
    buffer.truncate(to: 0)
    Header.write(to: buffer, flags)
  }

  /// Begins an empty archive in the same memory.
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

  /// The number of bytes in the archive so far, without what is being written.
  var byteCount: Int { leftByteCount + buffer.count }

  var mark: Mark { Mark(byteCount: byteCount, bodyCount: bodyCount) }

  var bodyCount: Int { offsets.count }

  /// How many bytes each body has.
  var lengths: [Int] { offsets.lengths }

  /// The number of bytes of the body `number`, which is complete.
  func byteCount(ofBody number: Int) -> Int { offsets.range(of: number)?.count ?? 0 }

  /// Records the range in the buffer of the next body, which has been written there.
  mutating func addBody(_ range: Range<Int>) {
    offsets.add(offset: leftByteCount + range.lowerBound, length: range.count)
  }

  /// Takes back what came after `mark`.
  ///
  /// - Returns: `false` if some of it has left memory, so that the archive cannot be completed.
  mutating func truncate(to mark: Mark) -> Bool {
    buffer.truncate(to: max(0, mark.byteCount - leftByteCount))
    offsets.truncate(to: mark.bodyCount)
    return mark.byteCount >= leftByteCount
  }

  // MARK: Finished bodies

  /// A reader of a complete body and the offset of the body in it, even if the body has left memory.
  ///
  /// - Parameter held: the buffer with the archive's bytes in memory: ``buffer``, unless a body is being written.
  func reader(ofBody number: Int, in held: ByteBuffer) -> (reader: ByteReader, start: Int)? {
    guard let range = offsets.range(of: number) else { return nil }
    guard range.lowerBound < leftByteCount else { return (held.reader(), range.lowerBound - leftByteCount) }
    guard let bytes = sink?.bytes(range.lowerBound..<min(range.upperBound, leftByteCount)) else { return nil }
    if range.upperBound > leftByteCount { bytes.append(held, 0..<(range.upperBound - leftByteCount)) }
    return (bytes.reader(), 0)
  }

  // MARK: Streaming

  /// From now on, passes finished blocks to `sink`.
  mutating func stream(to sink: any ArchiveSink) { self.sink = sink }

  /// Whether `held`, the buffer that holds the archive while bodies are written, has enough bytes for blocks to leave.
  @inline(__always)
  func isDue(_ held: ByteBuffer) -> Bool { held.count >= ArchiveAssembly.leavingByteCount && sink != nil }

  /// Passes whole blocks to the sink if there are enough of them. Call it only while no body is being written.
  @inline(__always)
  mutating func letBlocksGo() throws(ArchiveError) {
    if isDue(buffer) { try letAllBlocksGo() }
  }

  @inline(never)
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

  /// Appends the top-level body, the tables, the directory, the checksums and the trailer. Afterwards the buffer, or
  /// the sink, has the whole archive.
  ///
  /// The tables are `inout` so that nobody retains what is in them.
  ///
  /// - Parameter conditionals: for each entry of the conditional table the number of the object's body, or 0.
  mutating func finish(
    topLevel: ByteBuffer,
    keys: inout KeyRegistry,
    shapes: inout ShapeTrie,
    classes: [ClassEntry],
    strings: inout StringSharing,
    conditionals: [Int]
  ) throws(ArchiveError) {
    if prefersShortForm, leftByteCount == 0, let lengths = offsets.fewLengths,
      writeShort(lengths, topLevel, &keys, &shapes, classes, &strings, conditionals)
    {
      buffer.exchange(with: shortForm)
      return try letGo(buffer.count)
    }
    let topLevelOffset = byteCount
    buffer.append(topLevel)
    let tablesOffset = byteCount
    let (keyCount, shapesStart) = shapes.write(to: buffer, names: keys.names)
    let shapesOffset = leftByteCount + shapesStart
    let classesOffset = byteCount
    for entry in classes { entry.write(to: buffer) }
    try letBlocksGo()
    let stringsOffset = byteCount
    for number in 0..<strings.count {
      strings.write(number, to: buffer)
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
      shapes.count, classesOffset - shapesOffset,
      classes.count, stringsOffset - classesOffset,
      strings.count, conditionalsOffset - stringsOffset,
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

  // MARK: The short form

  /// Longer archives get the long form, of which a part can be checked and read without the rest.
  private static let mostShortBytes = 1 << 15

  /// Writes the archive to ``shortForm``, without what a small archive does not need (Format §7). Returns `false` if it
  /// is too large for that.
  ///
  /// - Parameter lengths: the number of bytes of each body.
  private func writeShort(
    _ lengths: OwnedArray<Int>,
    _ topLevel: ByteBuffer,
    _ keys: inout KeyRegistry,
    _ shapes: inout ShapeTrie,
    _ classes: [ClassEntry],
    _ strings: inout StringSharing,
    _ conditionals: [Int]
  ) -> Bool {
    guard buffer.count + topLevel.count <= ArchiveAssembly.mostShortBytes else { return false }
    var shortFlags = flags.union(.short)
    if shapes.count > 0 { shortFlags.insert(.shapes) }
    if !classes.isEmpty { shortFlags.insert(.classes) }
    if strings.count > 0 { shortFlags.insert(.strings) }
    if !conditionals.isEmpty { shortFlags.insert(.conditionals) }
    if lengths.count > 0 { shortFlags.insert(.bodies) }
    let hasWideLengths = (0..<lengths.count).contains { lengths[$0] > UInt8.max }
    if hasWideLengths { shortFlags.insert(.wideLengths) }
    let impliesTopLevel = ShortForm.isImplied(topLevel, buffer)
    if impliesTopLevel { shortFlags.insert(.impliedTopLevel) }

    shortForm.truncate(to: 0)
    shortForm.append(word: Header.signatureWord)
    shortForm.append(word: shortFlags.headerWord, byteCount: 4)
    if shapes.count > 0 { shortForm.append(varint: shapes.count) }
    if !classes.isEmpty { shortForm.append(varint: classes.count) }
    if strings.count > 0 { shortForm.append(varint: strings.count) }
    if !conditionals.isEmpty { shortForm.append(varint: conditionals.count) }
    if lengths.count > 0 { shortForm.append(varint: lengths.count) }
    for index in 0..<lengths.count {
      shortForm.append(word: UInt64(lengths[index]), byteCount: hasWideLengths ? 2 : 1)
    }
    if shapes.count > 0 { shapes.writeShort(to: shortForm, names: keys.names) }
    for entry in classes { entry.write(to: shortForm) }
    for number in 0..<strings.count { strings.write(number, to: shortForm) }
    for number in conditionals { shortForm.append(varint: number) }
    let tablesEnd = shortForm.count
    shortForm.append(buffer, Header.byteCount..<buffer.count)
    if !impliesTopLevel { shortForm.append(topLevel) }
    let covered = 0..<(flags.contains(.withoutChecksums) ? tablesEnd : shortForm.count)
    shortForm.append(word: shortForm.checksum(covered), byteCount: ShortForm.checksumByteCount)
    return true
  }
}
