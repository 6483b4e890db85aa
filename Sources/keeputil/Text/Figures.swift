import Foundation

/// A number with its noun, and with separated thousands.
func counted(_ number: Int, _ noun: String, _ nouns: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? noun : nouns ?? noun + "s")"
}

/// A number with separated thousands.
func grouped(_ number: Int) -> String { number.formatted(.number.locale(Locale(identifier: "en_US"))) }

func leftPadded(_ text: String, _ width: Int, with character: Character = " ") -> String {
  String(repeating: character, count: max(0, width - text.count)) + text
}

/// The digits of a number, padded with zeros.
func padded(_ number: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
  leftPadded(String(number, radix: radix), width, with: "0")
}

/// The bits of a number that is not one, behind its kind: any of them prints as "nan".
func nanText<Number: FloatingPoint>(_ number: Number?, _ bits: KeyPath<Number, some BinaryInteger>) -> String
{
  number.map { $0.isNaN ? " 0x" + String($0[keyPath: bits], radix: 16) : "" } ?? ""
}

/// The number of columns that a text takes on a terminal: some characters take two, and some none.
func columnCount(_ text: String) -> Int {
  text.unicodeScalars.reduce(0) { sum, scalar in
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: sum
    default: sum + (isWide(scalar) ? 2 : 1)
    }
  }
}

private func isWide(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
    true
  default: scalar.properties.isEmojiPresentation
  }
}

/// A part of a whole, in percent with one digit after the decimal point.
func percentText(_ share: Double) -> String {
  let tenths = Int((share * 1_000).rounded())
  if tenths == 0, share > 0 { return "< 0.1 %" }
  return "\(tenths / 10).\(tenths % 10) %"
}

/// A number of bytes, a thousand or more, in a suitable decimal unit.
func readableBytes(_ bytes: Int) -> String {
  var units = ["kB", "MB", "GB", "TB"][...]
  var size = Double(bytes) / 1_000
  while size >= 999.95, units.count > 1 {
    size /= 1_000
    units.removeFirst()
  }
  let tenths = Int((size * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(units[units.startIndex])"
}

/// Rows of text in aligned columns.
struct TextTable {
  private let isRight: [Bool]
  private let rows: [[String]]

  /// - Parameter headings: the headings of the columns. One that begins with `>` makes its column right-aligned.
  init(_ headings: String..., rows: [[String]]) {
    isRight = headings.map { $0.hasPrefix(">") }
    self.rows = [headings.map { $0.hasPrefix(">") ? String($0.dropFirst()) : $0 }] + rows
  }

  /// The lines, without blanks at their ends.
  func lines(margin: String) -> [String] {
    let widths = isRight.indices.map { column in rows.map { columnCount($0[column]) }.max() ?? 0 }
    return rows.map { row in
      var line = margin
      for (column, cell) in row.enumerated() {
        let blanks = String(repeating: " ", count: widths[column] - columnCount(cell))
        line += (column == 0 ? "" : "  ") + (isRight[column] ? blanks + cell : cell + blanks)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
