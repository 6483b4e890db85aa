import Foundation
import Keepsake
import TestSupport
import Testing

/// Arrays of integers with blocks of every width, read as the same type, and as wider and narrower ones.
@Suite struct PackedWidths {
  @Test("random blocks of every width come back, for signed and unsigned types")
  func everyWidth() throws {
    var generator = SeededGenerator("packed widths")
    func check<Number: FixedWidthInteger & Codable & Sendable>(_ type: Number.Type) throws {
      for width in 1...(Number.bitWidth / 8) {
        for count in [1, 2, 127, 128, 129, 256, 1_000] {
          var numbers = (0..<count).map { _ in random(Number.self, bits: width * 8, &generator) }
          numbers[numbers.count / 2] = Number.isSigned ? Number.min >> Number(Number.bitWidth - width * 8) : 0
          let data = try ArchiveEncoder().encode(numbers)
          #expect(try ArchiveDecoder().decode([Number].self, from: data) == numbers)
          let wide = try ArchiveDecoder().decode([Int128].self, from: data)
          #expect(wide == numbers.map { Int128($0) })
        }
      }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }

  @Test("a block of mixed widths comes back, and takes no more bytes than with its largest width")
  func mixed() throws {
    var generator = SeededGenerator("mixed packed widths")
    func check<Number: FixedWidthInteger & Codable & Sendable & BitwiseCopyable>(_ type: Number.Type) throws {
      for count in [1, 2, 3, 4, 5, 31, 127, 128, 129, 132, 1_000] {
        for rare in [0, 2, 50, 100] {
          let numbers = (0..<count).map { _ in
            let isWide = Int.random(in: 0..<100, using: &generator) < rare
            return random(Number.self, bits: isWide ? Number.bitWidth : 8, &generator)
          }
          let data = try ArchiveEncoder().encode(numbers)
          #expect(try ArchiveDecoder().decode([Number].self, from: data) == numbers)
          #expect(try ArchiveDecoder().decode([Int128].self, from: data) == numbers.map { Int128($0) })
          #expect(try KeyedUnarchiver.unarchive([Double].self, from: data) == numbers.map { Double($0) })
          let narrow = numbers.map { Int16(exactly: $0) }
          if narrow.contains(nil) {
            #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([Int16].self, from: data) }
          } else {
            #expect(try ArchiveDecoder().decode([Int16?].self, from: data) == narrow)
            #expect(try ArchiveDecoder().decode([Int16].self, from: data) == narrow.compactMap(\.self))
          }
          let buffer = ByteBuffer()
          buffer.append(packed: numbers)
          let widths = stride(from: 0, to: count, by: 128).map { first in
            let block = numbers[first..<min(first + 128, count)]
            let bits = block.map { Number.isSigned ? $0 ^ ($0 << 1) : $0 }.reduce(0, |)
            return 1 + block.count * max(1, (Number.bitWidth - bits.leadingZeroBitCount + 7) / 8)
          }
          #expect(buffer.count <= 5 + widths.reduce(0, +))
          var place = count < 128 ? 3 : 4
          let read: [Number]? = try buffer.reader().packedIntegers(count, signed: Number.isSigned, at: &place)
          #expect(read == numbers && place == buffer.count)
          // Without its last byte, decoding throws.
          let cut = ByteBuffer()
          cut.append(buffer, 0..<(buffer.count - 1))
          place = count < 128 ? 3 : 4
          #expect(throws: ArchiveError.self) {
            let _: [Number]? = try cut.reader().packedIntegers(count, signed: Number.isSigned, at: &place)
          }
        }
      }
    }
    try check(Int.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }

  private func random<Number: FixedWidthInteger>(
    _ type: Number.Type,
    bits: Int,
    _ generator: inout SeededGenerator
  ) -> Number {
    let number = Number(truncatingIfNeeded: UInt64.random(in: 0...UInt64.max, using: &generator))
    let shift = Number(Number.bitWidth - Int.random(in: 1...bits, using: &generator))
    return number >> shift
  }

  @Test("the smallest and largest numbers of each width come back")
  func edges() throws {
    for width in 1...8 {
      let largest = Int64.max >> Int64(64 - width * 8)
      for number in [largest, -largest - 1, largest &+ 1, -largest &- 2] {
        let data = try ArchiveEncoder().encode([number])
        #expect(try ArchiveDecoder().decode([Int64].self, from: data) == [number])
      }
    }
  }

  @Test("numbers at the end of a buffer are read, and a missing byte throws")
  func endOfMemory() throws {
    for width in 1...8 {
      for count in [1, 2, 3, 4, 9] {
        let numbers = (0..<count).map { ($0 % 2 == 0 ? -1 : 1) << ((width - 1) * 8) + $0 % 2 }
        let buffer = ByteBuffer()
        buffer.append(packed: numbers)
        // After the tag, the type and the count.
        var place = 3
        #expect(try buffer.reader().packedIntegers(count, signed: true, at: &place) == numbers)
        #expect(place == buffer.count)
        let cut = ByteBuffer()
        cut.append(buffer, 0..<(buffer.count - 1))
        place = 3
        #expect(throws: ArchiveError.self) {
          let _: [Int]? = try cut.reader().packedIntegers(count, signed: true, at: &place)
        }
      }
    }
  }

