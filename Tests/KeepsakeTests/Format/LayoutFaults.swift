import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// What a reader rejects when it opens an archive (Format §10, rules 1 to 10): each fault alone, in an archive with
/// correct checksums, with the offset of the error.
@Suite struct LayoutFaults {
  /// An archive with an entry in each table.
  static var sound: CraftedLayout {
    CraftedLayout(
      bodies: [[0, 0x95], [1, 0x60, 0x96]],
      topLevel: [0, 0x1C, 2, 0x21, 0x61, 0x48, 1, 0x21, 0x62, 0x40, 2],
      keys: [CraftedLayout.text("k"), CraftedLayout.text("l")],
      shapes: [[1, 0], [2, 1, 0]],
      classes: [HandmadeArchive.type("Thing"), HandmadeArchive.type("Other", superclass: 1)],
      strings: [CraftedLayout.text("shared")],
      conditionals: [[2], [0]]
    )
  }

  private static let verifications: [ArchiveVerification] = [.everything, .onDemand, .disabled]

  /// The error of opening the archive, which is the same with each verification.
  static func fault(_ data: Data) throws -> ArchiveError? {
    let faults = verifications.map { verification -> ArchiveError? in
      do throws(ArchiveError) {
        _ = try ArchiveImage(data: data, verification: verification)
        return nil
      } catch {
        return error
      }
    }
    #expect(Set(faults).count == 1, "\(faults)")
    return faults[0]
  }

  private func expect(
    _ layout: CraftedLayout,
    _ code: ArchiveError.Code = .damaged,
    at place: (CraftedLayout.Places) -> Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (data, places) = layout.made()
    let error = try #require(try Self.fault(data), "accepted", sourceLocation: sourceLocation)
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    #expect(error.byteOffset == place(places), "\(error)", sourceLocation: sourceLocation)
  }

  private func changed(_ change: (inout CraftedLayout) -> Void) -> CraftedLayout {
    var layout = Self.sound
    change(&layout)
    return layout
  }

  @Test("the unchanged archive is valid")
  func soundness() throws {
    let data = Self.sound.data
    #expect(try Self.fault(data) == nil)
    let summary = try ArchiveImage(data: data, verification: .everything).verifyStructure()
    #expect(summary.objectCount == 1 && summary.referenceCounts == [0, 1, 1])
    #expect(try KeyedUnarchiver(forReadingFrom: data).decode(Int.self, forKey: "a") == 5)
    #expect(try Self.fault(changed { $0.header[9] = 7 }.data) == nil)
    #expect(try Self.fault(changed { ($0.header[9], $0.header[10]) = (1, 1) }.data) == nil)
  }

  @Test("a file that is shorter than the header or has a wrong header is refused")
  func header() throws {
    let data = Self.sound.data
    for count in 0..<16 {
      let error = try #require(try Self.fault(data.prefix(count)))
      #expect(error.code == .notAnArchive && error.byteOffset == 0)
    }
    for index in 0..<8 {
      try expect(changed { $0.header[index] ^= 1 }, .notAnArchive) { _ in 0 }
    }
    try expect(changed { $0.header[8] = 2 }, .unsupportedVersion) { _ in 8 }
    try expect(changed { $0.header[8] = 0 }, .unsupportedVersion) { _ in 8 }
    for index in 12..<16 {
      try expect(changed { $0.header[index] = 1 }, .unsupportedVersion) { _ in 10 }
    }
    try expect(changed { $0.header[10] = 0x80 }, .unsupportedVersion) { _ in 10 }
    try expect(changed { $0.header[11] = 0x80 }, .unsupportedVersion) { _ in 10 }
  }

  @Test("an archive with too few bytes for a trailer is damaged, and bytes behind a whole one are ignored")
  func shorterThanTrailer() throws {
    let closing = CraftedLayout.header.prefix(8).reversed()
    for count in 0..<24 {
      let data = Data(CraftedLayout.header + [UInt8](repeating: 16, count: count) + closing)
      let error = try #require(try Self.fault(data))
      #expect(error.code == .damaged && error.byteOffset == data.count - 8)
    }
    // Bytes behind the archive are a leftover of an interrupted save (Format §13.5).
    #expect(try Self.fault(Self.sound.data + [0]) == nil)
  }

  @Test("wrong offsets in the trailer are damage")
  func trailer() throws {
    let places = Self.sound.places
    let (directory, checksums) = (UInt64(places.directory), UInt64(places.checksums))
    for numbers in [
      [15, checksums], [0, checksums], [checksums + 1, checksums], [directory, UInt64(places.trailer) + 1],
      [directory, 15], [15, 15], [directory, .max], [.max, checksums], [1 << 63, 1 << 63], [directory, 0],
    ] {
      try expect(changed { $0.changeTrailer = { $0 = numbers } }) { $0.trailer }
    }
    // The number of block checksums no longer fits the number of blocks.
    for moved in [checksums - 1, checksums + 1, checksums + 8] {
      try expect(changed { $0.changeTrailer = { $0[1] = moved } }) { $0.trailer }
    }
  }

  @Test("the directory ends at the block checksums")
  func directoryEnd() throws {
    try expect(changed { $0.behindDirectory = [0] }) { $0.directory + 13 }
    try expect(changed { $0.behindDirectory = [0, 0, 0] }) { $0.directory + 13 }
    // One number less, so that the last is read from the checksums.
    try expect(changed { $0.changeDirectory = { $0.remove(at: 11) } }) { $0.directory + 13 }
  }

