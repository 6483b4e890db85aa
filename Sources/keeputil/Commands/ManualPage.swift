struct ManualPage {
  /// A term and its text: an option and its meaning, or the purpose of an example and its command.
  struct Item {
    let term: String
    let text: String
  }

  let name: String
  let summary: String
  /// The forms of the call, without the names of the tool and the command.
  private let synopsis: [String]
  private let description: String
  /// The options as the user types them, each with the name of its value if it takes one: `--depth N`.
  let options: [Item]
  /// The options that only the tool itself uses.
  let hiddenOptions: [Item]
  let exitStatuses: [ExitStatus]
  /// The exit statuses that have a particular meaning for this command.
  private let statusMeanings: [ExitStatus: String]
  let examples: [Item]

  /// In each text, empty lines separate pieces. A piece whose second line is indented is a list of items: terms, each
  /// with its meaning below it. A piece that is indented by four spaces is verbatim.
  init(
    _ name: String,
    _ summary: String,
    synopsis: [String],
    _ description: String,
    options: String,
    hiddenOptions: String = "",
    exitStatuses: [ExitStatus] = [.done, .usage, .badData, .noInput, .inputOutput],
    statusMeanings: [ExitStatus: String] = [:],
    examples: String
  ) {
    self.name = name
    self.summary = summary
    self.synopsis = synopsis
    self.description = description
    self.options = ManualPage.items(options)
    self.hiddenOptions = ManualPage.items(hiddenOptions)
    self.exitStatuses = exitStatuses
    self.statusMeanings = statusMeanings
    self.examples = ManualPage.items(examples)
  }

  private static func items(_ text: String) -> [Item] {
    let lines = text.split(separator: "\n")
    let starts = lines.indices.filter { !lines[$0].hasPrefix(" ") }
    return zip(starts, starts.dropFirst() + [lines.count]).map { start, end in
      let meaning = lines[(start + 1)..<end].map { $0.dropFirst(2) }.joined(separator: " ")
      return Item(term: String(lines[start]), text: meaning)
    }
  }
}

// Texts that several pages share.
extension ManualPage {
  static let saveOption = """
    --at N
      reads save N of a document, as does FILE@N
    """

  static let colorOption = """
    --color WHEN
      colors: auto (the default: if standard output is a terminal, the variable NO_COLOR is not set and TERM is
      not "dumb"), always or never
    """

  static let progress = """
    After half a second, a line on standard error shows the progress, if standard error is a terminal.
    """

  static let savedFile = """
    OUT replaces an existing file only when it is complete and on the disk: after a failure, an interruption or a
    power cut, the existing file is still whole. If SIGINT, SIGTERM or SIGHUP ends the command, it removes its
    temporary file. If it is killed otherwise, the temporary file stays beside OUT, under a name that begins with
    .OUT.keepsake-, until the next command that writes to OUT removes it.
    """
}

// The page as text.
extension ManualPage {
  private static let width = 100
  private static let margin = 7
  private static let innerMargin = 11

  private static let closedPipe = """
    If the reader of the output closes it, as '| head' does, the signal SIGPIPE ends the command without a message; a
    shell reports that as 141.
    """

  func text(_ palette: Palette) -> String {
    func section(_ title: String, _ pieces: [String], apart: Bool = true) -> String {
      palette.paint(title, .bold) + "\n" + pieces.joined(separator: apart ? "\n\n" : "\n") + "\n"
    }
    let calls = synopsis.map { line(palette.paint("keeputil \(name)", .bold) + " " + $0) }
    let closedPipe = Self.wrapped(Self.closedPipe, Self.margin)
    let statuses = exitStatuses.map { statusLine($0, palette) } + ["", closedPipe]
    let commands = examples.map { Self.wrapped($0.term, Self.margin) + "\n" + line("    $ " + $0.text) }
    return [
      section("NAME", [line("keeputil \(name) - \(summary)")]),
      section("SYNOPSIS", calls, apart: false),
      section("DESCRIPTION", description.split(separator: "\n\n").flatMap { texts($0, palette) }),
      section("OPTIONS", options.map { text($0, palette) }),
      section("EXIT STATUS", statuses, apart: false),
      section("EXAMPLES", commands),
    ].joined(separator: "\n")
  }

  static func statusList(_ palette: Palette) -> String {
    ExitStatus.allCases
      .map { "  " + palette.paint(leftPadded(String($0.rawValue), 2), .bold) + "   " + $0.meaning + "\n" }
      .joined() + "\n" + wrapped(closedPipe, 2) + "\n"
  }

  private func texts(_ piece: Substring, _ palette: Palette) -> [String] {
    let lines = piece.split(separator: "\n")
    if lines[0].hasPrefix("    ") { return [lines.map { line($0.dropFirst(2)) }.joined(separator: "\n")] }
    let hasItems = lines.count > 1 && lines[1].hasPrefix("  ")
    return hasItems
      ? Self.items(String(piece)).map { text($0, palette) } : [Self.wrapped(String(piece), Self.margin)]
  }

  private func text(_ item: Item, _ palette: Palette) -> String {
    // The name of an option's value is underlined, as in the pages of `man`.
    let words = item.term.split(separator: " ").enumerated().map { index, word in
      palette.paint(String(word), item.term.hasPrefix("-") && index > 0 ? .underlined : .bold)
    }
    return line(words.joined(separator: " ")) + "\n" + Self.wrapped(item.text, Self.innerMargin)
  }

  private func statusLine(_ status: ExitStatus, _ palette: Palette) -> String {
    let number = String(status.rawValue)
    let text = Self.wrapped(statusMeanings[status] ?? status.meaning, Self.innerMargin)
    return line(palette.paint(number, .bold)) + text.dropFirst(Self.margin + number.count)
  }

  private func line(_ text: some StringProtocol) -> String {
    String(repeating: " ", count: Self.margin) + text
  }

  private static func wrapped(_ text: String, _ margin: Int) -> String {
    let indent = String(repeating: " ", count: margin)
    var lines: [String] = []
    var current = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !current.isEmpty, margin + current.count + 1 + word.count > width {
        lines.append(indent + current)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    return (lines + [indent + current]).joined(separator: "\n")
  }
}
