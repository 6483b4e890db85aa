extension ManualPage {
  private static let width = 100
  private static let margin = 7
  private static let innerMargin = 11

  /// The page as text.
  func text(_ palette: Palette) -> String {
    var sections = [
      section("NAME", [line("keeputil \(name) - \(summary)")], palette),
      section(
        "SYNOPSIS",
        synopsis.map { line(palette.paint("keeputil \(name)", .bold) + ($0.isEmpty ? "" : " ") + $0) },
        palette
      ),
      section("DESCRIPTION", apart(description.map { block($0, palette) }), palette),
    ]
    if !options.isEmpty {
      sections.append(section("OPTIONS", apart(options.map { item($0.form, $0.meaning, palette) }), palette))
    }
    sections.append(
      section(
        "EXIT STATUS",
        exitStatuses.map { statusLine($0, statusMeanings[$0] ?? $0.meaning, palette) }
          + ["", Self.wrapped(ManualPage.closedPipe, ManualPage.margin)],
        palette
      )
    )
    if !examples.isEmpty {
      let shown = examples.map {
        Self.wrapped($0.meaning, ManualPage.margin) + "\n" + line("    $ " + $0.command)
      }
      sections.append(section("EXAMPLES", apart(shown), palette))
    }
    return sections.joined(separator: "\n")
  }

  /// The exit statuses of all commands, for the overview.
  static func statusList(_ palette: Palette) -> String {
    ExitStatus.allCases
      .map { "  " + palette.paint(leftPadded(String($0.rawValue), 2), .bold) + "   " + $0.meaning + "\n" }
      .joined() + "\n" + wrapped(closedPipe, 2) + "\n"
  }

  private static let closedPipe = """
    Where nobody reads the output any more, as behind '| head', the signal SIGPIPE ends the command without a word; a \
    shell gives that as 141.
    """

  // MARK: Parts

  private func section(_ title: String, _ lines: [String], _ palette: Palette) -> String {
    ([palette.paint(title, .bold)] + lines).joined(separator: "\n") + "\n"
  }

  /// Pieces with an empty line between each two.
  private func apart(_ pieces: [String]) -> [String] { [pieces.joined(separator: "\n\n")] }

  private func block(_ block: Block, _ palette: Palette) -> String {
    switch block {
    case .text(let text): Self.wrapped(text, ManualPage.margin)
    case .verbatim(let text):
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : line("  " + $0) }.joined(separator: "\n")
    case .item(let term, let meaning): item(term, meaning, palette)
    }
  }

  private func item(_ term: String, _ meaning: String, _ palette: Palette) -> String {
    // The name of an option's value is underlined, as in the pages of `man`.
    let words = term.split(separator: " ").enumerated().map { index, word in
      term.hasPrefix("-")
        ? (index == 0 ? palette.paint(String(word), .bold) : palette.paint(String(word), .underlined))
        : palette.paint(String(word), .bold)
    }
    return line(words.joined(separator: " ")) + "\n" + Self.wrapped(meaning, ManualPage.innerMargin)
  }

  private func statusLine(_ status: ExitStatus, _ meaning: String, _ palette: Palette) -> String {
    let number = String(status.rawValue)
    let text = Self.wrapped(meaning, ManualPage.innerMargin)
    return line(palette.paint(number, .bold)) + text.dropFirst(ManualPage.margin + number.count)
  }

  private func line(_ text: some StringProtocol) -> String {
    String(repeating: " ", count: ManualPage.margin) + text
  }

  /// The words of a text in lines that fit, each behind a margin.
  private static func wrapped(_ text: String, _ margin: Int) -> String {
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
