/// The saves of a file behind the first (Format §13), and which bodies they have in place of earlier ones.
struct SavedParts {
  /// The oldest first.
  let saves: [SaveDirectory]
  /// Where those bodies are that an appended save has, each in the newest one.
  private let bodies: [UInt32: Range<Int>]
  /// A bit for each body of the file, set for those: of most files nearly all bodies are in the first save.
  private let haveNewer: [UInt64]
  /// How many bytes of bodies and top levels have a newer one in their place, those of the first save not counted.
  let replacedByteCount: Int

  /// Finds the saves of a file that ends with the newest, and the end of the first.
  static func trailers(
    _ reader: ByteReader,
    _ flags: Header.Flags
  ) throws(ArchiveError) -> (trailers: [SaveTrailer], firstEnd: Int) {
    var trailers: [SaveTrailer] = []
    var part = reader
    // Each begins before the one that follows it, so that this ends.
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

  /// - Parameter first: the directory of the first save.
  init(
    _ reader: ByteReader,
    _ trailers: [SaveTrailer],
    after first: ArchiveDirectory,
    _ verifier: inout PartVerifier?
  ) throws(ArchiveError) {
    var saves: [SaveDirectory] = []
    var bodies: [UInt32: Range<Int>] = [:]
    var bodyCount = first.bodyCount
    var replacedByteCount = 0
    for (index, trailer) in trailers.enumerated() {
      // Where the checksum stands in both kinds of trailers.
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

  /// Where the body `number` is, if an appended save has it.
  func body(_ number: Int) -> Range<Int>? {
    guard haveNewer[number / 64] >> UInt64(number % 64) & 1 == 1 else { return nil }
    return bodies[UInt32(truncatingIfNeeded: number)]
  }

  var numbers: [Int] { bodies.keys.map(Int.init) }

  /// The number of the body that holds the byte at `offset`, if it is one of an appended save, and a current one.
  func bodyNumber(containing offset: Int) -> Int? {
    bodies.first { $0.value.contains(offset) }.map { Int($0.key) }
  }
}

/// Compares the blocks of an archive with their checksums, and those of the saves behind it with theirs (Format §8).
package struct PartVerifier {
  /// A verifier for each save, by where that begins.
  private var parts: [(start: Int, verifier: BlockVerifier)]

  init(_ reader: ByteReader, _ trailer: Trailer) throws(ArchiveError) {
    parts = [(0, try BlockVerifier(reader, trailer))]
  }

  mutating func add(_ reader: ByteReader, _ trailer: SaveTrailer) {
    parts.append((trailer.start, BlockVerifier(reader, trailer)))
  }

  /// Checks the blocks that hold `range`, which is in one save.
  package mutating func verify(_ range: Range<Int>) throws(ArchiveError) {
    // The last one that begins no later; the first begins at 0.
    let next = parts.count == 1 ? 1 : parts.partitioningIndex { $0.start > range.lowerBound }
    try parts[max(0, next - 1)].verifier.verify(range)
  }

  package mutating func verifyAll() throws(ArchiveError) {
    for index in parts.indices { try parts[index].verifier.verifyAll() }
  }
}
