/// The checksum of a block: XXH64 with seed 0 (Format §8.2), which is implemented everywhere and runs at memory speed.
package struct Checksum {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  package static func of(_ bytes: RawSpan) -> UInt64 {
    var offset = 0
    var hash: UInt64
    if bytes.byteCount >= 32 {
      var lane1 = prime1 &+ prime2
      var lane2 = prime2
      var lane3: UInt64 = 0
      var lane4 = 0 &- prime1
      while bytes.byteCount &- offset >= 32 {
        let words = bytes.littleEndianWords(at: offset)
        lane1 = round(lane1, words.0)
        lane2 = round(lane2, words.1)
        lane3 = round(lane3, words.2)
        lane4 = round(lane4, words.3)
        offset &+= 32
      }
      hash = merged(lane1, lane2, lane3, lane4)
    } else {
      hash = prime5
    }
    hash &+= UInt64(bytes.byteCount)
    while bytes.byteCount - offset >= 8 {
      hash = rotate(hash ^ round(0, bytes.littleEndianWord(at: offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if bytes.byteCount - offset >= 4 {
      hash = rotate(hash ^ (UInt64(bytes.littleEndianHalfWord(at: offset)) &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.byteCount {
      hash = rotate(hash ^ (UInt64(bytes.byte(at: offset)) &* prime5), 11) &* prime1
      offset += 1
    }
    return mixed(hash)
  }

  /// The checksum of `byteCount` bytes, a multiple of 32, from the lanes after the last stripe.
  static func ofStripes(_ byteCount: Int, _ lane: (Int) -> UInt64) -> UInt64 {
    mixed(merged(lane(0), lane(1), lane(2), lane(3)) &+ UInt64(byteCount))
  }

  @inline(__always)
  private static func mixed(_ hash: UInt64) -> UInt64 {
    var hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private static func merged(_ lane1: UInt64, _ lane2: UInt64, _ lane3: UInt64, _ lane4: UInt64) -> UInt64 {
    let hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
    return merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    (value &<< count) | (value &>> (64 &- count))
  }
}
