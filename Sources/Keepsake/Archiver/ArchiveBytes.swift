#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// Where the bytes of an archive cross between Foundation and the wire layer: the only place that hands out memory.

extension ByteReader {
  /// Keeps a `Data` alive, and with it its memory where it is.
  private final class Holder: Sendable {
    let data: Data

    init(_ data: Data) {
      self.data = data
    }
  }

  /// Less than this a `Data` may keep within itself, where its bytes have no lasting address.
  private static let leastStoredByteCount = 64

  /// A reader of `data`, which is not copied.
  init(_ data: Data) {
    guard data.count >= ByteReader.leastStoredByteCount else {
      // A complete archive is longer. A copy serves to say what is wrong with a shorter one.
      let copy = ByteBuffer()
      copy.append(data.bytes)
      self = copy.reader()
      return
    }
    let holder = Holder(data)
    // The storage of a `Data` does not move while it is held, and a change makes a copy meanwhile.
    self = unsafe holder.data.withUnsafeBytes { unsafe ByteReader($0, owner: holder) }
  }
}

extension ByteReader {
  /// Lets `body` read `data`. The reader must not be kept.
  @inline(__always)
  static func reading<Result>(_ data: Data, _ body: (ByteReader) -> Result) -> Result {
    // The bytes stay where they are until `body` returns.
    unsafe data.withUnsafeBytes { unsafe body(ByteReader($0, owner: nil)) }
  }
}

extension ArchiveImage {
  /// Opens the archive in `data`, which is not copied; one of NSKeyedArchiver is turned into one of our own, in memory,
  /// within the limits.
  package convenience init(
    data: Data,
    verification: ArchiveVerification,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    guard data.count <= limits.maximumByteCount else {
      throw .limitExceeded(
        "The archive has \(data.count) bytes, more than the limit of \(limits.maximumByteCount)"
      )
    }
    let reader = ByteReader(data)
    // Most archives are our own, and are opened without a look for what they are not.
    guard (try? reader.word(at: 0)) != Header.signatureWord, limits.readsNSKeyedArchives,
      let old = try ArchiveTranslation.translate(reader, limits, staysInMemory: true)
    else {
      try self.init(reader, verification: verification, limits: limits)
      return
    }
    try self.init(old.buffer.reader(), verification: .disabled, source: old, limits: limits)
  }
}

/// An archive made of one of NSKeyedArchiver, to be written to a file; `nil` when `data` is no property list.
package func translateFoundationArchive(_ data: Data) throws(ArchiveError) -> TranslatedArchive? {
  try ArchiveTranslation.translate(ByteReader(data), ArchiveLimits(), staysInMemory: false)
}

extension ByteBuffer {
  /// Less than this is copied: that takes less than the memory that is kept free behind it costs.
  private static let leastGivenByteCount = 1 << 14

  /// The bytes as `Data`. Large ones give it their memory, as it changes its bytes in place; the buffer is then empty.
  package func takeData() -> Data {
    guard count >= ByteBuffer.leastGivenByteCount else { return withBytes(0..<count) { Data($0) } }
    let memory = unsafe takeMemory()
    // Belongs to the Data alone from now on, and is to be freed by `free`.
    return unsafe Data(bytesNoCopy: memory.address, count: memory.byteCount, deallocator: .free)
  }

  func write(toFile path: String) throws(ArchiveError) {
    try withBytes(0..<count) { (bytes) throws(ArchiveError) in try bytes.write(toFile: path) }
  }
}

extension RawSpan {
  /// Puts the bytes in place of the file at `path`, durably (Design §6).
  func write(toFile path: String) throws(ArchiveError) {
    let file = try DurableFile(replacing: path)
    try file.append(self)
    try file.commit()
  }
}

extension Data {
  init(_ bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Data($0) }  // copied before the span ends
  }
}
