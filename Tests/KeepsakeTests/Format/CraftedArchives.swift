import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Archives whose checksums are right and whose content no writer would write: each gives a typed error.
@Suite struct CraftedArchives {
  private func code<Value: Decodable>(_ type: Value.Type, _ archive: Data) throws -> ArchiveError.Code? {
    let error = try #require(throws: DecodingError.self) {
      _ = try KeyedUnarchiver.unarchive(type, from: archive)
    }
    switch error {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      return (context.underlyingError as? ArchiveError)?.code
    @unknown default: return nil
    }
  }

  @Test("a count of bodies beyond all measure", arguments: [1 << 20, 1 << 40, Int.max - 62, Int.max])
  func bodyCount(count: Int) throws {
    let archive = HandmadeArchive.data(topLevel: CraftedArchive.root([0x81]), bodyCount: count)
    #expect(try code(Int.self, archive) == .damaged)
  }

  @Test("forty objects of which each has the next one twice, read as values")
  func doubling() throws {
    let last = 40
    let bodies = (1...last).map { number -> [UInt8] in
      number == last ? [1, 0x50] : [1, 0x52, 0x40, UInt8(number + 1), 0x40, UInt8(number + 1)]
    }
    let archive = HandmadeArchive.data(bodies: bodies, topLevel: CraftedArchive.root([0x40, 1]))
    #expect(try code(CraftedTree.self, archive) == .limitExceeded)
  }

  @Test("an object that contains itself, read as an object and as a value")
  func ring() throws {
    let archive = HandmadeArchive.data(
      bodies: [[1, 0x51, 0x40, 1]],
      topLevel: CraftedArchive.root([0x40, 1])
    )
    #expect(try code(CraftedRing.self, archive) == .cycle)
    #expect(try code(CraftedTree.self, archive) == .limitExceeded)
  }

  @Test(
    "a map that has a key twice, be it as an integer and as text",
    arguments: [[0x95], [0x21, 0x35]] as [[UInt8]]
  )
  func keyTwice(second: [UInt8]) throws {
    let archive = HandmadeArchive.data(
      topLevel: CraftedArchive.root([0x1C, 2, 0x95, 0x91] + second + [0x92])
    )
    #expect(try code([Int: Int].self, archive) == .damaged)
    #expect(try code([String: Int].self, archive) == .damaged)
  }

  @Test("a reference to a number that no body has, or to a body of another kind")
  func references() throws {
    let bodies: [[UInt8]] = [[0, 0x50], [1, 0x50]]
    for reference in [
      [0x40, 0], [0x40, 3], [0x43, 255, 255, 255, 255], [0x40, 1], [0x48, 2], [0x48, 9],
    ] as [[UInt8]] {
      let archive = HandmadeArchive.data(bodies: bodies, topLevel: CraftedArchive.root(reference))
      #expect(try code(CraftedRing.self, archive) == .damaged, "reference \(reference)")
    }
  }
}
