import Foundation
import TestSupport
import Testing

import HostileArchives
@testable import Keepsake

/// Conditional references and their table (Format §4.9, §5.5), in handmade archives.
@Suite struct ConditionalReferences {
  private static let object: [UInt8] = [1, Tag.map, 0]
  private static let value: [UInt8] = [0, Tag.none]

  /// A top level with an object reference to body 1 under "a", and `members` under "b", "c" and so on.
  private static func top(_ members: [UInt8]...) -> [UInt8] {
    let all = [[Tag.objectReference, 1]] + members
    var bytes: [UInt8] = [0, Tag.map, UInt8(all.count)]
    for (offset, member) in all.enumerated() {
      bytes += [Tag.shortString + 1, 0x61 + UInt8(offset)] + member
    }
    return bytes
  }

  private static func weak(_ entry: UInt8) -> [UInt8] { [Tag.conditionalReference, entry] }

  private func image(
    bodies: [[UInt8]] = [object],
    _ topLevel: [UInt8],
    conditionals: [[UInt8]]
  ) throws -> ArchiveImage {
    let data = HandmadeArchive.data(bodies: bodies, topLevel: topLevel, conditionals: conditionals)
    return try ArchiveImage(data: data, verification: .everything)
  }

  private func fault(
    bodies: [[UInt8]] = [object],
    _ topLevel: [UInt8],
    conditionals: [[UInt8]]
  ) throws -> String {
    do {
      try image(bodies: bodies, topLevel, conditionals: conditionals).verifyStructure()
    } catch let error as ArchiveError {
      #expect(error.code == .damaged)
      #expect(error.byteOffset != nil)
      return error.message
    }
    return "none"
  }

  @Test(
    "a conditional reference leads to its object, or to nothing if that was not archived, and is not counted"
  )
  func targets() throws {
    let image = try image(
      Self.top(Self.weak(0), Self.weak(1), [Tag.conditionalReference + 3, 0, 0, 0, 0]),
      conditionals: [[1], [0]]
    )
    let top = try image.topLevelValue
    let present = try #require(try top["b"])
    #expect(present.kind == .conditional)
    #expect(try present.bodyNumber == 1)
    #expect(try present.target?.className == "Thing")
    let absent = try #require(try top["c"])
    #expect(absent.kind == .conditional)
    #expect(try absent.bodyNumber == nil)
    #expect(try absent.target == nil)
    #expect(try top["d"]?.bodyNumber == 1)
    #expect(try image.verifyStructure().referenceCounts == [0, 1])
    #expect(try image.conditionalTarget(0, at: 0) == 1)
    #expect(try image.conditionalTarget(1, at: 0) == nil)
    for index in [-1, 2, Int.max] {
      #expect(throws: ArchiveError.self) { try image.conditionalTarget(index, at: 0) }
    }
  }

  @Test("conditional references can be anywhere, and may lead back")
  func places() throws {
    #expect(try fault(Self.top(Self.weak(0)), conditionals: [[1]]) == "none")
    #expect(try fault(Self.top([Tag.shortArray + 1] + Self.weak(0)), conditionals: [[1]]) == "none")
    #expect(try fault(bodies: [[1] + Self.weak(0)], Self.top(), conditionals: [[1]]) == "none")
    // As the whole top level, with no other reference to the object.
    #expect(try fault([0] + Self.weak(0), conditionals: [[1]]) == "none")
    // Entries that nothing names, and two for one object.
    #expect(try fault(Self.top(), conditionals: [[0], [1], [1]]) == "none")
  }

