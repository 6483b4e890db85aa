/// Limits on what an archive may demand of its reader. The defaults suit archives from any source.
///
/// Beyond a limit, decoding throws a `DecodingError` whose underlying error is an ``ArchiveError`` with the code
/// ``ArchiveError/Code/limitExceeded``. The archiver refuses to write values that are nested deeper than the default
/// limits accept; the other limits concern reading only.
///
/// ```swift
/// var limits = ArchiveLimits()
/// limits.maximumByteCount = 10 << 20
/// limits.maximumAllocation = 100 << 20
/// let unarchiver = try KeyedUnarchiver(forReadingFile: "upload.keepsake", limits: limits)
/// ```
public struct ArchiveLimits: Sendable, Hashable {
  /// The maximum nesting of values, objects within objects included. 250,000 by default.
  ///
  /// A level takes some hundred bytes of stack in an optimized program. Before the stack of the calling thread runs
  /// out, coding continues on a larger stack of the same thread, or throws if the system provides none, or if
  /// initializers call each other with nested decoders.
  /// Deferred values start again at the top.
  ///
  /// Swift releases a chain of objects by recursion, on the stack of the releasing thread. If your classes can form
  /// chains and archives come from untrusted sources, set a limit of a few thousand.
  public var maximumDepth = 250_000
  /// The maximum nesting of values within one object: arrays in arrays, structures in structures. 40,000 by default.
  /// An enumeration with a payload takes two levels.
  public var maximumValueDepth = 40_000
  /// The maximum length of an archive, in bytes. No limit by default.
  public var maximumByteCount = Int.max
  /// The maximum number of objects in one archive. No limit by default: each takes at least a byte of the archive.
  public var maximumObjectCount = Int.max
  /// The maximum number of elements of an array, a set or a dictionary, and of bytes of a `Data`. No limit by
  /// default: the reader rejects a count that the archive has no room for.
  public var maximumElementCount = Int.max
  /// The maximum length of a string, in bytes of UTF-8, keys of dictionaries included. Strings of at most 31 bytes
  /// are always accepted. No limit by default.
  public var maximumStringByteCount = Int.max
  /// The maximum memory of decoded values, in bytes. The reader counts elements of collections, objects, large
  /// structures, strings and data by the sizes of their types. `nil`, the default, allows 64 times the length of the
  /// archive plus 256 MB.
  ///
  /// A structure in which nearly everything is nil takes one byte in an archive and hundreds in memory. A program
  /// that archives millions of these in an array needs a higher limit.
  ///
  /// An NSKeyedArchiver archive is translated in memory when it is opened, and that counts, too. By default the
  /// translation may take 64 times the length of the archive plus 256 KB.
  public var maximumAllocation: Int?

  /// Whether the reader accepts NSKeyedArchiver archives. True by default. An ``ArchiveDecoder`` needs its own
  /// ``ArchiveDecoder/readsNSKeyedArchives`` as well.
  public var readsNSKeyedArchives = true

  /// The default limits.
  public init() {}

  /// From this depth within one object on, a reader measures the nesting of everything that follows. That includes
  /// deferred values, which it cannot recognize.
  static let usualValueDepth = 1_024
  var usualValueDepth: Int { min(maximumValueDepth, ArchiveLimits.usualValueDepth) }

  /// By default, values may take `factor` times the length of the archive in memory, plus `constant` bytes.
  private static let defaultAllocation = (factor: 64, constant: 256 << 20)

  /// The memory that the values of an archive of `byteCount` bytes may take, in bytes.
  func allocation(forArchiveOf byteCount: Int) -> Int {
    if let maximumAllocation { return maximumAllocation }
    return byteCount.multipliedSaturating(by: ArchiveLimits.defaultAllocation.factor)
      .addingSaturating(ArchiveLimits.defaultAllocation.constant)
  }
}

// The errors for exceeded limits, which decoders and the translation of NSKeyedArchiver archives share.
extension ArchiveLimits {
  func tooManyBytes(_ count: Int) -> ArchiveError {
    exceeded("The archive has \(count) bytes, more", maximumByteCount, "maximumByteCount", nil)
  }

  func tooManyElements(_ count: Int, _ offset: Int?) -> ArchiveError {
    exceeded("A collection has \(count) elements, more", maximumElementCount, "maximumElementCount", offset)
  }

  func tooManyObjects(_ offset: Int?) -> ArchiveError {
    exceeded("There are more objects", maximumObjectCount, "maximumObjectCount", offset)
  }

  func tooLong(_ count: Int, _ offset: Int?) -> ArchiveError {
    exceeded("A string has \(count) bytes, more", maximumStringByteCount, "maximumStringByteCount", offset)
  }

  @inline(never)
  private func exceeded(_ fact: String, _ limit: Int, _ name: String, _ offset: Int?) -> ArchiveError {
    .limitExceeded("\(fact) than the \(limit) that ArchiveLimits.\(name) allows", at: offset)
  }
}

// For counts and sizes, which are not negative.
extension Int {
  @inline(__always)
  func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  @inline(__always)
  func multipliedSaturating(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
