/// The arguments of a command, told apart.
struct Arguments {
  private(set) var files: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// - Parameters:
  ///   - command: the command's name, for complaints.
  ///   - valued: the options that take a value.
  ///   - flags: the options that take none.
  init(_ arguments: [String], for command: String, valued: [String] = [], flags known: [String] = []) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        files += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        files.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init
      )
      if argument.hasPrefix("--"), parts.count == 2, valued.contains(parts[0]) {
        values[parts[0]] = parts[1]
      } else if valued.contains(argument) {
        guard let value = rest.popFirst() else {
          throw CommandFailure.usage("\(command): the option '\(argument)' needs a value")
        }
        values[argument] = value
      } else if known.contains(argument) {
        flags.insert(argument)
      } else {
        throw CommandFailure.usage(
          "\(command): there is no option '\(escaped(argument))'; try 'keeputil help \(command)'"
        )
      }
    }
  }

  func value(_ option: String) -> String? { values[option] }
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The files, which have to be as many as there are names for them.
  func files(_ names: String..., for command: String) throws -> [String] {
    guard files.count == names.count else {
      let expected = names.isEmpty ? "no file" : names.joined(separator: " and ")
      throw CommandFailure.usage(
        "\(command): \(expected) expected, \(files.count) given; try 'keeputil help \(command)'"
      )
    }
    return files
  }
}
