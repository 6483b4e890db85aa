import Keepsake

/// `keeputil verify`: is the archive whole?
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "tells whether an archive is whole"
  static let help = """
    Usage: keeputil verify FILE

    Compares the whole archive with its checksums, and looks at every object and value in it: that each is of a known
    kind and ends where it should, that texts are valid and that what is referred to is there.

    FILE may be - for standard input. The answer is one sentence. Exit status: 0 if the archive is whole; otherwise
    65, and the sentence, on standard error, says what is wrong and at which byte.

    An archive that was written without checksums is looked at as well, and the sentence says that it has none: of
    such an archive nobody can tell whether a number or a text in it is the one that was written.

    """

  static func run(_ arguments: [String]) throws {
    let file = try Arguments(arguments, for: name).files("one file", for: name)[0]
    let input = try Input(file)
    let (image, summary) = try input.openArchive()
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
