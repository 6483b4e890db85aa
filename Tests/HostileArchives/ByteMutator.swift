/// Changes bytes regardless of their meaning, as a bad disk, a faulty transfer or a simple attacker does.
package struct ByteMutator {
  /// Whole archives from which pieces are copied.
  private let others: [[UInt8]]

  package init(others: [[UInt8]] = []) {
    self.others = others
  }

  /// Makes one to six changes.
  package func mutate(_ bytes: inout [UInt8], using generator: inout HostileGenerator) {
    for _ in 0...generator.below(generator.oneIn(3) ? 6 : 2) { change(&bytes, using: &generator) }
  }

  /// Bytes with a meaning in archives: tags, ends of ranges, parts of long varints.
  private static let tellingBytes: [UInt8] = [
    0x00, 0x01, 0x02, 0x04, 0x05, 0x08, 0x0F, 0x10, 0x12, 0x14, 0x15, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C,
    0x1D,
    0x1E, 0x1F, 0x20, 0x3F, 0x40, 0x43, 0x44, 0x48, 0x4C, 0x4F, 0x50, 0x5F, 0x60, 0x6F, 0x70, 0x7F, 0x80,
    0x90,
    0xFF,
  ]

  private static let tellingRuns: [[UInt8]] = TellingNumbers.all.flatMap { number in
    [Bytes.word(number), Bytes.number(number, byteCount: 4), Bytes.varint(Int(truncatingIfNeeded: number))]
  }

  private func change(_ bytes: inout [UInt8], using generator: inout HostileGenerator) {
    guard !bytes.isEmpty else { return bytes = generator.pick(others) ?? [0x89] }
    let place = generator.below(bytes.count)
    switch generator.below(14) {
    case 0, 1: bytes[place] ^= 1 << UInt8(generator.below(8))
    case 2: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
    case 3, 4: bytes[place] = generator.pick(ByteMutator.tellingBytes) ?? 0
    case 5: bytes[place] &+= generator.oneIn(2) ? 1 : .max
    case 6: overwrite(&bytes, at: place, with: generator.pick(ByteMutator.tellingRuns) ?? [])
    case 7: bytes.insert(contentsOf: generator.pick(ByteMutator.tellingRuns) ?? [], at: place)
    case 8: bytes.removeSubrange(generator.range(in: bytes.count))
    case 9: bytes.insert(contentsOf: bytes[generator.range(in: bytes.count)], at: place)
    case 10: bytes.swapAt(place, generator.below(bytes.count))
    case 11: overwrite(&bytes, at: place, with: Array(bytes[generator.range(in: bytes.count)]))
    case 12 where generator.oneIn(4):
      bytes = Array(generator.oneIn(2) ? bytes.prefix(place) : bytes.suffix(place))
    default:
      guard let other = generator.pick(others), !other.isEmpty else { return }
      let piece = Array(other[generator.range(in: other.count)])
      if generator.oneIn(2) {
        overwrite(&bytes, at: place, with: piece)
      } else {
        bytes.replaceSubrange(place..<min(bytes.count, place + generator.below(16)), with: piece)
      }
    }
  }

  private func overwrite(_ bytes: inout [UInt8], at place: Int, with piece: [UInt8]) {
    let count = min(piece.count, bytes.count - place)
    bytes.replaceSubrange(place..<(place + count), with: piece.prefix(count))
  }
}

/// Numbers at which arithmetic is likely to fail.
enum TellingNumbers {
  static let all: [UInt64] = [
    0, 1, 2, 15, 16, 31, 32, 63, 64, 65, 127, 128, 255, 256, 1 << 15, 65_535, 65_536, 1 << 20, 0x7FFF_FFFF,
    1 << 31, 0xFFFF_FFFF, 1 << 32, 1 << 33, 1 << 47, 1 << 60, 1 << 61, 1 << 62, (1 << 62) + 1, (1 << 63) - 8,
    (1 << 63) - 1, 1 << 63, .max - 7, .max,
  ]
}
