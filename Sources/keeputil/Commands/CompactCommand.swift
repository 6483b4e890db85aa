import Keepsake

/// `keeputil compact`: a document without its earlier saves.
enum CompactCommand: Command {
  static let name = "compact"
  static var manual: ManualPage { CompactManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, flags: ["--quiet"])
    let file = try arguments.files("one file")[0]
    guard file != "-" else {
      throw CommandFailure.usage("\(name): standard input cannot be compacted; give a file")
    }
    // What is damaged would be copied as it is, with new checksums.
    let input = try Input(file)
    let image = try input.openArchive().image
    let saveCount = image.saves.count + 1
    let progress = Progress("compacting \(displayed(input.name))", .whenUseful)
    let counts: (before: Int, after: Int)
    do {
      counts = try progress.wait { () throws(ArchiveError) in try compactDocument(file) }
    } catch {
      throw CommandFailure(error, in: input.name)
    }
    guard !arguments.has("--quiet") else { return }
    try StandardOutput.write(
      "\(displayed(input.name)): \(counted(counts.after, "byte")), \(counted(saveCount, "save")) before in "
        + "\(counted(counts.before, "byte")).\n"
    )
  }
}
