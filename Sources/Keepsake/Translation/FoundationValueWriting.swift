internal import FoundationArchives

// Writing the values of Foundation. None of them is nested more deeply than the calendar of date components.
extension ArchiveTranslation {
  mutating func append(_ value: FoundationValue, _ node: Int) throws(ReadingError) {
    switch value {
    case .none: builder.buffer.append(Tag.none)
    case .bool(let value): builder.buffer.append(value ? Tag.true : Tag.false)
    case .integer(let number): builder.buffer.append(integer: number)
    case .real(let number): builder.buffer.append(Tag.float64, word: number.bitPattern, byteCount: 8)
    case .date(let seconds): builder.buffer.append(Tag.date, word: seconds.bitPattern, byteCount: 8)
    case .decimal(let isNegative, let exponent, let mantissa):
      builder.buffer.append(DecimalParts(isNegative: isNegative, exponent: exponent, mantissa: mantissa))
    case .string(let text):
      try append(text: text, node)
    case .bytes(let bytes):
      try contents.budget.check(elementCount: bytes.count, at: list.offsets[node])
      try contents.charge(bytes.count, at: node)
      builder.buffer.append(bytesHead: bytes.count)
      builder.buffer.append(memoryOf: bytes)
    case .uuid(let bytes):
      builder.buffer.append(Tag.uuid)
      builder.buffer.append(memoryOf: bytes)
    case .url(let parts):
      try append(url: parts, node)
    case .indexes(let numbers):
      try appendHead(ofList: numbers.count, node)
      for number in numbers { builder.buffer.append(integer: number) }
    case .ranges(let numbers):
      try append(ranges: numbers, node)
    case .array(let elements):
      builder.buffer.append(arrayHead: elements.count)
      for element in elements { try append(element, node) }
    case .record(let members):
      try append(recordHead: members.map(\.key))
      for member in members { try append(member.value, node) }
    }
  }

  /// Appends a text; returns its number in the string table, if it has one.
  @discardableResult
  mutating func append(text: String, _ node: Int) throws(ReadingError) -> Int? {
    let byteCount = text.utf8.count
    try contents.budget.check(stringOf: byteCount, at: list.offsets[node])
    try contents.charge(byteCount, at: node)
    return builder.append(string: text)
  }

  /// Appends a URL in its `Codable` form: a record of the relative text and of the base, if there is one.
  private mutating func append(url parts: [String], _ node: Int) throws(ReadingError) {
    for (index, text) in parts.enumerated() {
      builder.buffer.append(Tag.url)
      try append(recordHead: index + 1 < parts.count ? ["relative", "base"] : ["relative"])
      try append(text: text, node)
    }
  }

  /// Appends the head of a record whose value `indexes` is an array of `count` elements, which the caller appends.
  private mutating func appendHead(ofList count: Int, _ node: Int) throws(ReadingError) {
    try contents.budget.check(elementCount: count, at: list.offsets[node])
    try append(recordHead: ["indexes"])
    builder.buffer.append(arrayHead: count)
  }

  /// Appends a set of indexes, whose locations and lengths alternate in `numbers`.
  private mutating func append(ranges numbers: [Int], _ node: Int) throws(ReadingError) {
    try appendHead(ofList: numbers.count / 2, node)
    var shape: Int?
    for first in stride(from: 0, to: numbers.count, by: 2) {
      if let shape {
        builder.append(recordOfShape: shape)
      } else {
        shape = try append(recordHead: ["location", "length"])
      }
      for number in numbers[first..<(first + 2)] { builder.buffer.append(integer: number) }
    }
  }

  /// Appends the head of a record, and returns the number of its shape.
  @discardableResult
  mutating func append(recordHead names: [String]) throws(ReadingError) -> Int {
    do {
      return try builder.append(recordHead: names)
    } catch {
      throw .fault(.damaged, error.message, byteOffset: error.byteOffset)
    }
  }
}
