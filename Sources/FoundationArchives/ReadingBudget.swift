/// The budget for reading an NSKeyedArchiver archive (Docs/Design.md §9, Docs/Security.md).
///
/// Each charge precedes what it pays for. Memory is charged at its peak, with the free capacity of arrays and tables
/// that grow, and stays charged if it is released before the end.
package struct ReadingBudget {
  /// The limits of the caller.
  package struct Limits {
    /// In bytes; `nil` for a limit in proportion to the archive.
    package var memory: Int?
    package var (objectCount, elementCount, stringByteCount) = (Int.max, Int.max, Int.max)
    /// The most levels of collections that are not objects.
    package var depth = Int.max

    package init() {}
  }

  package let limits: Limits
  /// The bytes of memory that may be used in all, and those that are left.
  private let memoryLimit: Int
  private var memory: Int
  /// The bytes that may still be read again: shared texts are hashed, compared and copied.
  private var work: Int
  private var objectCount = 0

  /// Bytes of memory for each byte of the file, and for any file: a small one has few values.
  private static let memory = (factor: 64, constant: 256 << 10)
  /// Bytes to read again for each byte of the file, and for any file, even if the caller allows any memory.
  private static let work = (factor: 256, constant: 1 << 20)

  /// The memory that only one object owns: an array, a string that is not short, a box.
  package static let blockByteCount = 48
  /// The memory of a reference that waits to be counted.
  package static let referenceByteCount = 16
  /// The memory of a value that is written: its offsets in both archives, and its tag with a number.
  package static let valueByteCount = 48
  /// The memory of a key that is new in this place of a record: in the tree of shapes, and in the written tables.
  package static let shapeKeyByteCount = 160

  package init(_ limits: Limits, byteCount: Int) {
    self.limits = limits
    // The file is in memory, so neither product overflows.
    memoryLimit = limits.memory ?? ReadingBudget.memory.factor * byteCount + ReadingBudget.memory.constant
    memory = memoryLimit
    work = ReadingBudget.work.factor * byteCount + ReadingBudget.work.constant
  }

  /// Charges memory for what is at `offset` of the file.
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

/// Why an NSKeyedArchiver archive cannot be read.
package indirect enum ReadingError: Error {
  /// The message says what is wrong, at the offset in the file.
  case fault(Fault, String, byteOffset: Int?)
  case limitExceeded(Limit, byteOffset: Int)

  package enum Fault: Sendable {
    case notAnArchive
    case unsupportedVersion
    case damaged
  }

  package enum Limit: Sendable {
    /// A collection has this many elements.
    case elementCount(Int)
    /// A string has this many bytes.
    case stringByteCount(Int)
    case objectCount
    /// Collections that are not objects are nested too deeply.
    case depth
    /// The archive needs more than this many bytes.
    case memory(Int)
    /// Bytes are read again too often.
    case work
  }

  static func damaged(_ message: String, at offset: Int) -> ReadingError {
    .fault(.damaged, message, byteOffset: offset)
  }
}
