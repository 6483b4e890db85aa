import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite struct LeftoverTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  #if compiler(>=6.3)  // before, an exit test cannot capture
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
  #endif

  @Test func aReadOnlyLeftoverIsRemovedToo() throws {
    try writeText("left", to: folder(TemporaryName.random(for: "a")), mode: 0o444)
    try saveText("new", to: folder("a"))
    #expect(try folder.names == ["a"])
  }

  @Test func onlyLeftoversOfTheSameTargetAreRemoved() throws {
    let name = TemporaryName.random(for: "a")
    let last = name.last == "0" ? "1" : "0"
    let others = [
      TemporaryName.random(for: "aa"), TemporaryName.random(for: "b"), String(name.dropFirst()), name + "0",
      String(name.dropLast()), name.dropLast() + last, name.replacing(".a.", with: ".A."), name.uppercased(),
      ".a.keepsake-backup", ".a.keepsake-", ".a.keepsake-2026-11-22-by-hand-1", ".a.keepsake-00000",
      ".a.keepsake-0000000", ".a.keepsake-00000A", ".b.keepsake-000000",
      "a.keepsake-000000", ".aa.keepsake-000000", ".a.keepsake-00000é", "b",
    ]
    for name in others { try writeText("other", to: folder(name)) }
    let (made, link) = (TemporaryName.random(for: "a"), TemporaryName.random(for: "a"))
    try FileManager.default.createDirectory(atPath: folder(made), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder(link), withDestinationPath: "b")
    try saveText("new", to: folder("a"))
    #expect(try Set(folder.names) == Set(others + ["a", made, link]))
  }

  @Test func aUsersFileIsNotALeftoverWhateverItsNameIs() throws {
    for ending in ["backup", "before", "000000", "v2.old"] {
      try writeText("precious", to: folder(".library.keepsake-\(ending)"))
    }
    let before = try folder.names
    try KeyedArchiver.archive(rootObject: "new", toFile: folder("library"))
    #expect(try folder.names == before + ["library"])
  }

  @Test("a save fails if another program exchanges its temporary file, and leaves that program's file")
  func exchanged() throws {
    try writeText("old", to: folder("a"))
    let file = try DurableFile(replacing: folder("a"))
    try file.append("new")
    let name = try #require(try folder.names.first { $0.hasPrefix(".a.") })
    try FileManager.default.moveItem(atPath: folder(name), toPath: folder("stolen"))
    try writeText("theirs", to: folder(name))
    let error = #expect(throws: ArchiveError.self) { try file.commit() }
    #expect(error?.code == .unwritableFile && error?.path == folder("a"))
    #expect(error?.message.contains("another program") == true)
    #expect(try fileText(folder("a")) == "old" && fileText(folder(name)) == "theirs")
  }

  @Test("a save fails if another program removes its temporary file")
  func removed() throws {
    let file = try DurableFile(replacing: folder("a"))
    try file.append("new")
    for name in try folder.names { try FileManager.default.removeItem(atPath: folder(name)) }
    #expect(throws: ArchiveError.self) { try file.commit() }
    #expect(try folder.names == [])
  }

  @Test("a canceled or interrupted save removes only its own file", arguments: [true, false])
  func givenUp(isInterrupted: Bool) throws {
    let file = try DurableFile(replacing: folder("a"))
    try file.append("new")
    let name = try #require(try folder.names.first)
    try FileManager.default.removeItem(atPath: folder(name))
    try writeText("theirs", to: folder(name))
    isInterrupted ? file.removal() : file.cancel()
    #expect(try fileText(folder(name)) == "theirs")
  }

  @Test(
    "a file that is exchanged just before the rename is detected",
    .enabled(if: probePath != nil && canTrace, "archive-probe or strace is missing")
  )
  func exchangedLate() throws {
    try writeText("old", to: folder("a"))
    let trace = ["/usr/bin/strace", "-f", "-o", "/dev/null", "-e", "inject=renameat:delay_enter=8000000"]
    let save = try startCommand(
      trace + [try #require(probePath), "marked-save", folder("a"), "3", "whole"],
      errors: folder("errors")
    )
    // Once it has the permissions of the old file, the save checks nothing more before the rename.
    var name: String?
    while name == nil, save.isRunning {
      name = try folder.names.first { try $0.hasPrefix(".a.") && permissions(folder($0)) != 0o600 }
    }
    Thread.sleep(forTimeInterval: 1)
    let found = try #require(name)
    try FileManager.default.moveItem(atPath: folder(found), toPath: folder("stolen"))
    try writeText("theirs", to: folder(found))
    save.waitUntilExit()
    #expect(save.terminationStatus == 1)
    #expect(try fileText(folder("errors")).contains("another program"))
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

  #if compiler(>=6.3)  // before, an exit test cannot capture
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
  #endif

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
            // The last save is there with all its lines.
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
