import Foundation

/// How text stands out: on a terminal only, since anything else would show the codes.
struct TextStyle {
  let isPlain: Bool

  static let plain = TextStyle(isPlain: true)
  /// For what goes to standard output. `NO_COLOR` and a terminal that says it is dumb are asked for plain text.
  static var standardOutput: TextStyle {
    let environment = ProcessInfo.processInfo.environment
    let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
    return TextStyle(isPlain: refuses || isatty(STDOUT_FILENO) == 0)
  }

  func bold(_ text: String) -> String { isPlain ? text : "\u{1B}[1m\(text)\u{1B}[0m" }
  func underlined(_ text: String) -> String { isPlain ? text : "\u{1B}[4m\(text)\u{1B}[0m" }
}

extension ManualPage {
  private static let width = 100
  private static let margin = 7
  private static let innerMargin = 11

  /// The page as text.
  func text(_ style: TextStyle) -> String {
    var sections = [
      section("NAME", [line("keeputil \(name) - \(summary)")], style),
      section(
        "SYNOPSIS",
        synopsis.map { line(style.bold("keeputil \(name)") + ($0.isEmpty ? "" : " ") + $0) },
        style
      ),
      section("DESCRIPTION", apart(description.map { block($0, style) }), style),
    ]
    if !options.isEmpty {
      sections.append(section("OPTIONS", apart(options.map { item($0.form, $0.meaning, style) }), style))
    }
    sections.append(
      section(
        "EXIT STATUS",
        exitStatuses.map { statusLine($0, statusMeanings[$0] ?? $0.meaning, style) },
        style
      )
    )
    if !examples.isEmpty {
      let shown = examples.map { wrapped($0.meaning, ManualPage.margin) + "\n" + line("    $ " + $0.command) }
      sections.append(section("EXAMPLES", apart(shown), style))
    }
    return sections.joined(separator: "\n")
  }

  /// The exit statuses of all commands, for the overview.
  static func statusList(_ style: TextStyle) -> String {
    ExitStatus.allCases
      .map { "  " + style.bold(leftPadded(String($0.rawValue), 2)) + "   " + $0.meaning + "\n" }.joined()
  }

  // MARK: Parts

  private func section(_ title: String, _ lines: [String], _ style: TextStyle) -> String {
    ([style.bold(title)] + lines).joined(separator: "\n") + "\n"
  }

  /// Pieces with an empty line between each two.
  private func apart(_ pieces: [String]) -> [String] { [pieces.joined(separator: "\n\n")] }

  private func block(_ block: Block, _ style: TextStyle) -> String {
    switch block {
    case .text(let text): wrapped(text, ManualPage.margin)
    case .verbatim(let text):
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : line("  " + $0) }.joined(separator: "\n")
    case .item(let term, let meaning): item(term, meaning, style)
    }
  }

  private func item(_ term: String, _ meaning: String, _ style: TextStyle) -> String {
    // The name of an option's value is underlined, as in the pages of `man`.
    let words = term.split(separator: " ").enumerated().map { index, word in
      term.hasPrefix("-")
        ? (index == 0 ? style.bold(String(word)) : style.underlined(String(word))) : style.bold(String(word))
    }
    return line(words.joined(separator: " ")) + "\n" + wrapped(meaning, ManualPage.innerMargin)
  }

  private func statusLine(_ status: ExitStatus, _ meaning: String, _ style: TextStyle) -> String {
    let number = String(status.rawValue)
    let text = wrapped(meaning, ManualPage.innerMargin)
    return line(style.bold(number)) + text.dropFirst(ManualPage.margin + number.count)
  }

  private func line(_ text: some StringProtocol) -> String {
    String(repeating: " ", count: ManualPage.margin) + text
  }

  /// The words of a text in lines that fit, each behind a margin.
  private func wrapped(_ text: String, _ margin: Int) -> String {
    let indent = String(repeating: " ", count: margin)
    var lines: [String] = []
    var current = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !current.isEmpty, margin + current.count + 1 + word.count > ManualPage.width {
        lines.append(indent + current)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    return (lines + [indent + current]).joined(separator: "\n")
  }
}
