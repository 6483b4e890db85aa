import Foundation

/// Colours for the terminal: the eight that every terminal has, so that they follow its theme.
struct Palette {
  enum Ink: String {
    case key = "36"
    case string = "32"
    case number = "33"
    case name = "1;34"
    case faint = "2"
    case added = "1;32"
    case removed = "1;31"
    case changed = "1;33"
  }

  static let plain = Palette(isOn: false)

  let isOn: Bool

  private init(isOn: Bool) { self.isOn = isOn }

  /// The palette for standard output, as the option `--color` says.
  init(option: String?, for command: String) throws(CommandFailure) {
    switch option ?? "auto" {
    case "always": isOn = true
    case "never": isOn = false
    case "auto":
      let environment = ProcessInfo.processInfo.environment
      // https://no-color.org: any text but none at all.
      isOn =
        isatty(STDOUT_FILENO) != 0 && (environment["NO_COLOR"] ?? "").isEmpty
        && !["dumb", ""].contains(environment["TERM"] ?? "")
    case let other:
      throw CommandFailure.usage("\(command): '\(escaped(other))' is no colouring; auto, always or never")
    }
  }

  /// The text in a colour. It has to be escaped already.
  func paint(_ text: String, _ ink: Ink) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// What the help of each command that has colours says about them.
  static let help = """
    --color WHEN  auto (the default: if standard output is a terminal, the variable NO_COLOR is not set and TERM is
                  not "dumb"), always or never
    """
}
