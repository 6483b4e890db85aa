import Foundation
import Keepsake
import TestSupport
import Testing

/// Files by their URLs, and the errors.
@Suite struct FileURLTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func url(_ name: String) -> URL { URL(filePath: folder(name)) }

  @Test("archives are saved and read by URL", arguments: ["a", "a b", "50%", "ä?#", "%41", "sub/../a"])
  func roundTrip(name: String) throws {
    try FileManager.default.createDirectory(atPath: folder("sub"), withIntermediateDirectories: true)
    let url = url(name)
    try KeyedArchiver.archive(rootObject: ["x", "y"], to: url)
    #expect(FileManager.default.fileExists(atPath: folder(name)))
    #expect(try KeyedUnarchiver.unarchive([String].self, from: url) == ["x", "y"])
    let unarchiver = try KeyedUnarchiver(forReading: url)
    #expect(try unarchiver.decode([String].self, forKey: KeyedArchiver.rootKey) == ["x", "y"])
    unarchiver.finishDecoding()
    #expect(try ArchiveValue(forReading: url)[path: "root[1]"]?.stringValue == "y")
    var editor = try ArchiveEditor(forReading: url)
    try editor.setValue("z", at: "root[1]")
    try editor.write(to: url)
    #expect(try KeyedUnarchiver.unarchive([String].self, from: url) == ["x", "z"])
    let archiver = KeyedArchiver()
    try archiver.encode(5, forKey: "five")
    try archiver.write(to: url)
    #expect(try ArchiveValue(forReading: url)["five"]?.intValue == 5)
  }

  @Test("a relative URL is resolved with its base")
  func relative() throws {
    let url = URL(filePath: "a b", relativeTo: URL(filePath: folder.path + "/"))
    try KeyedArchiver.write(Data("ready".utf8), to: url)
    #expect(try fileText(folder("a b")) == "ready")
  }

  @Test(
    "URLs that are not files on this machine are errors",
    arguments: ["https://example.org/a", "a", "file://example.org/tmp/a"]
  )
  func noFile(text: String) throws {
    let url = try #require(URL(string: text))
    let saving = #expect(throws: ArchiveError.self) { try KeyedArchiver.archive(rootObject: 1, to: url) }
    #expect(saving?.code == .unwritableFile && saving?.path == url.absoluteString)
    let reading = #expect(throws: ArchiveError.self) { try KeyedUnarchiver.unarchive(Int.self, from: url) }
    #expect(reading?.code == .unreadableFile)
  }

  @Test("saving existing data keeps the permissions of the file, and leaves no other file")
  func data() throws {
    try writeText("old", to: folder("a"), mode: 0o640)
    try KeyedArchiver.write(Data("new".utf8), toFile: folder("a"))
    #expect(try fileText(folder("a")) == "new")
    #expect(try permissions(folder("a")) == 0o640)
    #expect(try folder.names == ["a"])
    let error = #expect(throws: ArchiveError.self) {
      try KeyedArchiver.write(Data(), toFile: folder("absent/a"))
    }
    #expect(error?.code == .unwritableFile)
  }

  @Test("an error's localized description is its description")
  func sentence() throws {
    do {
      _ = try KeyedUnarchiver.unarchive(Int.self, from: url("absent"))
      Issue.record("there is no such file")
    } catch {
      #expect(error.localizedDescription == "\(error)")
      #expect(error.localizedDescription.hasPrefix(folder("absent") + ": "))
    }
    do {
      _ = try ArchiveValue(forReadingFrom: Data("no archive".utf8))
      Issue.record("this is no archive")
    } catch {
      #expect((error as any Error).localizedDescription == error.description)
    }
  }
}
