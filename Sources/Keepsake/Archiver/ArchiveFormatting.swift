/// How an archive is written, where there is a choice.
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
}
