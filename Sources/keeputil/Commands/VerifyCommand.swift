import Keepsake

enum VerifyCommand: Command {
  static let manual = ManualPage(
    "verify",
    "checks whether an archive is whole",
    synopsis: ["[--progress | --quiet] FILE"],
    """
    Compares the whole archive FILE with its checksums, and checks every object and value: that its kind is known, that
    it ends where it should, that texts are valid, and that references lead to something. FILE may be - for standard
    input.

    The answer is one sentence. If the archive is not whole, the sentence is on standard error, and says what is wrong,
    at which byte, and, if known, in which object and at which path.

    For an archive without checksums, the sentence says that it has none: changed numbers and texts then go unnoticed.

    \(ManualPage.progress)
    """,
    options: """
      \(ManualPage.saveOption)
      --progress
        shows progress from the beginning, even where standard error is not a terminal
      --quiet
        shows no progress, and prints nothing if the archive is whole
      """,
    statusMeanings: [.done: "The archive is whole.", .badData: "It is not whole, or not an archive."],
    examples: """
      An answer for people:
        keeputil verify library.keepsake
      In a script that checks backups:
        keeputil verify --quiet backup.keepsake || echo "the backup is damaged"
      """
  )

  static func run(_ arguments: Arguments) throws {
    let isQuiet = arguments.has("--quiet")
    try arguments.refuseTogether("--progress", "--quiet")
    let input = try arguments.input()
    let showing = isQuiet ? Progress.Showing.never : arguments.has("--progress") ? .always : .whenUseful
    let (image, summary) = try input.openCheckedArchive(input.progress("verifying", showing))
    if let fault = image.faultInEarlierSaves() { throw input.failure(fault.error, "in save \(fault.number)") }
    guard !isQuiet else { return }
    let classes = summary.objectCounts.count { $0 > 0 }
    let content =
      summary.objectCount == 0
      ? counted(summary.valueCount, "value")
      : "\(counted(summary.objectCount, "object")) of \(counted(classes, "class", "classes"))"
    let saves = image.saves.isEmpty ? "" : " and \(image.saves.count + 1) saves"
    let size = counted(input.data.count, "byte") + saves
    try standardOutput.write(
      displayed(input.name)
        + (image.extent.hasChecksums
          ? ": a whole archive of \(content) in \(size).\n"
          : ": an archive of \(content) in \(size), whole in structure; it has no checksums to compare with.\n")
    )
    let leftover = input.leftoverByteCount
    guard leftover > 0 else { return }
    Tool.note(
      "\(input.name): an interrupted save left \(counted(leftover, "byte")) after the newest one; the next save "
        + "removes them"
    )
  }
}
