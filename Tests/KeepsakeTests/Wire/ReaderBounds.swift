import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Every way to read bytes succeeds up to the last byte, and fails behind it.
@Suite struct ReaderBounds {
  private func reader(_ bytes: [UInt8]) -> ByteReader {
    let buffer = ByteBuffer()
    for byte in bytes { buffer.append(byte) }
    return buffer.reader()
  }

  private let bytes: [UInt8] = (1...40).map { $0 }

  /// Expects that `read` succeeds at `last`, and throws behind it, before the beginning and far away.
  private func expectBounds<Result>(
    last: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ read: (ByteReader, Int) throws -> Result
  ) throws {
    let reader = reader(bytes)
    _ = try read(reader, 0)
    _ = try read(reader, last)
    for place in [last + 1, bytes.count + 1, 1 << 40, Int.max - 64, -1, -8, -(1 << 40)] {
      let error = #expect(throws: ArchiveError.self, "\(place)", sourceLocation: sourceLocation) {
        try read(reader, place)
      }
      #expect(error?.code == .damaged, sourceLocation: sourceLocation)
      #expect(error?.byteOffset != nil, sourceLocation: sourceLocation)
    }
  }

  @Test("numbers of one to sixteen bytes are read up to the last byte")
  func numbers() throws {
    try expectBounds(last: 39) { try $0.byte(at: $1) }
    try expectBounds(last: 32) { try $0.word(at: $1) }
    try expectBounds(last: 24) { try $0.wide(at: $1) }
    for count in 1...8 {
      try expectBounds(last: 40 - count) { try $0.unsigned(at: $1, byteCount: count) }
      try expectBounds(last: 40 - count) { try $0.signed(at: $1, byteCount: count) }
    }
    let reader = reader([0xFF, 0xFE, 0xFD])
    #expect(try reader.unsigned(at: 1, byteCount: 2) == 0xFDFE)
    #expect(try reader.signed(at: 1, byteCount: 2) == -514)
  }

  @Test("tagged integers need all their bytes")
  func integers() throws {
    for (tag, count) in [
      (Tag.integer, 1), (Tag.integer + 2, 3), (Tag.integer + 7, 8), (Tag.uint64, 8), (Tag.int128, 16),
      (Tag.uint128, 16),
    ] {
      let whole = [tag] + [UInt8](repeating: 1, count: count)
      var place = 0
      #expect(try IntegerValue(reader(whole), at: &place) != nil)
      #expect(place == whole.count)
      for missing in 1...count {
        var place = 0
        #expect(throws: ArchiveError.self) {
          try IntegerValue(reader(whole.dropLast(missing)), at: &place)
        }
      }
    }
  }

  @Test("strings, arrays, checksums and spans are read up to the last byte")
  func runs() throws {
    try expectBounds(last: 33) { try $0.string($1..<($1 + 7)) }
    try expectBounds(last: 33) { try $0.checksum($1..<($1 + 7)) }
    try expectBounds(last: 33) { try $0.withBytes($1..<($1 + 7)) { $0.byteCount } }
    try expectBounds(last: 33) { try $0.hasUTF8(of: "seven__", in: $1..<($1 + 7)) }
    try expectBounds(last: 24) { try $0.array(of: UInt64.self, count: 2, at: $1) }
    let reader = reader(bytes)
    #expect(reader.hasBytes([39, 40], at: 38) && !reader.hasBytes([39], at: 0))
    for place in [39, 40, 41, -1, Int.max] { #expect(!reader.hasBytes([40, 40], at: place)) }
    // A text of another length is also compared only within the bytes.
    #expect(try !reader.hasUTF8(of: "another", in: 0..<3))
  }

  @Test("impossible counts are refused before memory is reserved")
  func counts() throws {
    let reader = reader(bytes)
    for count in [Int.max, Int.max / 2, Int.max / 8 + 1, 1 << 61, 1 << 40, 41] {
      for read in [
        { _ = try reader.array(of: UInt64.self, count: count, at: 0) },
        { _ = try reader.array(of: Double.self, count: count, at: 0) },
        { let _: [Int64] = try reader.widestIntegers(count, at: 0) },
        { let _: [UInt64] = try reader.widestIntegers(count, at: 0) },
        { _ = try reader.check(count, at: 0) },
      ] as [() throws -> Void] {
        #expect(throws: ArchiveError.self) { try read() }
      }
    }
    for count in [321, 1 << 40, Int.max - 7, Int.max] {
      #expect(throws: ArchiveError.self) { try reader.packedBools(count, at: 0) }
    }
    #expect(try reader.packedBools(320, at: 0).count == 320)
    #expect(throws: ArchiveError.self) { try reader.check(-1, at: 0) }
    try reader.check(0, at: 40)
    try reader.check(40, at: 0)
  }

  @Test("blocks of packed integers have widths of 1 to 8 bytes and need all their bytes", arguments: 1...9)
  func blocks(width: Int) throws {
    let block = [UInt8(width)] + [UInt8](repeating: 1, count: 3 * width)
    let isWidth = width <= 8
    // As the widest integers, and as narrow ones that do not fit wide blocks.
    func read<Number: FixedWidthInteger & BitwiseCopyable>(
      _ type: Number.Type,
      _ bytes: [UInt8]
    ) throws -> [Number]? {
      var place = 0
      return try reader(bytes).packedIntegers(3, signed: Number.isSigned, at: &place)
    }
    let behind = [UInt8](repeating: 0, count: 9)
    guard isWidth else {
      for found in [
        #expect(throws: ArchiveError.self) { try read(Int64.self, block + behind) },
        #expect(throws: ArchiveError.self) { try read(UInt8.self, block + behind) },
      ] {
        #expect(found?.byteOffset == 0 && found?.message.contains("width") == true)
      }
      return
    }
    let number = (0..<width).reduce(0) { $0 | 1 << ($1 * 8) }
    #expect(try read(Int.self, block) == [number, number, number])
    #expect(try read(UInt64.self, block + behind) == Array(repeating: UInt64(number), count: 3))
    #expect(try read(UInt16.self, block) == (width <= 2 ? Array(repeating: UInt16(number), count: 3) : nil))
    #expect(throws: ArchiveError.self) { try read(Int.self, block.dropLast()) }
    #expect(throws: ArchiveError.self) { try read(Int.self, Array(block.prefix(1))) }
  }

  @Test("variable-length numbers have at most nine bytes, in the shortest form, and need all of them")
  func varints() throws {
    func read(_ bytes: [UInt8]) throws -> Int {
      var place = 0
      let value = try reader(bytes).varint(at: &place)
      #expect(place == bytes.count)
      return value
    }
    let largest = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
    #expect(try read([0]) == 0 && read([0x7F]) == 127 && read([0x80, 1]) == 128)
    #expect(try read(largest) == Int.max)
    for fault in [
      [0x80, 0], [0xFF, 0xFF, 0], [], [0x80], [UInt8](repeating: 0xFF, count: 8),
      [UInt8](repeating: 0xFF, count: 9) + [1], [UInt8](repeating: 0x80, count: 9) + [1],
      [UInt8](repeating: 0x80, count: 30),
    ] as [[UInt8]] {
      let error = #expect(throws: ArchiveError.self, "\(fault)") { try read(fault) }
      #expect(error?.code == .damaged)
    }
    let long = #expect(throws: ArchiveError.self) { try read([UInt8](repeating: 0xFF, count: 9) + [1]) }
    #expect(long?.message.contains("longer than 9 bytes") == true && long?.byteOffset == 0)
  }
}
