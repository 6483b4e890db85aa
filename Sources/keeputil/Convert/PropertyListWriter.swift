import Foundation

struct PropertyListWriter: PlainSyntax {
  var notes = PlainNotes()
  private let output: any Output
  private var brackets: [PlainBracket] = []

  /// At the beginning of any text, Foundation takes it for a mark of the encoding, even if it is escaped.
  private static let byteOrderMark: Unicode.Scalar = "\u{FEFF}"

  init(_ output: any Output) throws {
    self.output = output
    try output.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """
    )
  }

  mutating func finish() throws { try output.write("</plist>\n") }

  private func line(_ text: String) throws {
    try output.write(String(repeating: "\t", count: min(brackets.count, 64)) + text + "\n")
  }

  mutating func open(_ bracket: PlainBracket) throws {
    try line(bracket == .array ? "<array>" : "<dict>")
    brackets.append(bracket)
  }

  mutating func close() throws {
    guard let bracket = brackets.popLast() else { return }
    try line(bracket == .array ? "</array>" : "</dict>")
  }

  mutating func key(_ name: String) throws {
    // Two keys must not become equal. So text that looks like a replacement is itself replaced.
    let isUnwritable = name.unicodeScalars.contains(where: \.isUnknownToXML)
    let losesMark = name.unicodeScalars.first == PropertyListWriter.byteOrderMark
    guard isUnwritable || losesMark || name.contains("\u{FFFD}{") else {
      return try line("<key>\(marked(name))</key>")
    }
    notes.add("key has", "keys have", "characters that are spelled as \u{FFFD}{NUMBER}, to stay different")
    let spelled = respelled(name) { scalar, previous in
      let isLost = scalar == PropertyListWriter.byteOrderMark && previous == nil
      return isLost || scalar.isUnknownToXML || scalar == "\u{FFFD}" ? "\u{FFFD}{\(scalar.hexadecimal)}" : nil
    }
    try line("<key>\(marked(spelled))</key>")
  }

  mutating func bool(_ value: Bool) throws { try line(value ? "<true/>" : "<false/>") }

  mutating func string(_ value: String) throws {
    if value == "$null" { notes.add("text is", "texts are", "\"$null\", which stands for nil") }
    if value.unicodeScalars.first == PropertyListWriter.byteOrderMark {
      notes.add("text begins", "texts begin", "with U+FEFF, which Foundation loses when it reads the list")
    }
    try line("<string>\(marked(value))</string>")
  }

  mutating func null() throws {
    notes.add("nil is", "nils are", "written as the text \"$null\"")
    try line("<string>$null</string>")
  }

  mutating func integer(_ digits: String) throws {
    if Int64(digits) != nil || UInt64(digits) != nil { return try line("<integer>\(digits)</integer>") }
    notes.add("integer is", "integers are", "written as text, being beyond 64 bits")
    try line("<string>\(digits)</string>")
  }

  mutating func real(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
    let infinity = value < 0 ? "-infinity" : "+infinity"
    try line("<real>\(value.isNaN ? "nan" : value.isInfinite ? infinity : value.description)</real>")
  }

  mutating func decimal(_ digits: String) throws {
    notes.add("decimal number is", "decimal numbers are", "written as text")
    try line("<string>\(digits)</string>")
  }

  mutating func data(_ value: [UInt8]) throws {
    try line("<data>\(Data(value).base64EncodedString())</data>")
  }

  mutating func date(_ secondsSince2001: Double) throws {
    guard let time = CalendarTime(secondsSince2001: secondsSince2001) else {
      notes.add("date is", "dates are", "written in seconds since 2001, being far off")
      return try real(secondsSince2001)
    }
    if secondsSince2001 != secondsSince2001.rounded(.down) {
      notes.add("date loses", "dates lose", "the fraction of a second")
    }
    try line("<date>\(time.date)T\(time.time)Z</date>")
  }

  /// The text with XML markup escaped, U+FFFD in place of characters that XML cannot contain, and numeric escapes for
  /// characters that a terminal would obey.
  private mutating func marked(_ string: String) -> String {
    respelled(string) { scalar, previous in
      switch scalar {
      case "&", "<", ">": return scalar.entity
      case "\r": return "&#13;"
      case "\t", "\n", " "..."~": return nil
      case _ where scalar.isUnknownToXML:
        notes.add("character that XML does not have is", "characters that XML does not have are", "lost")
        return "\u{FFFD}"
      default: return scalar.isStrange(after: previous) ? "&#x\(scalar.hexadecimal);" : nil
      }
    }
  }
}
