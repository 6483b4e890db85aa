/// An archive that was made of one in another format.
package struct TranslatedArchive {
  package let buffer: ByteBuffer
  let sourceByteCount: Int
  /// Where values are, in the order of the archive.
  let offsets: [TranslatedOffset]
  /// The names of classes that have another one in the original.
  let originalNames: [String: String]
  /// What could not be carried over, and what became something else, in words and with how often.
  package let losses: [(what: String, count: Int)]

  /// The classes of the bodies of values that several refer to: they are no objects to a program.
  static let arrayClass = "NSArray"
  static let dictionaryClass = "NSDictionary"
  static let valueClass = "NSValue"

  func isValue(ofClass name: String) -> Bool {
    [Self.arrayClass, Self.dictionaryClass, Self.valueClass].contains(name)
  }

  /// Where the value at `offset`, or the one around it, is in the original; `nil` for what that does not have.
  func source(of offset: Int) -> Int? {
    let next = offsets.partitioningIndex { $0.offset > offset }
    return next == 0 ? nil : offsets[next - 1].source
  }
}

/// Where a value is, in bytes from the start of the archive and of what that was made of.
struct TranslatedOffset {
  let offset: Int
  let source: Int
}

extension ArchiveImage {
  /// How many bytes were opened: those of the archive, or of what it was made of.
  var openedByteCount: Int { source?.sourceByteCount ?? extent.storedByteCount }

  /// How many bytes of memory the archive takes because it was made of another one.
  var translatedByteCount: Int {
    source.map { $0.buffer.count + $0.offsets.count * MemoryLayout<TranslatedOffset>.stride } ?? 0
  }

  /// The error with its place in the file that was opened, which may be another than in the archive.
  func located(_ error: ArchiveError) -> ArchiveError {
    guard let source, let offset = error.byteOffset else { return error }
    return ArchiveError(error.code, error.message, byteOffset: source.source(of: offset), path: error.path)
  }
}
