import Keepsake

/// `keeputil log`: the saves of a document.
enum LogCommand: Command {
  static let name = "log"
  static var manual: ManualPage { LogManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, flags: ["--json"])
    let file = try arguments.files("one file")[0]
    let rows = rows(try Input(file).openArchiveToRead())
    if arguments.has("--json") {
      var json = JSONWriter(StandardOutput.gathered, pretty: true)
      try json.open(.array)
      for row in rows {
        try json.open(.object)
        try json.field("save", row.number)
        if let date = row.date { try json.field("date", date) }
        try json.field("bytes", row.byteCount)
        try json.field("changed", row.changedCount)
        try json.field("added", row.addedCount)
        try json.close()
      }
      try json.close()
      return try json.finish()
    }
    for line in lines(rows) { try StandardOutput.write(line + "\n") }
  }

  /// The list of the saves of `file`.
  static func lines(_ file: String) throws -> [String] { lines(rows(try Input(file).openArchiveToRead())) }

  private static func lines(_ rows: [Row]) -> [String] {
    var table = TextTable([
      ("save", .right), ("date", .left), ("bytes", .right), ("changed", .right), ("new", .right),
    ])
    for row in rows {
      table.add(
        grouped(row.number),
        row.date ?? "",
        grouped(row.byteCount),
        grouped(row.changedCount),
        grouped(row.addedCount)
      )
    }
    return table.lines(margin: "")
  }

  /// A save, and how many objects and values with a body of their own it has changed and added.
  private struct Row {
    let number: Int
    let date: String?
    let byteCount: Int
    let changedCount: Int
    let addedCount: Int
  }

  private static func rows(_ image: ArchiveImage) -> [Row] {
    var count = image.saves.isEmpty ? image.directory.bodyCount : image.firstBodyCount
    var rows = [Row(number: 1, date: nil, byteCount: image.firstEnd, changedCount: 0, addedCount: count)]
    for save in image.saves {
      let added = save.bodyCount - count
      rows.append(
        Row(
          number: save.number,
          date: save.date.flatMap { CalendarTime(secondsSince2001: $0) }.map { "\($0.date) \($0.time)" },
          byteCount: save.range.count,
          changedCount: save.bodyList.count - added,
          addedCount: added
        )
      )
      count = save.bodyCount
    }
    return rows
  }
}
