import Foundation
import Keepsake

/// Reads JSON. Keeps the order of keys, all characters of strings, and all digits of numbers that some type can hold.
struct JSONReader {
  private let bytes: [UInt8]
  private var cursor = 0
  private var depth = 0
  /// The values that the reader changed.
  private(set) var notes = PlainNotes()

  /// Why and where a text is not JSON.
  struct Failure: Error {
    let text: String
  }

  static let deepest = 1_000

  init(_ data: Data) {
    bytes = Array(data)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { cursor = 3 }
  }

  mutating func read() throws -> PlainValue {
    skipSpace()
    guard cursor < bytes.count else { throw failure("it is empty") }
    let value = try readValue()
    skipSpace()
    guard cursor == bytes.count else { throw failure("something follows after the end") }
    return value
  }

  private func failure(_ message: String, at offset: Int? = nil) -> Failure {
    let before = bytes.prefix(offset ?? cursor)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
    return Failure(text: "\(message) (line \(line), column \(column))")
  }

  private var next: UInt8 { cursor < bytes.count ? bytes[cursor] : 0 }

  private mutating func skipSpace() {
    while [0x20, 0x0A, 0x0D, 0x09].contains(next) { cursor += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard cursor < bytes.count, bytes[cursor] == UInt8(ascii: character) else { return false }
    cursor += 1
    return true
  }

  // MARK: Values

  private mutating func readValue() throws -> PlainValue {
    switch Unicode.Scalar(next) {
    case "{": return try object()
    case "[": return try array()
    case "\"": return .single(try string())
    case "t": return try word("true", .single(true))
    case "f": return try word("false", .single(false))
    case "n": return try word("null", .null)
    case "-", "0"..."9": return try number()
    default: throw failure(cursor < bytes.count ? "no value begins here" : "it ends too early")
    }
  }

  private mutating func word(_ word: String, _ value: PlainValue) throws -> PlainValue {
    guard bytes[cursor...].starts(with: word.utf8) else { throw failure("no value begins here") }
    cursor += word.utf8.count
    return value
  }

  /// Calls `read` for each element between brackets.
  private mutating func list(
    _ name: String,
    until end: Unicode.Scalar,
    _ read: (inout JSONReader) throws -> Void
  ) throws {
    cursor += 1
    depth += 1
    defer { depth -= 1 }
    guard depth <= JSONReader.deepest else {
      throw failure("values are nested more than \(JSONReader.deepest) deep")
    }
    skipSpace()
    if take(end) { return }
    while true {
      try read(&self)
      skipSpace()
      if take(end) { return }
      guard take(",") else { throw failure("a comma or the end of \(name) is missing") }
      skipSpace()
    }
  }

  private mutating func array() throws -> PlainValue {
    var elements: [PlainValue] = []
    try list("an array", until: "]") { elements.append(try $0.readValue()) }
    return .array(elements)
  }

  private mutating func object() throws -> PlainValue {
    var members: [PlainMember] = []
    // Keys that differ only in normalization are equal as `String`, but distinct in JSON.
    var indexes: [ExactString: Int] = [:]
    try list("an object", until: "}") { reader in
      guard reader.next == UInt8(ascii: "\"") else { throw reader.failure("a key is missing") }
      let key = try reader.string()
      reader.skipSpace()
      guard reader.take(":") else { throw reader.failure("a colon is missing") }
      reader.skipSpace()
      let value = try reader.readValue()
      if let index = indexes[ExactString(string: key)] {
        reader.notes.add("key stands", "keys stand", "twice in an object; the last counts")
        members[index].value = value
      } else {
        indexes[ExactString(string: key)] = members.count
        members.append(PlainMember(key: key, value: value))
      }
    }
    return .object(members)
  }

  // MARK: Strings

  private mutating func string() throws -> String {
    let start = cursor
    cursor += 1
    var text: [UInt8] = []
    while cursor < bytes.count {
      let run = cursor
      while cursor < bytes.count, bytes[cursor] >= 0x20, bytes[cursor] != 0x22, bytes[cursor] != 0x5C {
        cursor += 1
      }
      text += bytes[run..<cursor]
      if take("\"") {
        guard let string = String(validating: text, as: UTF8.self) else {
          throw failure("a string is not valid UTF-8", at: start)
        }
        return string
      }
      guard take("\\") else { break }
      try escape(&text)
    }
    throw failure(cursor < bytes.count ? "a control character is in a string" : "a string has no end")
  }

  private mutating func escape(_ text: inout [UInt8]) throws {
    let character = Unicode.Scalar(next)
    cursor += 1
    switch character {
    case "\"", "\\", "/": text.append(UInt8(ascii: character))
    case "b": text.append(0x08)
    case "f": text.append(0x0C)
    case "n": text.append(0x0A)
    case "r": text.append(0x0D)
    case "t": text.append(0x09)
    case "u": text += try unicodeEscape()
    default: throw failure("an escape is unknown", at: cursor - 1)
    }
  }

  private mutating func unicodeEscape() throws -> [UInt8] {
    let start = cursor
    let first = try hexadecimal()
    var code = UInt32(first)
    if UTF16.isLeadSurrogate(first), take("\\"), take("u") {
      let second = try hexadecimal()
      if UTF16.isTrailSurrogate(second) {
        code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      }
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw failure("an escape stands for half a character", at: start)
    }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func hexadecimal() throws -> UInt16 {
    let end = min(cursor + 4, bytes.count)
    let digits = bytes[cursor..<end]
    guard digits.count == 4, digits.allSatisfy({ isxdigit(Int32($0)) != 0 }),
      let code = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw failure("an escape has no four hexadecimal digits") }
    cursor = end
    return code
  }

  // MARK: Numbers

  private mutating func digits() -> Int {
    let start = cursor
    while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { cursor += 1 }
    return cursor - start
  }

  private mutating func number() throws -> PlainValue {
    let start = cursor
    _ = take("-")
    let first = next
    let whole = digits()
    let end = cursor
    var isNumber = whole == 1 || (whole > 1 && first != UInt8(ascii: "0"))
    if isNumber, take(".") { isNumber = digits() > 0 }
    if isNumber, take("e") || take("E") {
      if !take("+") { _ = take("-") }
      isNumber = digits() > 0
    }
    guard isNumber else { throw failure("a number is not written as one", at: start) }
    let text = String(decoding: bytes[start..<cursor], as: UTF8.self)
    guard let number = PlainNumber(text, isWhole: cursor == end) else {
      throw failure("a number is larger than any that can be kept", at: start)
    }
    if number.isRounded { notes.add("number was", "numbers were", "rounded, having too many digits") }
    if number.isLost { notes.add("number is", "numbers are", "too small and became 0") }
    return number.value
  }
}
