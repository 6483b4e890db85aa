#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// URLs as strings, for who does not know that a URL was archived (Format §4.5).
extension DecodingSession {
  /// How many bases such a URL may have, each that of the one before. Programs make one, seldom two.
  private static let mostBases = 16

  /// The absolute text of the URL at `place`, which moves behind it: what a coder without a form for URLs writes.
  func urlString(at place: inout Int) throws -> String {
    let start = place
    var texts: [String] = []
    var next: Int? = start
    while let url = next {
      next = nil
      guard texts.count <= DecodingSession.mostBases, try reader.byte(at: url) == Tag.url else {
        throw ReadingFault.mismatch(start)
      }
      let count = texts.count
      try forEachMember(at: url + 1) { name, value in
        if name == "base" { next = value }
        guard name == "relative" else { return }
        var textPlace = value
        let text = try String.read(self, at: &textPlace)
        try countLong(text, at: value)
        texts.append(text)
      }
      guard texts.count == count + 1 else { throw ReadingFault.mismatch(start) }
    }
    var url: URL?
    for text in texts.reversed() {
      url = URL(string: text, relativeTo: url)?.absoluteURL
      guard url != nil else {
        throw ArchiveError(.damaged, "The text of a URL is none", byteOffset: start)
      }
    }
    let text = url?.absoluteString ?? ""
    try charge(stringOf: text.utf8.count, at: start)
    place = try end(ofValueAt: start)
    return text
  }

  /// Visits the members of the record or map at `start`.
  private func forEachMember(at start: Int, _ body: (_ name: String, _ value: Int) throws -> Void) throws {
    if let record = try RecordHead(self, at: start) {
      var value = record.payload
      for slot in try image.shape(record.shape, at: start) {
        try body(image.keys[image.shapeKey(slot)], value)
        value = try end(ofValueAt: value)
      }
      return
    }
    guard try reader.byte(at: start) == Tag.map else { throw ReadingFault.mismatch(start) }
    var value = start + 1
    for _ in 0..<(try reader.varint(at: &value)) {
      let key = try image.mapKey(at: &value, in: reader)
      try body(key.keyText, value)
      value = try end(ofValueAt: value)
    }
  }
}
