import Foundation
import HostileArchives
import Keepsake
import Synchronization
import TestSupport
import Testing

@testable import keeputil

/// The progress that commands show while they work, and where `keeputil verify` reports faults.
@Suite struct KeeputilProgress {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("--progress shows progress and erases it at the end; otherwise there is none")
  func progress() throws {
    try folder.archive((0..<50_000).map { "text \($0)" }, "a.keepsake")
    let shown = try Keeputil.run("verify", "--progress", "a.keepsake", in: folder)
    #expect(shown.status == 0)
    #expect(shown.output.hasPrefix("a.keepsake: a whole archive"))
    #expect(shown.errors.hasPrefix("\rverifying a.keepsake 0 %"))
    #expect(!shown.errors.contains("\n"))
    // The last text covers the line.
    let parts = shown.errors.split(separator: "\r", omittingEmptySubsequences: false)
    #expect(parts.last == "")
    let blank = try #require(parts.dropLast().last)
    #expect(!blank.isEmpty && blank.allSatisfy { $0 == " " })
    for part in parts.dropFirst().dropLast(2) {
      let percent = part.split(separator: " ").dropLast().last.flatMap { Int($0) }
      #expect(percent.map { (0...100).contains($0) } == true)
    }
    #expect(try Keeputil.run("verify", "a.keepsake", in: folder).errors.isEmpty)
    let quiet = try Keeputil.run("verify", "--quiet", "a.keepsake", in: folder)
    #expect(quiet.status == 0 && quiet.errors.isEmpty && quiet.output.isEmpty)
    let both = try Keeputil.run("verify", "--quiet", "--progress", "a.keepsake", in: folder)
    #expect(both.status == 64)
    #expect(both.errors.contains("exclude each other"))
  }

  @Test("a long name is abridged so that the progress fits one line")
  func longName() throws {
    let name = String(repeating: "name ", count: 40)
    try folder.archive((0..<50_000).map { "text \($0)" }, name)
    let shown = try Keeputil.run("verify", "--progress", name, in: folder)
    #expect(shown.errors.hasPrefix("\rverifying name name"))
    #expect(shown.errors.split(separator: "\r").allSatisfy { $0.count < 80 }, "\(shown.errors)")
  }

  @Test("a line with wide characters fits, and is erased to its end")
  func wideName() {
    var shown = ""
    let progress = keeputil.Progress("verifying 図書館", .always, pause: .zero) { shown += $0 }
    progress.update(1, of: 2)
    progress.finish()
    // Each of the three characters takes two columns.
    #expect(shown == "\rverifying 図書館 50 %\r" + String(repeating: " ", count: 21) + "\r")
    let line = Mutex("")
    let waiting = WaitingLine("図書館") { text in line.withLock { $0 += text } }
    waiting.show()
    waiting.erase()
    #expect(line.withLock(\.self) == "\r図書館\r      \r")
    #expect(abridged("図書館図書館", 8) == "図…書館")
  }

