/// The header of an archive: the signature and the format version (Format §2).
package enum Header {
  /// The bytes that identify an archive. They also reveal damage by text-mode transfers.
  package static let signature: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A]
  package static let major: UInt8 = 1
  /// The minor version that this library writes. A reader accepts any (Format §11).
  package static let minor: UInt8 = 0
  /// Signature, major, minor, two bytes of flags and four reserved bytes.
  package static let byteCount = 16
  /// The same without the reserved bytes.
  package static let shortByteCount = 12
  /// The signature as a little-endian number.
  static let signatureWord: UInt64 = 0x1A0A_0D50_4545_4B89

  /// Features without which an archive would be misread (Format §2).
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// There are no block checksums (Format §8.3).
    package static let withoutChecksums = Flags(rawValue: 1 << 0)

    /// The archive has the short form (Format §7). The flags below say which parts it has.
    package static let short = Flags(rawValue: 1 << 1)

    static let shapes = Flags(rawValue: 1 << 8)
    static let classes = Flags(rawValue: 1 << 9)
    static let strings = Flags(rawValue: 1 << 10)
    static let conditionals = Flags(rawValue: 1 << 11)
    static let bodies = Flags(rawValue: 1 << 12)
    /// The length of a body takes two bytes instead of one.
    static let wideLengths = Flags(rawValue: 1 << 13)
    /// The top level is absent: it has only the key "root", which leads to body 1.
    static let impliedTopLevel = Flags(rawValue: 1 << 14)

    fileprivate static let known: Flags = [.withoutChecksums]
    fileprivate static let knownOfShort: Flags = [
      .withoutChecksums, .short, .shapes, .classes, .strings, .conditionals, .bodies, .wideLengths,
      .impliedTopLevel,
    ]

    /// Version and flags, as they follow the signature.
    var headerWord: UInt64 {
      UInt64(Header.major) | UInt64(Header.minor) << 8 | UInt64(rawValue) << 16
    }
  }

  /// Appends the header of an archive in the long form.
  package static func write(to buffer: ByteBuffer, _ flags: Flags) {
    buffer.append(word: signatureWord)
    buffer.append(word: flags.headerWord)
  }

  /// The flags of an archive; throws if this library cannot read the version in its header.
  package static func flags(_ reader: ByteReader) throws(ArchiveError) -> Flags {
    // The flags are at the same offset in both forms.
    let bits = (try? reader.unsigned(at: 10, byteCount: 2)) ?? 0
    let flags = Flags(rawValue: UInt16(truncatingIfNeeded: bits))
    let isShort = flags.contains(.short)
    guard reader.count >= (isShort ? shortByteCount : byteCount), try reader.word(at: 0) == signatureWord
    else {
      throw ArchiveError(
        .notAnArchive,
        "The bytes do not start with the signature of a Keepsake archive",
        byteOffset: 0
      )
    }
    let version = (major: try reader.byte(at: 8), minor: try reader.byte(at: 9))
    guard version.major == major else {
      throw ArchiveError(
        .unsupportedVersion,
        "The archive has format version \(version.major).\(version.minor), and this library reads version 1. "
          + "Use a newer release of the library",
        byteOffset: 8
      )
    }
    let isReservedUsed = isShort ? false : try reader.unsigned(at: 12, byteCount: 4) != 0
    guard !isReservedUsed, flags.isSubset(of: isShort ? Flags.knownOfShort : Flags.known) else {
      throw ArchiveError(
        .unsupportedVersion,
        "The archive uses features that are unknown to this version of the library. Use a newer release of the library",
        byteOffset: 10
      )
    }
    return flags
  }
}
