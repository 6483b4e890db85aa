import Foundation
import Keepsake

/// `keeputil stats`: where the bytes of an archive go.
enum StatsCommand: DocumentedCommand {
  static let name = "stats"
  static var manual: ManualPage {
    ManualPage(
      name: name,
      summary: "tells where the bytes of an archive go",
      synopsis: ["[--json] [--top N] FILE"],
      description: [
        .text(
          """
          Prints tables of what is in the archive FILE and how many bytes it takes, the largest first. FILE may be - \
          for standard input. The archive is checked first, as by verify.
          """
        ),
        .item(
          "The file",
          "Its parts in their order: bodies, tables, checksums. They are all of its bytes, each once."
        ),
        .item(
          "Classes",
          """
          For each class how many objects there are, and the bytes of their bodies: the class number and the values, \
          with references to other objects but without those objects.
          """
        ),
        .item(
          "Keys",
          """
          The values under keys of one name, in whatever object or dictionary. "bytes" are their own: each byte \
          counts for the innermost key that it stands under, so that the rows add up to all bodies and the top level. \
          An object's bytes that are under none of its keys count for the key by which it is reached first; the text \
          of a dictionary's key counts for that key. "with nested" adds what is under keys within the values, so its \
          rows do not add up; what is in objects that are referred to is not in it. Of keys of dictionaries, the \
          first 10,000 different ones have a row each.
          """
        ),
        .item("Kinds of values", "Each byte counts for the innermost value that it belongs to."),
        .item(
          "Largest values and objects",
          """
          Values are those that hold no others: texts, bytes, arrays of numbers. The path is a shortest one from the \
          top level.
          """
        ),
        .item(
          "Sharing",
          """
          What would be written again if each further reference to an object were its body; what the object refers \
          to would come on top of that. And the same for texts, less what their table takes.
          """
        ),
      ],
      options: [
        .init("--top N", "lists N of the largest values and objects, and N rows at most of the other tables"),
        .init(
          "--json",
          "prints all as JSON, for scripts; then all classes and keys are listed, and texts are not abridged"
        ),
      ],
      examples: [
        .init("keeputil stats library.keepsake", "All tables:"),
        .init("keeputil stats --json library.keepsake | jq '.classes[0].name'", "The class that takes most:"),
      ]
    )
  }

  /// More than that nobody looks at, and each has a path to be found.
  static let mostTop = 1_000

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--top"], flags: ["--json"])
    let file = try arguments.files("one file", for: name)[0]
    let top = try limit(arguments)
    let input = try Input(file)
    let statistics = try ArchiveStatistics(of: input, top: top ?? 10)
    if arguments.has("--json") {
      var json = StatisticsJSON(StandardOutput.gathered)
      try json.write(statistics)
    } else {
      let text = StatisticsText(statistics, StandardOutput.gathered, .standardOutput, mostRows: top ?? 20)
      try text.write(name: input.name)
    }
  }

  private static func limit(_ arguments: Arguments) throws -> Int? {
    guard let text = arguments.value("--top") else { return nil }
    guard let number = Int(text), (1...mostTop).contains(number) else {
      throw CommandFailure.usage(
        "\(name): '\(escaped(text))' is no number from 1 to \(grouped(mostTop)) for the option '--top'"
      )
    }
    return number
  }
}

extension ArchiveStatistics {
  /// Checks the archive and gathers its figures.
  init(of input: Input, top: Int) throws(CommandFailure) {
    self = try StatisticsPass.over(input, top: top).pass.statistics
  }
}

extension StatisticsPass {
  /// A pass over the archive in `input`, which is checked first.
  static func over(
    _ input: Input,
    top: Int,
    wantsClassKeys: Bool = false
  ) throws(CommandFailure) -> (image: ArchiveImage, summary: ArchiveSummary, pass: StatisticsPass) {
    let (image, summary) = try input.openArchive()
    let progress = Progress("counting", .whenUseful)
    defer { progress.finish() }
    do {
      var pass = try StatisticsPass(image, summary, top: top, wantsClassKeys: wantsClassKeys)
      try pass.run(progress)
      return (image, summary, pass)
    } catch {
      throw CommandFailure(error, in: input.name)
    }
  }
}
