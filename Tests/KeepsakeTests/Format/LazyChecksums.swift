import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Each part of an archive is compared with its checksum before it is used (Format §10, rule 6). This archive has each
/// part in blocks of its own, and the tests damage bytes that no other check covers.
@Suite struct LazyChecksums {
  private static let count = 140_000

  private static var layout: CraftedLayout {
    let long = Bytes.varint(count) + [UInt8](repeating: 0x6B, count: count)
    let body = [0, 0x18] + long
    var layout = CraftedLayout(
      bodies: [body],
      topLevel: [0, 0x1C, 2, 0x21, 0x61, 0x48, 1, 0x21, 0x62, 0x18] + long,
      keys: [long],
      shapes: Array(repeating: [0], count: count),
      classes: [long + [0, 0, 0]],
      strings: [long],
      conditionals: Array(repeating: [0], count: count)
    )
    // The lengths are far behind the head, and the end of the table is far behind the lengths.
    layout.offsets =
      CraftedLayout.groupHead(start: 16, widthCode: 2, lengths: UInt64(count))
      + [UInt8](repeating: 0, count: count) + Bytes.number(UInt64(body.count), byteCount: 4)
      + [UInt8](repeating: 0, count: count)
    return layout
  }

  /// The uses of an archive, in their order.
  private enum Use: CaseIterable {
    case open, body, string, conditional

    func run(_ image: ArchiveImage?, _ data: Data) throws(ArchiveError) {
      switch self {
      case .open: _ = try ArchiveImage(data: data, verification: .onDemand)
      case .body: _ = try image?.body(1, at: 0)
      case .string: _ = try image?.string(0, at: 0)
      case .conditional: _ = try image?.conditionalTarget(0, at: 0)
      }
    }
  }

  /// Expects that exactly the uses in `noticed` find the byte at `index` damaged.
  private func expect(
    _ sound: Data,
    damagedAt index: Int,
    _ noticed: Set<Use>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var data = sound
    data[index] ^= 1
    for use in Use.allCases {
      // A new image for each use, so that no block was verified before.
      let image = try? ArchiveImage(data: data, verification: .onDemand)
      if use != .open, noticed.contains(.open) { continue }
      if use != .open { #expect(image != nil, sourceLocation: sourceLocation) }
      do {
        try use.run(image, data)
        #expect(!noticed.contains(use), "\(use) noticed nothing", sourceLocation: sourceLocation)
      } catch {
        #expect(noticed.contains(use), "\(use): \(error)", sourceLocation: sourceLocation)
        #expect(error.code == .damaged, sourceLocation: sourceLocation)
        #expect(error.byteOffset == index / 65_536 * 65_536, "\(error)", sourceLocation: sourceLocation)
      }
    }
    let error = #expect(throws: ArchiveError.self, sourceLocation: sourceLocation) {
      try ArchiveImage(data: data, verification: .everything)
    }
    #expect(error?.byteOffset == index / 65_536 * 65_536, sourceLocation: sourceLocation)
  }

  @Test("an undamaged archive passes every check")
  func sound() throws {
    let data = Self.layout.data
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      let image = try ArchiveImage(data: data, verification: verification)
      #expect(try image.body(1, at: 0).lowerBound == 16)
      #expect(try image.string(0, at: 0).utf8.count == Self.count)
      #expect(try image.conditionalTarget(0, at: 0) == nil)
      #expect(image.keys[0].utf8.count == Self.count && image.directory.shapes.count == Self.count)
    }
  }

  @Test("opening verifies the header, directory, top level, keys, shapes and classes")
  func opening() throws {
    let (data, places) = Self.layout.made()
    // The minor version, whose value is ignored, and the last byte of the offset table, which no group uses.
    try expect(data, damagedAt: 9, [.open])
    try expect(data, damagedAt: places.directory - 1, [.open])
    for place in [places.topLevel, places.keys, places.shapes, places.classes] {
      try expect(data, damagedAt: place + Self.count / 2, [.open])
    }
  }

  @Test("bodies, their offsets, strings and conditional references are verified when they are requested")
  func later() throws {
    let (data, places) = Self.layout.made()
    try expect(data, damagedAt: 16 + Self.count / 2, [.body])
    try expect(data, damagedAt: places.strings + Self.count / 2, [.string])
    try expect(data, damagedAt: places.conditionals + Self.count / 2, [.conditional])
    // In the block of the group's head and in that of the lengths, beside the bytes that are read.
    let head = places.offsets + 20
    let lengths = places.offsets + 12 + Self.count
    #expect(head / 65_536 == places.offsets / 65_536 && head / 65_536 != lengths / 65_536)
    #expect((lengths + 10) / 65_536 == lengths / 65_536 && lengths / 65_536 != places.directory / 65_536)
    try expect(data, damagedAt: lengths + 10, [.body])
    #expect((head - 20) / 65_536 != (places.conditionals + Self.count / 2) / 65_536)
    let isShared = (places.offsets - 1) / 65_536 == head / 65_536
    try expect(data, damagedAt: head, isShared ? [.body, .conditional] : [.body])
  }

  @Test("a block between read ones is not verified")
  func unread() throws {
    let (data, places) = Self.layout.made()
    // Between the head of the group and its lengths.
    let index = places.offsets + 12 + Self.count / 2
    try expect(data, damagedAt: index, [])
  }

  @Test("a range that extends beyond the blocks is verified up to their end")
  func behindTheBlocks() throws {
    let buffer = ByteBuffer()
    buffer.append(Self.layout.made().0.bytes)
    buffer[16 + Self.count / 2] ^= 1
    let reader = buffer.reader()
    var verifier = try BlockVerifier(reader, Trailer(reader, []))
    #expect(throws: ArchiveError.self) { try verifier.verify(16..<reader.count) }
  }

  @Test("checkTables verifies tables that nothing else has read")
  func allTables() throws {
    let (data, places) = Self.layout.made()
    for place in [places.strings, places.conditionals] {
      var damaged = data
      damaged[place + Self.count / 2] ^= 1
      let image = try ArchiveImage(data: damaged, verification: .onDemand)
      #expect(throws: ArchiveError.self) { try image.checkTables() }
    }
  }
}
