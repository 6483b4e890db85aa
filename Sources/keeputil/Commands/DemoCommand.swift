import Foundation
import Keepsake

enum DemoCommand: Command {
  static let manual = ManualPage(
    "demo",
    "archives a library of books and shows the result",
    synopsis: ["[--document] [-o FILE]"],
    """
    Makes a graph of several hundred objects that share each other (a library with books, authors, publishers, members
    and loans), archives it to a file, reads it back, and checks with === that shared objects are still shared. Then
    prints an outline of the archive, and its size beside the sizes of the same graph in other formats.

    With --document the library is a document: the demo edits and saves it ten times, and kills another process that
    edits it. Then it lists the saves, and what changed between two of them.
    """,
    options: """
      --document
        edits a document instead
      -o FILE
        keeps the archive in FILE; without it, the archive is a temporary file, and is removed
      """,
    hiddenOptions: """
      --document-editor FILE
        edits and saves the document until it is killed
      """,
    exitStatuses: [.done, .usage, .badData, .inputOutput],
    statusMeanings: [.badData: "A shared object is no longer shared."],
    examples: """
      An archive to look at:
        keeputil demo -o demo.keepsake && keeputil print demo.keepsake
      """
  )

  static func run(_ arguments: Arguments) throws {
    _ = try arguments.files()
    if let file = arguments.value("--document-editor") { return try DemoDocument.editForever(file) }
    let kept = arguments.value("-o")
    guard kept != "-" else { throw arguments.misuse("standard output shows the result; give a file") }
    let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID()).keepsake")
    let file = kept ?? temporary.path
    defer { if kept == nil { try? FileManager.default.removeItem(atPath: file) } }
    do {
      if arguments.has("--document") {
        try DemoDocument.demonstrate(file, isKept: kept != nil)
      } else {
        try demonstrate(file: file, kept: kept)
      }
    } catch {
      throw CommandFailure(any: error, in: file)
    }
  }

  private static func demonstrate(file: String, kept: String?) throws {
    let out = standardOutput
    let library = Library()
    try out.write("The graph: \(library.description)\n\n")

    try KeyedArchiver.archive(rootObject: library, toFile: file)
    let copy = try KeyedUnarchiver.unarchive(Library.self, fromFile: file)

    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    let target = kept ?? "a temporary file"
    try out.write("Archived to \(target) (\(counted(data.count, "byte"))) and read back.\n")
    for check in try DemoChecks.run(library, copy) { try out.write("  \(check)\n") }

    try out.write("\nThe outline of the archive:\n")
    let image = try ArchiveImage(data: data, verification: .everything)
    let options = TreeOptions(deepest: 4, mostMembers: 2, margin: "  ")
    var printer = TreePrinter(try image.topLevelValue, out, options)
    try printer.printAll()
    try out.write("\n\(try classTable(image))")

    try out.write("\nThe same graph in other formats:\n")
    for line in try DemoSizes.table(library, archiveSize: data.count) { try out.write("  \(line)\n") }
    if let kept { try out.write("\nLook at all of it with: keeputil print \(kept)\n") }
  }

  private static func classTable(_ image: ArchiveImage) throws -> String {
    let rows = zip(image.classes, try image.classTallies()).map { entry, total in
      let name = entry.name.padding(toLength: 22, withPad: " ", startingAt: 0)
      let (count, bytes) = (leftPadded(grouped(total.count), 6), leftPadded(grouped(total.bytes), 7))
      return "  \(name)\(count) in \(bytes) bytes\n"
    }
    return "Its objects by class:\n" + rows.joined()
  }
}
