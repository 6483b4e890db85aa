/// The two encodings of numbers in an archive (Format §3), also for the wrong numbers of mutants.
package enum Bytes {
  /// Eight bytes, the least significant first.
  package static func word(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// The low `byteCount` bytes of a number.
  package static func number(_ value: UInt64, byteCount: Int) -> [UInt8] {
    Array(word(value).prefix(byteCount))
  }

  /// The shortest varint for a number that is not negative.
  package static func varint(_ value: Int) -> [UInt8] {
    var rest = UInt64(bitPattern: Int64(value))
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(truncatingIfNeeded: rest)]
  }

  /// Repeats the same bytes. It doubles them, since appending one at a time takes seconds without optimization.
  package static func repeating(_ part: [UInt8], count: Int) -> [UInt8] {
    var bytes = count > 0 ? part : []
    while bytes.count < part.count * count { bytes += bytes.prefix(part.count * count - bytes.count) }
    return bytes
  }

  /// The number in `byteCount` bytes at `place`; 0 if there are fewer.
  package static func number(_ bytes: [UInt8], at place: Int, byteCount: Int) -> UInt64 {
    guard place >= 0, byteCount <= 8, place <= bytes.count - byteCount else { return 0 }
    return (0..<byteCount).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64($1 * 8) }
  }

  /// The varint at `place`, which moves behind it; `nil` if there is none.
  package static func varint(_ bytes: [UInt8], at place: inout Int) -> Int? {
    var value = 0
    for index in 0..<9 {
      guard bytes.indices.contains(place + index) else { return nil }
      let byte = bytes[place + index]
      value |= Int(byte & 0x7F) << (7 * index)
      if byte < 0x80 {
        place += index + 1
        return value
      }
    }
    return nil
  }
}
