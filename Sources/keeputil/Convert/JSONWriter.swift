import Foundation

/// JSON, as text on one line or indented.
struct JSONWriter: PlainSyntax {
  var notes = PlainNotes()
  private let output: any Output
  private let isPretty: Bool
  private var brackets: [(kind: PlainBracket, isEmpty: Bool)] = []
  private var hasKey = false

  init(_ output: any Output, pretty: Bool) {
    self.output = output
    isPretty = pretty
  }

  mutating func begin() {}

  mutating func finish() throws { try output.write("\n") }

  /// What stands before a value or a key: a comma, and the start of a line.
  private mutating func separate() throws {
    if hasKey {
      hasKey = false
      return
    }
    guard let last = brackets.indices.last else { return }
    if !brackets[last].isEmpty { try output.write(",") }
    brackets[last].isEmpty = false
    try startLine()
  }

  private func startLine() throws {
    guard isPretty else { return }
    try output.write("\n" + String(repeating: "  ", count: min(brackets.count, 64)))
  }

  private mutating func put(_ text: String) throws {
    try separate()
    try output.write(text)
  }

  mutating func open(_ bracket: PlainBracket) throws {
    try put(bracket == .array ? "[" : "{")
    brackets.append((bracket, true))
  }

  mutating func key(_ name: String) throws {
    try put(JSONWriter.quoted(name) + (isPretty ? ": " : ":"))
    hasKey = true
  }

  mutating func close() throws {
    guard let (kind, isEmpty) = brackets.popLast() else { return }
    if !isEmpty { try startLine() }
    try output.write(kind == .array ? "]" : "}")
  }

  mutating func null() throws { try put("null") }
  mutating func bool(_ value: Bool) throws { try put(value ? "true" : "false") }
  mutating func integer(_ digits: String) throws { try put(digits) }
  mutating func string(_ value: String) throws { try put(JSONWriter.quoted(value)) }

  mutating func real(_ value: Double, _ digits: String) throws {
    if value.isFinite { return try put(digits) }
    notes.add("not finite") {
      "\(counted($0, "number that is", "numbers that are")) not finite written as text"
    }
    try put(value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
  }

  mutating func decimal(_ digits: String) throws {
    if digits == "nan" { return try real(.nan, "") }
    try put(digits)
  }

  mutating func data(_ value: [UInt8]) throws {
    notes.add("data") { "\(counted($0, "run of bytes is", "runs of bytes are")) written as Base64 text" }
    try put("\"\(Data(value).base64EncodedString())\"")
  }

  mutating func date(_ secondsSince2001: Double) throws {
    notes.add("date") {
      "\(counted($0, "date is", "dates are")) written in seconds since 2001-01-01 00:00 UTC"
    }
    try real(secondsSince2001, secondsSince2001.description)
  }

  /// The string in quotes. What could do something to a terminal is escaped: to a reader it is the same.
  private static func quoted(_ string: String) -> String {
    var text = "\""
    text.reserveCapacity(string.utf8.count + 2)
    var previous: Unicode.Scalar?
    for scalar in string.unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "\"": text.append("\\\"")
      case "\\": text.append("\\\\")
      case "\n": text.append("\\n")
      case "\r": text.append("\\r")
      case "\t": text.append("\\t")
      case " "..."~": text.unicodeScalars.append(scalar)
      default:
        if scalar.isStrange(after: previous) {
          for unit in scalar.utf16 { text.append(escape(unit)) }
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

// Fields and lists of what the tool itself tells as JSON.
extension JSONWriter {
  mutating func field(_ name: String, _ number: Int) throws {
    try key(name)
    try integer(String(number))
  }

  mutating func field(_ name: String, _ text: String) throws {
    try key(name)
    try string(text)
  }

  mutating func field(_ name: String, _ value: Bool) throws {
    try key(name)
    try bool(value)
  }

  /// A bracket with what `content` writes in it; under a key where it is given one.
  mutating func bracket(
    _ bracket: PlainBracket,
    _ name: String? = nil,
    _ content: (inout JSONWriter) throws -> Void
  ) throws {
    if let name { try key(name) }
    try open(bracket)
    try content(&self)
    try close()
  }
}
