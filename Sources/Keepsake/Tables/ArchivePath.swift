/// A path to a value in an archive: keys, and indexes of elements.
///
/// In text, dots separate the steps, and indexes are in brackets: `root.books[3].title`. Keys with dots, brackets or
/// quotation marks are in brackets and quotation marks, with escapes as in Swift, and any other key may be:
/// `root["a.b"].x`. The empty text is the path to the value itself.
///
/// ```swift
/// let title = try archive[path: "root.books[3].title"]?.stringValue
/// ```
public struct ArchivePath: Hashable, Sendable {
  /// A step on the way to a value.
  public enum Element: Hashable, Sendable {
    /// A key of a keyed container or a dictionary.
    case key(String)
    /// A key of a dictionary whose keys are integers.
    case intKey(Int)
    /// The index of an element of an array, counted from 0.
    case index(Int)
  }

  /// The steps from the first to the last.
  public var elements: [Element] { didSet { fault = nil } }
  /// What is wrong with the literal that made this path.
  private var fault: ArchiveError?

  /// Makes a path of these steps.
  public init(_ elements: [Element]) {
    self.elements = elements
  }

  /// Parses a path.
  ///
  /// - Throws: ``ArchiveError`` with the code ``ArchiveError/Code/misuse`` if `text` is not a path; it says where.
  public init(_ text: String) throws(ArchiveError) {
    var parser = PathParser(text)
    elements = try parser.parse()
  }
}

package typealias PathElement = ArchivePath.Element

extension ArchivePath.Element {
  /// The text of a key, or the digits of a number.
  package var keyText: String {
    switch self {
    case .key(let name): name
    case .intKey(let number), .index(let number): String(number)
    }
  }

  /// Whether both are the same step. Keys are compared by their bytes, since a container may have two keys that are
  /// equal as a `String`.
  public static func == (left: ArchivePath.Element, right: ArchivePath.Element) -> Bool {
    switch (left, right) {
    case (.key(let left), .key(let right)): ExactString(string: left) == ExactString(string: right)
    case (.intKey(let left), .intKey(let right)), (.index(let left), .index(let right)): left == right
    default: false
    }
  }

  /// Hashes the step, a key by its bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .key(let name): hasher.combine(ExactString(string: name))
    case .intKey(let number), .index(let number): hasher.combine(number)
    }
  }
}

extension ArchivePath: ExpressibleByStringLiteral {
  /// Parses a literal. This cannot throw: if the literal is not a path, following it throws the error of
  /// ``init(_:)-(String)``.
  public init(stringLiteral text: String) {
    do { try self.init(text) } catch {
      self.init([.key(text)])
      fault = error
    }
  }

  /// The steps to follow; throws if this path was made from a literal that is not a path.
  var checkedElements: [Element] {
    get throws(ArchiveError) {
      if let fault { throw fault }
      return elements
    }
  }
}

extension ArchivePath: CustomStringConvertible {
  /// The path in text, which can be parsed again.
  public var description: String {
    var text = ""
    for element in elements {
      switch element {
      case .key(let name) where name.unicodeScalars.allSatisfy(PathParser.isPlain) && !name.isEmpty:
        text += (text.isEmpty ? "" : ".") + name
      case .key(let name):
        text += "[\"\(PathParser.escaped(name))\"]"
      case .intKey(let number), .index(let number):
        text += "[\(number)]"
      }
    }
    return text
  }
}

private struct PathParser {
  private let text: String
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) {
    self.text = text
    rest = text[...].unicodeScalars
  }

  /// Whether a key may contain the character without quotation marks.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || "_-$@".unicodeScalars.contains(scalar)
  }

  /// The text of a key between quotation marks.
  static func escaped(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _
      where scalar.value < 0x20 || scalar.properties.generalCategory == .control
        || scalar.properties.generalCategory == .format:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  mutating func parse() throws(ArchiveError) -> [PathElement] {
    var elements: [PathElement] = []
    while let next = rest.first {
      if next == "[" {
        elements.append(try bracket())
        continue
      }
      if next == "." {
        guard !elements.isEmpty else { throw invalid("begins with a dot") }
        rest.removeFirst()
      } else if !elements.isEmpty {
        throw invalid("has no dot before \"\(next)\"")
      }
      let name = rest.prefix { !".[]\"".unicodeScalars.contains($0) }
      guard !name.isEmpty else {
        throw invalid("lacks a key; one with other characters is spelled [\"like this\"]")
      }
      elements.append(.key(String(name)))
      rest = rest.dropFirst(name.count)
    }
    return elements
  }

  private func invalid(_ problem: String) -> ArchiveError {
    let position = text.unicodeScalars.count - rest.count
    return ArchiveError.misuse("\"\(text)\" is not a path: at character \(position + 1) it \(problem)")
  }

  private mutating func bracket() throws(ArchiveError) -> PathElement {
    rest.removeFirst()
    let element: PathElement
    if rest.first == "\"" {
      rest.removeFirst()
      element = .key(try quoted())
    } else {
      let digits = String(rest.prefix { $0 != "]" })
      guard let number = Int(digits) else { throw invalid("has neither an index nor a key in its brackets") }
      element = number < 0 ? .intKey(number) : .index(number)
      rest = rest.dropFirst(digits.unicodeScalars.count)
    }
    guard rest.first == "]" else { throw invalid("lacks a closing bracket") }
    rest.removeFirst()
    return element
  }

  private mutating func quoted() throws(ArchiveError) -> String {
    var name = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return name
      case "\\": name.unicodeScalars.append(try escape())
      default: name.unicodeScalars.append(scalar)
      }
    }
    throw invalid("lacks a closing quotation mark")
  }

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "n": "\n", "r": "\r", "t": "\t", "0": "\0", "\"": "\"", "\\": "\\",
  ]

  private mutating func escape() throws(ArchiveError) -> Unicode.Scalar {
    let next = rest.popFirst()
    if let next, let scalar = PathParser.escapes[next] { return scalar }
    let digits = rest.dropFirst().prefix { $0 != "}" }
    guard next == "u", rest.first == "{", let value = UInt32(String(digits), radix: 16),
      let scalar = Unicode.Scalar(value)
    else { throw invalid("has an unknown escape") }
    rest = rest.dropFirst(digits.count + 2)
    return scalar
  }
}
