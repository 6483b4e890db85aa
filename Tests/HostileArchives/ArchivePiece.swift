/// A run of bytes of an archive with one meaning: the smallest unit that an edit replaces.
package struct ArchivePiece: Hashable, Sendable {
  /// The meaning of the bytes (Format §3 to §5).
  package enum Role: CaseIterable, Sendable {
    /// The first byte of a value.
    case tag
    /// Varints.
    case classNumber, count, length, shape, typeNumber, superclass, version, keyNumber, conditionalTarget
    /// Numbers behind the tag of a reference, in as many bytes as the tag states.
    case objectReference, stringReference, valueReference, conditionalReference
    /// Single bytes.
    case elementType, blockWidth, classFlags
    /// Contents: the digits of numbers, texts.
    case payload, text
    /// Bytes that could not be parsed.
    case rest
  }

  package var role: Role
  package var bytes: [UInt8]
  /// For a tag, the number of pieces of its value, including this one; edits before it do not change that.
  package var span = 1

  package init(_ role: Role, _ bytes: [UInt8]) {
    self.role = role
    self.bytes = bytes
  }

  /// The number of a piece that is a varint or one byte.
  package var number: Int {
    var place = 0
    return Bytes.varint(bytes, at: &place) ?? 0
  }

  /// Whether the bytes are a varint.
  package var isVarint: Bool {
    switch role {
    case .classNumber, .count, .length, .shape, .typeNumber, .superclass, .version, .keyNumber,
      .conditionalTarget:
      true
    default: false
    }
  }

  /// Whether the bytes are the number of a reference.
  package var isReference: Bool {
    switch role {
    case .objectReference, .stringReference, .valueReference, .conditionalReference: true
    default: false
    }
  }
}

/// An archive parsed into tables, bodies and pieces. Its bytes are made again from them, with offsets, a directory and
/// checksums that fit the edited pieces.
///
/// So an edit can change the length of any piece.
package struct ArchivePieces: Sendable {
  package enum Table: Int, CaseIterable, Sendable {
    case keys, shapes, classes, strings, conditionals
  }

  /// A number to write instead of the correct one.
  package struct Override: Sendable {
    package var place: Int
    package var bytes: [UInt8]
  }

  package var flags: UInt8 = 0
  package var minor: UInt8 = 0
  /// The numbered bodies, body 1 first.
  package var bodies: [[ArchivePiece]] = []
  package var topLevel: [ArchivePiece] = []
  /// The entries of each table, in the order of ``Table``.
  package var tables: [[[ArchivePiece]]] = Array(repeating: [], count: Table.allCases.count)
  /// Wrong numbers of the directory, by their index.
  package var directoryOverrides: [Override] = []
  /// Wrong bytes of the offset table, by their offset in it.
  package var offsetOverrides: [Override] = []
  /// The differences to add to the two offsets of the trailer.
  package var trailerShifts = (directory: 0, checksums: 0)

  package subscript(table: Table) -> [[ArchivePiece]] {
    get { tables[table.rawValue] }
    set { tables[table.rawValue] = newValue }
  }

  // MARK: Writing

  /// The bytes of the archive, with correct checksums.
  package var bytes: [UInt8] {
    var content: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A, 1, minor, flags, 0, 0, 0, 0, 0]
    var lengths: [Int] = []
    for body in bodies {
      let start = content.count
      for piece in body { content += piece.bytes }
      lengths.append(content.count - start)
    }
    let topLevelOffset = content.count
    for piece in topLevel { content += piece.bytes }
    let tablesOffset = content.count
    var directory = [topLevelOffset, tablesOffset, bodies.count]
    for table in tables {
      let start = content.count
      for entry in table { for piece in entry { content += piece.bytes } }
      directory += [table.count, content.count - start]
    }
    let offsets = offsetTable(lengths)
    content += offsets
    directory.append(offsets.count)
    let directoryOffset = content.count
    for (place, number) in directory.enumerated() {
      content += directoryOverrides.last { $0.place == place }?.bytes ?? Bytes.varint(number)
    }
    guard trailerShifts == (0, 0) else { return shifted(content, directoryOffset) }
    return ChecksumRepair.closed(content, directoryOffset: directoryOffset, hasChecksums: flags & 1 == 0)
  }

  /// The archive with wrong offsets in its trailer, and a checksum that fits them.
  private func shifted(_ content: [UInt8], _ directoryOffset: Int) -> [UInt8] {
    var bytes = content
    let hasChecksums = flags & 1 == 0
    if hasChecksums { bytes += ChecksumRepair.blockChecksums(content) }
    let directory = directoryOffset &+ trailerShifts.directory
    let checksums = content.count &+ trailerShifts.checksums
    let covered = min(max(0, hasChecksums ? checksums : directory), bytes.count)
    bytes +=
      Bytes.word(UInt64(bitPattern: Int64(directory))) + Bytes.word(UInt64(bitPattern: Int64(checksums)))
    bytes += Bytes.word(ChecksumRepair.checksum(bytes, covered..<bytes.count))
    return bytes + [0x1A, 0x0A, 0x0D, 0x50, 0x45, 0x45, 0x4B, 0x89]
  }

  private func offsetTable(_ lengths: [Int]) -> [UInt8] {
    var heads: [UInt8] = []
    var entries: [UInt8] = []
    var start = 16
    for first in stride(from: 0, to: lengths.count, by: 64) {
      let group = lengths[first..<min(first + 64, lengths.count)]
      let longest = group.max() ?? 0
      let code = longest < 1 << 8 ? 0 : longest < 1 << 16 ? 1 : 2
      heads +=
        Bytes.word(UInt64(start) << 2 | UInt64(code)) + Bytes.number(UInt64(entries.count), byteCount: 4)
      for length in group { entries += Bytes.number(UInt64(length), byteCount: 1 << code) }
      start += group.reduce(0, +)
    }
    var table = heads + entries
    for change in offsetOverrides where change.place < table.count {
      let end = min(table.count, change.place + change.bytes.count)
      table.replaceSubrange(change.place..<end, with: change.bytes.prefix(end - change.place))
    }
    return table
  }
}
