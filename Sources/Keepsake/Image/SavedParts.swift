/// The saves of a file after the first (Format §13), and the bodies that replace earlier ones.
struct SavedParts {
  /// The saves, the oldest first.
  let saves: [SaveDirectory]
  /// The ranges of the bodies that appended saves have, each in the newest one.
  private let bodies: [UInt32: Range<Int>]
  /// A bit for each body of the file, set if an appended save has it. In most files, few bodies are in appended saves.
  private let haveNewer: [UInt64]
  /// The bytes of bodies and top levels that newer ones have replaced, without those of the first save.
  let replacedByteCount: Int

  /// Finds the saves of a file that ends with the newest one, and the end of the first.
  static func trailers(
    _ reader: ByteReader,
    _ flags: Header.Flags
  ) throws(ArchiveError) -> (trailers: [SaveTrailer], firstEnd: Int) {
    var trailers: [SaveTrailer] = []
    var part = reader
    // Each save begins before the next, so this ends.
    while !part.hasBytes(Trailer.signature, at: part.count - 8) {
      guard let trailer = SaveTrailer(part, flags) else {
        throw .damaged(
          "A save follows bytes that do not end with a trailer",
          at: max(0, part.count - SaveTrailer.byteCount)
        )
      }
      trailers.append(trailer)
      part = part.limited(to: trailer.start)
    }
    return (trailers.reversed(), part.count)
  }

  /// - Parameter first: The directory of the first save.
  init(
    _ reader: ByteReader,
    _ trailers: [SaveTrailer],
    after first: ArchiveDirectory,
    _ verifier: inout BlockVerifier?
  ) throws(ArchiveError) {
    var saves: [SaveDirectory] = []
    var bodies: [UInt32: Range<Int>] = [:]
    var bodyCount = first.bodyCount
    var replacedByteCount = 0
    for (index, trailer) in trailers.enumerated() {
      // The place of the checksum in both kinds of trailers.
      guard try reader.word(at: trailer.start - 16) == trailer.checksumBefore else {
        throw .damaged(
          "A save does not belong to the save before it",
          at: trailer.end - SaveTrailer.byteCount
        )
      }
      try verifier?.verify(trailer.directoryOffset..<trailer.checksumsOffset)
      let save = try SaveDirectory(reader, trailer)
      guard save.number == index + 2 else {
        throw .damaged("The saves of the file are not numbered in order", at: trailer.directoryOffset)
      }
      try verifier?.verify(save.topLevel)
      try verifier?.verify(save.topLevel.upperBound..<trailer.directoryOffset)
      try save.forEachBody(reader, countBefore: bodyCount) { number, range in
        let replaced = bodies.updateValue(range, forKey: UInt32(truncatingIfNeeded: number))
        replacedByteCount += replaced?.count ?? 0
      }
      bodyCount = save.bodyCount
      if let last = saves.last { replacedByteCount += last.topLevel.count }
      saves.append(save)
    }
    self.saves = saves
    self.bodies = bodies
    var haveNewer = [UInt64](repeating: 0, count: bodyCount / 64 + 1)
    for number in bodies.keys { haveNewer[Int(number) / 64] |= 1 << UInt64(number % 64) }
    self.haveNewer = haveNewer
    self.replacedByteCount = replacedByteCount
  }

  /// The range of the body `number`, if an appended save has it.
  func body(_ number: Int) -> Range<Int>? {
    guard haveNewer[number / 64] >> UInt64(number % 64) & 1 == 1 else { return nil }
    return bodies[UInt32(truncatingIfNeeded: number)]
  }

  var numbers: [Int] { bodies.keys.map(Int.init) }

  /// The number of the body that holds the byte at `offset`, if it is a current body of an appended save.
  func bodyNumber(containing offset: Int) -> Int? {
    bodies.first { $0.value.contains(offset) }.map { Int($0.key) }
  }
}
