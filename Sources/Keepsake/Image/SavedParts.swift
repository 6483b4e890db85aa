/// The saves of a file after the first (Format §13), and the bodies that replace earlier ones.
struct SavedParts {
  /// The saves, the oldest first.
  private(set) var saves: [SaveDirectory] = []
  /// The ranges of the bodies that appended saves have, each in the newest one.
  private var bodies: [UInt32: Range<Int>] = [:]
  /// A bit for each body of the file, set if an appended save has it. In most files, few bodies are in appended saves.
  private var haveNewer: [UInt64]
  private let firstBodyCount: Int
  /// The numbers of the bodies of the first save that newer ones have replaced.
  private(set) var replacedInFirst: [Int] = []
  /// The bytes of bodies and top levels that newer ones have replaced, without those of the first save.
  private(set) var replacedByteCount = 0

  /// - Parameter first: The directory of the first save.
  init(after first: ArchiveDirectory) {
    firstBodyCount = first.bodyCount
    haveNewer = Array(repeating: 0, count: firstBodyCount / 64 + 1)
  }

  /// Finds the saves of a file that ends with the newest one, back to the first or to the one that ends at `known`.
  static func trailers(
    _ reader: ByteReader,
    _ flags: Header.Flags,
    after known: Int = 0
  ) throws(ArchiveError) -> (trailers: [SaveTrailer], end: Int) {
    var trailers: [SaveTrailer] = []
    var part = reader
    // Each save begins before the next, so this ends.
    while part.count != known, !part.hasBytes(Trailer.signature, at: part.count - 8) {
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

  /// Adds the saves that end with `trailers`, the oldest first.
  mutating func add(
    _ trailers: [SaveTrailer],
    _ reader: ByteReader,
    _ verifier: inout BlockVerifier?
  ) throws(ArchiveError) {
    for trailer in trailers {
      // The place of the checksum in both kinds of trailers.
      guard try reader.word(at: trailer.start - 16) == trailer.checksumBefore else {
        throw .damaged(
          "A save does not belong to the save before it",
          at: trailer.end - SaveTrailer.byteCount
        )
      }
      try verifier?.verify(trailer.directoryOffset..<trailer.checksumsOffset)
      let save = try SaveDirectory(reader, trailer)
      guard save.number == saves.count + 2 else {
        throw .damaged("The saves of the file are not numbered in order", at: trailer.directoryOffset)
      }
      try verifier?.verify(save.topLevel)
      try verifier?.verify(save.topLevel.upperBound..<trailer.directoryOffset)
      let added = try save.readBodies(reader, countBefore: saves.last?.bodyCount ?? firstBodyCount)
      haveNewer += Array(repeating: 0, count: save.bodyCount / 64 + 1 - haveNewer.count)
      for (number, range) in added {
        if let replaced = bodies.updateValue(range, forKey: UInt32(truncatingIfNeeded: number)) {
          replacedByteCount += replaced.count
        } else if number <= firstBodyCount {
          replacedInFirst.append(number)
        }
        haveNewer[number / 64] |= 1 << UInt64(number % 64)
      }
      replacedByteCount += saves.last?.topLevel.count ?? 0
      saves.append(save)
    }
  }

  /// The range of the body `number`, if an appended save has it.
  func body(_ number: Int) -> Range<Int>? {
    guard haveNewer[number / 64] >> UInt64(number % 64) & 1 == 1 else { return nil }
    return bodies[UInt32(truncatingIfNeeded: number)]
  }

  /// The number of the body that holds the byte at `offset`, if it is a current body of an appended save.
  func bodyNumber(containing offset: Int) -> Int? {
    bodies.first { $0.value.contains(offset) }.map { Int($0.key) }
  }
}
