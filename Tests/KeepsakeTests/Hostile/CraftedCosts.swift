import Foundation
import HostileArchives
import TestSupport
import Testing

/// Crafted archives are refused before they take much memory or time. Each is read in a separate process, which has not
/// made it, so that its memory can be measured. The time is processor time, in proportion to that of an ordinary
/// archive of 1,000 dictionaries, so the speed of the machine does not matter.
@Suite(.enabled(if: probePath != nil, "archive-probe is not beside the tests")) struct CraftedCosts {
  /// Readings of the ordinary archive, about four times what the costliest crafted one takes; and bytes. Without
  /// optimization, generic code takes much longer, and recursion has frames several times as large.
  #if DEBUG
    private static let (mostTime, mostMemory) = (250.0, 32e6)
  #else
    private static let (mostTime, mostMemory) = (50.0, 16e6)
  #endif

  @Test("each crafted archive is refused in bounded time and memory", arguments: CraftedArchive.all.indices)
  func cost(index: Int) throws {
    let archive = CraftedArchive.all[index]
    let folder = try TemporaryFolder()
    try archive.data.write(to: URL(filePath: folder("archive")))
    // The best of several runs, since other processes disturb some.
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
