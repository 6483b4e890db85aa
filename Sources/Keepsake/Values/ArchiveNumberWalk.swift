/// The numbers of a packed array, in chunks, since it may be as large as the archive (Format §4.7).
package struct ArchiveNumberWalk {
  /// A multiple of the integers in a block and of the booleans in a byte.
  private static let mostAtOnce = 8 * PackedNumbers.blockSize

  private let image: ArchiveImage
  private let reader: ByteReader
  private let element: PackedElement
  private var cursor: Int
  package let count: Int
  package var areSingle: Bool { element == .float32 }
  /// The number of elements that were returned or skipped.
  package private(set) var index = 0

  /// Creates a walk, or returns `nil` if the value is not a packed array.
  package init?(_ value: ArchiveValue) throws(ArchiveError) {
    guard value.kind == .numbers else { return nil }
    (image, reader) = (value.image, value.reader)
    (element, count, cursor) = try image.packedHead(at: value.offset, in: reader)
  }

  /// The next numbers, at most 1,024, or `nil` after the last.
  package mutating func next() throws(ArchiveError) -> ArchiveNumbers? {
    let taken = min(count - index, ArchiveNumberWalk.mostAtOnce)
    guard taken > 0 else { return nil }
    let start = cursor
    try pass(taken)
    try image.touch(start..<cursor)
    return try ArchiveNumbers(element, taken, reader, at: start)
  }

  /// Skips whole chunks before the number at index `wanted`, so fewer than 1,024 remain before it.
  package mutating func skip(towards wanted: Int) throws(ArchiveError) {
    while wanted - index >= ArchiveNumberWalk.mostAtOnce, count - index > ArchiveNumberWalk.mostAtOnce {
      try pass(ArchiveNumberWalk.mostAtOnce)
    }
  }

  private mutating func pass(_ taken: Int) throws(ArchiveError) {
    switch element {
    case .bool: try advance((taken + 7) / 8)
    case .float32: try advance(taken * 4)
    case .float64: try advance(taken * 8)
    case .signed, .unsigned:
      for first in stride(from: 0, to: taken, by: PackedNumbers.blockSize) {
        // A mixed block begins with one byte and the widths. What follows is touched when it is read.
        let count = min(taken - first, PackedNumbers.blockSize)
        try image.touch(cursor..<min(cursor + 1 + (count + 3) / 4, reader.count))
        cursor = try PackedBlock(reader, of: count, at: cursor).end
      }
    }
    index += taken
  }

  private mutating func advance(_ byteCount: Int) throws(ArchiveError) {
    try reader.check(byteCount, at: cursor)
    cursor += byteCount
  }
}
