/// Finds strings that are written again, and gives those a slot in the string table (Format §5.4).
///
/// The first time a string is written it stands inline and only its hash is kept; the second time it moves
/// into the table, and from then on costs a reference. Two strings with one hash cost nothing but a needless
/// entry.
struct StringSharing {
  /// Shorter strings cost no more inline than as a reference.
  static let shortest = 3
  /// Beyond this many different strings, new ones are no longer watched: the memory for it stays bounded.
  private static let mostWatched = 1 << 19

  /// A point to which the strings can be taken back.
  struct Mark {
    fileprivate let watched: Int
    fileprivate let shared: Int
  }

  /// The hashes of the strings that were written: nearly all strings of most archives are met once, and then one look
  /// into a table that is small enough for the caches is all that sharing costs. Whole hashes, so that no string is held
  /// to be seen because of where others happen to stand, and an archive does not depend on what was taken back.
  private var seen = HashTable()
  /// The hashes in the order in which strings were first seen: the way back, and the order of filling a larger table.
  private let seenHashes = OwnedArray<UInt32>()
  /// For each string of the table its number and 1.
  private var numbers = HashTable()
  private let shared = OwnedArray<SharedString>()
  private let bytes = ByteBuffer()

  /// A string of the table: its hash, the end of its bytes, and the words of a text that is small, or zeros.
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

  /// Whether a string with that hash was met before; it counts as met now.
  @inline(__always)
  private mutating func isSeen(_ hash: UInt32) -> Bool {
    switch seen.search(hash, { $0 == hash }) {
    case .found: return true
    case .free(let slot): watch(hash, at: slot)
    case .nothing: break
    }
    return false
  }

  // 0 is what stands where nothing does.
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

  /// Makes room for `count` more strings, which are likely to be different ones.
  mutating func reserve(_ count: Int) {
    let wanted = min(seenHashes.count + count, StringSharing.mostWatched)
    if seen.isFull(wanted) { enlarge(for: wanted) }
  }

  @inline(never)
  private mutating func enlarge(for count: Int) {
    seen = HashTable(for: count)
    for index in 0..<seenHashes.count { seen.insert(seenHashes[index], seenHashes[index]) }
  }

  /// The number of a string that seems to have been seen before.
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

  /// Adds the string whose bytes were appended; `slot` is free for it.
  private mutating func add(_ hash: UInt32, _ words: (UInt64, UInt64), at slot: Int) -> Int {
    shared.append(SharedString(hash: hash, end: bytes.count, words: words))
    numbers.fill(slot, UInt32(shared.count))
    if numbers.isFull(shared.count) { enlargeNumbers() }
    return shared.count &- 1
  }

  @inline(never)
  private mutating func enlargeNumbers() {
    numbers = HashTable(for: shared.count)
    for index in 0..<shared.count { numbers.insert(UInt32(index + 1), shared[index].hash) }
  }

  /// Gives the next number to a string of the file to which a save is added. It is written as if it were new the first
  /// time, as it was when the archive was written, and from then on as a reference to that entry.
  mutating func takeOver(_ utf8: RawSpan) {
    let hash = StringSharing.hash(of: utf8)
    bytes.append(utf8)
    shared.append(SharedString(hash: hash, end: bytes.count, words: StringSharing.words(of: utf8)))
    if numbers.isFull(shared.count) { enlargeNumbers() } else { numbers.insert(UInt32(shared.count), hash) }
  }

  @inline(__always)
  private func isShared(_ utf8: RawSpan, _ number: Int, _ hash: UInt32) -> Bool {
    shared[number].hash == hash && bytes.withBytes(range(number)) { $0.hasSameBytes(as: utf8) }
  }

  @inline(__always)
  private func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : shared[number - 1].end)..<shared[number].end
  }

  /// A string of the table, for those who walk what was written.
  func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    guard number < shared.count else { throw .damaged("No such string", at: offset) }
    return try bytes.reader().string(range(number))
  }

  /// Forgets what was seen since `mark`, the last first.
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

/// Small numbers, but for 0, by hashes, where collisions go to the next slot that is free.
///
/// What was put in last can be taken out again exactly, as nothing else is ever moved.
private struct HashTable {
  /// Longer chains of collisions are not followed, so that no choice of strings makes encoding slow. Chains come to a
  /// tenth of that by chance; were it less, then what is found would depend on the size of the table.
  private static let longestProbe = 512

  private let slots: OwnedArray<UInt32>

  enum Finding {
    case found(UInt32)
    case free(Int)
    case nothing
  }

  init(for count: Int = 0) {
    var slotCount = 64
    // While tables are small they grow faster, so that filling them anew costs less.
    while HashTable.isFull(count, slotCount) { slotCount *= slotCount < 1 << 13 ? 4 : 2 }
    slots = OwnedArray(zeros: slotCount)
  }

  /// Whether so many values are too many for so many slots.
  private static func isFull(_ count: Int, _ slotCount: Int) -> Bool { count &* 8 > slotCount &* 5 }

  @inline(__always)
  func isFull(_ count: Int) -> Bool { HashTable.isFull(count, slots.count) }

  /// The first value from the slot of `hash` on that is meant, or the slot that is free for it.
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

  /// Takes out the value that was put in last, which was `value` with `hash`.
  mutating func removeLast(_ value: UInt32, _ hash: UInt32) { slots[slot(of: value, hash)] = 0 }

  /// Makes it empty, unless the `count` values in it are so few that to take them out one by one is less work.
  mutating func clear(of count: Int) -> Bool {
    guard count &* 16 > slots.count else { return false }
    for slot in 0..<slots.count { slots[slot] = 0 }
    return true
  }

  /// The first slot from that of `hash` on with `value`, which the caller knows to be there; 0 always is (see `isFull`).
  @inline(__always)
  private func slot(of value: UInt32, _ hash: UInt32) -> Int {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != value { slot = (slot &+ 1) & mask }
    return slot
  }
}
