#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// The bytes of archives cross between Foundation and the wire layer here; nothing else hands out memory.

extension ByteReader {
  /// Keeps a `Data` alive, and its memory in place.
  private final class Holder: Sendable {
    let data: Data

    init(_ data: Data) {
      self.data = data
    }
  }

  /// A shorter `Data` may store its bytes within itself, where they have no lasting address.
  private static let leastStoredByteCount = 64

  /// Creates a reader of `data`, which is copied only if it is short.
  init(_ data: Data) {
    guard data.count >= ByteReader.leastStoredByteCount else {
      // So few bytes are copied at little cost.
      let copy = ByteBuffer()
      copy.append(data.bytes)
      self = copy.reader()
      return
    }
    let holder = Holder(data)
    // The storage of a `Data` does not move while it is held, and a change of the `Data` makes a copy.
    self = unsafe holder.data.withUnsafeBytes { unsafe ByteReader($0, owner: holder) }
  }
}

extension ByteReader {
  /// Calls `body` with a reader of `data`. The reader must not escape.
  @inline(__always)
  static func reading<Result>(_ data: Data, _ body: (ByteReader) -> Result) -> Result {
    // The bytes stay in place until `body` returns.
    unsafe data.withUnsafeBytes { unsafe body(ByteReader($0, owner: nil)) }
  }
}

extension ArchiveImage {
  /// Opens the archive in `data` without copying it. Translates an NSKeyedArchiver archive into one of our own, in
  /// memory, within the limits.
  package convenience init(
    data: Data,
    verification: ArchiveVerification,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    guard data.count <= limits.maximumByteCount else { throw limits.tooManyBytes(data.count) }
    let reader = ByteReader(data)
    // Most archives have our signature, and skip the check for a property list.
    guard (try? reader.word(at: 0)) != Header.signatureWord, limits.readsNSKeyedArchives,
      let old = try ArchiveTranslation.translate(reader, limits, staysInMemory: true)
    else {
      try self.init(reader, verification: verification, limits: limits)
      return
    }
    try self.init(old.buffer.reader(), verification: .disabled, source: old, limits: limits)
  }
}

/// Translates the NSKeyedArchiver archive in `data`, for a file; returns `nil` if `data` is not a property list.
package func translateFoundationArchive(_ data: Data) throws(ArchiveError) -> TranslatedArchive? {
  try ArchiveTranslation.translate(ByteReader(data), ArchiveLimits(), staysInMemory: false)
}

extension ByteBuffer {
  /// Smaller buffers are copied: that costs less than the free memory that they keep after their bytes.
  private static let leastGivenByteCount = 1 << 14

  /// Returns the bytes as `Data`. A large buffer gives its memory away, to be changed in place, and is then empty.
  package func takeData() -> Data {
    guard count >= ByteBuffer.leastGivenByteCount else { return withBytes(0..<count) { Data($0) } }
    let memory = unsafe takeMemory()
    // From now on, the memory belongs to the Data alone, which frees it with `free`.
    return unsafe Data(bytesNoCopy: memory.address, count: memory.byteCount, deallocator: .free)
  }
}

extension Data {
  init(_ bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Data($0) }  // copied before the span ends
  }
}
