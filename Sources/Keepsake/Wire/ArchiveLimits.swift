/// How much an archive may ask of the reader, and a value of the writer. The defaults suit archives from
/// anywhere.
public struct ArchiveLimits: Sendable, Hashable {
  /// How deep values may be nested, objects within objects included. 10,000 by default.
  ///
  /// Where the stack of the calling thread would end before that, coding stops with an error too.
  public var maximumDepth = 10_000
  /// How many bytes an archive may have that is read. No limit by default.
  public var maximumByteCount = Int.max

  /// The default limits.
  public init() {}
}
