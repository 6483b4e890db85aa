import Foundation
import Keepsake

/// `keeputil demo`: the round trip of a graph in which much is shared.
enum DemoCommand: Command {
  static let name = "demo"
  static var manual: ManualPage {
    ManualPage(
      name: name,
      summary: "archives a library of books and shows what comes of it",
      synopsis: ["[--document] [-o FILE]"],
      description: [
        .text(
          """
          Makes a graph of several hundred objects (a library with its books, authors, publishers, members and loans, \
          many of which share one another), archives it to a file in one line, reads it back in another, and checks \
          with === that what was one object is one object again. Then prints the outline of the archive, and its size \
          beside those of other formats for the same graph.
          """
        ),
        .text(
          """
          With --document the library is a document: it is edited and saved ten times, another process that edits it is \
          killed in the middle, and the demo shows what is there then: the saves, and what changed between two of them.
          """
        ),
      ],
      options: [
        .init("--document", "edits a document instead"),
        .init(
          "-o FILE",
          "where the archive is to be kept; without it, it goes to a temporary file and is removed"
        ),
      ],
      exitStatuses: [.done, .usage, .badData, .inputOutput],
      statusMeanings: [.badData: "Something that was one object is not one any more."],
      examples: [.init("keeputil demo -o demo.keepsake && keeputil print demo.keepsake", "One to look at:")]
    )
  }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(
      arguments,
      for: name,
      valued: ["-o", DemoDocument.editorOption],
      flags: ["--document"]
    )
    _ = try arguments.files()
    if let file = arguments.value(DemoDocument.editorOption) { return try DemoDocument.editForever(file) }
    let kept = arguments.value("-o")
    let file =
      kept
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID().uuidString).keepsake")
      .path
    defer { if kept == nil { try? FileManager.default.removeItem(atPath: file) } }
    do {
      if arguments.has("--document") {
        try DemoDocument.demonstrate(file, isKept: kept != nil)
      } else {
        try demonstrate(file: file, kept: kept)
      }
    } catch {
      throw CommandFailure(coding: error, in: file)
    }
  }

  private static func demonstrate(file: String, kept: String?) throws {
    let out = StandardOutput.gathered
    let library = DemoLibrary.make()
    try out.write("The graph: \(library.description)\n\n")

    try KeyedArchiver.archive(rootObject: library, toFile: file)
    let copy = try KeyedUnarchiver.unarchive(Library.self, fromFile: file)

    let size = try Data(contentsOf: URL(fileURLWithPath: file)).count
    try out.write("Archived to \(kept ?? "a temporary file") (\(counted(size, "byte"))) and read back.\n")
    for check in try DemoChecks.run(library, copy) { try out.write("  \(check)\n") }

    try out.write("\nThe outline of the archive:\n")
    let image = try ArchiveImage(
      data: Data(contentsOf: URL(fileURLWithPath: file)),
      verification: .everything
    )
    var printer = try TreePrinter(image, out, deepest: 4, mostMembers: 2, margin: "  ")
    try printer.printAll()
    try out.write("\n\(try classTable(image))")

    try out.write("\nThe same graph in other formats:\n")
    for line in try DemoSizes.table(library, archiveSize: size) { try out.write("  \(line)\n") }
    if let kept { try out.write("\nLook at all of it with: keeputil print \(kept)\n") }
  }

  /// How many objects of each class the archive holds, and what they take.
  private static func classTable(_ image: ArchiveImage) throws -> String {
    var totals = [(count: Int, bytes: Int)](repeating: (0, 0), count: image.classes.count)
    for number in stride(from: 1, through: image.directory.bodyCount, by: 1) {
      let body = try image.numberedBody(number, referredToAt: 0)
      guard let classNumber = body.classNumber else { continue }
      totals[classNumber].count += 1
      totals[classNumber].bytes += body.byteRange.count
    }
    var table = "Its objects by class:\n"
    for (entry, total) in zip(image.classes, totals) {
      let name = entry.name.padding(toLength: 22, withPad: " ", startingAt: 0)
      table +=
        "  \(name)\(leftPadded(grouped(total.count), 6)) in \(leftPadded(grouped(total.bytes), 7)) bytes\n"
    }
    return table
  }
}
