import Foundation

protocol Command {
  /// The page that `keeputil help COMMAND` prints. It also defines the options of the command.
  static var manual: ManualPage { get }
  static func run(_ arguments: Arguments) throws
}

extension Command {
  static var name: String { manual.name }
}

enum Tool {
  static let version = "keeputil 0.1.0 (archive format 1.0)"
  static var commands: [any Command.Type] {
    [
      PrintCommand.self, StatsCommand.self, ReportCommand.self, GraphCommand.self, DiffCommand.self,
      VerifyCommand.self, LogCommand.self, CompactCommand.self, EditCommand.self, ConvertCommand.self,
      DemoCommand.self,
    ]
  }

  /// - Parameter arguments: `nil` for one that is not valid UTF-8.
  static func run(_ arguments: [String?]) -> Int32 {
    do {
      if let index = arguments.firstIndex(of: nil) {
        let advice = "if it names a file to read, pass the file to -"
        throw CommandFailure.usage("argument \(index + 1) is not valid UTF-8; \(advice)")
      }
      try dispatch(arguments.compactMap { $0 })
      try standardOutput.flush()
      return 0
    } catch {
      let failure = error as? CommandFailure ?? .badData("\(error)")
      if let message = failure.message { complain(message) }
      return failure.status.rawValue
    }
  }

  private static func dispatch(_ arguments: [String]) throws {
    guard let first = arguments.first else {
      throw CommandFailure.usage("no command was given; try 'keeputil --help'")
    }
    let rest = Array(arguments.dropFirst())
    switch first {
    case "--help", "-h": return try standardOutput.write(overview)
    case "--version": return try standardOutput.write(version + "\n")
    case "help": return try help(rest)
    default: break
    }
    guard let command = commands.first(where: { $0.name == first }) else {
      let isOption = first.hasPrefix("-")
      let known = isOption ? ["--help", "--version"] : commands.map { $0.name } + ["help"]
      throw CommandFailure.usage(unknown(isOption ? "option" : "command", first, among: known))
    }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return try help([first])
    }
    try command.run(Arguments(rest, for: command.manual))
  }

  private static func unknown(_ kind: String, _ word: String, among known: [String]) -> String {
    "there is no \(kind) '\(escaped(word))'\(Spelling.suggestion(word, among: known)); try 'keeputil --help'"
  }

  private static func help(_ names: [String]) throws {
    guard let name = names.first else { return try standardOutput.write(overview) }
    guard names.count == 1, let command = commands.first(where: { $0.name == name }) else {
      let wanted = names.joined(separator: " ")
      throw CommandFailure.usage(unknown("command", wanted, among: commands.map { $0.name }))
    }
    try standardOutput.write(command.manual.text(.standardOutput))
  }

  private static var overview: String {
    let palette = Palette.standardOutput
    let width = 2 + (commands.map { $0.name.count }.max() ?? 0)
    let list = commands.map { command in
      let blanks = String(repeating: " ", count: width - command.name.count)
      return "  \(palette.paint(command.name, .bold))\(blanks)\(command.manual.summary)\n"
    }
    return """
      keeputil shows, compares, checks, changes and converts Keepsake archives.

      \(palette.paint("Usage:", .bold)) keeputil COMMAND [ARGUMENTS]

      \(palette.paint("Commands:", .bold))
      \(list.joined())
        help COMMAND   describes a command
        --help         prints this overview
        --version      prints the version

      A file may be - for standard input or standard output.

      \(palette.paint("Exit status:", .bold))
      \(ManualPage.statusList(palette))
      """
  }

  /// Prints a line on standard error about a command that has succeeded.
  static func note(_ message: String) { complain("note: \(message)") }

  static func complain(_ message: String) {
    let line = displayed(message.split(separator: "\n").joined(separator: " "))
    try? FileHandle.standardError.write(contentsOf: Data("keeputil: \(line)\n".utf8))
  }
}
