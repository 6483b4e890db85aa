/// The arguments of a command, parsed according to the options on its manual page.
struct Arguments {
  private(set) var files: [String] = []
  private let command: String
  /// The options with their values, in order.
  private(set) var values: [(option: String, text: String)] = []
  private var flags: Set<String> = []

  init(_ arguments: [String], for page: ManualPage) throws {
    command = page.name
    let forms = (page.options + page.hiddenOptions).map { $0.term.split(separator: " ").map(String.init) }
    let known = forms.map { $0[0] }
    let takesValue = Set(forms.filter { $0.count > 1 }.map { $0[0] })
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
      let name = String(argument.prefix { $0 != "=" })
      if argument.hasPrefix("--"), name != argument, takesValue.contains(name) {
        values.append((name, String(argument.dropFirst(name.count + 1))))
      } else if takesValue.contains(argument) {
        guard let value = rest.popFirst() else { throw misuse("the option '\(argument)' needs a value") }
        values.append((argument, value))
      } else if known.contains(argument) {
        flags.insert(argument)
      } else {
        let suggestion = Spelling.suggestion(argument, among: known)
        throw misuse("there is no option '\(escaped(argument))'\(suggestion); try 'keeputil help \(command)'")
      }
    }
  }

  func misuse(_ message: String) -> CommandFailure { .usage("\(command): \(message)") }

  /// The value of an option, or its last value if it occurs several times.
  func value(_ option: String) -> String? { values.last { $0.option == option }?.text }
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func refuseTogether(_ first: String, _ second: String) throws(CommandFailure) {
    guard !has(first) && value(first) == nil || !has(second) else {
      throw misuse("'\(first)' and '\(second)' exclude each other")
    }
  }

  /// The value of an option as a number. A number too large for an `Int` becomes the largest `Int`.
  func number(_ option: String, in range: ClosedRange<Int> = 1...Int.max) throws(CommandFailure) -> Int? {
    guard let text = value(option) else { return nil }
    let isHuge = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } && Int(text) == nil
    guard let number = isHuge ? .max : Int(text), range.contains(number) else {
      let end = range.upperBound == .max ? "on" : "to \(grouped(range.upperBound))"
      let numbers = "\(range.lowerBound) \(end)"
      throw misuse("'\(escaped(text))' is not a number from \(numbers) for the option '\(option)'")
    }
    return number
  }

  /// The files. Throws unless there are as many as `names`.
  func files(_ names: String...) throws(CommandFailure) -> [String] {
    guard files.count == names.count else {
      let expected = names.isEmpty ? "no file" : names.joined(separator: " and ")
      throw misuse("\(expected) expected, \(files.count) given; try 'keeputil help \(command)'")
    }
    return files
  }

  func file() throws(CommandFailure) -> String { try files("one file")[0] }

  /// The only file, as of the save that `--at` gives.
  func input() throws(CommandFailure) -> Input { try Input(file(), at: number("--at")) }
}
