import Foundation
import Testing

@testable import Keepsake

@Suite struct LeftoverTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func theNextSaveRemovesWhatAKilledOneLeft() async throws {
    try writeText("old", to: folder("a"), mode: 0o444)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder("a") as String] in
      let file = try DurableFile(replacing: path)
      try file.append("half of the new")
      kill(getpid(), SIGKILL)
      try file.commit()
    }
    #expect(try fileText(folder("a")) == "old")
    #expect(try folder.names.count == 2)
    try saveText("new", to: folder("a"))
    #expect(try fileText(folder("a")) == "new")
    #expect(try folder.names == ["a"])
  }

  @Test func aReadOnlyLeftoverIsRemovedToo() throws {
    try writeText("left", to: folder(".a.keepsake-00zz9a"), mode: 0o444)
    try saveText("new", to: folder("a"))
    #expect(try folder.names == ["a"])
  }

  @Test func onlyLeftoversOfTheSameTargetAreRemoved() throws {
    let others = [
      ".a.keepsake-", ".a.keepsake-00000", ".a.keepsake-0000000", ".a.keepsake-00000A", ".b.keepsake-000000",
      "a.keepsake-000000", ".aa.keepsake-000000", ".a.keepsake-00000é", "b",
    ]
    for name in others { try writeText("other", to: folder(name)) }
    try FileManager.default.createDirectory(
      atPath: folder(".a.keepsake-folder"),
      withIntermediateDirectories: false
    )
    try FileManager.default.createSymbolicLink(
      atPath: folder(".a.keepsake-linked"),
      withDestinationPath: "b"
    )
    try saveText("new", to: folder("a"))
    #expect(
      try Set(folder.names) == Set(others + ["a", ".a.keepsake-folder", ".a.keepsake-linked"])
    )
  }

  @Test func aSaveThatIsStillWritingIsNotALeftover() throws {
    let slow = try DurableFile(replacing: folder("a"))
    try slow.append("slow")
    for _ in 0..<3 { try saveText("quick", to: folder("a")) }
    #expect(try fileText(folder("a")) == "quick")
    try slow.append(" but sure")
    try slow.commit()
    #expect(try fileText(folder("a")) == "slow but sure")
    #expect(try folder.names == ["a"])
  }

  @Test func aSaveInAnotherProcessIsNotALeftover() async throws {
    let mine = try DurableFile(replacing: folder("a"))
    try mine.append("mine")
    await #expect(processExitsWith: .success) { [path = folder("a") as String] in
      try saveText("theirs", to: path)
    }
    #expect(try fileText(folder("a")) == "theirs")
    try mine.commit()
    #expect(try fileText(folder("a")) == "mine")
    #expect(try folder.names == ["a"])
  }

  @Test func concurrentSavesOfOnePathAllSucceed() async throws {
    let path = folder("a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for saver in 0..<8 {
        group.addTask {
          for round in 0..<10 {
            let line = "\(saver) \(round)\n"
            let file = try DurableFile(replacing: path)
            for _ in 0..<20 { try file.append(line) }
            try file.commit()
            // Whoever was last: one save's lines, all of them.
            let lines = try fileText(path).split(separator: "\n")
            #expect(lines.count == 20 && Set(lines).count == 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.names == ["a"])
  }
}
