import Foundation
import Keepsake
import TestSupport
import Testing

/// The commands on documents: with all saves, with one of them, and on files that are no documents.
@Suite struct KeeputilDocuments {
  private let folder: TemporaryFolder

  final class Note: Codable {
    var title = "first"
    var numbers = [1, 2, 3]
    @Lazy var lines: [String] = ["a line"]
  }

  /// A document of three saves, with the titles "first", "second" and "third".
  init() throws {
    folder = try TemporaryFolder()
    let document = try ArchiveDocument(creating: folder("note.keepsake"), root: Note())
    document.root.title = "second"
    try document.save(date: Date(timeIntervalSinceReferenceDate: 0))
    document.root.title = "third"
    document.root.lines.append("another")
    try document.save()
  }

  private func run(_ arguments: String..., status: Int32 = 0) throws -> (output: String, errors: String) {
    let result = try Keeputil.run(list: arguments, in: folder)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    return (result.output, result.errors)
  }

  @Test("log lists the saves")
  func log() throws {
    let lines = try run("log", "note.keepsake").output.split(separator: "\n")
    #expect(lines.count == 4 && lines[2].contains("2001-01-01 00:00:00"))
    let json = try JSONSerialization.jsonObject(with: Data(run("log", "--json", "note.keepsake").output.utf8))
    let rows = try #require(json as? [[String: Any]])
    #expect(rows.compactMap { $0["save"] as? Int } == [1, 2, 3])
    let byteCount = try folder.read("note.keepsake").count
    #expect(rows.compactMap { $0["bytes"] as? Int }.reduce(0, +) == byteCount)
    #expect(rows[1]["changed"] as? Int == 1 && rows[1]["added"] as? Int == 0)
  }

