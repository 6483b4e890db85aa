/// What a document needs to know of its archive.
extension ArchiveImage {
  /// The archive as of the save `number`, or of the newest one if that is `nil`.
  package func asOf(
    _ number: Int?,
    _ verification: ArchiveVerification = .onDemand
  ) throws(ArchiveError) -> ArchiveImage {
    let number = number ?? saves.count + 1
    guard number >= 1, number <= saves.count + 1 else {
      throw .misuse("There is no save \(number): the newest is \(saves.count + 1)")
    }
    let end = number == 1 ? extent.firstEnd : saves[number - 2].range.upperBound
    return try ArchiveImage(reader.limited(to: end), verification: verification, limits: limits)
  }

  /// Whether the top level has the key of a root object and no other.
  var hasRootAlone: Bool {
    get throws(ArchiveError) {
      let topLevel = try topLevelValue
      guard topLevel.kind == .map || topLevel.kind == .record else { return false }
      return try topLevel.members().map(\.label) == [.key(KeyedArchiver.rootKey)]
    }
  }

  /// The number of the body of the root value; `nil` if the root is an object, or is in the top level itself.
  var rootValueNumber: Int? {
    get throws(ArchiveError) {
      guard let root = try topLevelValue.members().first?.value, root.kind == .value else { return nil }
      return try root.referencedNumber()
    }
  }

  func has(_ buffer: ByteBuffer, _ range: Range<Int>, in place: Range<Int>) throws(ArchiveError) -> Bool {
    try reader.withBytes(place) { own in buffer.withBytes(range) { own.hasSameBytes(as: $0) } }
  }

  /// Whether the body at `place` differs from that at `range` only by which strings are in the string table. That may
  /// change because of other bodies.
  func hasSame(
    _ buffer: ByteBuffer,
    _ range: Range<Int>,
    _ session: EncodingSession,
    in place: Range<Int>
  ) throws(ArchiveError) -> Bool {
    let other = buffer.reader()
    var (cursor, otherCursor) = (place.lowerBound, range.lowerBound)
    guard try reader.varint(at: &cursor) == other.varint(at: &otherCursor) else { return false }
    while cursor < place.upperBound, otherCursor < range.upperBound {
      if try isText(reader.byte(at: cursor)), try isText(other.byte(at: otherCursor)) {
        let text = try mapKey(at: &cursor, in: reader).keyText
        let otherText = try session.mapKey(at: &otherCursor, in: other).keyText
        guard ExactString(string: text) == ExactString(string: otherText) else { return false }
      } else {
        let start = otherCursor
        let length = fixedLength(of: try other.byte(at: start))
        if length > 0 {
          otherCursor += length
        } else {
          _ = try session.valuesBehindHead(at: &otherCursor, in: other)
        }
        let end = cursor + otherCursor - start
        guard try has(buffer, start..<otherCursor, in: cursor..<end), end <= place.upperBound else {
          return false
        }
        cursor = end
      }
    }
    return cursor == place.upperBound && otherCursor == range.upperBound
  }

  private func isText(_ tag: UInt8) -> Bool {
    [.string, .shortString, .stringReference].contains(TagKind(tag))
  }

  /// Whether the top level of the newest save has the bytes of `buffer`.
  func hasTopLevel(_ buffer: ByteBuffer) throws(ArchiveError) -> Bool {
    try has(buffer, 0..<buffer.count, in: directory.topLevel)
  }

  /// The checksum in the trailer of the newest save. It is at the same place in both kinds of trailers.
  var newestChecksum: UInt64 { (try? reader.word(at: extent.storedByteCount - 16)) ?? 0 }

  /// The number of bytes of bodies and top levels that newer ones replace.
  var replacedByteCount: Int {
    guard let saved else { return 0 }
    for number in saved.replacedInFirst.dropFirst(knownBodies.replacedInFirst.count) {
      knownBodies.replacedInFirst.byteCount += (try? extentInFirst(ofBody: number).count) ?? 0
    }
    knownBodies.replacedInFirst.count = saved.replacedInFirst.count
    return saved.replacedByteCount + knownBodies.replacedInFirst.byteCount + extent.firstContentEnd
      - directory.bodies.upperBound
  }

  var tableByteCount: Int {
    saves.reduce(extent.firstEnd - extent.firstContentEnd) {
      $0 + $1.range.upperBound - $1.topLevel.upperBound
    }
  }

  /// The archive in the long form, to which saves can be added.
  package func longForm() throws(ArchiveError) -> ByteBuffer {
    try ArchiveRewriter(self, prefersShortForm: false).buffer
  }
}
