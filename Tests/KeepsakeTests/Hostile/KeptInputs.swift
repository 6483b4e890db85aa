import Foundation
import HostileArchives
import TestSupport
import Testing

/// Inputs that are kept with the tests: those that reached new code, and all that ever failed.
@Suite struct KeptInputs {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fuzzing")

  @Test("each kept input is read as every type", arguments: ["Corpus", "Failures"])
  func read(folder: String) throws {
    let files = try SeedArchives.files(in: Self.folder.appendingPathComponent(folder).path)
    // Every build reads all inputs that ever failed.
    let step = folder == "Failures" ? 1 : sized(1, inDebug: 3)
    for file in stride(from: 0, to: files.count, by: step).map({ files[$0] }) {
      let outcome = HostileReading.readEverything(file.bytes)
      #expect(outcome.faults == [], "\(folder)/\(file.name)")
    }
  }

  @Test("the corpus is small, and some of it can be opened")
  func corpus() throws {
    let files = try SeedArchives.files(in: Self.folder.appendingPathComponent("Corpus").path)
    #expect(files.count > 10)
    #expect(files.reduce(0) { $0 + $1.bytes.count } < 300_000)
    let opened = files.count { HostileReading.read($0.bytes, as: []).wasOpened }
    #expect(opened > files.count / 4)
  }
}
