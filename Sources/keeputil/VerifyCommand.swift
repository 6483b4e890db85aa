import Keepsake

/// `keeputil verify`: is the archive whole?
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "tells whether an archive is whole"
  static let help = """
    Usage: keeputil verify [--progress | --quiet] FILE

    Compares the whole archive with its checksums, and looks at every object and value in it: that each is of a known
    kind and ends where it should, that texts are valid and that what is referred to is there.

    FILE may be - for standard input. The answer is one sentence. Exit status: 0 if the archive is whole; otherwise
    65, and the sentence, on standard error, says what is wrong, at which byte, and in which object and at which path
    where that can be told; 64 for wrong arguments, 66 if FILE cannot be read, 74 if the answer cannot be written.

    An archive that was written without checksums is looked at as well, and the sentence says that it has none: of
    such an archive nobody can tell whether a number or a text in it is the one that was written.

    While that takes longer than half a second, a line on standard error tells how far it is, if that is a terminal.

    --progress    tells it anywhere, and from the beginning
    --quiet       tells nothing, and is silent about an archive that is whole

    Example: keeputil verify --quiet backup.keepsake || echo "the backup is damaged"

    """

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, flags: ["--progress", "--quiet"])
    let file = try arguments.files("one file", for: name)[0]
    let isQuiet = arguments.has("--quiet")
    guard !isQuiet || !arguments.has("--progress") else {
      throw CommandFailure.usage("\(name): '--progress' and '--quiet' exclude each other")
    }
    let input = try Input(file)
    let progress = Progress(
      "verifying \(escaped(input.name, keeping: "\"\\"))",
      isQuiet ? .never : arguments.has("--progress") ? .always : .whenUseful
    )
    let (image, summary) = try verify(input, progress)
    guard !isQuiet else { return }
    let classes = Set(image.classes.filter { !$0.isValueType }.map(\.name)).count
    let content =
      summary.objectCount == 0
      ? counted(summary.valueCount, "value")
      : "\(counted(summary.objectCount, "object")) of \(counted(classes, "class", "classes"))"
    let size = counted(input.data.count, "byte")
    let name = escaped(input.name, keeping: "\"\\")
    try StandardOutput.write(
      image.hasChecksums
        ? "\(name): a whole archive of \(content) in \(size).\n"
        : "\(name): an archive of \(content) in \(size), whole in structure; it has no checksums to compare with.\n"
    )
  }

  /// Comparing bytes with checksums takes about this part of the time that looking at the values in them does.
  private static let checksumShare = 8

  private static func verify(
    _ input: Input,
    _ progress: Progress
  ) throws(CommandFailure) -> (image: ArchiveImage, summary: ArchiveSummary) {
    defer { progress.finish() }
    let image = try input.openArchiveToRead()
    let ends = (checksums: input.data.count / checksumShare, values: image.directory.topLevel.upperBound)
    let total = ends.checksums + ends.values
    progress.update(0, of: total)
    do {
      try image.verifyContents { progress.update($0 / checksumShare, of: total) }
    } catch {
      throw failure(error, FaultPlace.words(forBlockOf: error, in: image), input)
    }
    do {
      return (image, try image.verifyStructure { progress.update(ends.checksums + $0, of: total) })
    } catch {
      throw failure(error, FaultPlace.words(for: error, in: image), input)
    }
  }

  private static func failure(_ error: ArchiveError, _ place: String?, _ input: Input) -> CommandFailure {
    let failure = input.failure(error)
    guard let place else { return failure }
    return CommandFailure(failure.status, failure.message.map { "\($0), \(place)" })
  }
}

/// A number with its noun, thousands apart.
func counted(_ number: Int, _ noun: String, _ nouns: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? noun : nouns ?? noun + "s")"
}

/// A number with its thousands apart.
func grouped(_ number: Int) -> String {
  var digits = String(number.magnitude)
  var groups: [String] = []
  while digits.count > 3 {
    groups.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
}
