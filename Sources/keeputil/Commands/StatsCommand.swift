enum StatsCommand: Command {
  static let manual = ManualPage(
    "stats",
    "shows which parts of an archive take how many bytes",
    synopsis: ["[--json] [--top N] FILE"],
    """
    Prints tables of the content of the archive FILE and its size in bytes, the largest first. FILE may be - for
    standard input. The archive is first checked, as by verify.

    A file of NSKeyedArchiver is converted to an archive in memory, and the figures describe that archive. The first
    line says so, and "madeOf" in the JSON describes the file.

    \(ManualPage.progress)

    The file
      Its parts in order: bodies, tables, checksums. Together they are the whole file.
    Classes
      For each class, the number of objects and the bytes of their bodies: the class number and the values,
      including references to other objects but not those objects.
    Keys
      The values under keys of one name, in any object or dictionary. "bytes" counts each byte for the innermost key
      that contains it, so the rows add up to all bodies and the top level. Bytes of an object that are under none of
      its keys count for the key by which it is first reached; the text of a dictionary's key counts for that key.
      "with nested" adds the bytes under keys within the values, but not referenced objects; its rows do not add up.
      The first \(grouped(KeyRows.mostDictionaryKeys)) different keys of dictionaries have a row each.
    Kinds of values
      Each byte counts for the innermost value that contains it.
    Largest values and objects
      Values are those that contain no others: texts, bytes, arrays of numbers. The path is a shortest one from the
      top level.
    Sharing
      The bytes that sharing saves: for each reference to an object but the first, the body of the object; and the
      same for texts, less the bytes of their table.
    """,
    options: """
      \(ManualPage.saveOption)
      --top N
        lists N of the largest values and objects, and up to N rows of the other tables
      --json
        prints JSON for scripts, with all classes and keys and complete texts
      """,
    examples: """
      All tables:
        keeputil stats library.keepsake
      The class that takes most:
        keeputil stats --json library.keepsake | jq '.classes[0].name'
      """
  )

  /// More rows would take time, since each needs a path, and nobody reads them.
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
