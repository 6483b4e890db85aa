import Foundation

struct JSONWriter: PlainSyntax {
  var notes = PlainNotes()
  private let output: any Output
  private let isPretty: Bool
  /// Whether HTML markup is escaped, so that no text can end the element that contains it.
  private let isInHTML: Bool
  private var brackets: [(kind: PlainBracket, isEmpty: Bool)] = []
  private var hasKey = false

  init(_ output: any Output, pretty: Bool, isInHTML: Bool = false) {
    self.output = output
    isPretty = pretty
    self.isInHTML = isInHTML
  }

  mutating func finish() throws { try output.write("\n") }

  /// Writes what precedes a value or a key: a comma, and the start of a line.
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
    try put(quoted(name) + (isPretty ? ": " : ":"))
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
  mutating func string(_ value: String) throws { try put(quoted(value)) }

  mutating func real(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
    if value.isFinite { return try put(value.description) }
    notes.add("number is", "numbers are", "written as text, not being finite")
    try put(value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
  }

  mutating func decimal(_ digits: String) throws {
    if digits == "nan" { return try real(Double.nan) }
    try put(digits)
  }

  mutating func data(_ value: [UInt8]) throws {
    notes.add("run of bytes is", "runs of bytes are", "written as Base64 text")
    try put("\"\(Data(value).base64EncodedString())\"")
  }

  mutating func date(_ secondsSince2001: Double) throws {
    notes.add("date is", "dates are", "written in seconds since 2001-01-01 00:00 UTC")
    try real(secondsSince2001)
  }

  /// The string in quotes. Characters that a terminal would obey are escaped, which does not change the value.
  private func quoted(_ string: String) -> String {
    let text = respelled(string) { scalar, previous in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case "<", ">", "&": isInHTML ? "\\u" + padded(scalar.value, 4, radix: 16) : nil
      case _ where (" "..."~").contains(scalar) || !scalar.isStrange(after: previous): nil
      default: scalar.utf16.map { "\\u" + padded($0, 4, radix: 16) }.joined()
      }
    }
    return "\"\(text)\""
  }
}

// The tool's own data as JSON.

protocol JSONConvertible {
  func write(to json: inout JSONWriter) throws
}

extension Int: JSONConvertible {
  func write(to json: inout JSONWriter) throws { try json.integer(String(self)) }
}

extension String: JSONConvertible {
  func write(to json: inout JSONWriter) throws { try json.string(self) }
}

extension Bool: JSONConvertible {
  func write(to json: inout JSONWriter) throws { try json.bool(self) }
}

/// A number with the given digits, or null.
struct JSONLiteral: JSONConvertible {
  let text: String

  static let null = JSONLiteral(text: "null")

  func write(to json: inout JSONWriter) throws { try json.integer(text) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  func write(to json: inout JSONWriter) throws {
    try json.bracket(.array) { json in for element in self { try element.write(to: &json) } }
  }
}

/// An array of values of different kinds.
struct JSONRow: JSONConvertible, ExpressibleByArrayLiteral {
  var values: [any JSONConvertible]

  init(arrayLiteral values: (any JSONConvertible)...) { self.values = values }

  func write(to json: inout JSONWriter) throws {
    try json.bracket(.array) { json in for value in values { try value.write(to: &json) } }
  }
}

/// An object with its fields in order, without those that are nil.
struct JSONFields: JSONConvertible, ExpressibleByDictionaryLiteral {
  private var fields: [(name: String, value: (any JSONConvertible)?)]

  init(dictionaryLiteral fields: (String, (any JSONConvertible)?)...) {
    self.fields = fields.map { ($0, $1) }
  }

  static func + (left: JSONFields, right: JSONFields) -> JSONFields {
    var sum = left
    sum.fields += right.fields
    return sum
  }

  func write(to json: inout JSONWriter) throws {
    try json.bracket(.object) { json in
      for case (let name, let value?) in fields { try json.field(name, value) }
    }
  }
}

extension JSONWriter {
  mutating func value(_ value: any JSONConvertible) throws { try value.write(to: &self) }

  mutating func field(_ name: String, _ value: any JSONConvertible) throws {
    try key(name)
    try self.value(value)
  }

  /// Writes a pair of brackets around the output of `content`.
  mutating func bracket(_ bracket: PlainBracket, _ content: (inout JSONWriter) throws -> Void) throws {
    try open(bracket)
    try content(&self)
    try close()
  }

  static func write(_ value: any JSONConvertible, _ output: any Output, pretty: Bool) throws {
    var json = JSONWriter(output, pretty: pretty)
    try json.value(value)
    try json.finish()
  }
}
