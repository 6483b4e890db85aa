import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// What a reader rejects in the tables (Format §10, rules 11 to 18), each fault alone, with the offset of the error.
@Suite struct TableFaults {
  private func changed(_ change: (inout CraftedLayout) -> Void) -> CraftedLayout {
    var layout = LayoutFaults.sound
    change(&layout)
    return layout
  }

  /// Expects an error when the archive is opened, or otherwise in `use`.
  private func expect(
    _ layout: CraftedLayout,
    _ code: ArchiveError.Code = .damaged,
    at place: (CraftedLayout.Places) -> Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    use: (ArchiveImage) throws -> Void = { _ in }
  ) throws {
    let (data, places) = layout.made()
    for verification in [ArchiveVerification.everything, .disabled] {
      let error = #expect(throws: ArchiveError.self, sourceLocation: sourceLocation) {
        try use(ArchiveImage(data: data, verification: verification))
      }
      #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
      #expect(
        error?.byteOffset == place(places),
        "\(String(describing: error))",
        sourceLocation: sourceLocation
      )
    }
  }

  // MARK: Keys, shapes, classes

  @Test("a key that is duplicate, not UTF-8, or does not end in the archive is damage")
  func keys() throws {
    try expect(changed { $0.keys = [[1, 0x6B], [1, 0x6B]] }) { $0.keys + 3 }
    try expect(changed { $0.keys = [[1, 0x6B], [1, 0xFF]] }) { $0.keys + 3 }
    try expect(changed { $0.keys = [[1, 0x6B], [0x80, 1]] }) { $0.keys + 4 }
    try expect(changed { $0.keys = [[1, 0x6B], [0xFF, 0xFF, 0x7F]] }) { $0.keys + 5 }
  }

  @Test("keys, shapes, classes, strings and conditional references exactly fill their tables")
  func filled() throws {
    try expect(
      changed {
        $0.keys.append([]); $0.keys[1] += [0]; $0.changeDirectory = { $0[3] = 2 }
      }
    ) {
      $0.keys + 4
    }
    try expect(
      changed {
        $0.shapes[1] += [0]; $0.changeDirectory = { $0[5] = 2 }
      }
    ) { $0.shapes + 5 }
    try expect(changed { $0.classes[1] += [0] }) { $0.classes + 18 }
    try expect(changed { $0.strings[0] += [0] }, at: { $0.strings + 7 }) { image in
      _ = try image.string(0, at: 20)
    }
    try expect(changed { $0.conditionals[1] += [1] }, at: { $0.conditionals + 2 }) {
      image in _ = try image.conditionalTarget(0, at: 20)
    }
    // The last text continues behind the table.
    try expect(changed { $0.strings = [[9, 0x61]] }, at: { $0.strings + 10 }) { image in
      _ = try image.string(0, at: 20)
    }
  }

  @Test("a shape with more keys than bytes, an unknown key or a duplicate one is damage")
  func shapes() throws {
    try expect(changed { $0.shapes = [[1, 0], [9, 1, 0]] }) { $0.shapes + 3 }
    try expect(changed { $0.shapes = [[1, 0], [2, 1, 2]] }) { $0.shapes + 4 }
    try expect(changed { $0.shapes = [[1, 0], [2, 1, 1]] }) { $0.shapes + 4 }
    try expect(changed { $0.shapes = [[1, 0], [2, 0x80, 0]] }) { $0.shapes + 3 }
    // Two shapes may have the same key.
    _ = try ArchiveImage(data: changed { $0.shapes = [[1, 0], [1, 0]] }.data, verification: .everything)
  }

  @Test(
    "a class with a name that does not end, or with a wrong superclass, wrong flags or wrong keys, is damage"
  )
  func classes() throws {
    try expect(changed { $0.classes[1] = [0xFF, 0xFF, 0x7F, 0, 0, 0] }) { $0.classes + 12 }
    try expect(changed { $0.classes[1] = HandmadeArchive.type("O", superclass: 2) }) { $0.classes + 12 }
    try expect(changed { $0.classes[1] = HandmadeArchive.type("O", superclass: 9) }) { $0.classes + 12 }
    try expect(changed { $0.classes[1] = HandmadeArchive.type("O", flags: 3) }) { $0.classes + 13 }
    try expect(changed { $0.classes[1] = HandmadeArchive.type("O", flags: 8) }) { $0.classes + 13 }
    try expect(changed { $0.classes[1] = HandmadeArchive.type("O", superclass: 1, flags: 2) }) {
      $0.classes + 12
    }
    for keys: [UInt8] in [[0], [2, 1, 0x61, 1, 0x61]] {
      try expect(changed { $0.classes[1] = HandmadeArchive.type("O", flags: 4) + keys }) { $0.classes + 14 }
    }
    try expect(changed { $0.classes[1] = HandmadeArchive.type("O", flags: 4) + [1, 2, 0x61] }) {
      $0.strings + 1
    }
    try expect(
      changed {
        $0.classes = [HandmadeArchive.type("Thing", flags: 2), HandmadeArchive.type("O", superclass: 1)]
      }
    ) { $0.classes + 12 }
  }

  @Test("a longer chain of superclasses than any program has is refused")
  func chain() throws {
    let chain = (0..<140).map { number in
      CraftedLayout.text("C") + [0] + Bytes.varint(number) + [0]
    }
    // The first has no superclass, and the one with 129 is too much; from number 128 on, a superclass takes two bytes.
    try expect(changed { $0.classes = chain }, .limitExceeded) { $0.classes + 129 * 5 + 1 }
    let image = try ArchiveImage(
      data: changed { $0.classes = Array(chain.prefix(129)) }.data,
      verification: .everything
    )
    #expect(image.classes.count == 129)
  }

  // MARK: Strings and conditional references

  @Test("a number that names no string, entry, shape or body is out of range")
  func numbers() throws {
    let image = try ArchiveImage(data: LayoutFaults.sound.data, verification: .everything)
    #expect(try image.string(0, at: 20) == "shared" && image.conditionalTarget(0, at: 20) == 2)
    #expect(try image.conditionalTarget(1, at: 20) == nil && image.shape(1, at: 20) == 1..<3)
    for number in [2, 3, 1 << 31] {
      for look in [
        { _ = try image.string(number, at: 21) },
        { _ = try image.conditionalTarget(number, at: 21) },
        { _ = try image.shape(number, at: 21) },
        { _ = try image.body(number + 1, at: 21) },
      ] as [() throws -> Void] {
        let error = #expect(throws: ArchiveError.self) { try look() }
        #expect(error?.code == .damaged && error?.byteOffset == 21)
      }
    }
    let error = #expect(throws: ArchiveError.self) { try image.body(0, at: 21) }
    #expect(error?.code == .damaged && error?.byteOffset == 21)
    #expect(throws: ArchiveError.self) { try image.string(1, at: 21) }
  }

  @Test("an entry of the conditional table that names no body or no object is damage")
  func conditionals() throws {
    try expect(changed { $0.conditionals[1] = [3] }, at: { $0.conditionals + 1 }) {
      image in _ = try image.conditionalTarget(0, at: 20)
    }
    try expect(changed { $0.conditionals[1] = [1] }, at: { $0.conditionals + 1 }) {
      image in try image.verifyStructure()
    }
  }

  // MARK: Offsets

  private func expectNoBody(_ offsets: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expect(changed { $0.offsets = offsets }, at: \.offsets, sourceLocation: sourceLocation) {
      image in _ = try image.body(2, at: 20)
    }
  }

  @Test("a body has bytes, and lies between the header and the top level")
  func bodies() throws {
    let topLevel = UInt64(LayoutFaults.sound.places.topLevel)
    func head(_ start: UInt64, lengths: UInt64 = 0) -> [UInt8] {
      CraftedLayout.groupHead(start: start, lengths: lengths)
    }
    let image = try ArchiveImage(data: LayoutFaults.sound.data, verification: .disabled)
    #expect(try image.body(2, at: 20) == 18..<21 && image.body(1, at: 20) == 16..<18)
    try expectNoBody(head(16) + [2, 0])
    try expectNoBody(head(16) + [2, 4])
    try expectNoBody(head(16) + [200, 1])
    try expectNoBody(head(16) + [6, 1])
    try expectNoBody(head(0) + [2, 3])
    try expectNoBody(head(13) + [2, 3])
    try expectNoBody(head(topLevel) + [0, 1])
    try expectNoBody(head(topLevel + 1) + [0, 1])
    try expectNoBody(head(1 << 61) + [2, 3])
    // The lengths continue behind the table.
    try expectNoBody(head(16, lengths: 1) + [2, 3])
    try expectNoBody(head(16, lengths: .max >> 32) + [2, 3])
    for code in 1...3 as ClosedRange<UInt64> {
      try expectNoBody(CraftedLayout.groupHead(start: 16, widthCode: code) + [2, 3])
    }
  }

  @Test(
    "the offset table can have lengths of one, two, four and eight bytes",
    arguments: 0...3 as ClosedRange<UInt64>
  )
  func widths(code: UInt64) throws {
    let lengths = [2, 3].flatMap { Bytes.word($0).prefix(1 << Int(code)) }
    // Other bytes before the lengths, to which no group leads, are allowed.
    for gap in [0, 5] {
      let layout = changed {
        $0.offsets =
          CraftedLayout.groupHead(start: 16, widthCode: code, lengths: UInt64(gap))
          + [UInt8](repeating: 0xFF, count: gap) + lengths
      }
      try ArchiveImage(data: layout.data, verification: .everything).verifyStructure()
    }
  }
}
