/// Hashes of keys, by which they are found in any order.
///
/// They have a seed that differs from process to process. Without one, the keys of an archive could be chosen so
/// that all of them meet in one place of a table, and looking for each would take as long as there are keys.
struct KeyHash {
  private let seed: UInt64

  init() {
    var hasher = Hasher()
    hasher.combine("Keepsake")
    seed = UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// The hash of a number of a key.
  @inline(__always)
  func of(_ number: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: KeyHash.mix(seed ^ UInt64(truncatingIfNeeded: number)))
  }

  /// The hash of a text.
  @inline(__always)
  func of(_ utf8: RawSpan) -> UInt32 {
    let count = utf8.byteCount
    var hash = seed ^ UInt64(truncatingIfNeeded: count)
    guard count >= 8 else {
      var word: UInt64 = 0
      for offset in 0..<count { word = word &<< 8 | UInt64(utf8.byte(at: offset)) }
      return UInt32(truncatingIfNeeded: KeyHash.mix(KeyHash.mix(hash ^ word) ^ seed))
    }
    var offset = 0
    while count &- offset > 8 {
      hash = KeyHash.mix(hash ^ utf8.littleEndianWord(at: offset)) ^ seed
      offset &+= 8
    }
    // The last word overlaps the one before.
    hash = KeyHash.mix(hash ^ utf8.littleEndianWord(at: count &- 8))
    return UInt32(truncatingIfNeeded: KeyHash.mix(hash ^ seed))
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }
}

/// Finds the slots of keys by their hashes; collisions go to the next place that is free.
struct SlotTable {
  /// The number of a slot and 1, or 0 where a place is free.
  private var places: [UInt32]

  /// A table with room for `count` slots: as many places as make it two thirds full at most.
  init(for count: Int) {
    var placeCount = 8
    while placeCount &* 2 < count &* 3 { placeCount &*= 2 }
    places = Array(repeating: 0, count: placeCount)
  }

  /// The first slot with `hash` that `isMeant`, of those which may be that.
  @inline(__always)
  func slot<Failure>(
    _ hash: UInt32,
    _ isMeant: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    let mask = places.count &- 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 {
      let slot = Int(places[place]) &- 1
      if try isMeant(slot) { return slot }
      place = (place &+ 1) & mask
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
    let mask = places.count &- 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 {
      if try isSame(Int(places[place]) &- 1) { return false }
      place = (place &+ 1) & mask
    }
    places[place] = UInt32(truncatingIfNeeded: slot &+ 1)
    return true
  }
}
