import Keepsake

enum LogCommand: Command {
  static let manual = ManualPage(
    "log",
    "lists the saves of a document",
    synopsis: ["[--json] FILE"],
    """
    Lists the saves of the document FILE, the oldest first: the number of each, the date (UTC) if the program gave one,
    the number of bytes that it wrote, and of objects that it changed and added. Any other archive has one save.

    Commands read the newest save of a file. For an earlier one, put @N behind the name, as in notes.keepsake@3.
    """,
    options: """
      --json
        writes the list as JSON
      """,
    examples: """
      The saves of a document:
        keeputil log notes.keepsake
      What changed since the third save:
        keeputil diff notes.keepsake@3 notes.keepsake
      """
  )

  static func run(_ arguments: Arguments) throws {
    let rows = try rows(arguments.input())
    guard arguments.has("--json") else {
      for line in lines(rows) { try standardOutput.write(line + "\n") }
      return
    }
    let list: [JSONFields] = rows.map { row in
      [
        "save": row.number, "date": row.date, "bytes": row.byteCount, "changed": row.changedCount,
        "added": row.addedCount,
      ]
    }
    try JSONWriter.write(list, standardOutput, pretty: true)
  }

  static func lines(_ file: String) throws -> [String] { lines(try rows(Input(file))) }

  private static func lines(_ rows: [Row]) -> [String] {
    let cells = rows.map { row in
      let counts = [row.byteCount, row.changedCount, row.addedCount]
      return [grouped(row.number), row.date ?? ""] + counts.map(grouped)
    }
    return TextTable(">save", "date", ">bytes", ">changed", ">new", rows: cells).lines(margin: "")
  }

  /// A save, and the numbers of bodies (of objects and of values) that it changed and added.
  private struct Row {
    let number: Int
    var date: String?
    let byteCount: Int
    let changedCount: Int
    let addedCount: Int
  }

  private static func rows(_ input: Input) throws -> [Row] {
    let image = try input.openArchive()
    // The image of an archive of NSKeyedArchiver is its translation.
    let firstByteCount = image.source == nil ? image.extent.firstEnd : input.data.count
    var count = image.saves.isEmpty ? image.directory.bodyCount : image.extent.firstBodyCount
    return [Row(number: 1, byteCount: firstByteCount, changedCount: 0, addedCount: count)]
      + image.saves.map { save in
        let added = save.bodyCount - count
        count = save.bodyCount
        let time = save.date.flatMap { CalendarTime(secondsSince2001: $0) }
        return Row(
          number: save.number,
          date: time.map { "\($0.date) \($0.time)" },
          byteCount: save.range.count,
          changedCount: save.bodyList.count - added,
          addedCount: added
        )
      }
  }
}
