/// Splits XML into tags and text, for ``XMLPropertyListReader``.
struct XMLScanner {
  enum XMLTag: Equatable {
    case start(String, isEmpty: Bool)
    case end(String)
  }

  private let bytes: [UInt8]
  private var cursor = 0
  /// The offset of the last tag.
  private(set) var tagOffset = 0

  /// Creates a scanner, or returns `nil` if the bytes are not XML.
  init?(_ bytes: [UInt8]) {
    self.bytes = XMLScanner.utf8(bytes)
    cursor = XMLScanner.markByteCount(self.bytes)
    skipSpace()
    guard peek("<?xml") || peek("<!DOCTYPE plist") || peek("<!--") || peek("<plist") else { return nil }
  }

  static func mayBegin(with start: [UInt8]) -> Bool {
    isUTF16(start)
      || start.dropFirst(markByteCount(start)).first.map { [UInt8]("< \t\r\n".utf8).contains($0) } ?? false
  }

  private static func isUTF16(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
  }

  /// The size of the byte order mark in bytes, if text in UTF-8 begins with one.
  private static func markByteCount(_ utf8: [UInt8]) -> Int { utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// The text as UTF-8. Text that was in UTF-16 has no byte order mark here.
  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    guard isUTF16(bytes) else { return bytes }
    return Array(bytes.utf16(2..<bytes.count, isLittleEndian: bytes[0] == 0xFF).utf8)
  }

  func damaged(_ message: String) -> ReadingError {
    .damaged(message, at: tagOffset)
  }

  private func cutOff() -> ReadingError {
    .damaged("The property list is truncated", at: bytes.count)
  }

  // MARK: Tags

  /// The next tag. Only space, comments and declarations may precede it.
  mutating func nextTag() throws(ReadingError) -> XMLTag {
    while true {
      skipSpace()
      tagOffset = cursor
      if peek("<!--") {
        try skip(past: "-->")
      } else if peek("<?") {
        try skip(past: "?>")
      } else if peek("<!DOCTYPE") {
        try skip(past: ">")
        guard !bytes[tagOffset..<cursor].contains(UInt8(ascii: "[")) else {
          throw damaged("A property list must not declare entities")
        }
      } else {
        return try tag()
      }
    }
  }

  private mutating func tag() throws(ReadingError) -> XMLTag {
    guard cursor < bytes.count else { throw cutOff() }
    guard bytes[cursor] == UInt8(ascii: "<") else { throw damaged("There is text between elements") }
    try skip(past: ">")
    var content = bytes[(tagOffset + 1)..<(cursor - 1)]
    let isEnd = content.first == UInt8(ascii: "/")
    if isEnd { content = content.dropFirst() }
    let isEmpty = !isEnd && content.last == UInt8(ascii: "/")
    if isEmpty { content = content.dropLast() }
    // Attributes mean nothing here; `<plist>` has its version as one.
    let name = content.prefix { !XMLScanner.isSpace($0) }
    guard 1...16 ~= name.count, name.allSatisfy({ $0 < 0x80 }) else { throw damaged("A tag is malformed") }
    let text = String(decoding: name, as: UTF8.self)
    return isEnd ? .end(text) : .start(text, isEmpty: isEmpty)
  }

  // MARK: Text

  /// The text up to the end tag of `name`, which must be the next tag. Moves past it.
  mutating func text(endingAt name: String) throws(ReadingError) -> String {
    var utf8: [UInt8] = []
    while true {
      guard cursor < bytes.count else { throw cutOff() }
      switch bytes[cursor] {
      case UInt8(ascii: "&"):
        try appendEntity(to: &utf8)
      case UInt8(ascii: "<"):
        if peek("<![CDATA[") {
          let start = cursor + 9
          try skip(past: "]]>")
          utf8 += bytes[start..<(cursor - 3)]
        } else if peek("<!--") {
          try skip(past: "-->")
        } else {
          try passEnd(of: name)
          guard let text = String(validating: utf8, as: UTF8.self) else {
            throw damaged("A string is not valid UTF-8")
          }
          return text
        }
      case let byte:
        utf8.append(byte)
        cursor += 1
      }
    }
  }

  private mutating func passEnd(of name: String) throws(ReadingError) {
    tagOffset = cursor
    guard case .end(name) = try tag() else { throw damaged("The text of an element <\(name)> does not end") }
  }

  private mutating func appendEntity(to utf8: inout [UInt8]) throws(ReadingError) {
    tagOffset = cursor
    guard let end = bytes[cursor...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw damaged("A character reference is malformed")
    }
    let name = String(decoding: bytes[(cursor + 1)..<end], as: UTF8.self)
    cursor = end + 1
    guard let scalar = XMLScanner.entities[name] ?? XMLScanner.scalar(name) else {
      throw damaged("A character reference is malformed")
    }
    utf8 += Array(String(scalar).utf8)
  }

  /// The characters that XML itself names.
  private static let entities: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  /// The character with a number such as `#65` or `#x41`.
  private static func scalar(_ name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#") else { return nil }
    let isHexadecimal = name.hasPrefix("#x")
    let number = UInt32(String(name.dropFirst(isHexadecimal ? 2 : 1)), radix: isHexadecimal ? 16 : 10)
    return number.flatMap { Unicode.Scalar($0) }
  }

  /// Decodes the Base64 up to the end tag of `name`, and moves past it.
  mutating func base64(endingAt name: String) throws(ReadingError) -> [UInt8] {
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    while cursor < bytes.count {
      let byte = bytes[cursor]
      if byte == UInt8(ascii: "<") {
        try passEnd(of: name)
        return result
      }
      cursor += 1
      if XMLScanner.isSpace(byte) || byte == UInt8(ascii: "=") { continue }
      guard let value = XMLScanner.base64Value(byte) else {
        tagOffset = cursor - 1
        throw damaged("Data is not valid Base64")
      }
      bits = bits << 6 & 0xFF_FFFF | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    throw cutOff()
  }

  private static func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  // MARK: Moving

  static func isSpace(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  private mutating func skipSpace() {
    while cursor < bytes.count, XMLScanner.isSpace(bytes[cursor]) { cursor += 1 }
  }

  private func peek(_ text: String) -> Bool { bytes[cursor...].starts(with: text.utf8) }

  private mutating func skip(past text: String) throws(ReadingError) {
    while !peek(text) {
      guard cursor < bytes.count else { throw cutOff() }
      cursor += 1
    }
    cursor += text.utf8.count
  }
}
