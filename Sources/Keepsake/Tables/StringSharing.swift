/// Finds strings that are written again, and gives those a place in the string table (Format §5.4).
///
/// The first time a string is written it stands inline and only its hash is kept; the second time it moves
/// into the table, and from then on costs a reference. Two strings with one hash cost nothing but a needless
/// entry.
struct StringSharing {
  /// Shorter strings cost no more inline than as a reference.
  static let shortest = 3
  /// Beyond this many different strings, new ones are no longer watched: the memory for it stays bounded.
  private static let mostWatched = 1 << 19
  /// Longer chains of collisions are not followed, so that no choice of strings makes encoding slow.
  private static let longestProbe = 16

  private struct Slot {
    var hash: UInt32 = 0
    /// 0: free; 1: seen once; n + 2: string n of the table.
    var state: UInt32 = 0
    /// This slot's place in `filled`.
    var filledIndex: UInt32 = 0
  }

  /// A point to which the strings can be taken back.
  struct Mark {
    fileprivate let watched: Int
    fileprivate let shared: Int
  }

  private var slots = [Slot](repeating: Slot(), count: 64)
  /// The slots in the order they were filled: the way back, and the order of filling a larger table.
  private var filled: [Int] = []
  /// For each string of the table its place in `filled` and the end of its bytes.
  private var shared: [(filledIndex: Int, end: Int)] = []
  private let bytes = ByteBuffer()

  /// How many strings the table has.
  var count: Int { shared.count }

  var mark: Mark { Mark(watched: filled.count, shared: shared.count) }

  /// The number of the string in the table, or `nil` when it is to be written inline.
  mutating func number(for utf8: RawSpan) -> Int? {
    let hash = stringHash(utf8)
    let mask = slots.count - 1
    var place = Int(hash) & mask
    for _ in 0..<StringSharing.longestProbe {
      let slot = slots[place]
      if slot.state == 0 {
        watch(hash, at: place)
        return nil
      }
      if slot.hash == hash {
        if slot.state >= 2 {
          let number = Int(slot.state) - 2
          if isShared(utf8, number) { return number }
        } else {
          return share(utf8, slot: place)
        }
      }
      place = (place + 1) & mask
    }
    return nil
  }

  private mutating func watch(_ hash: UInt32, at place: Int) {
    guard filled.count < StringSharing.mostWatched else { return }
    slots[place] = Slot(hash: hash, state: 1, filledIndex: UInt32(filled.count))
    filled.append(place)
    if filled.count * 2 > slots.count { enlarge() }
  }

  private mutating func enlarge() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: old.count * 2)
    let mask = slots.count - 1
    for index in filled.indices {
      let slot = old[filled[index]]
      var place = Int(slot.hash) & mask
      while slots[place].state != 0 { place = (place + 1) & mask }
      slots[place] = slot
      filled[index] = place
    }
  }

  private mutating func share(_ utf8: RawSpan, slot: Int) -> Int {
    let number = shared.count
    bytes.append(utf8)
    shared.append((Int(slots[slot].filledIndex), bytes.count))
    slots[slot].state = UInt32(number + 2)
    return number
  }

  private func isShared(_ utf8: RawSpan, _ number: Int) -> Bool {
    bytes.withBytes(range(number)) { $0.hasSameBytes(as: utf8) }
  }

  private func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : shared[number - 1].end)..<shared[number].end
  }

  /// A string of the table, for those who walk what was written.
  func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    guard number < shared.count else { throw ArchiveError(.damaged, "No such string", byteOffset: offset) }
    return try bytes.reader().string(range(number))
  }

  /// Forgets what was seen since `mark`, the last first, which is exact as nothing was ever moved but by
  /// `enlarge`.
  mutating func truncate(to mark: Mark) {
    while shared.count > mark.shared {
      slots[filled[shared.removeLast().filledIndex]].state = 1
    }
    bytes.truncate(to: shared.last?.end ?? 0)
    while filled.count > mark.watched {
      slots[filled.removeLast()] = Slot()
    }
  }

  /// Writes the string table (Format §5.4).
  func write(to buffer: ByteBuffer) {
    for number in shared.indices {
      let range = self.range(number)
      buffer.append(varint: range.count)
      buffer.append(bytes, range)
    }
  }
}

/// A fast hash without a seed: the same string is shared or not, whatever the process.
private func stringHash(_ bytes: RawSpan) -> UInt32 {
  var hash = UInt64(bytes.byteCount) &* 0x9E37_79B9_7F4A_7C15
  var offset = 0
  while bytes.byteCount - offset >= 8 {
    hash = mix(hash ^ bytes.littleEndianWord(at: offset))
    offset += 8
  }
  var rest: UInt64 = 0
  while offset < bytes.byteCount {
    rest = rest << 8 | UInt64(bytes.byte(at: offset))
    offset += 1
  }
  return UInt32(truncatingIfNeeded: mix(hash ^ rest))
}

@inline(__always)
private func mix(_ word: UInt64) -> UInt64 {
  let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
  return product.high ^ product.low
}