  @Test("commands read an earlier save")
  func earlierSaves() throws {
    for (number, title) in [(1, "first"), (2, "second"), (3, "third")] {
      #expect(try run("print", "--at", "\(number)", "note.keepsake").output.contains("\"\(title)\""))
      #expect(try run("print", "note.keepsake@\(number)").output.contains("\"\(title)\""))
      #expect(try run("verify", "--at", "\(number)", "note.keepsake").output.contains("whole"))
      #expect(try run("stats", "--at", "\(number)", "note.keepsake").output.contains("in all"))
    }
    #expect(
      try run("diff", "note.keepsake@1", "note.keepsake@2", status: 1).output.contains(
        "\"first\" -> \"second\""
      )
    )
    #expect(try run("diff", "note.keepsake@3", "note.keepsake").output.isEmpty)
    #expect(
      try run("print", "note.keepsake@4", status: 64).errors.contains("There is no save 4: the newest is 3")
    )
    // A file with that name comes first.
    try folder.write(folder.read("note.keepsake"), "note@2")
    #expect(try run("print", "note@2").output.contains("\"third\""))
  }

  @Test("verify counts the saves, and reports what an interrupted save left")
  func verify() throws {
    #expect(try run("verify", "note.keepsake").output.contains("3 saves"))
    try folder.write(folder.read("note.keepsake") + Data(count: 77), "torn.keepsake")
    let torn = try Keeputil.run("verify", "torn.keepsake", in: folder)
    #expect(torn.errors.contains("left 77 bytes"))
    // The same through a pipe and with a file as standard input.
    for line in ["cat torn.keepsake | \"$0\" verify -", "\"$0\" verify - <torn.keepsake"] {
      let piped = try Keeputil.shell(line, in: folder)
      #expect(piped.errors.contains("left 77 bytes") && piped.output.hasSuffix(torn.output.suffix(40)))
    }
    #expect(
      try Keeputil.shell("\"$0\" convert --to keepsake - a.keepsake <torn.keepsake", in: folder).status == 0
    )
    #expect(try folder.read("a.keepsake") == folder.read("note.keepsake"))
    // The bytes after an earlier save are the later saves.
    #expect(try run("verify", "--at", "2", "note.keepsake").errors.isEmpty)
    #expect(try run("verify", "note.keepsake@2").errors.isEmpty)
    var data = try folder.read("note.keepsake")
    data[20] ^= 1
    try folder.write(data, "damaged.keepsake")
    _ = try run("verify", "damaged.keepsake", status: 65)
  }

  @Test("compact leaves one save, and refuses a file that a program has open")
  func compact() throws {
    let document = try ArchiveDocument<Note>(opening: folder("note.keepsake"))
    #expect(try run("compact", "note.keepsake", status: 74).errors.contains("process \(getpid())"))
    document.close()
    _ = try run("compact", "note.keepsake")
    let compacted = try ArchiveDocument<Note>(opening: folder("note.keepsake"))
    #expect(compacted.saves.count == 1 && compacted.root.title == "third")
    #expect(compacted.root.lines == ["a line", "another"])
    #expect(try folder.read("note.keepsake").count < 200)
    _ = try run("compact", "-", status: 64)
  }

  @Test("an earlier save is neither changed in place nor compacted")
  func inPlace() throws {
    let bytes = try folder.read("note.keepsake")
    for arguments in [["edit", "--set", "root.title=1", "--in-place"], ["compact"]] {
      let result = try Keeputil.run(list: arguments + ["note.keepsake@2"], in: folder)
      #expect(result.status == 64 && result.errors.contains("save 2"), "\(result.errors)")
    }
    #expect(try folder.read("note.keepsake") == bytes)
    #expect(!FileManager.default.fileExists(atPath: folder("note.keepsake@2")))
    _ = try run("edit", "--set", "root.title=1", "-o", "new.keepsake", "note.keepsake@2")
    #expect(try run("print", "new.keepsake").output.contains("\"title\" => 1"))
  }

  @Test("stats and report show the saves")
  func parts() throws {
    #expect(try run("stats", "note.keepsake").output.contains("save 3"))
    _ = try run("report", "-o", "page.html", "note.keepsake")
    #expect(try String(decoding: folder.read("page.html"), as: UTF8.self).contains("\"save 2\""))
  }

  @Test("the demo kills its editor, and the document stays whole")
  func demo() throws {
    let output = try run("demo", "--document", "-o", "library.keepsake").output
    #expect(output.contains("all whole") && output.contains("edit 10"))
    _ = try run("verify", "library.keepsake")
  }

  @Test("asking for a save of a file that is no document gives the same error as the file")
  func noSaves() throws {
    try folder.write(Data("Dear diary".utf8), "text")
    try folder.write(folder.read("note.keepsake").prefix(100), "cut")
    try folder.write(folder.read("note.keepsake").prefix(10), "begun")
    try folder.write(Data(folder.read("note.keepsake").filter { $0 != 0x0D }), "asText")
    try folder.write(Data(), "empty")
    for command in ["print", "verify", "stats"] {
      for (name, words) in [
        ("text", "this is not a Keepsake archive"), ("cut", "The archive does not end with a trailer"),
        ("begun", "the archive is truncated after 10 bytes"), ("empty", "the file is empty"),
        ("asText", "the archive was changed by a transfer as text"),
      ] {
        #expect(try run(command, name, status: 65).errors.hasPrefix("keeputil: \(name): \(words)"))
        #expect(try run(command, "\(name)@1", status: 65).errors.hasPrefix("keeputil: \(name)@1: \(words)"))
      }
    }
  }

  @Test("stats shows the older ones of many saves as one part")
  func manySaves() throws {
    let document = try ArchiveDocument<Note>(opening: folder("note.keepsake"))
    document.compactsAutomatically = false
    for number in 4...30 {
      document.root.title = "title \(number)"
      try document.save()
    }
    let sizes = document.saves.map(\.byteCount)
    document.close()
    let json = try JSONSerialization.jsonObject(
      with: Data(run("stats", "--json", "note.keepsake").output.utf8)
    )
    let parts = try #require((json as? [String: Any])?["parts"] as? [[String: Any]])
    #expect(parts.reduce(0) { $0 + ($1["bytes"] as? Int ?? 0) } == sizes.reduce(0, +))
    let saves = parts.filter { ($0["title"] as? String ?? $0["name"] as? String)?.hasPrefix("save") == true }
    #expect(saves.count == 21, "\(parts)")
    #expect(saves[0]["bytes"] as? Int == sizes[1...9].reduce(0, +))
    #expect(try run("stats", "note.keepsake").output.contains("saves 2 to 10 "))
  }

  @Test("compact refuses an archive of NSKeyedArchiver")
  func foundationArchive() throws {
    let old = FoundationPropertyList.archive(objects: [.string("x")])
    try folder.write(old, "old")
    #expect(
      try run("compact", "old", status: 65).errors
        == "keeputil: old: the file is an archive of NSKeyedArchiver, without earlier saves\n"
    )
    #expect(try folder.read("old") == old)
  }
}
