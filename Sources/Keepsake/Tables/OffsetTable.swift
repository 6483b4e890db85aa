/// The extent of each body (Format §5.6): groups of 64 bodies, each with the offset of its first body and all
/// lengths. A length takes one, two, four or eight bytes, whichever suffices for the group.
enum OffsetTable {
  static let groupSize = 64
  /// Eight bytes of offset and width code, four of the location of the lengths.
  static let groupByteCount = 12

  static func groupCount(_ bodyCount: Int) -> Int { (bodyCount + groupSize - 1) / groupSize }
}

/// The offset table under construction.
struct OffsetTableBuilder {
  private let groups = ByteBuffer()
  private let lengthBytes = ByteBuffer()
  /// The lengths of the bodies in the last group until it is full.
  private let pending = OwnedArray<Int>()
  private var pendingStart = 0
  private(set) var count = 0

  @inline(__always)
  mutating func add(offset: Int, length: Int) {
    if pending.count == 0 { pendingStart = offset }
    pending.append(length)
    count &+= 1
    if pending.count == OffsetTable.groupSize { flush() }
  }

  @inline(never)
  private mutating func flush() {
    guard pending.count > 0 else { return }
    var bits = 0
    for index in 0..<pending.count { bits |= pending[index] }
    let widthCode = bits < 1 << 8 ? 0 : bits < 1 << 16 ? 1 : bits < 1 << 32 ? 2 : 3
    groups.append(word: UInt64(pendingStart) << 2 | UInt64(widthCode))
    groups.append(word: UInt64(lengthBytes.count), byteCount: 4)
    for index in 0..<pending.count {
      lengthBytes.append(word: UInt64(truncatingIfNeeded: pending[index]), byteCount: 1 &<< widthCode)
    }
    pending.truncate(to: 0)
  }

  /// The range of the body `number`, counted from 1, if it was added.
  func range(of number: Int) -> Range<Int>? {
    guard number >= 1, number <= count else { return nil }
    let (start, lengths) = group((number - 1) / OffsetTable.groupSize)
    let index = (number - 1) % OffsetTable.groupSize
    let offset = lengths[..<index].reduce(start, +)
    return offset..<(offset + lengths[index])
  }

  var lengths: [Int] { (0..<OffsetTable.groupCount(count)).flatMap { group($0).lengths } }

  /// The offset of the first body in a group, and the length of each.
  private func group(_ group: Int) -> (start: Int, lengths: [Int]) {
    let (head, reader) = (group * OffsetTable.groupByteCount, groups.reader())
    guard head < groups.count, let entry = try? reader.word(at: head),
      let first = try? reader.unsigned(at: head + 8, byteCount: 4)
    else { return (pendingStart, (0..<pending.count).map { pending[$0] }) }
    let (width, stored) = (1 << Int(entry & 3), lengthBytes.reader())
    let lengths = (0..<OffsetTable.groupSize).map { index in
      Int((try? stored.unsigned(at: Int(first) + index * width, byteCount: width)) ?? 0)
    }
    return (Int(entry >> 2), lengths)
  }

  /// Removes the bodies after number `newCount`.
  mutating func truncate(to newCount: Int) {
    guard newCount < count else { return }
    let (last, kept) = (newCount / OffsetTable.groupSize, newCount % OffsetTable.groupSize)
    let head = last * OffsetTable.groupByteCount
    if head < groups.count {
      var lengths: [Int] = []
      if kept > 0 { (pendingStart, lengths) = group(last) }
      lengthBytes.truncate(
        to: (try? groups.reader().unsigned(at: head + 8, byteCount: 4)).map { Int($0) } ?? 0
      )
      groups.truncate(to: head)
      pending.truncate(to: 0)
      for length in lengths { pending.append(length) }
    }
    pending.truncate(to: kept)
    count = newCount
  }

  /// The lengths of all bodies, if they do not fill a group. Archives with more bodies get the long form, in which a
  /// body can be found without the lengths of all.
  var fewLengths: OwnedArray<Int>? { count == pending.count ? pending : nil }

  /// The parts of the table, in order.
  mutating func finish() -> [ByteBuffer] {
    flush()
    return [groups, lengthBytes]
  }
}
