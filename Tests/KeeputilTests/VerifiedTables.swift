import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Faults that only `verifyStructure` finds, since they are not read, and nil instead of a value behind a protocol.
@Suite struct VerifiedTables {
  @Test("a string table with bytes but no entries is damaged")
  func strings() throws {
    let data = HandmadeArchive.data(
      topLevel: CraftedArchive.root([0x90]),
      strings: [[0x61, 0x62]],
      directing: { $0[9] = 0 }
    )
    #expect(try KeyedUnarchiver.unarchive(Int.self, from: data) == 0)
    let image = try ArchiveImage(data: data, verification: .everything)
    let error = #expect(throws: ArchiveError.self) { try image.verifyStructure() }
    #expect(error?.code == .damaged)
  }

  @Test("a conditional reference to a missing entry is damage, even if unread")
  func conditional() throws {
    let data = HandmadeArchive.data(
      bodies: [[0, 0x51, Tag.conditionalReference, 3]],
      topLevel: [0, Tag.map, 0]
    )
    let image = try ArchiveImage(data: data, verification: .everything)
    let error = #expect(throws: ArchiveError.self) { try image.verifyStructure() }
    #expect(error?.code == .damaged)
  }

  @Test("nil instead of a value behind a protocol is valueNotFound")
  func noValue() throws {
    let data = HandmadeArchive.data(topLevel: CraftedArchive.root([Tag.none]))
    let found = try failure { try KeyedUnarchiver.unarchive(Polymorphic<any VerifiedShape>.self, from: data) }
    #expect(found.kind == .valueNotFound)
  }
}

private protocol VerifiedShape: Codable {}
