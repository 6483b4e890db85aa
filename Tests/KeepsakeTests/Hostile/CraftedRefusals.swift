import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Each archive that is made to do harm gives a typed error.
@Suite struct CraftedRefusals {
  @Test("each crafted archive is small, and is refused with its error code", arguments: CraftedArchive.all)
  func refused(archive: CraftedArchive) throws {
    let data = archive.data
    #expect(data.count < 12_000_000)
    #expect(try failure { try archive.read(data) }.code == archive.code)
  }

  @Test("crafted archives have distinct names, and there are many")
  func names() {
    #expect(Set(CraftedArchive.all.map(\.name)).count == CraftedArchive.all.count)
    #expect(CraftedArchive.all.count > 100)
  }

  @Test("ten levels of ten references, read as objects, are ten objects")
  func sharedLevels() throws {
    let archive = try #require(CraftedArchive.all.first { $0.name == "ten levels of ten references" })
    let root = try KeyedUnarchiver.unarchive(CraftedRing.self, from: archive.data)
    var level = [root]
    for _ in 1..<10 {
      let next = level.flatMap(\.next)
      #expect(next.count == 10 && next.allSatisfy { $0 === next[0] })
      level = [next[0]]
    }
    #expect(level[0].next.isEmpty)
  }

  @Test("a large string with 60,000 references is one string in memory")
  func sharedString() throws {
    let text = [UInt8](repeating: 0x61, count: 1_000_000)
    let data = HandmadeArchive.data(
      topLevel: [0, Tag.map, 1, 0x24] + Array("root".utf8)
        + ([Tag.array] + Bytes.varint(60_000)
          + Bytes.repeating([Tag.stringReference, 0], count: 60_000)),
      strings: [text]
    )
    var strings = try KeyedUnarchiver.unarchive([String].self, from: data)
    #expect(strings.count == 60_000)
    let addresses = Set(
      strings.indices.map { index in
        // The address is compared and not followed.
        strings[index].withUTF8 { UInt(bitPattern: $0.baseAddress) }
      }
    )
    #expect(addresses.count == 1)
  }
}
