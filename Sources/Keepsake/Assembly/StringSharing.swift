/// Finds strings that are written again, and adds them to the string table (Format §5.4).
///
/// The first time, a string is written inline and only its hash is kept. The second time, it moves into the table; from
/// then on it costs a reference. Two strings with the same hash cost only a needless entry.
struct StringSharing {
  /// Shorter strings cost no more inline than as a reference.
  static let shortest = 3
  /// After this many different strings, new ones are not watched, so that memory stays bounded.
  private static let mostWatched = 1 << 19

  /// A point to which the strings can be taken back.
  struct Mark {
    fileprivate let watched: Int
    fileprivate let shared: Int
  }

  /// The hashes of the strings written so far. Nearly all strings of most archives occur once; for these, sharing costs
  /// only one look into a table that fits into the caches. The table stores whole hashes: whether a string counts as
  /// seen does not depend on the slots of others, nor the archive on what was taken back.
  private var seen = HashTable()
  /// The hashes in the order in which strings were first seen, to take them back and to fill a larger table.
  private let seenHashes = OwnedArray<UInt32>()
  /// For each string of the table, its number plus 1.
  private var numbers = HashTable()
  private let shared = OwnedArray<SharedString>()
  /// How many of these come from the file to which a save is added.
  private var takenOverCount = 0
  private let bytes = ByteBuffer()

  /// A string of the table: its hash, the end of its bytes, and the words of a small text, or zeros.
  private struct SharedString {
    let hash: UInt32
    let end: Int
    let words: (UInt64, UInt64)
  }

  /// How many strings the table has.
  var count: Int { shared.count }

  var mark: Mark { Mark(watched: seenHashes.count, shared: shared.count) }

  /// The number of the string in the table, or `nil` when it is to be written inline.
  @inline(__always)
  mutating func number(for utf8: RawSpan) -> Int? {
    let hash = StringSharing.hash(of: utf8)
    return isSeen(hash) ? sharedNumber(for: utf8, hash) : nil
  }

  /// Whether the text is met for the first time.
  @inline(__always)
  mutating func isNew(_ text: SmallText) -> Bool { !isSeen(StringSharing.hash(of: text)) }

  /// The number of a text that is not new.
  @inline(never)
  mutating func number(forSeen text: SmallText) -> Int? {
    let hash = StringSharing.hash(of: text)
    switch numbers.search(hash, { shared[Int($0) &- 1].words == text.words }) {
    case .found(let number): return Int(number) &- 1
    case .nothing: return nil
    case .free(let slot):
      bytes.append(text)
      return add(hash, text.words, at: slot)
    }
  }

  /// Whether a string with this hash was met before. From now on, it counts as met.
  @inline(__always)
  private mutating func isSeen(_ hash: UInt32) -> Bool {
    switch seen.search(hash, { $0 == hash }) {
    case .found: return true
    case .free(let slot): watch(hash, at: slot)
    case .nothing: break
    }
    return false
  }

  // 0 marks a free slot.
  private static func hash(of utf8: RawSpan) -> UInt32 {
    utf8.byteCount > SmallText.mostBytes ? max(KeyHash.unseeded.of(utf8), 1) : hash(of: SmallText(utf8))
  }

  private static func words(of utf8: RawSpan) -> (UInt64, UInt64) {
    utf8.byteCount > SmallText.mostBytes ? (0, 0) : SmallText(utf8).words
  }

  @inline(__always)
  private static func hash(of text: SmallText) -> UInt32 { max(KeyHash.unseeded.of(text), 1) }

  @inline(__always)
  private mutating func watch(_ hash: UInt32, at slot: Int) {
    guard seenHashes.count < StringSharing.mostWatched else { return }
    seen.fill(slot, hash)
    seenHashes.append(hash)
    if seen.isFull(seenHashes.count) { enlarge(for: seenHashes.count) }
  }

  /// Reserves space for `count` more strings, which are likely to be different ones.
  mutating func reserve(_ count: Int) {
    let wanted = min(seenHashes.count + count, StringSharing.mostWatched)
    if seen.isFull(wanted) { enlarge(for: wanted) }
  }

  @inline(never)
  private mutating func enlarge(for count: Int) {
    seen = HashTable(for: count)
    for index in 0..<seenHashes.count { seen.insert(seenHashes[index], seenHashes[index]) }
  }

  /// The number of a string that has probably been seen before.
  @inline(never)
  private mutating func sharedNumber(for utf8: RawSpan, _ hash: UInt32) -> Int? {
    switch numbers.search(hash, { isShared(utf8, Int($0) &- 1, hash) }) {
    case .found(let number): return Int(number) &- 1
    case .nothing: return nil
    case .free(let slot):
      bytes.append(utf8)
      return add(hash, StringSharing.words(of: utf8), at: slot)
    }
  }

  /// Adds the string whose bytes were appended, in the free slot `slot`.
  private mutating func add(_ hash: UInt32, _ words: (UInt64, UInt64), at slot: Int) -> Int {
    shared.append(SharedString(hash: hash, end: bytes.count, words: words))
    numbers.fill(slot, UInt32(shared.count))
    if numbers.isFull(shared.count) { enlargeNumbers() }
    return shared.count &- 1
  }

