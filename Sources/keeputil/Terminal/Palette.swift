import Foundation

/// Colors and weights for the terminal: its eight basic colors, which follow its theme.
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
    case bold = "1"
    case underlined = "4"
  }

  static let plain = Palette(isOn: false)
  /// For standard output, without the option `--color`.
  static var standardOutput: Palette { Palette(isOn: isWelcome) }

  let isOn: Bool

  init(isOn: Bool) { self.isOn = isOn }

  /// The palette for standard output, by the option `--color`.
  init(_ arguments: Arguments) throws(CommandFailure) {
    switch arguments.value("--color") ?? "auto" {
    case "always": isOn = true
    case "never": isOn = false
    case "auto": isOn = Palette.isWelcome
    case let other:
      throw arguments.misuse("'\(escaped(other))' is not a value for '--color'; give auto, always or never")
    }
  }

  /// Whether to use colors by default. Anything but a terminal would show their codes.
  private static var isWelcome: Bool {
    let environment = ProcessInfo.processInfo.environment
    // https://no-color.org: any value turns colors off, except an empty one.
    return isatty(STDOUT_FILENO) != 0 && (environment["NO_COLOR"] ?? "").isEmpty
      && !["dumb", ""].contains(environment["TERM"] ?? "")
  }

  /// The text in a color or weight. It must be escaped already.
  func paint(_ text: String, _ ink: Ink) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
  }
}
