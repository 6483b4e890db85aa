/// Puts an archive together: header, bodies, tables, checksums and trailer, in this order (Format §1).
struct ArchiveAssembly {
  /// The archive so far. Bodies are built at its end.
  let buffer = ByteBuffer()
  private var offsets = OffsetTableBuilder()
  private var flags: Header.Flags = []

  /// A point to which the bodies can be taken back.
  struct Mark {
    fileprivate let byteCount: Int
    fileprivate let offsets: OffsetTableBuilder.Mark
  }

  init() {
    buffer.append(memoryOf: Header.bytes())
  }

  /// Makes it an archive without block checksums (Format §8.3). To be called before anything is written.
  mutating func leaveOutChecksums() {
    flags.insert(.withoutChecksums)
    buffer.replace(0..<Header.byteCount, with: Header.bytes(flags))
  }

  var mark: Mark { Mark(byteCount: buffer.count, offsets: offsets.mark) }

  var bodyCount: Int { offsets.count }

  /// The extent of a finished body.
  func body(_ number: Int) -> Range<Int>? { offsets.range(of: number) }

  /// Notes where the next body is, which was written to the buffer.
  mutating func addBody(_ range: Range<Int>) {
    offsets.add(offset: range.lowerBound, length: range.count)
  }

  mutating func truncate(to mark: Mark) {
    buffer.truncate(to: mark.byteCount)
    offsets.truncate(to: mark.offsets)
  }

  /// Appends the top-level body and everything behind it. The buffer then holds the whole archive.
  ///
  /// - Parameter conditionals: for each entry of the conditional table the number of the object's body, or 0.
  mutating func finish(
    topLevel: ByteBuffer,
    shapes: ShapeTrie,
    keyNames: [String],
    classes: ClassRegistry,
    strings: StringSharing,
    conditionals: [Int]
  ) {
    let topLevelOffset = buffer.count
    buffer.append(topLevel)
    let tablesOffset = buffer.count
    let (keyCount, shapesOffset) = shapes.write(to: buffer, names: keyNames)
    let classesOffset = buffer.count
    classes.write(to: buffer)
    let stringsOffset = buffer.count
    strings.write(to: buffer)
    let conditionalsOffset = buffer.count
    for number in conditionals { buffer.append(varint: number) }
    let offsetsOffset = buffer.count
    let bodyCount = offsets.count
    offsets.write(to: buffer)
    let directoryOffset = buffer.count

    let directory = [
      topLevelOffset, tablesOffset, bodyCount,
      keyCount, shapesOffset - tablesOffset,
      shapes.count, classesOffset - shapesOffset,
      classes.entries.count, stringsOffset - classesOffset,
      strings.count, conditionalsOffset - stringsOffset,
      conditionals.count, offsetsOffset - conditionalsOffset,
      directoryOffset - offsetsOffset,
    ]
    for number in directory { buffer.append(varint: number) }
    writeChecksums(directoryOffset: directoryOffset)
  }

  private func writeChecksums(directoryOffset: Int) {
    let checksumsOffset = buffer.count
    guard !flags.contains(.withoutChecksums) else {
      return writeTrailer(directoryOffset, checksumsOffset, coveringFrom: directoryOffset)
    }
    for start in stride(from: 0, to: checksumsOffset, by: Blocks.byteCount) {
      let block = start..<min(start + Blocks.byteCount, checksumsOffset)
      buffer.append(word: buffer.checksum(block))
    }
    writeTrailer(directoryOffset, checksumsOffset, coveringFrom: checksumsOffset)
  }

  private func writeTrailer(_ directoryOffset: Int, _ checksumsOffset: Int, coveringFrom start: Int) {
    buffer.append(word: UInt64(directoryOffset))
    buffer.append(word: UInt64(checksumsOffset))
    buffer.append(word: buffer.checksum(start..<buffer.count))
    buffer.append(memoryOf: Trailer.signature)
  }
}
