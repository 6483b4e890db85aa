/// How much an archive may ask of the reader. The defaults suit archives from anywhere.
///
/// The archiver refuses to write what readers with the default limits would refuse to read.
public struct ArchiveLimits: Sendable, Hashable {
  /// How deep values may be nested, objects within objects included. 250,000 by default.
  ///
  /// A level takes some hundred bytes of stack in an optimized program. Where the stack of the calling thread
  /// would end, coding goes on on one of the library's own, and stops with an error when that cannot be had.
  /// What is deferred begins again at the top.
  ///
  /// Swift lets go of a chain of objects by recursion, on the stack of whoever does so. If archives come from
  /// strangers and your classes can form chains by plain properties, set this to some thousand.
  public var maximumDepth = 250_000
  /// How deep values may be nested in one object, or in none, without going through another object: arrays in
  /// arrays, structures in structures. 40,000 by default; an enumeration with a payload takes two levels.
  public var maximumValueDepth = 40_000
  /// How many bytes an archive may have that is read. No limit by default.
  public var maximumByteCount = Int.max

  /// The default limits.
  public init() {}
}
