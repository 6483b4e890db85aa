import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite struct DurableFileTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func aNewFileHasAllPiecesInOrder() throws {
    let file = try DurableFile(replacing: folder("a"))
    for piece in ["one ", "", "two ", "three"] { try file.append(piece) }
    #expect(file.count == 13)
    #expect(try folder.names != ["a"], "nothing is in place before the commit")
    try file.commit()
    #expect(try fileText(folder("a")) == "one two three")
    #expect(try folder.names == ["a"])
  }

  @Test func aFileMayBeEmpty() throws {
    try saveText("", to: folder("a"))
    #expect(try fileText(folder("a")).isEmpty)
  }

  @Test func cancelLeavesTheOldFile() throws {
    try writeText("old", to: folder("a"))
    let file = try DurableFile(replacing: folder("a"))
    try file.append("new")
    file.cancel()
    file.cancel()
    #expect(try fileText(folder("a")) == "old")
    #expect(try folder.names == ["a"])
    #expect(try #require(throws: ArchiveError.self) { try file.append("more") }.code == .misuse)
    #expect(try #require(throws: ArchiveError.self) { try file.commit() }.code == .misuse)
  }

  #if compiler(>=6.3)  // before, an exit test cannot capture
    @Test func aFailedAppendGivesUp() async throws {
      try writeText("old", to: folder("a"))
      // In a separate process, whose files cannot be larger than 4 KB.
      await #expect(processExitsWith: .success) { [path = folder("a") as String] in
        try limitFileSize(to: 4096)
        let file = try DurableFile(replacing: path)
        try file.append("short")
        let text = String(repeating: "long", count: 2000)
        let error = try #require(throws: ArchiveError.self) { try file.append(text) }
        #expect(error.code == .unwritableFile)
        #expect(error.message.hasPrefix("cannot write the new file beyond byte 4096: File too large"))
        #expect(try #require(throws: ArchiveError.self) { try file.append("more") }.code == .misuse)
        #expect(try #require(throws: ArchiveError.self) { try file.commit() }.code == .misuse)
      }
      #expect(try fileText(folder("a")) == "old")
      #expect(try folder.names == ["a"])
    }
  #endif

  @Test func aForgottenSaveIsCancelled() throws {
    try writeText("old", to: folder("a"))
    try DurableFile(replacing: folder("a")).append("new")
    #expect(try fileText(folder("a")) == "old")
    #expect(try folder.names == ["a"])
  }

  @Test func nothingFollowsACommit() throws {
    let file = try DurableFile(replacing: folder("a"))
    try file.append("new")
    try file.commit()
    #expect(try #require(throws: ArchiveError.self) { try file.append("more") }.code == .misuse)
    #expect(try #require(throws: ArchiveError.self) { try file.commit() }.code == .misuse)
    file.cancel()
    #expect(try fileText(folder("a")) == "new")
  }

  @Test func whoReadsTheOldFileGoesOnReadingIt() throws {
    try writeText("old", to: folder("a"))
    let mapped = try mapArchiveFile(folder("a"))
    try saveText("new", to: folder("a"))
    #expect(mapped == Data("old".utf8))
  }

  // MARK: Permissions

  @Test(arguments: [0o600, 0o640, 0o666, 0o755, 0o444])
  func permissionsAreKept(_ bits: Int) throws {
    try writeText("old", to: folder("a"), mode: bits)
    try saveText("new", to: folder("a"))
    #expect(try permissions(folder("a")) == bits)
    #expect(try fileText(folder("a")) == "new")
  }

  @Test func nobodyElseReadsTheNewFileBeforeItHasTheOldPermissions() throws {
    try writeText("old", to: folder("a"), mode: 0o600)
    let file = try DurableFile(replacing: folder("a"))
    try file.append("secret")
    let temporary = try #require(try folder.names.first { $0 != "a" })
    #expect(try permissions(folder(temporary)) == 0o600)
  }

  @Test(arguments: [true, false])
  func aDocumentReplacesNoFileThatWasMadeMeanwhile(isMade: Bool) throws {
    let document = Result {
      try DocumentFile(creating: folder("a")) { (file) throws(ArchiveError) in
        try file.append(ByteBuffer())
        if isMade { try? writeText("other", to: folder("a")) }
      }
    }
    if isMade { #expect(throws: ArchiveError.self) { try document.get() } } else { _ = try document.get() }
    #expect(try fileText(folder("a")) == (isMade ? "other" : "") && folder.names == ["a"])
  }

  @Test func aNewFileHasTheUsualPermissions() throws {
    try saveText("new", to: folder("a"))
    #expect(FileManager.default.createFile(atPath: folder("b"), contents: nil))
    #expect(try permissions(folder("a")) == permissions(folder("b")))
  }

  @Test(.enabled(if: getuid() == 0, "only root may make files of other owners"))
  func theOwnerIsKept() throws {
    try writeText("old", to: folder("a"), mode: 0o640)
    let owners: [FileAttributeKey: Any] = [.ownerAccountID: 1234, .groupOwnerAccountID: 5678]
    try FileManager.default.setAttributes(owners, ofItemAtPath: folder("a"))
    try saveText("new", to: folder("a"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder("a"))
    #expect(attributes[.ownerAccountID] as? Int == 1234)
    #expect(attributes[.groupOwnerAccountID] as? Int == 5678)
    #expect(try permissions(folder("a")) == 0o640)
  }

  #if os(Linux)
    @Test(
      "saving keeps the access list of the file, and ignores the default one of the folder",
      .enabled(if: hasAccessLists, "the file system has no access lists")
    )
    func accessLists() throws {
      let nobody = UInt32.max
      // The owner and one user may read and write; the group may not.
      let ours = accessList([(1, 6, nobody), (2, 6, 1234), (4, 0, nobody), (16, 6, nobody), (32, 0, nobody)])
      let folders = accessList([
        (1, 7, nobody), (2, 7, 5678), (4, 5, nobody), (16, 7, nobody), (32, 5, nobody),
      ])
      try writeText("old", to: folder("listed"), mode: 0o600)
      try writeText("old", to: folder("plain"), mode: 0o660)
      let name = "system.posix_acl_access"
      try OpenFile.open(folder("listed")).setAttribute(name, ours)
      try OpenFile.openFolder(folder.path).setAttribute("system.posix_acl_default", folders)
      for _ in 0..<2 {
        try saveText("new", to: folder("listed"))
        try saveText("new", to: folder("plain"))
        #expect(try OpenFile.open(folder("listed")).attribute(name) == ours)
        #expect(throws: SystemError.self) { try OpenFile.open(folder("plain")).attribute(name) }
        #expect(try permissions(folder("plain")) == 0o660)
      }
    }
  #endif

  // MARK: Names

  @Test(arguments: ["a b", "ä", "e\u{301}", "~", "a%20b", ".hidden", "x/../a", "./a", "sub//a", "-"])
  func namesAreTakenAsTheyAre(_ name: String) throws {
    for sub in ["x", "sub"] {
      try FileManager.default.createDirectory(atPath: folder(sub), withIntermediateDirectories: true)
    }
    try saveText("new", to: folder(name))
    #expect(try mapArchiveFile(folder(name)) == Data("new".utf8))
  }

  @Test func aNameMayBeAsLongAsTheSystemAllows() throws {
    for name in [String(repeating: "n", count: 255), String(repeating: "é", count: 127)] {
      try saveText("one", to: folder(name))
      try saveText("two", to: folder(name))
      #expect(try fileText(folder(name)) == "two")
    }
    #expect(try folder.names.count == 2)
    let error = errorOfSave(to: folder(String(repeating: "n", count: 256)))
    #expect(error?.message.contains("name too long") == true)
  }
}
