import Foundation
import Keepsake

enum StatsCommand: Command {
  static let manual = ManualPage(
    "stats",
    "tells where the bytes of an archive go",
    synopsis: ["[--json] [--top N] FILE"],
    """
    Prints tables of what is in the archive FILE and how many bytes it takes, the largest first. FILE may be - for
    standard input. The archive is checked first, as by verify.

    A file of NSKeyedArchiver is converted to an archive in memory, and the figures are those of that archive. The
    first line says so, and in the JSON "madeOf" tells what the file is.

    \(ManualPage.progress)

    The file
      Its parts in their order: bodies, tables, checksums. They are all of its bytes, each once.
    Classes
      For each class how many objects there are, and the bytes of their bodies: the class number and the values,
      with references to other objects but without those objects.
    Keys
      The values under keys of one name, in whatever object or dictionary. "bytes" are their own: each byte counts
      for the innermost key that it is under, so that the rows add up to all bodies and the top level. An object's
      bytes that are under none of its keys count for the key by which it is reached first; the text of a dictionary's
      key counts for that key. "with nested" adds what is under keys within the values, so its rows do not add up;
      it does not include objects that are referred to. Of keys of dictionaries, the first
      \(grouped(KeyRows.mostDictionaryKeys)) different ones have a row each.
    Kinds of values
      Each byte counts for the innermost value that it belongs to.
    Largest values and objects
      Values are those that hold no others: texts, bytes, arrays of numbers. The path is a shortest one from the top
      level.
    Sharing
      What would be written again if each further reference to an object were its body, without what the object
      refers to. And the same for texts, less what their table takes.
    """,
    options: """
      \(ManualPage.saveOption)
      --top N
        lists N of the largest values and objects, and up to N rows of the other tables
      --json
        prints all as JSON, for scripts; then all classes and keys are listed, and texts are not abridged
      """,
    examples: """
      All tables:
        keeputil stats library.keepsake
      The class that takes most:
        keeputil stats --json library.keepsake | jq '.classes[0].name'
      """
  )

  /// More than that nobody looks at, and each has a path to find.
  static let mostTop = 1_000

  static func run(_ arguments: Arguments) throws {
    let top = try arguments.number("--top", in: 1...mostTop)
    let input = try arguments.input()
    let statistics = try StatisticsPass.over(input, top: top ?? 10).statistics
    if arguments.has("--json") {
      try JSONWriter.write(statistics.json, standardOutput, pretty: true)
    } else {
      let text = StatisticsText(
        statistics: statistics,
        output: standardOutput,
        palette: .standardOutput,
        mostRows: top ?? 20
      )
      try text.write(name: input.name)
    }
  }
}
