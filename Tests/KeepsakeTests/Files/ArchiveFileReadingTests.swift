import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite struct ArchiveFileReadingTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func errorOfReading(_ path: String) -> ArchiveError? {
    let error = #expect(throws: ArchiveError.self) { try mapArchiveFile(path) }
    #expect(error?.code == .unreadableFile)
    #expect(error?.path == path)
    return error
  }

  @Test func theBytesAreThoseOfTheFile() throws {
    let text = (0..<5000).map(String.init).joined(separator: ",")
    try writeText(text, to: folder("a"))
    #expect(try mapArchiveFile(folder("a")) == Data(text.utf8))
  }

  @Test func anEmptyFileIsEmptyData() throws {
    try writeText("", to: folder("a"))
    #expect(try mapArchiveFile(folder("a")).isEmpty)
  }

  @Test("a reader finds the end of the newest save, even if the file has become shorter")
  func shrinkingFile() throws {
    let document = try ArchiveDocument(creating: folder("a"), root: [1])
    document.root.append(2)
    try document.save()
    let file = try OpenFile.open(folder("a"))
    let count = try file.status().byteCount
    for leftover in [1, 7, 48, 1_000, 1 << 16, 200_000] {
      #expect(try file.savedEnd(count + leftover) == count)
    }
  }

  @Test func aChangeOfTheDataIsNoChangeOfTheFile() throws {
    try writeText("old", to: folder("a"))
    var data = try mapArchiveFile(folder("a"))
    data[0] = UInt8(ascii: "X")
    data.append(1)
    #expect(try fileText(folder("a")) == "old")
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/smaps"), "there is no /proc"))
  func aFileIsMappedAndNotRead() throws {
    // 1 GB, all of it a hole.
    try writeText("", to: folder("a"))
    try #require(FileHandle(forWritingAtPath: folder("a"))).truncate(atOffset: 1 << 30)
    let data = try mapArchiveFile(folder("a"))
    #expect(data[data.startIndex + 123_456_789] == 0)
    let resident = try withExtendedLifetime(data) { try residentKilobytes(ofMapping: folder("a")) }
    // The page that was read, and those that the system reads ahead.
    #expect(try #require(resident) < 4096)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/smaps"), "there is no /proc"))
  func theMappingGoesWithTheData() throws {
    let text = String(repeating: "some text ", count: 100)
    try writeText(text, to: folder("a"))
    do {
      let part = try mapArchiveFile(folder("a")).prefix(500)
      #expect(try withExtendedLifetime(part) { try residentKilobytes(ofMapping: folder("a")) } != nil)
      #expect(part == Data(text.utf8.prefix(500)))
    }
    #expect(try residentKilobytes(ofMapping: folder("a")) == nil)
  }

  /// The number of kilobytes of a file's mapping that are in memory; `nil` if it is not mapped.
  private func residentKilobytes(ofMapping path: String) throws -> Int? {
    // In pieces: reading such a file as a whole gives only its beginning.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    var bytes = Data()
    while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { bytes += piece }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let start = lines.firstIndex(where: { $0.hasSuffix(path) }) else { return nil }
    let resident = lines[start...].first { $0.hasPrefix("Rss:") }
    return resident?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  // MARK: What cannot be read

  @Test func aMissingFileIsAnError() {
    #expect(errorOfReading(folder("a"))?.message == "cannot open the file: No such file or directory")
    #expect(errorOfReading(folder("missing/a")) != nil)
  }

  @Test func aFolderIsAnError() {
    #expect(errorOfReading(folder.path)?.message.contains("it is a folder") == true)
  }

  @Test(.timeLimit(.minutes(20)))
  func aPipeIsNotWaitedFor() throws {
    try makePipe(folder("a"))
    #expect(errorOfReading(folder("a"))?.message.contains("it is a pipe") == true)
  }

  @Test func aDeviceIsAnError() {
    #expect(errorOfReading("/dev/zero")?.message.contains("it is a device") == true)
  }

  @Test func aPathBelowAFileIsAnError() throws {
    try writeText("old", to: folder("a"))
    #expect(errorOfReading(folder("a/b"))?.message.contains("Not a directory") == true)
  }

  @Test(arguments: ["", "a\0b"])
  func aPathThatNamesNoFileIsAnError(_ path: String) {
    #expect(errorOfReading(path) != nil)
  }

  #if compiler(>=6.3)  // before, an exit test cannot capture
    @Test func aFileWithoutPermissionIsAnError() async throws {
      try writeText("old", to: folder("a"), mode: 0)
      // In a separate process that drops root privileges, since permissions do not restrict root.
      await #expect(processExitsWith: .success) { [path = folder("a") as String] in
        if getuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
        let error = try #require(throws: ArchiveError.self) { try mapArchiveFile(path) }
        #expect(error.code == .unreadableFile)
        #expect(error.message.contains("Permission denied; check the permissions"))
      }
    }
  #endif
}
