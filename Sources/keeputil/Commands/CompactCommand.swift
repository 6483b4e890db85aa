import Keepsake

enum CompactCommand: Command {
  static let manual = ManualPage(
    "compact",
    "removes the earlier saves of a document",
    synopsis: ["[--quiet] FILE"],
    """
    Writes the document FILE anew, as an archive of its newest save alone, without what nothing leads to any more.
    The new file replaces the existing one in one step, and does not disturb who reads the existing one. A document
    that a program has open is refused.

    \(ManualPage.progress)
    """,
    options: """
      --quiet
        says nothing about a file that was compacted
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
    // What is damaged would be copied as it is, with new checksums.
    let input = try Input(file)
    let saveCount = try input.openCheckedArchive().image.saves.count + 1
    let counts = try input.reading {
      try input.progress("compacting").wait { () throws(ArchiveError) in try compactDocument(file) }
    }
    guard !arguments.has("--quiet") else { return }
    try standardOutput.write(
      "\(displayed(input.name)): \(counted(counts.after, "byte")), \(counted(saveCount, "save")) before in "
        + "\(counted(counts.before, "byte")).\n"
    )
  }
}
