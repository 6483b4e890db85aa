/// The text of an SVG file under construction: rectangles, lines and words, each with a class of the style sheet.
struct SVGText {
  private var body = ""

  /// How words are aligned with their position.
  enum Anchor: String {
    case start, middle, end
  }

  /// Adds a rectangle.
  mutating func rectangle(
    x: Double,
    y: Double,
    width: Double,
    height: Double,
    radius: Double = 0,
    style: String
  ) {
    body +=
      "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
    if radius > 0 { body += " rx=\"\(number(radius))\"" }
    body += " class=\"\(style)\"/>\n"
  }

  /// Adds a line from top to bottom.
  mutating func line(x: Double, from top: Double, to bottom: Double, style: String) {
    body += "<line x1=\"\(number(x))\" y1=\"\(number(top))\" x2=\"\(number(x))\" y2=\"\(number(bottom))\""
    body += " class=\"\(style)\"/>\n"
  }

  /// Adds words, whose baseline is at `y`.
  mutating func words(_ text: String, x: Double, y: Double, anchor: Anchor = .start, style: String) {
    body +=
      "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor.rawValue)\" class=\"\(style)\">"
    body += Self.escaped(text) + "</text>\n"
  }

  /// Adds two pieces of text in a row, the second in another style.
  mutating func words(_ text: String, then rest: String, x: Double, y: Double, styles: (String, String)) {
    body += "<text x=\"\(number(x))\" y=\"\(number(y))\" class=\"\(styles.0)\">\(Self.escaped(text))"
    body += "<tspan dx=\"8\" class=\"\(styles.1)\">\(Self.escaped(rest))</tspan></text>\n"
  }

  /// The finished file.
  func file(width: Double, height: Double, title: String, description: String, css: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
    viewBox="0 0 \(number(width)) \(number(height))" role="img">
    <title>\(Self.escaped(title))</title>
    <desc>\(Self.escaped(description))</desc>
    <style>
    \(css)
    </style>
    \(body)</svg>

    """
  }

  /// Rounds to a tenth of a pixel, which is fine enough and keeps the files small.
  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }
}
