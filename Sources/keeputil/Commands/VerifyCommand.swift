import Keepsake

/// `keeputil verify`: is the archive whole?
enum VerifyCommand: Command {
  static let name = "verify"
  static var manual: ManualPage { VerifyManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--at"], flags: ["--progress", "--quiet"])
    let file = try arguments.files("one file")[0]
    let isQuiet = arguments.has("--quiet")
    guard !isQuiet || !arguments.has("--progress") else {
      throw CommandFailure.usage("\(name): '--progress' and '--quiet' exclude each other")
    }
    let input = try Input(file, at: try arguments.number("--at"))
    let progress = Progress(
      "verifying \(displayed(input.name))",
      isQuiet ? .never : arguments.has("--progress") ? .always : .whenUseful
    )
    let (image, summary) = try input.openArchive(progress)
    try checkEarlierSaves(image, input)
    guard !isQuiet else { return }
    let classes = summary.objectCounts.count { $0 > 0 }
    let content =
      summary.objectCount == 0
      ? counted(summary.valueCount, "value")
      : "\(counted(summary.objectCount, "object")) of \(counted(classes, "class", "classes"))"
    let size = counted(input.data.count, "byte")
    let name = displayed(input.name)
    let saves = image.saves.isEmpty ? "" : " and \(image.saves.count + 1) saves"
    try StandardOutput.write(
      image.hasChecksums
        ? "\(name): a whole archive of \(content) in \(size)\(saves).\n"
        : "\(name): an archive of \(content) in \(size)\(saves), whole in structure; it has no checksums to compare "
          + "with.\n"
    )
    let leftover = try input.leftoverByteCount
    guard leftover > 0 else { return }
    Tool.complain(
      "note: \(input.name): an interrupted save left \(counted(leftover, "byte")) behind the newest one; the next save "
        + "takes them away"
    )
  }

  /// Looks at each save that is not the newest. What they have in common was compared with its checksums.
  private static func checkEarlierSaves(_ image: ArchiveImage, _ input: Input) throws(CommandFailure) {
    for number in 1..<(image.saves.count + 1) {
      do {
        try image.asOf(number, ArchiveLimits()).verifyStructure()
      } catch {
        let failure = input.failure(error)
        throw CommandFailure(failure.status, failure.message.map { "\($0), in save \(number)" })
      }
    }
  }
}
