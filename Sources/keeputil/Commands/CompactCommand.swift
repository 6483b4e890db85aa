import Keepsake

enum CompactCommand: Command {
  static let manual = ManualPage(
    "compact",
    "removes the earlier saves of a document",
    synopsis: ["[--quiet] FILE"],
    """
    Replaces the document FILE atomically by an archive of its newest save alone, without values to which nothing
    leads any more. Programs that read the old file are not affected. If a program has the document open, the command
    fails.

    \(ManualPage.progress)
    """,
    options: """
      --quiet
        prints nothing if the file was compacted
      """,
    statusMeanings: [.inputOutput: "The file cannot be written, or a program has it open."],
    examples: """
      A document without its history:
        keeputil compact notes.keepsake
      """
  )

  static func run(_ arguments: Arguments) throws {
    let file = try arguments.file()
    guard file != "-" else { throw arguments.misuse("standard input cannot be compacted; give a file") }
    // Without this check, damaged values would be copied and get valid checksums.
    let input = try Input(file)
    try input.refuseEarlierSave(for: name)
    let saveCount = try input.openCheckedArchive().image.saves.count + 1
    let counts = try input.reading {
      try input.progress("compacting").wait { try compactDocument(file) }
    }
    guard !arguments.has("--quiet") else { return }
    try standardOutput.write(
      "\(displayed(input.name)): \(counted(counts.after, "byte")), \(counted(saveCount, "save")) before in "
        + "\(counted(counts.before, "byte")).\n"
    )
  }
}
