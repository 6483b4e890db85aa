/// The keys of maps as they stand in an archive (Format §4.8), compared and hashed without making strings of them.
extension ArchiveImage {
  private enum KeyText {
    /// The extent of the text in the archive.
    case text(Range<Int>)
    case number(Int)
  }

  /// Whether the key of a map at `place`, which moves behind it, is `name`.
  func isKey(_ name: String, at place: inout Int) throws(ArchiveError) -> Bool {
    switch try keyText(at: &place) {
    case .text(let range): try reader.hasUTF8(of: name, in: range)
    case .number(let number): name.utf8.elementsEqual(String(number).utf8)
    }
  }

  /// The hash of the key of a map at `place`, which moves behind it; throws when it is a text that is not UTF-8.
  func keyHash(at place: inout Int, _ hash: KeyHash) throws(ArchiveError) -> UInt32 {
    switch try keyText(at: &place) {
    case .text(let range):
      let (hash, isASCII) = try reader.withBytes(range) { (hash.of($0), $0.isASCII) }
      if !isASCII { _ = try reader.string(range) }
      return hash
    case .number(let number): return String(number).withUTF8Bytes { hash.of($0) }
    }
  }

  /// Whether the keys of a map at two places are the same.
  func isSameKey(_ place: Int, _ other: Int) throws(ArchiveError) -> Bool {
    var place = place
    var other = other
    return try mapKey(at: &place, in: reader).name == mapKey(at: &other, in: reader).name
  }

  /// What the key of a map at `place` is, which moves behind it.
  @inline(__always)
  private func keyText(at place: inout Int) throws(ArchiveError) -> KeyText {
    let start = place
    let tag = try reader.byte(at: start)
    switch tag {
    case Tag.shortString..<Tag.objectReference:
      let count = Int(tag & 0x1F)
      try reader.check(count, at: start &+ 1)
      place = start &+ 1 &+ count
      return .text((start &+ 1)..<place)
    case Tag.stringReference..<Tag.valueReference:
      let byteCount = Int(tag & 3) &+ 1
      place = start &+ 1 &+ byteCount
      let number = try reader.unsigned(at: start &+ 1, byteCount: byteCount)
      return .text(try stringRange(Int(number), at: start))
    case Tag.string:
      var text = start &+ 1
      let count = try reader.varint(at: &text)
      try reader.check(count, at: text)
      place = text &+ count
      return .text(text..<place)
    case Tag.smallInteger...:
      place = start &+ 1
      return .number(Int(tag) &- Int(Tag.smallInteger) &- 16)
    case Tag.integer..<Tag.uint64:
      let byteCount = Int(tag &- Tag.integer) &+ 1
      place = start &+ 1 &+ byteCount
      return .number(Int(try reader.signed(at: start &+ 1, byteCount: byteCount)))
    default:
      throw ArchiveError(.damaged, "The key of a map is neither a string nor an integer", byteOffset: start)
    }
  }
}
