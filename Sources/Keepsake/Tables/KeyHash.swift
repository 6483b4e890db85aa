/// Hashes of keys and other strings, by which they are found in any order. When an archive is read they have a seed that
/// differs from process to process, so that nobody can choose keys that all meet in one bucket.
struct KeyHash {
  private let seed: UInt64

  init() {
    var hasher = Hasher()
    hasher.combine("Keepsake")
    seed = UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private init(seed: UInt64) {
    self.seed = seed
  }

  /// The same in every process, for where an archive depends on it.
  static let unseeded = KeyHash(seed: 0)

  @inline(__always)
  func of(_ number: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: KeyHash.mix(seed ^ UInt64(truncatingIfNeeded: number)))
  }

  /// The hash of a text that is known to be a small one; not that of its bytes.
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

  /// The last eight bytes, or all where there are fewer.
  @inline(__always)
  private static func lastWord(of utf8: RawSpan) -> UInt64 {
    let count = utf8.byteCount
    if count >= 8 { return utf8.littleEndianWord(at: count &- 8) }
    if count >= 4 {
      // Two halves that overlap.
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

/// Finds the slots of keys by their hashes; collisions go to the next bucket that is free.
struct SlotTable {
  /// The number of a slot and 1, or 0 where a bucket is free.
  private var buckets: [UInt32]

  var capacity: Int { buckets.count &* 2 / 3 }

  /// A table with room for `count` slots: as many buckets as make it two thirds full at most.
  init(for count: Int) {
    var bucketCount = 8
    while bucketCount &* 2 < count &* 3 { bucketCount &*= 2 }
    buckets = Array(repeating: 0, count: bucketCount)
  }

  /// The first slot with `hash` that `isMeant`, of those which may be that.
  @inline(__always)
  func slot<Failure>(_ hash: UInt32, _ isMeant: (Int) throws(Failure) -> Bool) throws(Failure) -> Int? {
    let mask = buckets.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while buckets[index] != 0 {
      let slot = Int(buckets[index]) &- 1
      if try isMeant(slot) { return slot }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Puts `slot` in, of those for which the table was made, unless one is there that `isSame`.
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
