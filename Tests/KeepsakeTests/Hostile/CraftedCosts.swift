import Foundation
import HostileArchives
import TestSupport
import Testing

/// Crafted archives are refused before they have cost anything. Each is read in a process of its own, which has not made
/// it: so its memory is its own, and what it computes is measured, not how long others let it wait. How fast the machine
/// is at that moment does not count: the same process also reads an ordinary archive, of 1,000 dictionaries.
@Suite(.enabled(if: probePath != nil, "archive-probe is not beside the tests")) struct CraftedCosts {
  /// Readings of the ordinary archive, about four times what the costliest crafted one needs; and bytes. Without
  /// optimization what is generic takes longer by far, and what recurses has frames that are several times as large.
  #if DEBUG
    private static let (mostTime, mostMemory) = (250.0, 32e6)
  #else
    private static let (mostTime, mostMemory) = (50.0, 16e6)
  #endif

  @Test("each is refused in the time and memory of some ordinary ones", arguments: CraftedArchive.all.indices)
  func cost(index: Int) throws {
    let archive = CraftedArchive.all[index]
    let folder = try TemporaryFolder()
    try archive.data.write(to: URL(filePath: folder("archive")))
    // The best of several runs: what else the machine does, the others show.
    let answer = try Probe.run("crafted-cost", "\(index)", folder("archive"), "5")
    let figures = String(decoding: answer, as: UTF8.self).split(separator: " ").compactMap {
      Double($0.trimmingCharacters(in: .newlines))
    }
    try #require(figures.count == 3)
    #expect(figures[2] == 1, "\(archive) is read")
    #expect(figures[0] <= CraftedCosts.mostTime, "\(archive) takes \(figures[0]) times as long")
    #expect(figures[1] <= CraftedCosts.mostMemory, "\(archive) takes \(figures[1] / 1e6) MB")
  }

  @Test("a cycle that the reader closes by itself leaves nothing in memory")
  func closedCycle() throws {
    let answer = try Probe.run("closed-cycle", "\(sized(40_000, inDebug: 5_000))")
    let memory = try #require(
      Double(String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .newlines))
    )
    #expect(memory < 2e6)
  }
}
