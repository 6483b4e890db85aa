/// Where each body begins and ends (Format §5.6): groups of 64 bodies, each with the offset of its first body
/// and the lengths of all in one, two, four or eight bytes, whichever suffices for the group.
package enum OffsetTable {
  static let groupSize = 64
  /// Eight bytes of offset and width, four of the place of the lengths.
  static let groupByteCount = 12

  static func groupCount(_ bodyCount: Int) -> Int { (bodyCount + groupSize - 1) / groupSize }
}

/// The offset table under construction.
struct OffsetTableBuilder {
  private let groups = ByteBuffer()
  private let lengthBytes = ByteBuffer()
  private var pending: [Int] = []
  private var pendingStart = 0
  private(set) var count = 0

  mutating func add(offset: Int, length: Int) {
    if pending.isEmpty { pendingStart = offset }
    pending.append(length)
    count += 1
    if pending.count == OffsetTable.groupSize { flush() }
  }

  private mutating func flush() {
    guard let longest = pending.max() else { return }
    let widthCode = longest < 1 << 8 ? 0 : longest < 1 << 16 ? 1 : longest < 1 << 32 ? 2 : 3
    groups.append(word: UInt64(pendingStart) << 2 | UInt64(widthCode))
    groups.append(word: UInt64(lengthBytes.count), byteCount: 4)
    for length in pending {
      lengthBytes.append(word: UInt64(length), byteCount: 1 << widthCode)
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// The extent of the body `number`, from 1 on, if it was added.
  func range(of number: Int) -> Range<Int>? {
    guard number >= 1, number <= count else { return nil }
    let index = (number - 1) % OffsetTable.groupSize
    let (start, lengths) = flushed((number - 1) / OffsetTable.groupSize) ?? (pendingStart, pending)
    let offset = lengths[..<index].reduce(start, +)
    return offset..<(offset + lengths[index])
  }

  var lengths: [Int] {
    (0..<(groups.count / OffsetTable.groupByteCount)).flatMap { flushed($0)?.lengths ?? [] } + pending
  }

  /// Where the first body of a group begins, and how long each is; `nil` for the group that is still to be written.
  private func flushed(_ group: Int) -> (start: Int, lengths: [Int])? {
    let (head, reader) = (group * OffsetTable.groupByteCount, groups.reader())
    guard let entry = try? reader.word(at: head), let first = try? reader.unsigned(at: head + 8, byteCount: 4)
    else { return nil }
    let (width, stored) = (1 << Int(entry & 3), lengthBytes.reader())
    let lengths = (0..<OffsetTable.groupSize).map { index in
      Int((try? stored.unsigned(at: Int(first) + index * width, byteCount: width)) ?? 0)
    }
    return (Int(entry >> 2), lengths)
  }

  struct Mark {
    fileprivate let table: OffsetTableBuilder
    fileprivate let byteCounts: (groups: Int, lengths: Int)
  }

  var mark: Mark { Mark(table: self, byteCounts: (groups.count, lengthBytes.count)) }

  mutating func truncate(to mark: Mark) {
    self = mark.table
    groups.truncate(to: mark.byteCounts.groups)
    lengthBytes.truncate(to: mark.byteCounts.lengths)
  }

  /// The lengths of all bodies, where they are no more than ``ShortArchive/mostBodies``.
  var fewLengths: [Int]? { count == pending.count ? pending : nil }

  mutating func removeAll() {
    guard count > 0 else { return }
    groups.truncate(to: 0)
    lengthBytes.truncate(to: 0)
    pending.removeAll(keepingCapacity: true)
    (pendingStart, count) = (0, 0)
  }

  /// The table's parts, in their order.
  mutating func finish() -> [ByteBuffer] {
    flush()
    return [groups, lengthBytes]
  }
}
