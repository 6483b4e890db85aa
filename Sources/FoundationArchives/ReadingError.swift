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
