/// Options for writing an archive.
///
/// ```swift
/// let data = try KeyedArchiver.archivedData(withRootObject: counts, outputFormatting: .sortedKeys)
/// ```
public struct ArchiveFormatting: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates the set of the options whose bits are set.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Sorts dictionaries by their keys and sets by their elements, so that the same graph gives the same bytes in every
  /// process. Only elements of sets that differ neither in their content nor in what they and the objects around them
  /// lead to, as in regular graphs, may have another order in each process. Keyed containers keep the order in which
  /// `encode(to:)` writes their keys.
  public static let sortedKeys = ArchiveFormatting(rawValue: 1 << 0)

  /// Leaves out the checksums of the contents, so that large archives are faster to write and to read. Use it for
  /// archives that never leave memory, or whose storage has checksums of its own.
  ///
  /// Whatever ``ArchiveVerification`` they use, readers then find only damage that breaks the structure of the
  /// archive: a changed digit reads as another number.
  public static let withoutChecksums = ArchiveFormatting(rawValue: 1 << 1)

  /// Writes a small archive in the form of a large one, to which saves can be appended (Format §7).
  package static let longForm = ArchiveFormatting(rawValue: 1 << 2)
}
