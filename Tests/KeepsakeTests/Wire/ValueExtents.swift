import Foundation
import Testing

@testable import Keepsake

/// Values of every kind are skipped to their ends, and no further than the bytes.
@Suite struct ValueExtents {
  private static let largest = [UInt8](repeating: 0xFF, count: 8) + [0x7F]

  /// One value of each kind, short and long.
  private static let values = singles + numbers + references

  private static let numbers = (0..<8).map { [0x08 + UInt8($0)] + bytes($0 + 1) }

  private static let references = [0x40, 0x44, 0x48, 0x4C].flatMap { (tag: UInt8) in
    (0..<4).map { [tag + UInt8($0)] + bytes($0 + 1) }
  }

  private static let singles: [[UInt8]] = [
    [0x01], [0x02], [0x03], [0x04], [0x05, 0x01], [0x06, 0, 0, 0, 0], [0x90], [0x50], [0x20], [0x22, 1, 2],
    [0x10] + bytes(8), [0x11] + bytes(16), [0x12] + bytes(16), [0x13] + bytes(8), [0x14] + bytes(16),
    [0x15, 0x90, 0x95], [0x16, 0x08, 0x80, 0x01], [0x17, 0x60, 0x21, 0x61], [0x18, 3, 1, 2, 3],
    [0x19, 2, 1, 2], [0x1A, 2, 0x95, 0x21, 0x61], [0x52, 0x95, 0x51, 0x01], [0x1C, 1, 0x21, 0x61, 0x95],
    [0x1D, 1, 0x95, 0x96], [0x61, 0x95, 0x96], [0x1E, 0, 0x95], [0x1B, 1, 9, 1, 1],
    [0x1B, 2, 2, 2, 1, 1, 1, 1], [0x1B, 3, 1, 8] + bytes(8), [0x1B, 4, 2] + bytes(8),
    [0x1B, 5, 1] + bytes(8), [0x1B, 2, 129, 1, 1] + bytes(128) + [1, 7],
  ]

  private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

  /// An image with shapes of one and of two keys, used to skip values in other bytes.
  private func image() throws -> ArchiveImage {
    try ArchiveImage(data: LayoutFaults.sound.data, verification: .everything)
  }

  private func reader(_ bytes: [UInt8]) -> ByteReader {
    let buffer = ByteBuffer()
    for byte in bytes { buffer.append(byte) }
    return buffer.reader()
  }

  @Test("a value ends with its last byte, and is damaged without it", arguments: values)
  func ends(value: [UInt8]) throws {
    let image = try image()
    #expect(try image.end(ofValueAt: 0, in: reader(value)) == value.count)
    #expect(try image.end(ofValueAt: 0, in: reader(value + Self.bytes(40))) == value.count)
    #expect(try image.end(ofValueAt: 2, in: reader([0, 0] + value)) == value.count + 2)
    for count in 0..<value.count {
      let error = #expect(throws: ArchiveError.self, "\(count) bytes") {
        try image.end(ofValueAt: 0, in: reader(Array(value.prefix(count))))
      }
      #expect(error?.code == .damaged)
    }
  }

  @Test(
    "a count beyond all bytes is damage, reported at the value or behind the count",
    arguments: [largest, [0x80, 1], [100]]
  )
  func counts(count: [UInt8]) throws {
    let image = try image()
    for (head, place) in [
      ([0x18], 1 + count.count), ([0x19], 1 + count.count), ([0x1A], 0), ([0x1C], 1 + count.count),
    ] as [([UInt8], Int)] {
      let bytes = head + count + Self.bytes(60)
      let error = #expect(throws: ArchiveError.self) { try image.end(ofValueAt: 0, in: reader(bytes)) }
      #expect(error?.code == .damaged && error?.byteOffset == place, "\(head): \(String(describing: error))")
    }
    for element in [2, 3, 4, 5] as [UInt8] {
      let bytes = [0x1B, element] + count + [1] + Self.bytes(60)
      let error = #expect(throws: ArchiveError.self) { try image.end(ofValueAt: 0, in: reader(bytes)) }
      #expect(error?.code == .damaged)
    }
    let bools = [0x1B, 1] + Self.largest + Self.bytes(60)
    #expect(throws: ArchiveError.self) { try image.end(ofValueAt: 0, in: reader(bools)) }
  }

  @Test("the counts of nested values are compared with the remaining bytes together")
  func nestedCounts() throws {
    let image = try image()
    // The outer array has bytes for its 14 elements, and the inner one for its 10, but not for both.
    let bytes: [UInt8] = [0x5E, 0x5A] + [UInt8](repeating: 0x95, count: 14)
    let error = #expect(throws: ArchiveError.self) { try image.end(ofValueAt: 0, in: reader(bytes)) }
    #expect(error?.code == .damaged && error?.byteOffset == 2)
    #expect(error?.message.contains("more parts") == true)
  }

  @Test("unknown elements and widths of packed arrays are reported at their offsets")
  func packed() throws {
    let image = try image()
    for (value, place) in [
      ([0x1B, 0, 1, 1, 1], 1), ([0x1B, 6, 1, 1, 1], 1), ([0x1B, 2, 1, 0, 4, 1], 4),
      ([0x1B, 3, 1, 9] + Self.bytes(9), 3),
    ] as [([UInt8], Int)] {
      let error = #expect(throws: ArchiveError.self) {
        try image.end(ofValueAt: 0, in: reader(value + Self.bytes(40)))
      }
      #expect(error?.code == .damaged && error?.byteOffset == place)
    }
  }

  @Test("a session skips a value no further than the end of the archive")
  func session() throws {
    let image = try image()
    let session = try DecodingSession(image, userInfo: [:], limits: ArchiveLimits(), hidesRootKey: false)
    // The closing signature has bytes that look like tags of longer integers and references.
    let count = image.reader.count
    for place in [count - 6, count - 2] {
      let error = #expect(throws: ArchiveError.self) { try session.end(ofValueAt: place) }
      #expect(error?.code == .damaged && error?.byteOffset == place)
    }
    #expect(try session.end(ofValueAt: count - 7) == count - 3)
  }
}
