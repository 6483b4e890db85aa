/// The string in quotes, with escapes as in Swift for characters that are invisible or misleading.
func quoted(_ string: String) -> String { "\"" + escaped(string) + "\"" }

/// The string with escapes as in Swift, except for the characters in `kept`.
func escaped(_ string: String, keeping kept: String = "") -> String {
  respelled(string) { scalar, previous in
    switch scalar {
    case "\"", "\\": kept.unicodeScalars.contains(scalar) ? nil : "\\\(scalar)"
    case " "..."~": nil
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0": "\\0"
    default: scalar.isStrange(after: previous) ? "\\u{\(scalar.hexadecimal)}" : nil
    }
  }
}

/// The text without quotes around it, safe for a terminal; cut after `most` scalars.
func displayed(_ text: String, _ most: Int = .max) -> String {
  escaped(most == .max ? text : shortened(text, most), keeping: "\"\\")
}

/// A name for a table, in quotes if it is empty and so would be invisible.
func displayedName(_ name: String, _ most: Int = 200) -> String {
  name.isEmpty ? quoted(name) : displayed(name, most)
}

/// The string with replacements for some scalars, which may depend on the scalar before. Of ASCII, only control
/// characters, quotes, backslashes and the markup of XML may have one.
func respelled(
  _ string: String,
  _ spelling: (_ scalar: Unicode.Scalar, _ previous: Unicode.Scalar?) -> String?
) -> String {
  if string.utf8.allSatisfy({ 0x3F...0x7A ~= $0 && $0 != 0x5C || 0x28...0x3B ~= $0 || $0 == 0x20 }) {
    return string
  }
  var result = ""
  result.reserveCapacity(string.utf8.count)
  var previous: Unicode.Scalar?
  for scalar in string.unicodeScalars {
    if let spelling = spelling(scalar, previous) {
      result.append(spelling)
    } else {
      result.unicodeScalars.append(scalar)
    }
    previous = scalar
  }
  return result
}

extension Unicode.Scalar {
  /// Whether a scalar is invisible, reverses the text after it, has no meaning, or combines with nothing. All formats
  /// that may go to a terminal escape such scalars.
  func isStrange(after previous: Unicode.Scalar?) -> Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
      return true
    case .format:
      // The joiner within an emoji of several parts is not strange. Unicode counts digits as emoji, too.
      guard self == "\u{200D}", let previous else { return true }
      return !(previous.properties.isEmoji && !previous.isASCII || previous == "\u{FE0F}")
    case .nonspacingMark, .enclosingMark, .spacingMark:
      return previous == nil
    default:
      return properties.isDefaultIgnorableCodePoint
    }
  }

  /// The XML and HTML escape of a scalar that would be markup, except for an apostrophe.
  var entity: String? {
    switch self {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    default: nil
    }
  }

  /// Whether XML 1.0 cannot represent a scalar, not even by its number.
  var isUnknownToXML: Bool {
    (self < " " && !["\t", "\n", "\r"].contains(self)) || self == "\u{FFFE}" || self == "\u{FFFF}"
  }

  var hexadecimal: String { String(value, radix: 16, uppercase: true) }
}

/// The text if it is short enough, otherwise its start and an ellipsis.
func shortened(_ text: String, _ most: Int) -> String { start(of: text, most).map { $0 + "…" } ?? text }

/// The first `most` scalars of a longer text; `nil` if the text is not longer.
///
/// Does not count beyond the limit, since a text may have a hundred megabytes. Counts scalars, since one character may
/// consist of very many.
private func start(of text: String, _ most: Int) -> String? {
  let scalars = text.unicodeScalars
  guard let end = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
    end < scalars.endIndex
  else { return nil }
  return String(scalars[..<end])
}

/// The text in quotes, with escapes. Of a longer text, its start and its length.
func quoted(_ text: String, _ most: Int) -> String {
  guard most < .max, let start = start(of: text, most) else { return quoted(text) }
  return "\(quoted(start))… \(counted(text.utf8.count, "byte"))"
}

/// A text of more than `most` columns without its middle: in a path and in the name of a type, the end matters as much
/// as the start.
func abridged(_ text: String, _ most: Int) -> String {
  guard columnCount(text) > most else { return text }
  func fitting(_ characters: some Sequence<Character>, _ columns: Int) -> Int {
    var rest = columns
    return characters.prefix {
      rest -= columnCount(String($0))
      return rest >= 0
    }.count
  }
  let tail = (most - 1) * 2 / 3
  return text.prefix(fitting(text, most - 1 - tail)) + "…" + text.suffix(fitting(text.reversed(), tail))
}