  @Test("a narrower type accepts numbers that fit and refuses others")
  func narrower() throws {
    var numbers = (0..<300).map { $0 % 100 }
    let fits = try ArchiveEncoder().encode(numbers)
    #expect(try ArchiveDecoder().decode([Int8].self, from: fits) == numbers.map { Int8($0) })
    numbers[299] = 1_000
    let tooWide = try ArchiveEncoder().encode(numbers)
    #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([Int8].self, from: tooWide) }
    #expect(try ArchiveDecoder().decode([Int16].self, from: tooWide) == numbers.map { Int16($0) })
  }

  @Test("Booleans of every count up to three bytes come back")
  func bools() throws {
    var generator = SeededGenerator("packed bools")
    for count in Array(0...24) + [1_000, 1_001] {
      let bools = (0..<count).map { _ in Bool.random(using: &generator) }
      let data = try ArchiveEncoder().encode(bools)
      #expect(try ArchiveDecoder().decode([Bool].self, from: data) == bools)
    }
  }

  /// The archive with `value` instead of the bytes `original`. Its checksums no longer match.
  private func forged(_ value: [UInt8], in archive: Data, from original: [UInt8]) throws -> Data {
    let range = try #require(archive.range(of: Data(original)))
    var forged = archive
    forged.replaceSubrange(range, with: value)
    return forged
  }

  @Test("a count beyond the archive and an invalid width are errors for types of all kinds")
  func forgedArrays() throws {
    func expectDamaged(_ original: [UInt8], _ forged: [UInt8], _ archive: Data) throws {
      let data = try self.forged(forged, in: archive, from: original)
      func expect<Number: Decodable>(_ type: Number.Type) {
        #expect(throws: DecodingError.self) {
          try KeyedUnarchiver.unarchive([Number].self, from: data, verification: .disabled)
        }
      }
      expect(Int.self)
      expect(Int8.self)
      expect(UInt16.self)
      expect(Double.self)
      expect(Bool.self)
    }
    let integers = try ArchiveEncoder().encode([5, 300, 400])
    for width: UInt8 in [9, 0x80, 0xFF] {
      try expectDamaged(
        [0x1B, 2, 3, 2, 5, 0, 44, 1, 144, 1],
        [0x1B, 2, 3, width, 5, 0, 44, 1, 144, 1],
        integers
      )
    }
    for count: UInt8 in [100, 127] {
      try expectDamaged(
        [0x1B, 2, 3, 2, 5, 0, 44, 1, 144, 1],
        [0x1B, 2, count, 8, 5, 0, 44, 1, 144, 1],
        integers
      )
    }
    let bools = try ArchiveEncoder().encode([true, false, true])
    try expectDamaged([0x1B, 1, 3, 5], [0x1B, 1, 0xFF, 0x7F], bools)
    let doubles = try ArchiveEncoder().encode([0.0, 0.5])
    try expectDamaged([0x1B, 5, 2, 0, 0], [0x1B, 5, 100, 0, 0], doubles)
  }
}