  @Test("the check before other work shows progress from the beginning to nearly the end")
  func checking() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: (0..<20_000).map { "text \($0)" })
    var shown: [String] = []
    // Shows each step, whatever the clock says.
    let progress = keeputil.Progress("checking", .always, pause: .zero) { shown.append($0) }
    let (image, summary) = try keeputil.Input(name: "a", data: data).openCheckedArchive(progress)
    #expect(summary.valueCount == 20_003)
    #expect(image.extent.hasChecksums)
    let percents = shown.compactMap { $0.firstMatch(of: #/checking ([0-9]+) %/#).flatMap { Int($0.1) } }
    #expect(percents.first == 0 && percents == percents.sorted())
    #expect(percents.last.map { $0 >= 80 } == true, "\(percents)")
    #expect(shown.last == "\r")
  }

  /// The percentages of lines about progress, each line once. The last line is erased.
  private func percents(_ shown: [String]) -> [Int] {
    #expect(shown.last == "\r")
    return shown.compactMap { $0.firstMatch(of: #/ ([0-9]+) %/#).flatMap { Int($0.1) } }
  }

  @Test("a comparison shows progress from the beginning to nearly the end")
  func comparing() throws {
    let shelf = ShelfSample.make(books: 200)
    try folder.archive(shelf, "a.keepsake")
    shelf.books.removeLast()
    try folder.archive(shelf, "b.keepsake")
    var shown: [String] = []
    let progress = keeputil.Progress("comparing", .always, pause: .zero) { shown.append($0) }
    let (a, b) = (try DiffSide(folder("a.keepsake")), try DiffSide(folder("b.keepsake")))
    var count = 0
    try Comparison(a, b, progress) { _, _, _ in count += 1 }.run()
    progress.finish()
    let percents = percents(shown)
    #expect(count > 0 && percents.first == 0 && percents == percents.sorted() && percents.count > 200)
    #expect(percents.last.map { $0 >= 80 } == true, "\(percents)")
    // After the end, nothing is shown.
    let number = shown.count
    progress.update(1, of: 2)
    #expect(shown.count == number)
  }

  private final class Sink: keeputil.Output {
    var text = ""
    func write(_ text: String) { self.text += text }
    func write(_ data: Data) {}
  }

  @Test("an export shows progress from the beginning to nearly the end")
  func exporting() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ShelfSample.make(books: 200))
    let (image, summary) = try keeputil.Input(name: "a", data: data).openCheckedArchive()
    var shown: [String] = []
    let progress = keeputil.Progress("converting", .always, pause: .zero) { shown.append($0) }
    let sink = Sink()
    var export = try PlainExport(image, summary, JSONWriter(sink, pretty: false))
    try export.write(progress)
    progress.finish()
    let percents = percents(shown)
    #expect(percents.first == 0 && percents == percents.sorted() && percents.count > 200)
    #expect(percents.last.map { $0 >= 90 } == true, "\(percents)")
    #expect(sink.text.hasSuffix("}\n"))
  }

  @Test("a waiting line is shown once, and not after its end")
  func waiting() {
    let shown = Mutex<[String]>([])
    let line = WaitingLine("reading a …") { text in shown.withLock { $0.append(text) } }
    line.show()
    line.show()
    line.erase()
    line.show()
    line.erase()
    #expect(shown.withLock(\.self) == ["\rreading a …", "\r           \r"])
    let early = WaitingLine("reading a …") { text in shown.withLock { $0.append(text) } }
    early.erase()
    early.show()
    #expect(shown.withLock(\.count) == 2)
    // The work is done in any case, and its errors are thrown.
    let progress = keeputil.Progress("reading", .never) { _ in Issue.record("it was to be quiet") }
    #expect(progress.wait { 5 } == 5)
    #expect(throws: CommandFailure.self) { try progress.wait { throw CommandFailure(.badData, nil) } }
  }

  @Test("the manual of each command that shows progress says so")
  func manual() {
    let note = "a line on standard error shows the progress"
    for command in Tool.commands {
      let text = command.manual.text(.plain).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains(note) == !["print", "log", "demo"].contains(command.name), "\(command.name)")
    }
  }

  @Test("commands that check an archive first report the same fault as verify")
  func faultsElsewhere() throws {
    let text = [Tag.shortString + 3, 0x61, 0xFF, 0x61]
    let top = [0] + CraftedArchive.map(("a", [0x95]), ("b", text))
    try folder.write(HandmadeArchive.data(topLevel: top), "a.keepsake")
    let verified = try Keeputil.run("verify", "a.keepsake", in: folder)
    #expect(verified.errors.hasSuffix(", at b\n"))
    for command in [["stats"], ["report", "-o", "b"], ["edit", "--remove", "a", "-o", "b"]] {
      let arguments = command.joined(separator: " ")
      let result = try Keeputil.shell("\"$0\" \(arguments) a.keepsake", in: folder)
      #expect(result.status == 65 && result.errors == verified.errors, "\(result.errors)")
    }
    #expect(try folder.names.contains("b") == false)
  }

  @Test("verification reports increasing offsets up to the end")
  func places() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: (0..<60_000).map { "text \($0)" })
    let image = try ArchiveImage(data: data, verification: .everything)
    var places: [Int] = []
    try image.verifyStructure { places.append($0) }
    #expect(places.count >= 3)
    #expect(places == places.sorted())
    #expect(places.last == image.directory.topLevel.upperBound)
    var compared: [Int] = []
    let lazy = try ArchiveImage(data: data, verification: .onDemand)
    try lazy.verifyContents { compared.append($0) }
    #expect(compared == compared.sorted() && compared.last == image.directory.offsets.range.upperBound)
  }

  private func fault(_ data: Data, quiet: Bool = false) throws -> String {
    try folder.write(data, "a.keepsake")
    let result = try Keeputil.run("verify", quiet ? "--quiet" : "--", "a.keepsake", in: folder)
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
    return result.errors
  }

  @Test("a fault in an object is reported with its class, number and path")
  func objects() throws {
    let bad: [UInt8] = [Tag.shortArray + 2, 0x95] + CraftedArchive.map(("odd key", [0x7F]))
    let data = HandmadeArchive.data(
      bodies: [[1, Tag.none], [1] + CraftedArchive.map(("a", [0x95]), ("pets", bad), ("z", [0x95]))],
      topLevel: CraftedArchive.root([Tag.objectReference, 2])
    )
    let message = try fault(data)
    #expect(message.contains("Unknown tag 0x7f"))
    #expect(message.contains("(at byte 41), in Thing #2, at pets[1]"), "\(message)")
    #expect(try fault(data, quiet: true) == message)
  }

  @Test("a fault in a text, in a top-level value or in a table is reported with its path or table")
  func elsewhere() throws {
    let text = [Tag.shortString + 3, 0x61, 0xFF, 0x61]
    let top = try fault(HandmadeArchive.data(topLevel: [0] + CraftedArchive.map(("a", [0x95]), ("b", text))))
    #expect(top.contains("UTF-8"))
    #expect(top.hasSuffix(", at b\n"), "\(top)")
    let body = [0] + CraftedArchive.array([[0x95], [Tag.shortArray + 1] + text, [0x95]])
    let data = HandmadeArchive.data(bodies: [body], topLevel: CraftedArchive.root([Tag.valueReference, 1]))
    #expect(try fault(data).hasSuffix(", in value #1, at [1][0]\n"))
    let table = HandmadeArchive.data(
      topLevel: CraftedArchive.root([0x95]),
      strings: [[0x61, 0x62]],
      directing: { $0[9] = 0 }
    )
    #expect(try fault(table).hasSuffix(", in the string table\n"))
    // Special characters in names of classes are escaped.
    let named = HandmadeArchive.data(
      bodies: [[1, 0x7F]],
      topLevel: CraftedArchive.root([Tag.objectReference, 1]),
      classes: [HandmadeArchive.type("\u{1B}[31m")]
    )
    #expect(try fault(named).hasSuffix(", in \\u{1B}[31m #1\n"))
  }

  @Test("a damaged block is reported with the objects in it")
  func blocks() throws {
    var data = try KeyedArchiver.archivedData(
      withRootObject: (0..<20_000).map { AuthorSample("name \($0 % 7) \($0)") }
    )
    let block = 2 * Blocks.byteCount
    #expect(data.count > block + Blocks.byteCount)
    data[block + 100] ^= 1
    let message = try fault(data)
    let found = try #require(
      message.firstMatch(of: #/\(at byte 131072\), where #([0-9]+) to #([0-9]+) are\n/#)
    )
    let (first, last) = (try #require(Int(found.1)), try #require(Int(found.2)))
    #expect(first > 1_000 && last > first && last <= 20_000)
  }

  @Test("a fault in deep nesting takes no stack, and its message is short")
  func deep() throws {
    try folder.writeDeep("a.keepsake", depth: 30_000, innermost: [0x7F])
    let message = try fault(folder.read("a.keepsake"))
    #expect(message.contains(", at root[0][0]"))
    #expect(message.contains(" steps)…"))
    #expect(message.utf8.count < 600)
  }
}
