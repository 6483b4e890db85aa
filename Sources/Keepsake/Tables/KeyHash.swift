/// Hashes of keys and other strings, to find them in any order. Readers use a seed that differs between processes,
/// so nobody can choose keys that all fall into one bucket.
struct KeyHash {
  private let seed: UInt64

  /// Hashes with the seed of this process.
  static let seeded = KeyHash(seed: UInt64(truncatingIfNeeded: "Keepsake".hashValue))

  /// Hashes that are the same in every process, as an archive depends on them.
  static let unseeded = KeyHash(seed: 0)

  @inline(__always)
  func of(_ number: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: KeyHash.mix(seed ^ UInt64(truncatingIfNeeded: number)))
  }

  /// The hash of a small text, which differs from that of its bytes.
  @inline(__always)
  func of(_ text: SmallText) -> UInt32 {
    UInt32(truncatingIfNeeded: KeyHash.mix(KeyHash.mix(seed ^ text.words.0) ^ text.words.1))
  }

  @inline(__always)
  func of(_ utf8: RawSpan) -> UInt32 {
    let count = utf8.byteCount
    var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while count &- offset > 8 {
      hash = KeyHash.mix(hash ^ utf8.littleEndianWord(at: offset)) ^ seed
      offset &+= 8
    }
    hash = KeyHash.mix(hash ^ KeyHash.lastWord(of: utf8))
    return UInt32(truncatingIfNeeded: KeyHash.mix(hash ^ seed))
  }

  /// The last eight bytes, or all if there are fewer.
  @inline(__always)
  private static func lastWord(of utf8: RawSpan) -> UInt64 {
    let count = utf8.byteCount
    if count >= 8 { return utf8.littleEndianWord(at: count &- 8) }
    if count >= 4 {
      // Two overlapping halves.
      return UInt64(utf8.littleEndianHalfWord(at: 0)) << 32
        | UInt64(utf8.littleEndianHalfWord(at: count &- 4))
    }
    var word: UInt64 = 0
    for offset in 0..<count { word = word &<< 8 | UInt64(utf8.byte(at: offset)) }
    return word
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }
}

/// Finds the slots of keys by their hashes. A key whose bucket is taken goes to the next free one.
struct SlotTable {
  /// 1 more than the number of a slot; 0 in a free bucket.
  private var buckets: [UInt32]

  var capacity: Int { buckets.count &* 2 / 3 }

  /// A table with room for `count` slots, and enough buckets to be at most two thirds full.
  init(for count: Int) {
    buckets = []
    if count == 0 { return }
    var bucketCount = 8
    while bucketCount &* 2 < count &* 3 { bucketCount &*= 2 }
    buckets = Array(repeating: 0, count: bucketCount)
  }

  /// Enters the last of `count` slots; a full table is replaced by a larger one, which all are entered into.
  mutating func enterLast(of count: Int, _ hash: (Int) -> UInt32) {
    let isFull = count > capacity
    if isFull { self = SlotTable(for: 2 * count) }
    for slot in (isFull ? 0 : count - 1)..<count { _ = insert(slot, hash(slot)) { _ in false } }
  }

  /// The first slot to which `hash` may lead and for which `isMeant` is true.
  @inline(__always)
  func slot<Failure>(_ hash: UInt32, _ isMeant: (Int) throws(Failure) -> Bool) throws(Failure) -> Int? {
    guard !buckets.isEmpty else { return nil }
    let mask = buckets.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while buckets[index] != 0 {
      let slot = Int(buckets[index]) &- 1
      if try isMeant(slot) { return slot }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Inserts `slot`, one of those for which the table has room, unless `isSame` is true for a slot that is there.
  @inline(__always)
  mutating func insert<Failure>(
    _ slot: Int,
    _ hash: UInt32,
    _ isSame: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let mask = buckets.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while buckets[index] != 0 {
      if try isSame(Int(buckets[index]) &- 1) { return false }
      index = (index &+ 1) & mask
    }
    buckets[index] = UInt32(truncatingIfNeeded: slot &+ 1)
    return true
  }
}
