/// URLs in an archive (Format §4.5; §10, rule 29), for all code that reads one.
extension ArchiveImage {
  /// The most bases of bases that a URL may have: each is combined with all that follow it. Foundation writes one.
  private static let mostBases = 16

  /// The offsets of the texts of the URL at `offset`: its relative text, that of its base, and so on.
  func urlTexts(at offset: Int, in reader: ByteReader) throws(ArchiveError) -> [Int] {
    var texts: [Int] = []
    var url = offset
    while true {
      let members = try urlMembers(at: url, in: reader)
      guard let text = members.relative,
        [.string, .shortString, .stringReference].contains(TagKind(try reader.byte(at: text)))
      else {
        throw notURL("lacks a text under the key \"relative\"", url)
      }
      texts.append(text)
      guard let base = members.base else { return texts }
      guard try reader.byte(at: base) == Tag.url else { throw notURL("has a base that is none", url) }
      guard texts.count <= ArchiveImage.mostBases else {
        throw .limitExceeded(
          "A URL has more than \(ArchiveImage.mostBases) bases, each relative to the next",
          at: offset
        )
      }
      url = base
    }
  }

  /// The offsets of the two values of the URL whose tag is at `offset`.
  private func urlMembers(
    at offset: Int,
    in reader: ByteReader
  ) throws(ArchiveError) -> (relative: Int?, base: Int?) {
    var members: (relative: Int?, base: Int?) = (nil, nil)
    var cursor = offset + 1
    func note(_ name: String) {
      if name == "relative" { members.relative = cursor }
      if name == "base" { members.base = cursor }
    }
    let tag = try reader.byte(at: cursor)
    switch TagKind(tag) {
    case .record, .shortRecord:
      cursor += 1
      for slot in try shape(reader.numberInHead(tag, at: &cursor), at: offset + 1) {
        note(keys[shapeKey(slot)])
        cursor = try end(ofValueAt: cursor, in: reader)
      }
    case .map:
      var seen = DistinctKeys()
      cursor += 1
      for _ in 0..<(try reader.varint(at: &cursor)) {
        let keyOffset = cursor
        let key = try mapKey(at: &cursor, in: reader)
        try seen.insert(keyAt: keyOffset, self)
        note(key.keyText)
        cursor = try end(ofValueAt: cursor, in: reader)
      }
    default:
      throw notURL("is followed by something else than keys", offset)
    }
    return members
  }

  private func notURL(_ problem: String, _ offset: Int) -> ArchiveError {
    ArchiveError.damaged("A URL is malformed: it \(problem)", at: offset)
  }
}
