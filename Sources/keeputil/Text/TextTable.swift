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

  mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The lines, without blanks at their ends.
  func lines(margin: String) -> [String] {
    let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
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