  @Test("the top level begins behind the header and ends before the tables")
  func topLevel() throws {
    for offset in [0, 15, Self.sound.places.keys, Self.sound.places.keys + 1, Int.max] {
      try expect(changed { $0.changeDirectory = { $0[0] = offset } }) { $0.directory }
    }
    for offset in [Self.sound.places.directory + 1, Int.max, 0, 16] {
      try expect(changed { $0.changeDirectory = { $0[1] = offset } }) { $0.directory }
    }
  }

  @Test(
    "the tables exactly fill the bytes between top level and directory",
    arguments: [4, 6, 8, 10, 12, 13]
  )
  func lengths(index: Int) throws {
    // A length beyond the end is reported at the table.
    for length in [127, 16_384, Int.max] {
      let numbers = changed { $0.changeDirectory = { $0[index] = length } }
      try expect(numbers) { $0.directory + (index == 13 ? 13 : index - 1) }
    }
    // A byte less or more moves everything behind it, and the last table ends at a wrong offset.
    for change in [-1, 1] {
      let layout = changed { $0.changeDirectory = { $0[index] += change } }
      if index == 13 { try expect(layout) { $0.directory + 13 } }
      #expect(try Self.fault(layout.data) != nil)
    }
  }

  @Test("a table has no more entries than its bytes can hold", arguments: [3, 5, 7, 9, 11])
  func counts(index: Int) throws {
    let places = Self.sound.places
    let byteCounts = [
      3: places.shapes - places.keys, 5: places.classes - places.shapes, 7: places.strings - places.classes,
      9: places.conditionals - places.strings, 11: places.offsets - places.conditionals,
    ]
    let byteCount = try #require(byteCounts[index])
    for count in [byteCount / (index == 7 ? 4 : 1) + 1, byteCount + 1, 1 << 40, Int.max] {
      try expect(changed { $0.changeDirectory = { $0[index] = count } }) { $0.directory + index }
    }
  }

  @Test("the offset table has bytes for its groups and each body")
  func bodyCounts() throws {
    let byteCount = Self.sound.places.directory - Self.sound.places.offsets
    #expect(byteCount == 14)
    for count in [3, 13, 14, 15, 65, 1 << 40, Int.max] {
      let byteCount = Bytes.varint(count).count
      try expect(changed { $0.changeDirectory = { $0[2] = count } }) { $0.directory + 12 + byteCount }
    }
    // As many bytes as bodies, but none for the heads of the groups.
    try expect(
      changed {
        $0.offsets = [UInt8](repeating: 1, count: 80)
        $0.changeDirectory = { $0[2] = 80 }
      }
    ) { $0.directory + 13 }
  }

  @Test("the top level exactly fills its bytes")
  func topLevelEnd() throws {
    for topLevel in [[0, 0x1C, 0, 0x01], [0, 0x1C, 1, 0x21, 0x61]] as [[UInt8]] {
      let layout = changed { $0.topLevel = topLevel }
      let found = #expect(throws: DecodingError.self) {
        try KeyedUnarchiver(forReadingFrom: layout.data).decode(Int.self, forKey: "a")
      }
      guard case .dataCorrupted(let context)? = found else {
        Issue.record("another error: \(String(describing: found))")
        continue
      }
      let error = context.underlyingError as? ArchiveError
      #expect(error?.code == .damaged && error?.byteOffset == layout.places.topLevel + 1)
      #expect(throws: ArchiveError.self) {
        try ArchiveImage(data: layout.data, verification: .everything).verifyStructure()
      }
    }
  }

  @Test("there are no gaps between bodies, and none before the top level")
  func gaps() throws {
    let layout = changed { $0.gap = [0] }
    for layout in [layout, changed { $0.offsets = CraftedLayout.groupHead(start: 16) + [5, 0] }] {
      // Full verification finds the fault at once; otherwise, reading a body does.
      let error = #expect(throws: ArchiveError.self) {
        try ArchiveImage(data: layout.data, verification: .everything)
      }
      #expect(error?.code == .damaged && error?.byteOffset == layout.places.offsets)
      let image = try ArchiveImage(data: layout.data, verification: .onDemand)
      #expect(throws: ArchiveError.self) { try image.body(1, at: 16) }
    }
    let noBodies = CraftedLayout(gap: [0, 1])
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveImage(data: noBodies.data, verification: .everything).verifyStructure()
    }
    #expect(error?.code == .damaged && error?.byteOffset == 16)
  }

  @Test("the top level cannot be an object")
  func topLevelObject() throws {
    let layout = changed { $0.topLevel[0] = 1 }
    let data = layout.data
    let found = #expect(throws: DecodingError.self) {
      try KeyedUnarchiver(forReadingFrom: data).decode(Int.self, forKey: "a")
    }
    guard case .dataCorrupted(let context)? = found else {
      Issue.record("another error: \(String(describing: found))")
      return
    }
    let error = context.underlyingError as? ArchiveError
    #expect(error?.code == .damaged && error?.byteOffset == layout.places.topLevel)
    let image = try ArchiveImage(data: data, verification: .everything)
    #expect(throws: ArchiveError.self) { try image.topLevelValue }
  }
}
