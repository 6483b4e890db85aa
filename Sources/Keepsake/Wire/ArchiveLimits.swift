/// How much an archive may ask of the reader. The defaults suit archives from anywhere.
///
/// What goes beyond a limit is a `DecodingError` whose underlying error is an ``ArchiveError`` with the code
/// ``ArchiveError/Code/limitExceeded``. What is nested deeper than readers with the default limits accept, the archiver
/// refuses to write; the other limits concern reading only.
///
/// ```swift
/// var limits = ArchiveLimits()
/// limits.maximumByteCount = 10 << 20
/// limits.maximumAllocation = 100 << 20
/// let unarchiver = try KeyedUnarchiver(forReadingFile: "upload.keepsake", limits: limits)
/// ```
public struct ArchiveLimits: Sendable, Hashable {
  /// How deep values may be nested, objects within objects included. 250,000 by default.
  ///
  /// A level takes some hundred bytes of stack in an optimized program. Where the stack of the calling thread
  /// would end, coding continues on a larger stack of the same thread, and throws when the system provides none.
  /// Deferred values start again at the top.
  ///
  /// Swift lets go of a chain of objects by recursion, on the stack of whoever does so. If archives come from
  /// strangers and your classes can form chains by plain properties, set this to some thousand.
  public var maximumDepth = 250_000
  /// How deep values may be nested in one object, or in none, without going through another object: arrays in
  /// arrays, structures in structures. 40,000 by default; an enumeration with a payload takes two levels.
  public var maximumValueDepth = 40_000
  /// How many bytes an archive may have that is read. No limit by default.
  public var maximumByteCount = Int.max
  /// How many objects may be built from one archive. No limit by default: each takes a byte of it at least.
  public var maximumObjectCount = Int.max
  /// How many elements an array, a set or a dictionary may have, and how many bytes a `Data`. No limit by default:
  /// no collection says that it has more than the archive has room for.
  public var maximumElementCount = Int.max
  /// How many bytes of UTF-8 a string may have, the keys of dictionaries included. Strings of at most 31 bytes are
  /// always read. No limit by default.
  public var maximumStringByteCount = Int.max
  /// How many bytes of memory the values may take that are decoded, roughly: elements of collections, objects, large
  /// structures, strings and data are counted, by the sizes of their types. `nil`, the default, is 64 times the bytes
  /// of the archive, and 256 MB.
  ///
  /// An array of structures in which nearly everything is nil takes a byte of an archive for each, and hundreds in
  /// memory. A program that archives millions of these sets a limit of its own.
  ///
  /// What NSKeyedArchiver wrote is translated in memory when it is opened, and that counts, too; by default it may take 64
  /// times the bytes, and 256 KB.
  public var maximumAllocation: Int?

  /// Whether a file that NSKeyedArchiver wrote is read, too, where an archive is expected. True by default, but for
  /// ``ArchiveDecoder``, which has to be told so besides.
  public var readsNSKeyedArchives = true

  /// The default limits.
  public init() {}

  /// From so many levels on, in one object, a reader looks at all that is still to come. It cannot tell what of that is
  /// deferred, and counts it too.
  static let usualValueDepth = 1_024

  /// How often the bytes of an archive may be taken in memory, and how many bytes may be taken in any case.
  private static let defaultAllocation = (factor: 64, constant: 256 << 20)

  /// How many bytes of memory the values of an archive of `byteCount` bytes may take.
  func allocation(forArchiveOf byteCount: Int) -> Int {
    if let maximumAllocation { return maximumAllocation }
    return byteCount.multipliedSaturating(by: ArchiveLimits.defaultAllocation.factor)
      .addingSaturating(ArchiveLimits.defaultAllocation.constant)
  }
}

// For counts and sizes, which are not negative.
extension Int {
  /// The sum, or the largest number there is.
  @inline(__always)
  func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product, or the largest number there is.
  @inline(__always)
  func multipliedSaturating(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