  @inline(never)
  private mutating func enlargeNumbers() {
    numbers = HashTable(for: shared.count)
    for index in 0..<takenOverCount { enter(index) }
    for index in takenOverCount..<shared.count { numbers.insert(UInt32(index + 1), shared[index].hash) }
  }

  /// Gives the next number to a string of the file to which a save is added. As in the original archive, its first
  /// occurrence is written inline, and each later one as a reference to that entry.
  mutating func takeOver(_ utf8: RawSpan) {
    let hash = StringSharing.hash(of: utf8)
    bytes.append(utf8)
    shared.append(SharedString(hash: hash, end: bytes.count, words: StringSharing.words(of: utf8)))
    takenOverCount = shared.count
    if numbers.isFull(shared.count) { enlargeNumbers() } else { enter(shared.count - 1) }
  }

  /// Makes it possible to find a string that was taken over, unless an equal one, or too many with similar hashes, can
  /// be found already: the strings of a file may have been chosen to make this slow.
  private mutating func enter(_ index: Int) {
    let hash = shared[index].hash
    let finding = bytes.withBytes(range(index)) { utf8 in
      numbers.search(hash) { isShared(utf8, Int($0) &- 1, hash) }
    }
    if case .free(let slot) = finding { numbers.fill(slot, UInt32(index + 1)) }
  }

  @inline(__always)
  private func isShared(_ utf8: RawSpan, _ number: Int, _ hash: UInt32) -> Bool {
    shared[number].hash == hash && bytes.withBytes(range(number)) { $0.hasSameBytes(as: utf8) }
  }

  @inline(__always)
  private func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : shared[number - 1].end)..<shared[number].end
  }

  /// A string of the table, for code that walks what was written.
  func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    guard number < shared.count else { throw .damaged("A reference to a string is out of range", at: offset) }
    return try bytes.reader().string(range(number))
  }

  /// Forgets what was seen since `mark`, in reverse order.
  mutating func truncate(to mark: Mark) {
    while shared.count > mark.shared {
      let number = UInt32(shared.count)
      numbers.removeLast(number, shared.removeLast().hash)
    }
    bytes.truncate(to: shared.count == 0 ? 0 : shared[shared.count - 1].end)
    while seenHashes.count > mark.watched {
      let hash = seenHashes.removeLast()
      seen.removeLast(hash, hash)
    }
  }

  /// Forgets all strings.
  mutating func removeAll() {
    if seen.clear(of: seenHashes.count) { seenHashes.truncate(to: 0) }
    truncate(to: Mark(watched: 0, shared: 0))
  }

  /// Writes an entry of the string table (Format §5.4).
  func write(_ number: Int, to buffer: ByteBuffer) {
    let range = self.range(number)
    buffer.append(varint: range.count)
    buffer.append(bytes, range)
  }
}

/// A hash table of small numbers other than 0. Collisions go to the next free slot.
///
/// The value that was inserted last can be removed without a trace, since no value ever moves.
private struct HashTable {
  /// Longer chains of collisions are not followed, so that no choice of strings makes encoding slow. By chance, chains
  /// reach a tenth of that; with a lower limit, what is found would depend on the size of the table.
  private static let longestProbe = 512

  private let slots: OwnedArray<UInt32>

  enum Finding {
    case found(UInt32)
    case free(Int)
    case nothing
  }

  init(for count: Int = 0) {
    var slotCount = 64
    // Small tables grow faster, so that refilling them costs less.
    while HashTable.isFull(count, slotCount) { slotCount *= slotCount < 1 << 13 ? 4 : 2 }
    slots = OwnedArray(zeros: slotCount)
  }

  /// Whether `count` values are too many for `slotCount` slots.
  private static func isFull(_ count: Int, _ slotCount: Int) -> Bool { count &* 8 > slotCount &* 5 }

  @inline(__always)
  func isFull(_ count: Int) -> Bool { HashTable.isFull(count, slots.count) }

  /// The first value from the slot of `hash` on that `isMeant` accepts, or the free slot for it.
  @inline(__always)
  func search(_ hash: UInt32, _ isMeant: (UInt32) -> Bool) -> Finding {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    for _ in 0..<HashTable.longestProbe {
      let value = slots[slot]
      if value == 0 { return .free(slot) }
      if isMeant(value) { return .found(value) }
      slot = (slot &+ 1) & mask
    }
    return .nothing
  }

  @inline(__always)
  mutating func fill(_ slot: Int, _ value: UInt32) { slots[slot] = value }

  @inline(__always)
  mutating func insert(_ value: UInt32, _ hash: UInt32) { slots[slot(of: 0, hash)] = value }

  /// Removes the value that was inserted last: `value`, with `hash`.
  mutating func removeLast(_ value: UInt32, _ hash: UInt32) { slots[slot(of: value, hash)] = 0 }

  /// Empties the table, unless its `count` values are so few that removing them one by one is less work.
  mutating func clear(of count: Int) -> Bool {
    guard count &* 16 > slots.count else { return false }
    for slot in 0..<slots.count { slots[slot] = 0 }
    return true
  }

  /// The first slot from that of `hash` on with `value`, which must be there; 0 always is (see `isFull`).
  @inline(__always)
  private func slot(of value: UInt32, _ hash: UInt32) -> Int {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != value { slot = (slot &+ 1) & mask }
    return slot
  }
}
