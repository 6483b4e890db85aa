/// The fixed part at the very end of an archive (Format §9).
package struct Trailer {
  /// The signature reversed, which reveals a truncated file.
  package static let signature: [UInt8] = Header.signature.reversed()
  package static let byteCount = 32

  /// Where the directory of the tables begins.
  package var directoryOffset: Int
  /// Where the block checksums begin. They cover everything before.
  package var checksumsOffset: Int
  var hasBlockChecksums: Bool

  /// Reads the trailer of an archive with `flags` and checks it against the length of the archive.
  package init(_ reader: ByteReader, _ flags: Header.Flags) throws(ArchiveError) {
    let start = reader.count - Trailer.byteCount
    guard start >= Header.byteCount, reader.hasBytes(Trailer.signature, at: start + 24) else {
      throw Trailer.missing(reader)
    }
    let directory = try reader.word(at: start)
    let checksums = try reader.word(at: start + 8)
    guard checksums <= start, directory >= Header.byteCount, directory <= checksums else {
      throw .damaged("An offset in the trailer is outside the archive", at: start)
    }
    directoryOffset = Int(directory)
    checksumsOffset = Int(checksums)
    hasBlockChecksums = !flags.contains(.withoutChecksums)
    let blockCount = hasBlockChecksums ? Blocks.count(coveringBytes: checksumsOffset) : 0
    guard start - checksumsOffset == blockCount * 8 else {
      throw .damaged(
        "The length of the archive differs from its trailer: it is truncated, or something was inserted",
        at: start
      )
    }
  }

  static func missing(_ reader: ByteReader) -> ArchiveError {
    .damaged(
      "The archive does not end with a trailer: it is truncated, or something was appended",
      at: max(0, reader.count - signature.count)
    )
  }

  /// Where the bytes begin that the checksum in the trailer covers, up to the checksum itself (Format §8).
  var coveredOffset: Int { hasBlockChecksums ? checksumsOffset : directoryOffset }
}

/// The fixed part at the end of every save but the first (Format §13).
package struct SaveTrailer {
  /// This signature differs from that of an archive, so the last bytes of a file say what they end.
  package static let signature: [UInt8] = [0x1A, 0x0A, 0x0D, 0x45, 0x56, 0x41, 0x53, 0x89]
  package static let byteCount = 48

  /// Where the save begins: the end of the save before.
  package let start: Int
  package let directoryOffset: Int
  package let checksumsOffset: Int
  /// The checksum in the trailer of the save before, to which this one was appended.
  let checksumBefore: UInt64
  let hasBlockChecksums: Bool
  package let end: Int

  /// Reads the trailer at the end of `reader`; `nil` if there is none, or if it contradicts itself.
  package init?(_ reader: ByteReader, _ flags: Header.Flags) {
    let offset = reader.count - SaveTrailer.byteCount
    guard offset > Header.byteCount, reader.hasBytes(SaveTrailer.signature, at: offset + 40),
      let directory = try? reader.word(at: offset), let checksums = try? reader.word(at: offset + 8),
      let start = try? reader.word(at: offset + 16), let before = try? reader.word(at: offset + 24),
      let stored = try? reader.word(at: offset + 32),
      start > UInt64(Header.byteCount), start < directory, directory < checksums, checksums <= UInt64(offset)
    else { return nil }
    self.start = Int(start)
    directoryOffset = Int(directory)
    checksumsOffset = Int(checksums)
    checksumBefore = before
    end = reader.count
    hasBlockChecksums = !flags.contains(.withoutChecksums)
    let blockCount = hasBlockChecksums ? Blocks.count(coveringBytes: checksumsOffset - self.start) : 0
    guard offset - checksumsOffset == blockCount * 8,
      (try? reader.checksum(coveredOffset..<(offset + 32))) == stored
    else { return nil }
  }

  private var coveredOffset: Int { hasBlockChecksums ? checksumsOffset : directoryOffset }

  /// Appends the trailer of a save that begins at `start` in the file. `buffer` holds everything before the trailer.
  package static func write(
    to buffer: ByteBuffer,
    start: Int,
    directory: Int,
    checksumBefore: UInt64,
    _ flags: Header.Flags
  ) {
    let checksumsOffset = buffer.count
    var coveredOffset = directory
    if !flags.contains(.withoutChecksums) {
      coveredOffset = checksumsOffset
      buffer.append(blockChecksumsOf: buffer, 0..<checksumsOffset)
    }
    for number in [directory, checksumsOffset, 0] { buffer.append(word: UInt64(start + number)) }
    buffer.append(word: checksumBefore)
    buffer.append(word: buffer.checksum(coveredOffset..<buffer.count))
    buffer.append(memoryOf: signature)
  }
}

/// Finds the end of the newest whole save in a file. An interrupted save may have left bytes after it (Format §13.5).
enum SaveSearch {
  /// The most false trailers to examine. A file whose save was only interrupted has no more.
  private static let mostCandidates = 1 << 10

  /// The end of the newest save with a whole trailer; throws if there is none.
  static func end(_ reader: ByteReader, _ flags: Header.Flags) throws(ArchiveError) -> Int {
    // An interrupted save may end with an archive that it contains as data.
    let isSigned = reader.hasBytes(Trailer.signature, at: reader.count - 8)
    if isSigned, (try? Trailer(reader, flags)) != nil { return reader.count }
    var end = reader.count
    var candidates = 0
    while candidates < mostCandidates, let offset = signature(before: end, reader) {
      let part = reader.limited(to: offset + 8)
      if SaveTrailer(part, flags) != nil || isArchive(part, flags) { return part.count }
      candidates += 1
      end = offset + 7
    }
    // Opening the file reports what is wrong with its trailer.
    if isSigned { return reader.count }
    throw Trailer.missing(reader)
  }

  private static func isArchive(_ part: ByteReader, _ flags: Header.Flags) -> Bool {
    guard let trailer = try? Trailer(part, flags) else { return false }
    return (try? BlockVerifier(part, trailer)) != nil
  }

  /// The offset of the last closing signature that ends at or before `end`.
  static func signature(before end: Int, _ reader: ByteReader) -> Int? {
    stride(from: end - 8, through: 0, by: -1).first { cursor in
      // Both signatures end with a byte that is not ASCII.
      (try? reader.byte(at: cursor + 7)) == 0x89
        && (reader.hasBytes(SaveTrailer.signature, at: cursor)
          || reader.hasBytes(Trailer.signature, at: cursor))
    }
  }
}
