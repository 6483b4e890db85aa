/// What opening an old archive may cost (Docs/Design.md §9, Docs/Security.md).
///
/// Each charge comes before what it is for, as in ``DecodingBudget``. Memory is charged as it is at its peak: with what
/// arrays and tables keep free while they grow. What is given back before the end is charged all the same.
struct TranslationBudget {
  let limits: ArchiveLimits
  /// How many bytes of memory may be taken in all, and how many are left.
  private let memoryLimit: Int
  private var memory: Int
  /// How many bytes may still be looked at more often than once: texts that many share are hashed, compared and copied.
  private var work: Int
  private var objectCount = 0

  /// How often the bytes of the file may be taken in memory, and how many in any case: a small file has a few hundred
  /// values at most, and must not be able to make a reader busy.
  private static let memory = (factor: 64, constant: 256 << 10)
  /// How often the bytes may be looked at, also where the caller allows any memory.
  private static let work = (factor: 256, constant: 1 << 20)

  /// What an object takes whose content is known only to it: an array, a text that is not short, a box.
  static let blockByteCount = 48
  /// What a reference takes that waits to be counted.
  static let referenceByteCount = 16
  /// What a value takes that is written: its place in both archives, and its tag with a number.
  static let valueByteCount = 48
  /// What a key takes that no record before had in this place: in the tree of shapes and in the tables that are written.
  static let shapeKeyByteCount = 160

  init(_ limits: ArchiveLimits, byteCount: Int) {
    self.limits = limits
    memoryLimit =
      limits.maximumAllocation
      ?? byteCount.multipliedSaturating(by: TranslationBudget.memory.factor)
      .addingSaturating(TranslationBudget.memory.constant)
    memory = memoryLimit
    work = byteCount.multipliedSaturating(by: TranslationBudget.work.factor)
      .addingSaturating(TranslationBudget.work.constant)
  }

  /// Charges memory for what stands at `offset` of the file.
  mutating func charge(_ byteCount: Int, at offset: Int) throws(ArchiveError) {
    try count(byteCount, at: offset)
    guard byteCount <= memory else {
      throw ArchiveError(
        .limitExceeded,
        "Opening the NSKeyedArchiver archive would take more than \(memoryLimit) bytes of memory, out of proportion to its size; "
          + "ArchiveLimits.maximumAllocation can allow more",
        byteOffset: offset
      )
    }
    memory -= byteCount
  }

  /// Charges `count` things of `stride` bytes each.
  mutating func charge(_ count: Int, of stride: Int, at offset: Int) throws(ArchiveError) {
    try charge(count.multipliedSaturating(by: stride), at: offset)
  }

  /// Gives memory back that was charged for nothing.
  mutating func giveBack(_ byteCount: Int) { memory += byteCount }

  /// Counts bytes that are looked at once more.
  mutating func count(_ byteCount: Int, at offset: Int) throws(ArchiveError) {
    guard byteCount <= work else {
      throw ArchiveError(
        .limitExceeded,
        "The objects share so much that opening the archive would take time out of proportion to its size",
        byteOffset: offset
      )
    }
    work -= byteCount
  }

  // MARK: The limits of the caller

  /// Counts an object.
  mutating func countObject(at offset: Int) throws(ArchiveError) {
    objectCount += 1
    guard objectCount <= limits.maximumObjectCount else { throw limits.tooManyObjects(offset) }
  }

  func check(elementCount count: Int, at offset: Int) throws(ArchiveError) {
    guard count <= limits.maximumElementCount else { throw limits.tooManyElements(count, offset) }
  }

  /// Sees to it that a text of `byteCount` bytes may be read, as a short one always may.
  func check(stringOf byteCount: Int, at offset: Int) throws(ArchiveError) {
    guard byteCount <= limits.maximumStringByteCount || byteCount <= Tag.longestShortString else {
      throw limits.tooLong(byteCount, offset)
    }
  }

  /// How many collections may stand in each other that are no objects.
  var maximumDepth: Int { min(limits.maximumDepth, limits.maximumValueDepth) }
}
