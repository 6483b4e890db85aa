/// The header of an archive: the signature and the format version (Format §2).
package enum Header {
  /// The bytes by which an archive is recognised; they also show damage by text-mode transfers.
  package static let signature: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A]
  package static let major: UInt8 = 1
  package static let minor: UInt8 = 0
  /// Signature, major, minor, two bytes of flags and four reserved bytes.
  package static let byteCount = 16

  /// The header that this library writes.
  package static var bytes: [UInt8] {
    signature + [major, minor] + [UInt8](repeating: 0, count: 6)
  }

  /// Throws when `reader` does not begin with a header of a version that this library reads.
  package static func check(_ reader: ByteReader) throws(ArchiveError) {
    guard reader.count >= byteCount, reader.hasBytes(signature, at: 0) else {
      throw ArchiveError(.notAnArchive, "These bytes do not begin as a Keepsake archive does", byteOffset: 0)
    }
    let version = (major: try reader.byte(at: 8), minor: try reader.byte(at: 9))
    guard version.major == major else {
      throw ArchiveError(
        .unsupportedVersion,
        "The archive has format version \(version.major).\(version.minor), this library reads version 1; "
          + "a newer release of the library may read it",
        byteOffset: 8
      )
    }
    guard try reader.word(at: 8) >> 16 == 0 else {
      throw ArchiveError(
        .unsupportedVersion,
        "The archive sets flags that this version of the library does not know",
        byteOffset: 10
      )
    }
  }
}

/// The fixed part at the very end of an archive (Format §9).
package struct Trailer {
  /// The signature backwards, so that a cut-off file shows.
  package static let signature: [UInt8] = Header.signature.reversed()
  package static let byteCount = 32

  /// Where the directory of the tables begins.
  package var directoryOffset: Int
  /// Where the block checksums begin; everything before is covered by them.
  package var checksumsOffset: Int

  package init(directoryOffset: Int, checksumsOffset: Int) {
    self.directoryOffset = directoryOffset
    self.checksumsOffset = checksumsOffset
  }

  /// Reads the trailer of an archive and checks it against the length of the archive and its own checksum.
  package init(_ reader: ByteReader) throws(ArchiveError) {
    let start = reader.count - Trailer.byteCount
    guard start >= Header.byteCount, reader.hasBytes(Trailer.signature, at: start + 24) else {
      throw ArchiveError(
        .damaged,
        "The archive does not end as one does: it was cut off, or something was appended",
        byteOffset: max(0, reader.count - Trailer.signature.count)
      )
    }
    let directory = try reader.word(at: start)
    let checksums = try reader.word(at: start + 8)
    guard checksums >= Header.byteCount, checksums <= start, directory >= Header.byteCount,
      directory <= checksums
    else {
      throw ArchiveError(.damaged, "The trailer points outside of the archive", byteOffset: start)
    }
    directoryOffset = Int(directory)
    checksumsOffset = Int(checksums)
    guard start - checksumsOffset == Blocks.count(coveringBytes: checksumsOffset) * 8 else {
      throw ArchiveError(
        .damaged,
        "The archive is not as long as its trailer says: bytes are missing or were added",
        byteOffset: start
      )
    }
  }

  /// The checksum that stands in the trailer of an archive.
  package static func storedChecksum(_ reader: ByteReader) throws(ArchiveError) -> UInt64 {
    try reader.word(at: reader.count - Trailer.byteCount + 16)
  }
}
