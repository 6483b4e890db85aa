/// What is skipped is looked at as well: its tags tell where the rest begins.
extension ArchiveImage {
  /// The end of the value at `offset`, after all that leads to it was compared with its checksums.
  func endTouching(valueAt offset: Int, in reader: ByteReader) throws(ArchiveError) -> Int {
    let end: Int
    do throws(ArchiveError) {
      end = try self.end(ofValueAt: offset, in: reader)
    } catch {
      // Damage is the reason that comes first, if that is what it was.
      if let cursor = error.byteOffset, cursor >= offset { try touch(offset..<(cursor + 1)) }
      throw error
    }
    try touch(offset..<end)
    return end
  }
}