  @Test("a conditional reference to the body of the value that contains it is damage")
  func value() throws {
    struct Holder: Codable { @WeakReference var x: Thing? }
    final class Thing: Codable {}
    let root = [Tag.shortString + 4] + Array("root".utf8)
    let body = [0, Tag.map, 1, Tag.shortString + 1, UInt8(ascii: "x")] + Self.weak(0)
    let topLevel = [0, Tag.map, 1] + root + [Tag.valueReference, 1]
    let data = HandmadeArchive.data(bodies: [body], topLevel: topLevel, conditionals: [[1]])
    let found = try failure { try ArchiveDecoder().decode(Holder.self, from: data) }
    #expect(found.kind == .dataCorrupted)
    #expect(try fault(bodies: [body], topLevel, conditionals: [[1]]) != "none")
  }

  @Test("a faulty conditional table is damage, even if nothing refers to it")
  func faults() throws {
    for top in [Self.top(), Self.top(Self.weak(0))] {
      #expect(try fault(top, conditionals: [[2]]).contains("out of range"))
      #expect(try fault(top, conditionals: [[0xFF, 0xFF, 0xFF, 0xFF, 0x7F]]).contains("out of range"))
      #expect(
        try fault(bodies: [Self.object, Self.value], top, conditionals: [[2]]).contains(
          "instead of an object"
        )
      )
      #expect(try fault(top, conditionals: [[0x80, 0]]).contains("longer than necessary"))
      #expect(try fault(top, conditionals: [[1, 1]]).contains("does not fill"))
      // The second entry would end in the offset table.
      #expect(try fault(top, conditionals: [[1], [0x81]]) != "none")
      // More entries than bytes are found when the archive is opened.
      #expect(try fault(top, conditionals: [[1], []]).contains("longer than the part"))
    }
    #expect(try fault(Self.top(Self.weak(0)), conditionals: []).contains("conditional"))
    #expect(try fault(Self.top(Self.weak(1)), conditionals: [[1]]).contains("conditional"))
    #expect(try fault([0, Tag.conditionalReference], conditionals: [[1]]) != "none")
  }

  @Test("the conditional table is checked only when it is needed")
  func lazily() throws {
    let image = try image(Self.top([Tag.true], Self.weak(0)), conditionals: [[9]])
    #expect(try image.topLevelValue["b"]?.bool == true)
    #expect(throws: ArchiveError.self) { try image.topLevelValue["c"]?.target }
    var data = HandmadeArchive.data(
      bodies: [Self.object],
      topLevel: Self.top([Tag.true], Self.weak(0)),
      strings: [[UInt8](repeating: 0x61, count: 200_000)],
      conditionals: [[1]]
    )
    // Damage in a block of the string table, which only `checkTables` reads.
    data[data.startIndex + 100_000] ^= 1
    let partly = try ArchiveImage(data: data, verification: .onDemand)
    #expect(try partly.conditionalTarget(0, at: 0) == 1)
    #expect(throws: ArchiveError.self) { try partly.checkTables() }
  }

  @Test("a written conditional table is read, also with entries of several bytes")
  func written() throws {
    let topLevel = ByteBuffer()
    topLevel.append(0 as UInt8)
    topLevel.append(Tag.none)
    var assembly = ArchiveAssembly()
    for _ in 1...200 {
      let start = assembly.buffer.count
      assembly.buffer.append(varint: 1)
      assembly.buffer.append(Tag.empty)
      assembly.addBody(start..<assembly.buffer.count)
    }
    let targets = [200, 0, 1, 128, 0]
    var (keys, shapes, strings) = (KeyRegistry(), ShapeTrie(), StringSharing())
    try assembly.finish(
      topLevel: topLevel,
      keys: &keys,
      shapes: &shapes,
      classes: [ClassEntry(name: "Thing")],
      strings: &strings,
      conditionals: targets
    )
    let image = try ArchiveImage(assembly.buffer.reader(), verification: .everything)
    try image.verifyStructure()
    #expect(image.directory.conditionals.count == targets.count)
    #expect(image.directory.conditionals.range.count == 7)
    #expect(try targets.indices.map { try image.conditionalTarget($0, at: 0) ?? 0 } == targets)
  }
}
