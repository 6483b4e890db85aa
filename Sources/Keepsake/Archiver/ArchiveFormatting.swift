/// How an archive is written, where there is a choice.
///
/// ```swift
/// let data = try KeyedArchiver.archivedData(withRootObject: counts, outputFormatting: .sortedKeys)
/// ```
public struct ArchiveFormatting: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Makes the set of the options whose bits are set.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Dictionaries and sets are written in the order of their keys and elements, not in that of their storage,
  /// so that the same graph gives the same bytes in every process.
  public static let sortedKeys = ArchiveFormatting(rawValue: 1 << 0)

  /// The archive has no checksums of its contents: for what never leaves memory, or is kept by something that
  /// has checksums itself. That makes large archives faster to write and to read.
  ///
  /// Readers find the damage that hurts the structure of the archive, and no other, whatever
  /// ``ArchiveVerification`` they ask for: a changed digit reads as another number. Only where the tables are
  /// is still told by a checksum.
  ///
  /// Such an archive has format version 1.1, and readers of 1.0 reject it.
  public static let withoutChecksums = ArchiveFormatting(rawValue: 1 << 1)

  /// A small archive has the form of a large one, to which saves can be appended (Format §7).
  package static let longForm = ArchiveFormatting(rawValue: 1 << 2)
}
