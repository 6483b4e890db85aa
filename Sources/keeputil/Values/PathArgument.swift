import Keepsake

/// A path as an argument: `root.books[3].title`, or `#12.name` from an object by its number.
struct PathArgument {
  /// The number of the body where the path begins; `nil` for the top level.
  let start: Int?
  let steps: [PathElement]

  init(_ text: String) throws(CommandFailure) {
    var rest = Substring(text)
    if rest.hasPrefix("#") {
      let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits), number > 0 else {
        let shown = escaped(text, keeping: "\"")
        throw .usage("in the path '\(shown)' the number of an object belongs after '#'")
      }
      start = number
      rest = rest.dropFirst(1 + digits.count)
      if rest.hasPrefix("."), !rest.hasPrefix("..") { rest.removeFirst() }
    } else {
      start = nil
    }
    do {
      steps = try ArchivePath(String(rest)).elements
    } catch {
      throw .usage(error.message)
    }
    if start == nil, steps.isEmpty { throw .usage("the path is empty") }
  }
}

/// The text of a path, as ``PathArgument`` reads it, and safe for a terminal.
enum PathText {
  /// A path of more than twice as many steps has only this many at its start and at its end, so that deep nesting does
  /// not multiply the output.
  private static let mostSteps = 24

  /// - Parameters:
  ///   - start: the text before the first step, such as `#12`.
  ///   - longestKey: the most bytes of a key. A longer key is cut, so its path leads nowhere.
  static func text(
    _ steps: some RandomAccessCollection<PathElement>,
    from start: String = "",
    longestKey: Int = .max
  ) -> String {
    var text = start
    let isShort = steps.count <= 2 * mostSteps
    for step in isShort ? steps[...] : steps.prefix(mostSteps) {
      text += PathText.text(step, isFirst: text.isEmpty, longestKey: longestKey)
    }
    if !isShort {
      text += "…(\(grouped(steps.count - 2 * mostSteps)) steps)…"
      for step in steps.suffix(mostSteps) {
        text += PathText.text(step, isFirst: false, longestKey: longestKey)
      }
    }
    return text.isEmpty ? "(top level)" : text
  }

  static func text(_ step: PathElement, isFirst: Bool, longestKey: Int = .max) -> String {
    switch step {
    case .index(let number), .intKey(let number): "[\(number)]"
    case .key(let key) where key.utf8.count > longestKey: "[\(quoted(shortened(key, longestKey)))]"
    case .key(let key): isPlain(key) ? (isFirst ? key : ".\(key)") : "[\(quoted(key))]"
    }
  }

  /// Whether a key needs no quotes.
  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty
      && key.unicodeScalars.allSatisfy { scalar in
        scalar == "_" || scalar == "-" || scalar == "$" || scalar.properties.isAlphabetic
          || scalar.properties.numericType != nil
      } && key.unicodeScalars.first?.properties.numericType == nil && escaped(key) == key
  }
}
