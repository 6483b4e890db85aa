import Keepsake

enum VerifyCommand: Command {
  static let manual = ManualPage(
    "verify",
    "tells whether an archive is whole",
    synopsis: ["[--progress | --quiet] FILE"],
    """
    Compares the whole archive FILE with its checksums, and looks at every object and value in it: that each is of a
    known kind and ends where it should, that texts are valid and that what is referred to is there. FILE may be - for
    standard input.

    The answer is one sentence. If the archive is not whole, the sentence is on standard error and tells what is
    wrong, at which byte, and in which object and at which path where that is known.

    An archive without checksums is looked at as well, and the sentence says that it has none: nobody can tell whether
    a number or a text in such an archive is the one that was written.

    \(ManualPage.progress)
    """,
    options: """
      \(ManualPage.saveOption)
      --progress
        tells how far it is anywhere, and from the beginning
      --quiet
        does not tell how far it is, and is silent about an archive that is whole
      """,
    statusMeanings: [.done: "The archive is whole.", .badData: "It is not whole, or is no archive."],
    examples: """
      An answer for people:
        keeputil verify library.keepsake
      In a script that looks after backups:
        keeputil verify --quiet backup.keepsake || echo "the backup is damaged"
      """
  )

  static func run(_ arguments: Arguments) throws {
    let isQuiet = arguments.has("--quiet")
    try arguments.refuseTogether("--progress", "--quiet")
    let input = try arguments.input()
    let showing = isQuiet ? Progress.Showing.never : arguments.has("--progress") ? .always : .whenUseful
    let (image, summary) = try input.openCheckedArchive(input.progress("verifying", showing))
    try checkEarlierSaves(image, input)
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
    let leftover = try input.leftoverByteCount
    guard leftover > 0 else { return }
    Tool.note(
      "\(input.name): an interrupted save left \(counted(leftover, "byte")) behind the newest one; the next save "
        + "removes them"
    )
  }

  /// Looks at each save that is not the newest. What they have in common was compared with its checksums.
  private static func checkEarlierSaves(_ image: ArchiveImage, _ input: Input) throws(CommandFailure) {
    for number in 1..<(image.saves.count + 1) {
      do {
        try image.asOf(number, ArchiveLimits()).verifyStructure()
      } catch {
        throw input.failure(error, "in save \(number)")
      }
    }
  }
}
