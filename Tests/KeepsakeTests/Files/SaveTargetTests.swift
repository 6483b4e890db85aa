import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite struct SaveTargetTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: destination)
  }

  private func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: true)
  }

  // MARK: Symbolic links

  @Test func aLinkIsFollowedAndStays() throws {
    try makeFolder("real")
    try writeText("old", to: folder("real/a"), mode: 0o600)
    try link("absolute", to: folder("real/a"))
    try link("relative", to: "real/a")
    try link("real/second", to: "../relative")
    for (name, destination) in [
      ("absolute", folder("real/a")), ("relative", "real/a"), ("real/second", "../relative"),
    ] {
      try saveText(name, to: folder(name))
      #expect(try fileText(folder("real/a")) == name)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder(name)) == destination)
    }
    #expect(try permissions(folder("real/a")) == 0o600)
  }

  @Test func dotDotAfterALinkedFolderIsWhereTheLinkLeads() throws {
    try makeFolder("real/inner")
    try link("inner", to: "real/inner")
    try saveText("new", to: folder("inner/../a"))
    #expect(try fileText(folder("real/a")) == "new")
    #expect(try mapArchiveFile(folder("inner/../a")) == Data("new".utf8))
  }

  @Test func aLinkToNothingYetMakesWhatItPointsTo() throws {
    try makeFolder("real")
    try link("a", to: "b")
    try link("b", to: "real/c")
    try saveText("new", to: folder("a"))
    #expect(try fileText(folder("real/c")) == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("a")) == "b")
  }

  @Test func aLinkIntoAMissingFolderIsAnError() throws {
    try link("a", to: "missing/b")
    let error = errorOfSave(to: folder("a"))
    #expect(error?.code == .unwritableFile)
    #expect(error?.message.contains("create the folder first") == true)
  }

  @Test func linksInACircleAreAnError() throws {
    try link("a", to: "b")
    try link("b", to: "a")
    let error = errorOfSave(to: folder("a"))
    #expect(error?.code == .unwritableFile)
    #expect(error?.message.contains("refers to itself") == true)
    #expect(try folder.names == ["a", "b"])
  }

  @Test func aLinkToANameThatIsNoTextIsAnError() throws {
    // `symlink` accepts names that are not valid UTF-8.
    let name: [CChar] = [CChar(bitPattern: UInt8(ascii: "b")), CChar(bitPattern: 0xFF), 0]
    try #require(unsafe symlink(name, folder("a")) == 0)
    let error = errorOfSave(to: folder("a"))
    #expect(error?.code == .unwritableFile)
    #expect(error?.message.contains("refers to a name that is not valid UTF-8") == true)
    #expect(try folder.names == ["a"])
  }

  @Test func aLinkToAFolderIsAnError() throws {
    try makeFolder("real")
    try link("a", to: "real")
    #expect(errorOfSave(to: folder("a"))?.message.contains("it is a folder") == true)
  }

  // MARK: What cannot be replaced

  @Test func aFolderIsNotReplaced() throws {
    try makeFolder("a")
    let error = errorOfSave(to: folder("a"))
    #expect(error?.code == .unwritableFile)
    #expect(error?.path == folder("a"))
    #expect(error?.message.contains("it is a folder") == true)
    for suffix in ["/", "/.", "/.."] {
      #expect(errorOfSave(to: folder("a" + suffix))?.message.contains("folder") == true)
    }
    #expect(try folder.names == ["a"])
  }

  @Test(.timeLimit(.minutes(20)))
  func aPipeIsNotReplaced() throws {
    try makePipe(folder("a"))
    #expect(errorOfSave(to: folder("a"))?.message.contains("it is a pipe") == true)
  }

  @Test func aDeviceIsNotReplaced() throws {
    #expect(errorOfSave(to: "/dev/null")?.message.contains("it is a device") == true)
  }

  @Test(arguments: ["missing/.", "missing/.."])
  func aPathToAFolderThatIsMissingIsAnError(_ path: String) throws {
    let error = errorOfSave(to: folder(path))
    #expect(error?.code == .unwritableFile && error?.path == folder(path))
    #expect(error?.message.contains("the path names a folder") == true)
    #expect(try folder.names.isEmpty)
  }

  @Test(arguments: ["", "a\0b", "missing/"])
  func aPathThatNamesNoFileIsAnError(_ path: String) throws {
    #expect(errorOfSave(to: path)?.code == .unwritableFile)
  }

  // MARK: Folders

  @Test func aMissingFolderIsAnError() throws {
    let error = errorOfSave(to: folder("missing/a"))
    #expect(error?.code == .unwritableFile)
    #expect(error?.path == folder("missing/a"))
    #expect(error?.message.contains("\(folder("missing")): No such file or directory") == true)
    #expect(error?.message.contains("create the folder first") == true)
    #expect(try folder.names.isEmpty)
  }

  @Test func aPathBelowAFileIsAnError() throws {
    try writeText("old", to: folder("a"))
    #expect(errorOfSave(to: folder("a/b"))?.message.contains("Not a directory") == true)
    #expect(try fileText(folder("a")) == "old")
  }

  #if compiler(>=6.3)  // before, an exit test cannot capture
    @Test func anUnwritableFolderIsAnError() async throws {
      try writeText("old", to: folder("a"))
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
      defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
      // In a separate process that drops root privileges, since permissions do not restrict root.
      await #expect(processExitsWith: .success) { [path = folder("a") as String] in
        if getuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
        let error = try #require(throws: ArchiveError.self) { try saveText("new", to: path) }
        #expect(error.code == .unwritableFile)
        #expect(error.message.contains("Permission denied; check the permissions"))
      }
      #expect(try fileText(folder("a")) == "old")
      #expect(try folder.names == ["a"])
    }
  #endif

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self"), "there is no /proc"))
  func aFolderInWhichNobodyMayWriteIsAnError() {
    let error = errorOfSave(to: "/proc/self/keepsake")
    #expect(error?.code == .unwritableFile)
    #expect(error?.message.contains("cannot create a file in the folder") == true)
  }
}
