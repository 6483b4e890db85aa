import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Archives with correct checksums and contents that no writer produces: damage and excess give typed errors.
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

  @Test("an impossible number of bodies is damage", arguments: [1 << 20, 1 << 40, Int.max - 62, Int.max])
  func bodyCount(count: Int) throws {
    let archive = HandmadeArchive.data(topLevel: CraftedArchive.root([0x81]), bodyCount: count)
    #expect(try code(Int.self, archive) == .damaged)
  }

  @Test("forty objects that each refer to the next twice, read as values, exceed a limit")
  func doubling() throws {
    let last = 40
    let bodies = (1...last).map { number -> [UInt8] in
      number == last ? [1, 0x50] : [1, 0x52, 0x40, UInt8(number + 1), 0x40, UInt8(number + 1)]
    }
    let archive = HandmadeArchive.data(bodies: bodies, topLevel: CraftedArchive.root([0x40, 1]))
    #expect(try code(CraftedTree.self, archive) == .limitExceeded)
  }

  private struct After: Decodable {
    let after: Int
  }

  @Test(
    "a value that is nested deeper than a reader tracks is skipped",
    arguments: [-1, 0, 1, 2, 40_000]
  )
  func passedOver(more: Int) throws {
    let levels = 1 << 18 + more
    // Each array has the next one and a number.
    let deep = [UInt8](repeating: 0x52, count: levels) + [0x50] + [UInt8](repeating: 0x95, count: levels)
    let value = CraftedArchive.map(("deep", deep), ("after", [0x97]))
    let archive = HandmadeArchive.data(topLevel: CraftedArchive.root(value))
    #expect(try KeyedUnarchiver.unarchive(After.self, from: archive).after == 7)
    let short = CraftedArchive.map(("deep", deep.dropLast(3)), ("after", [0x97]))
    #expect(try code(After.self, HandmadeArchive.data(topLevel: CraftedArchive.root(short))) == .damaged)
  }

  private class Present: Codable {}

  private final class Gone: Present, ArchivePlaceholder {
    let content: UnknownValue

    required init(_ content: UnknownValue) {
      self.content = content
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      content = try UnknownValue(from: decoder)
      super.init()
    }

    override func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
  }

  @Test("an object of an unknown class that refers to a value is an error with its coding path")
  func valueInPlaceholder() throws {
    let archive = HandmadeArchive.data(
      bodies: [[1, 0x51, 0x48, 2], [0, 0x95]],
      topLevel: CraftedArchive.root([0x40, 1]),
      classes: [HandmadeArchive.type("Gone", flags: 1)]
    )
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
    unarchiver.placeholders = [Gone.self]
    let found = try failure { try unarchiver.decode(Present.self, forKey: KeyedArchiver.rootKey) }
    #expect(found.code == .typeMismatch && found.path == "root/[0]", "\(found)")
  }

  @Test(
    "an object that contains itself is a cycle when read as an object, and exceeds a limit when read as a value"
  )
  func cycle() throws {
    let archive = HandmadeArchive.data(
      bodies: [[1, 0x51, 0x40, 1]],
      topLevel: CraftedArchive.root([0x40, 1])
    )
    #expect(try code(CraftedRing.self, archive) == .cycle)
    #expect(try code(CraftedTree.self, archive) == .limitExceeded)
  }

  @Test(
    "a map with a duplicate key is damage, also as an integer and as text",
    arguments: [[0x95], [0x21, 0x35]] as [[UInt8]]
  )
  func keyTwice(second: [UInt8]) throws {
    let archive = HandmadeArchive.data(
      topLevel: CraftedArchive.root([0x1C, 2, 0x95, 0x91] + second + [0x92])
    )
    #expect(try code([Int: Int].self, archive) == .damaged)
    #expect(try code([String: Int].self, archive) == .damaged)
  }

  @Test("a reference to a missing body, or to one of another kind, is damage")
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
