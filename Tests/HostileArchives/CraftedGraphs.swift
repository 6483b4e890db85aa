internal import Foundation
internal import Keepsake

/// Wrong references, and bodies with wrong offsets (Format §4.9, §5.6).
extension CraftedArchive {
  static let graphs: [CraftedArchive] = [
    CraftedArchive("an object that contains itself", .cycle, as: CraftedRing.self, cycle(1)),
    CraftedArchive(
      "an object that contains itself, read as a value",
      .limitExceeded,
      as: CraftedTree.self,
      cycle(1)
    ),
    CraftedArchive("references in a cycle", .cycle, as: CraftedRing.self, cycle(3)),
    CraftedArchive("references in a cycle, read as values", .limitExceeded, as: CraftedTree.self, cycle(3)),
    CraftedArchive("ten levels of ten references", .limitExceeded, as: CraftedTree.self, levels(10, of: 10)),
    CraftedArchive("forty levels of two references", .limitExceeded, as: CraftedTree.self, levels(40, of: 2)),
    CraftedArchive(
      "a reference to a number out of range",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[1] + array([reference(7)])], topLevel: root(reference(1)))
    ),
    CraftedArchive(
      "a reference to the number 0",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[1] + array([reference(0)])], topLevel: root(reference(1)))
    ),
    CraftedArchive(
      "a reference to the largest number",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[1, 0x50]], topLevel: root(reference(Int(UInt32.max))))
    ),
    CraftedArchive(
      "an object reference to a value",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[0, 0x50]], topLevel: root(reference(1)))
    ),
    CraftedArchive(
      "a value reference to an object",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[1, 0x50]], topLevel: root([Tag.valueReference, 1]))
    ),
    CraftedArchive(
      "a value that refers to itself",
      .typeMismatch,
      as: CraftedTree.self,
      HandmadeArchive.data(
        bodies: [[0, 0x51, Tag.valueReference, 1]],
        topLevel: root([Tag.valueReference, 1])
      )
    ),
    CraftedArchive(
      "an object that is decoded as another class the second time",
      .typeMismatch,
      as: CraftedConfusion.self,
      HandmadeArchive.data(bodies: [[1, 0x50]], topLevel: root(array([reference(1), reference(1)])))
    ),
    CraftedArchive(
      "an entry of the conditional table out of range",
      .damaged,
      as: [CraftedRing?].self,
      HandmadeArchive.data(
        bodies: [[1, 0x50]],
        topLevel: root(array([reference(1), [Tag.conditionalReference, 0]])),
        conditionals: [[9]]
      )
    ),
  ]

  static let bodies: [CraftedArchive] = [
    CraftedArchive("two objects with one offset", .damaged, as: CraftedRing.self, moved { $0[64] = $0[0] }),
    CraftedArchive(
      "an offset in the middle of a body",
      .damaged,
      as: CraftedRing.self,
      moved { $0[64] = ($0[64].lowerBound - 1)..<($0[64].upperBound - 1) }
    ),
    CraftedArchive(
      "an offset in the header",
      .damaged,
      as: CraftedRing.self,
      moved { $0[0] = 8..<$0[0].upperBound }
    ),
    CraftedArchive(
      "an offset in the tables",
      .damaged,
      as: CraftedRing.self,
      moved { $0[64] = ($0[69].upperBound + 20)..<($0[69].upperBound + 22) }
    ),
    CraftedArchive(
      "an offset past the end",
      .damaged,
      as: CraftedRing.self,
      moved { $0[64] = (1 << 40)..<(1 << 40 + 2) }
    ),
    CraftedArchive("a body without bytes", .damaged, as: CraftedRing.self, moved { $0[3] = 9..<9 }),
    CraftedArchive(
      "a body of 2⁶² bytes",
      .damaged,
      as: CraftedRing.self,
      moved { $0[3] = 9..<(9 + 1 << 62) }
    ),
    CraftedArchive(
      "a gap between bodies",
      .damaged,
      as: CraftedRing.self,
      moved { $0[69] = $0[69].lowerBound..<($0[69].upperBound - 1) }
    ),
    CraftedArchive(
      "trailing bytes in a body",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[1, 0x50, 0x50]], topLevel: root(reference(1)))
    ),
    CraftedArchive(
      "a value that extends into the next body",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(bodies: [[1, 0x52, 0x50], [Tag.empty, 0x50]], topLevel: root(reference(1)))
    ),
  ]

  /// Objects that each contain the next one, and the last the first.
  private static func cycle(_ count: Int) -> Data {
    HandmadeArchive.data(
      bodies: (1...count).map { [1] + array([reference($0 % count + 1)]) },
      topLevel: root(reference(1))
    )
  }

  /// Objects that each contain the next one several times.
  private static func levels(_ count: Int, of width: Int) -> Data {
    HandmadeArchive.data(
      bodies: (1...count).map { number in
        [1] + array(number == count ? [] : Array(repeating: reference(number + 1), count: width))
      },
      topLevel: root(reference(1))
    )
  }

  /// Seventy objects, in two groups of the offset table, all in one array, with changed offsets.
  private static func moved(_ change: (inout [Range<Int>]) -> Void) -> Data {
    HandmadeArchive.data(
      bodies: [[1] + array((2...70).map(reference))] + Array(repeating: [1, 0x50], count: 69),
      topLevel: root(reference(1)),
      moving: change
    )
  }
}
