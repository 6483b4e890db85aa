import Foundation

/// Rows of text in columns, for a terminal or as Markdown.
struct Table {
  /// The headings of the columns.
  var header: [String]

  /// The rows, each with as many cells as there are headings.
  var rows: [[String]] = []

  /// The numbers of text columns at the left and at the right. The columns between have numbers, aligned right.
  var textColumns = (leading: 1, trailing: 1)

  /// The table with its columns aligned by spaces.
  var plain: String {
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
  }

  /// The table in GitHub's Markdown, readable as text, too.
  var markdown: String {
    let rule = widths.indices.map { column in
      let dashes = String(repeating: "-", count: max(2, widths[column] - 1))
      return isText(column) ? "-" + dashes : dashes + ":"
    }
    return ([header, rule] + rows)
      .map { cells in
        "| " + zip(cells.indices, cells).map { pad($1, column: $0) }.joined(separator: " | ") + " |"
      }
      .joined(separator: "\n")
  }

  private var widths: [Int] {
    header.indices.map { column in
      ([header] + rows).map { $0[column].count }.max() ?? 0
    }
  }

  private func line(_ cells: [String]) -> String {
    var text = zip(cells.indices, cells).map { pad($1, column: $0) }.joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    return text
  }

  private func pad(_ cell: String, column: Int) -> String {
    let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
    return isText(column) ? cell + padding : padding + cell
  }

  private func isText(_ column: Int) -> Bool {
    column < textColumns.leading || column >= header.count - textColumns.trailing
  }
}

/// The text of figures in the tables.
enum Figure {
  /// The text for a figure that does not exist.
  static let none = "-"

  /// A time, a ratio or a count for each element with about three significant digits.
  static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return none }
    if value > 0, value < 0.005 { return "<0.01" }
    let digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
    return grouped(String(format: "%.\(digits)f", value))
  }

  /// A count with its digits in groups of three.
  static func count(_ value: Int?) -> String {
    value.map { grouped(String($0)) } ?? none
  }

  private static func grouped(_ text: String) -> String {
    let parts = text.split(separator: ".", maxSplits: 1)
    var result = ""
    for (offset, digit) in parts[0].reversed().enumerated() {
      if offset > 0, offset.isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    let whole = String(result.reversed())
    return parts.count > 1 ? whole + "." + parts[1] : whole
  }
}
