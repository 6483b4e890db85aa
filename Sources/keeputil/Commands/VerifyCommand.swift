import Keepsake

/// `keeputil verify`: is the archive whole?
enum VerifyCommand: Command {
  static let name = "verify"
  static var manual: ManualPage { VerifyManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, flags: ["--progress", "--quiet"])
    let file = try arguments.files("one file")[0]
    let isQuiet = arguments.has("--quiet")
    guard !isQuiet || !arguments.has("--progress") else {
      throw CommandFailure.usage("\(name): '--progress' and '--quiet' exclude each other")
    }
    let input = try Input(file)
    let progress = Progress(
      "verifying \(displayed(input.name))",
      isQuiet ? .never : arguments.has("--progress") ? .always : .whenUseful
    )
    let (image, summary) = try input.openArchive(progress)
    guard !isQuiet else { return }
    let classes = summary.objectCounts.count { $0 > 0 }
    let content =
      summary.objectCount == 0
      ? counted(summary.valueCount, "value")
      : "\(counted(summary.objectCount, "object")) of \(counted(classes, "class", "classes"))"
    let size = counted(input.data.count, "byte")
    let name = displayed(input.name)
    try StandardOutput.write(
      image.hasChecksums
        ? "\(name): a whole archive of \(content) in \(size).\n"
        : "\(name): an archive of \(content) in \(size), whole in structure; it has no checksums to compare with.\n"
    )
  }
}
