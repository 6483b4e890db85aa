import Foundation
import TestSupport
import Testing

/// `archive-probe kill-saves` kills saving processes at random moments, and checks what the file has. The long run:
/// `archive-probe kill-saves FOLDER 10000`.
@Suite(.enabled(if: probePath != nil, "archive-probe is not beside the tests"))
struct KillTests {
  @Test("a kill at any moment leaves a whole file with every acknowledged save", .timeLimit(.minutes(20)))
  func kills() throws {
    let folder = try TemporaryFolder()
    let seed = UInt64.random(in: .min ... .max)
    print("kills: seed \(seed)")
    let count = sized(200, inDebug: 50)
    let command = [try #require(probePath), "kill-saves", folder("saves"), "\(count)", "\(seed)"]
    let (status, errors) = try runCommand(command)
    #expect(status == 0, "\(errors)")
  }

  @Test("a kill while a document is saved or compacted loses no save", .timeLimit(.minutes(20)))
  func documentKills() throws {
    let folder = try TemporaryFolder()
    let seed = UInt64.random(in: .min ... .max)
    print("document kills: seed \(seed)")
    let count = sized(100, inDebug: 30)
    let command = [try #require(probePath), "kill-documents", folder("ledger"), "\(count)", "\(seed)"]
    let (status, errors) = try runCommand(command)
    #expect(status == 0, "\(errors)")
  }
}
