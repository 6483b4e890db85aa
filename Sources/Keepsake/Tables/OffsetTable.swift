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
    let group = (number - 1) / OffsetTable.groupSize
    let index = (number - 1) % OffsetTable.groupSize
    let flushed = groups.reader()
    guard let entry = try? flushed.word(at: group * OffsetTable.groupByteCount) else {
      let start = pendingStart + pending[..<index].reduce(0, +)
      return start..<(start + pending[index])
    }
    let stored = lengthBytes.reader()
    var start = Int(entry >> 2)
    let width = 1 << Int(entry & 3)
    guard let first = try? flushed.unsigned(at: group * OffsetTable.groupByteCount + 8, byteCount: 4) else {
      return nil
    }
    for offset in 0...index {
      guard let length = try? stored.unsigned(at: Int(first) + offset * width, byteCount: width) else {
        return nil
      }
      if offset == index { return start..<(start + Int(length)) }
      start += Int(length)
    }
    return nil
  }

  /// The lengths of all bodies.
  var lengths: [Int] {
    var result: [Int] = []
    result.reserveCapacity(count)
    let flushed = groups.reader()
    let stored = lengthBytes.reader()
    for group in stride(from: 0, to: groups.count, by: OffsetTable.groupByteCount) {
      guard let entry = try? flushed.word(at: group),
        let first = try? flushed.unsigned(at: group + 8, byteCount: 4)
      else { return result }
      let width = 1 << Int(entry & 3)
      for index in 0..<OffsetTable.groupSize {
        let length = try? stored.unsigned(at: Int(first) + index * width, byteCount: width)
        result.append(Int(length ?? 0))
      }
    }
    return result + pending
  }

  /// A point to which the table can be taken back.
  struct Mark {
    fileprivate let groupByteCount: Int
    fileprivate let lengthByteCount: Int
    fileprivate let pending: [Int]
    fileprivate let pendingStart: Int
    fileprivate let count: Int
  }

  var mark: Mark {
    Mark(
      groupByteCount: groups.count,
      lengthByteCount: lengthBytes.count,
      pending: pending,
      pendingStart: pendingStart,
      count: count
    )
  }

  mutating func truncate(to mark: Mark) {
    groups.truncate(to: mark.groupByteCount)
    lengthBytes.truncate(to: mark.lengthByteCount)
    pending = mark.pending
    pendingStart = mark.pendingStart
    count = mark.count
  }

  /// The lengths of all bodies, where they are no more than ``ShortArchive/mostBodies``.
  var fewLengths: [Int]? { count == pending.count ? pending : nil }

  /// Forgets all bodies.
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
