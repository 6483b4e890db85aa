/// What reading an archive of NSKeyedArchiver may cost (Docs/Design.md §9, Docs/Security.md).
///
/// Each charge comes before what it is for. Memory is charged as it is at its peak: with what arrays and tables keep free
/// while they grow. What is given back before the end is charged all the same.
package struct ReadingBudget {
  /// The limits of the caller.
  package struct Limits {
    /// In bytes; `nil` for one in proportion to the archive.
    package var memory: Int?
    package var (objectCount, elementCount, stringByteCount) = (Int.max, Int.max, Int.max)
    /// How many collections may stand in each other that are no objects.
    package var depth = Int.max

    package init() {}
  }

  package let limits: Limits
  /// How many bytes of memory may be taken in all, and how many are left.
  private let memoryLimit: Int
  private var memory: Int
  /// How many bytes may still be read again: shared texts are hashed, compared and copied.
  private var work: Int
  private var objectCount = 0

  /// How often the bytes of the file may be taken in memory, and how many in any case: a small file has few values.
  private static let memory = (factor: 64, constant: 256 << 10)
  /// How often the bytes may be looked at, also where the caller allows any memory.
  private static let work = (factor: 256, constant: 1 << 20)

  /// What an object takes whose content is known only to it: an array, a text that is not short, a box.
  package static let blockByteCount = 48
  /// What a reference takes that waits to be counted.
  package static let referenceByteCount = 16
  /// What a value takes that is written: its place in both archives, and its tag with a number.
  package static let valueByteCount = 48
  /// What a key takes that no record before had in this place: in the tree of shapes and in the tables that are written.
  package static let shapeKeyByteCount = 160

  package init(_ limits: Limits, byteCount: Int) {
    self.limits = limits
    // The length of a file that is in memory, so that neither overflows.
    memoryLimit = limits.memory ?? ReadingBudget.memory.factor * byteCount + ReadingBudget.memory.constant
    memory = memoryLimit
    work = ReadingBudget.work.factor * byteCount + ReadingBudget.work.constant
  }

  /// Charges memory for what stands at `offset` of the file.
  package mutating func charge(_ byteCount: Int, at offset: Int) throws(ReadingError) {
    try count(byteCount, at: offset)
    guard byteCount <= memory else { throw .limitExceeded(.memory(memoryLimit), byteOffset: offset) }
    memory -= byteCount
  }

  package mutating func charge(_ count: Int, of stride: Int, at offset: Int) throws(ReadingError) {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: stride)
    try charge(overflow ? .max : byteCount, at: offset)
  }

  /// Returns memory that was charged but not taken.
  package mutating func giveBack(_ byteCount: Int) { memory += byteCount }

  /// Counts bytes that are read again.
  package mutating func count(_ byteCount: Int, at offset: Int) throws(ReadingError) {
    guard byteCount <= work else { throw .limitExceeded(.work, byteOffset: offset) }
    work -= byteCount
  }

  // MARK: The limits of the caller

  package mutating func countObject(at offset: Int) throws(ReadingError) {
    objectCount += 1
    guard objectCount <= limits.objectCount else { throw .limitExceeded(.objectCount, byteOffset: offset) }
  }

  package func check(elementCount count: Int, at offset: Int) throws(ReadingError) {
    guard count <= limits.elementCount else { throw .limitExceeded(.elementCount(count), byteOffset: offset) }
  }

  package func check(stringOf byteCount: Int, at offset: Int) throws(ReadingError) {
    guard byteCount <= limits.stringByteCount else {
      throw .limitExceeded(.stringByteCount(byteCount), byteOffset: offset)
    }
  }
}

/// Why an archive of NSKeyedArchiver cannot be read.
package indirect enum ReadingError: Error {
  /// The message says what is wrong; the offset is that in the file.
  case fault(Fault, String, byteOffset: Int?)
  /// The archive asks for more than the reader may give.
  case limitExceeded(Limit, byteOffset: Int)

  package enum Fault: Sendable {
    case notAnArchive
    case unsupportedVersion
    case damaged
  }

  package enum Limit: Sendable {
    /// A collection of so many elements.
    case elementCount(Int)
    /// A string of so many bytes.
    case stringByteCount(Int)
    case objectCount
    /// Collections in each other that are no objects.
    case depth
    /// More than so many bytes.
    case memory(Int)
    /// Bytes that are looked at again and again.
    case work
  }

  static func damaged(_ message: String, at offset: Int) -> ReadingError {
    .fault(.damaged, message, byteOffset: offset)
  }
}
