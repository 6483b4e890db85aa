import Foundation
import RandomArchives
import TestSupport
import Testing

/// Random graphs of everything that can be archived, in several threads at once. The long run, which also watches
/// memory: `archive-probe soak SECONDS`. To repeat a graph that failed: `archive-probe soak-one SEED`.
@Suite struct SoakTests {
  // One test only, since objects are counted for the whole process.
  @Test("random graphs in four threads come back, and no object stays in memory", .timeLimit(.minutes(20)))
  func soak() throws {
    let folder = try TemporaryFolder()
    let seed =
      ProcessInfo.processInfo.environment["KEEPSAKE_SEED"].flatMap { UInt64($0) }
      ?? .random(in: .min ... .max)
    print("soak: KEEPSAKE_SEED=\(seed)")
    let run = SoakRun(seed: seed, folder: URL(filePath: folder.path))
    run.run(threads: 4, until: .now + .seconds(2))
    let totals = run.state
    #expect(totals.fault == nil)
    #expect(totals.graphs >= 4 && totals.objects > 0 && totals.bytes > 0)
    #expect(LiveObjects.everMade > 2 * totals.objects, "copies were made")
    #expect(LiveObjects.count == 0, "objects are left")
    #expect(try folder.names.isEmpty)
  }
}
