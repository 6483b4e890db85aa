/// Rows of text in columns that stand one below the other.
struct TextTable {
  enum Alignment {
    case left, right
  }

  private let alignments: [Alignment]
  private var rows: [[String]]

  init(_ headings: [(String, Alignment)]) {
    alignments = headings.map(\.1)
    rows = [headings.map(\.0)]
  }

  mutating func add(_ cells: String...) { rows.append(cells) }

  /// The lines, without blanks at their ends.
  func lines(margin: String) -> [String] {
    var widths = alignments.map { _ in 0 }
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    return rows.map { row in
      var line = margin
      for (column, cell) in row.enumerated() {
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        line += (column == 0 ? "" : "  ") + (alignments[column] == .right ? blanks + cell : cell + blanks)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

/// The middle of a long text left out: of a path and of the name of a type the end matters as much as the start.
func abridged(_ text: String, _ most: Int) -> String {
  guard text.count > most else { return text }
  let tail = (most - 1) * 2 / 3
  return text.prefix(most - 1 - tail) + "…" + text.suffix(tail)
}

/// A part of a whole, in percent with one digit behind the point.
func percentText(_ share: Double) -> String {
  let tenths = Int((share * 1_000).rounded())
  if tenths == 0, share > 0 { return "< 0.1 %" }
  return "\(tenths / 10).\(tenths % 10) %"
}

/// A number of bytes in the unit that suits it, by thousands as files are measured.
func readableBytes(_ bytes: Int) -> String {
  let units = ["kB", "MB", "GB", "TB"]
  var size = Double(abs(bytes)) / 1_000
  guard size >= 1 else { return counted(bytes, "byte") }
  var unit = 0
  while size >= 999.95, unit < units.count - 1 {
    size /= 1_000
    unit += 1
  }
  let tenths = Int((size * 10).rounded())
  return "\(bytes < 0 ? "-" : "")\(tenths / 10).\(tenths % 10) \(units[unit])"
}
