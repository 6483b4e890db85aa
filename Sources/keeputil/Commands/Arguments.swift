/// The arguments of a command, told apart.
struct Arguments {
  private(set) var files: [String] = []
  private let command: String
  private var values: [String: [String]] = [:]
  private var flags: Set<String> = []

  /// - Parameters:
  ///   - command: the command's name, for complaints.
  ///   - valued: the options that take a value; of several the last counts.
  ///   - repeated: the options that take a value and may be given more than once.
  ///   - flags: the options that take none.
  init(
    _ arguments: [String],
    for command: String,
    valued: [String] = [],
    repeated: [String] = [],
    flags known: [String] = []
  ) throws {
    self.command = command
    let takesValue = Set(valued + repeated)
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
      if argument.hasPrefix("--"), parts.count == 2, takesValue.contains(parts[0]) {
        values[parts[0], default: []].append(parts[1])
      } else if takesValue.contains(argument) {
        guard let value = rest.popFirst() else {
          throw CommandFailure.usage("\(command): the option '\(argument)' needs a value")
        }
        values[argument, default: []].append(value)
      } else if known.contains(argument) {
        flags.insert(argument)
      } else {
        let suggestion = Spelling.suggestion(argument, among: known + valued + repeated)
        throw CommandFailure.usage(
          "\(command): there is no option '\(escaped(argument))'\(suggestion); try 'keeputil help \(command)'"
        )
      }
    }
  }

  func value(_ option: String) -> String? { values[option]?.last }
  /// The values of an option that may be given more than once, in their order.
  func values(_ option: String) -> [String] { values[option] ?? [] }
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The number that an option gives. One that is larger than any counts as the largest.
  func number(_ option: String, in range: ClosedRange<Int> = 1...Int.max) throws(CommandFailure) -> Int? {
    guard let text = value(option) else { return nil }
    let isHuge = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } && Int(text) == nil
    guard let number = isHuge ? .max : Int(text), range.contains(number) else {
      let limits = range.upperBound == .max ? "on" : "to \(grouped(range.upperBound))"
      throw .usage(
        "\(command): '\(escaped(text))' is no number from \(range.lowerBound) \(limits) for the option '\(option)'"
      )
    }
    return number
  }

  /// The files, which have to be as many as there are names for them.
  func files(_ names: String...) throws(CommandFailure) -> [String] {
    guard files.count == names.count else {
      let expected = names.isEmpty ? "no file" : names.joined(separator: " and ")
      throw .usage(
        "\(command): \(expected) expected, \(files.count) given; try 'keeputil help \(command)'"
      )
    }
    return files
  }
}
