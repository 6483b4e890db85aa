/// The file that an archive is saved to while it is being made: what is finished goes to the temporary file of a
/// durable save (Design §6).
///
/// Nothing is done to the disk before there is something to write. So an archive that fits into memory anyway is
/// written in one piece when it is complete.
final class ArchiveFileSink: ArchiveSink {
  private let path: String
  private var file: DurableFile?

  init(path: String) {
    self.path = path
  }

  func append(_ bytes: RawSpan) throws(ArchiveError) {
    let file = if let file { file } else { try DurableFile(replacing: path) }
    self.file = file
    try file.append(bytes)
  }

  func bytes(_ range: Range<Int>) -> ByteBuffer? { file?.bytes(range) }

  /// Puts the file in place, which has the whole archive.
  func commit() throws(ArchiveError) { try file?.commit() }
}

extension DurableFile {
  /// What was written before; `nil` when the file is in place already or was given up, or cannot be read.
  func bytes(_ range: Range<Int>) -> ByteBuffer? {
    guard range.lowerBound >= 0, range.upperBound <= count, let file = try? openTemporary().file else {
      return nil
    }
    let bytes = ByteBuffer(minimumCapacity: range.count)
    var piece = [UInt8](repeating: 0, count: min(range.count, 1 << 16))
    while bytes.count < range.count {
      let wanted = min(piece.count, range.count - bytes.count)
      let offset = range.lowerBound + bytes.count
      guard let count = try? file.readSome(into: &piece, wanted, at: offset), count > 0 else { return nil }
      bytes.append(memoryOf: Array(piece.prefix(count)))
    }
    return bytes
  }
}
