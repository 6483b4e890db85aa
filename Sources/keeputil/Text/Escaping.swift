/// The string in quotes, with escapes as in Swift for all that does not show or would show as something else.
func quoted(_ string: String) -> String { "\"" + escaped(string) + "\"" }

/// The string with escapes as in Swift.
///
/// - Parameter kept: characters that stay as they are though they have an escape.
func escaped(_ string: String, keeping kept: String = "") -> String {
  var result = ""
  result.reserveCapacity(string.utf8.count)
  var previous: Unicode.Scalar?
  for scalar in string.unicodeScalars {
    defer { previous = scalar }
    switch scalar {
    case "\"", "\\":
      if !kept.unicodeScalars.contains(scalar) { result.append("\\") }
      result.unicodeScalars.append(scalar)
    case " "..."~": result.unicodeScalars.append(scalar)
    case "\n": result.append("\\n")
    case "\r": result.append("\\r")
    case "\t": result.append("\\t")
    case "\0": result.append("\\0")
    default:
      if scalar.isStrange(after: previous) {
        result.append("\\u{\(String(scalar.value, radix: 16, uppercase: true))}")
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
  return result
}

/// The text as it stands where it has no quotes around it, safe for a terminal.
///
/// - Parameter most: a longer text is cut off.
func displayed(_ text: String, _ most: Int = .max) -> String {
  escaped(most == .max ? text : shortened(text, most), keeping: "\"\\")
}

/// A name as it stands in a table, where one that is empty would not be seen.
func displayedName(_ name: String, _ most: Int = 200) -> String {
  name.isEmpty ? quoted(name) : displayed(name, most)
}

extension Unicode.Scalar {
  /// Whether a scalar is invisible, turns what follows around, means nothing or has nothing to stand on. Every format
  /// that may go to a terminal has an escape for those that are.
  func isStrange(after previous: Unicode.Scalar?) -> Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
      return true
    case .format:
      // The joiner within an emoji of several parts.
      guard self == "\u{200D}", let previous else { return true }
      return !(previous.properties.isEmoji || previous == "\u{FE0F}")
    case .nonspacingMark, .enclosingMark, .spacingMark:
      return previous == nil
    default:
      return false
    }
  }
}
