/// An archive that was translated from another format.
package struct TranslatedArchive {
  package let buffer: ByteBuffer
  let sourceByteCount: Int
  /// The offset of each value in the archive, and in the original.
  let offsets: [(here: Int, source: Int)]
  /// The names of classes that have another name in the original.
  let originalNames: [String: String]
  /// What could not be translated, or became something else: a description, and how often it happened.
  package let losses: [(what: String, count: Int)]

  /// The classes of values that several others refer to. Programs do not see these as objects.
  static let arrayClass = "NSArray"
  static let dictionaryClass = "NSDictionary"
  static let valueClass = "NSValue"

  /// Whether a class is that of arrays, dictionaries or data that several values share.
  static func isValue(ofClass name: String) -> Bool {
    name == arrayClass || name == dictionaryClass || name == valueClass
  }

  /// The offset of the value at `offset`, or of the one around it, in the original; `nil` if the original has none.
  func source(of offset: Int) -> Int? {
    let next = offsets.partitioningIndex { $0.here > offset }
    return next == 0 ? nil : offsets[next - 1].source
  }
}

extension ArchiveImage {
  /// The number of bytes that were opened: those of the archive, or of the original.
  var openedByteCount: Int { source?.sourceByteCount ?? extent.storedByteCount }

  /// The memory that the archive takes because it was translated, in bytes.
  var translatedByteCount: Int {
    source.map { $0.buffer.count + $0.offsets.count * MemoryLayout<(Int, Int)>.stride } ?? 0
  }

  /// The error with its offset in the file that was opened, which may differ from that in the archive.
  func located(_ error: ArchiveError) -> ArchiveError {
    guard let source, let offset = error.byteOffset else { return error }
    return ArchiveError(error.code, error.message, byteOffset: source.source(of: offset), path: error.path)
  }
}
