import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of later minor versions of version 1, frozen in a folder of Fixtures for each, which every later library
/// must read as they are.
///
/// The files are never written anew. One that is missing is made by
///
///     KEEPSAKE_FREEZE_MINOR=Tests/TestSupport/Fixtures/Version1.1 swift test --filter FrozenMinorVersions
@Suite struct FrozenMinorVersions {
  static let file = FrozenArchives.folder.appendingPathComponent("Version1.1/unchecked.keepsake")

  private static let freezingFolder = ProcessInfo.processInfo.environment["KEEPSAKE_FREEZE_MINOR"]

  /// What `unchecked` holds. It must not change, as the file does not.
  private struct Contents: Codable {
    var title = "without checksums"
    var numbers = [-1, 300, 70_000]
    var doubles = [0.5, -0.0]
    var blob = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
    var library = FrozenLibrary.made()
  }

  private static func archive() throws -> Data {
    try KeyedArchiver.archivedData(
      withRootObject: Contents(),
      outputFormatting: [.sortedKeys, .withoutChecksums]
    )
  }

  private func check(_ data: Data) throws {
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      let contents = try KeyedUnarchiver.unarchive(Contents.self, from: data, verification: verification)
      let expected = Contents()
      #expect(contents.title == expected.title && contents.numbers == expected.numbers)
      #expect(contents.doubles.map(\.bitPattern) == expected.doubles.map(\.bitPattern))
      #expect(contents.blob == expected.blob)
      #expect(contents.library.books.map(\.title) == ["Emma", "Sanditon", "Emma"])
      #expect(contents.library.books[0] === contents.library.books[2])
      #expect(contents.library.pet === contents.library.dog)
    }
  }

  @Test("a missing sample is frozen", .enabled(if: freezingFolder != nil))
  func freeze() throws {
    let folder = URL(fileURLWithPath: try #require(FrozenMinorVersions.freezingFolder))
    let file = folder.appendingPathComponent("unchecked.keepsake")
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    try FrozenMinorVersions.archive().write(to: file, options: .withoutOverwriting)
  }

  @Test("it holds what it was given, and reads so in every mode", .enabled(if: freezingFolder == nil))
  func holds() throws {
    let data = try Data(contentsOf: FrozenMinorVersions.file)
    #expect(data[8..<16] == Data([1, 1, 1, 0, 0, 0, 0, 0]))
    try check(data)
  }

  @Test("what is written today holds the same")
  func writtenToday() throws { try check(FrozenMinorVersions.archive()) }
}
