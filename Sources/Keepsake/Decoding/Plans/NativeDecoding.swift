#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Foundation's types with their own form in an archive (Format §4.4, §4.5). Their own `init(from:)` reads any other
// form, which their `encode(to:)` writes.

/// A type with a tag of its own. Its plan also reads other forms.
protocol NativeForm: Decodable, NativelyDecodable {
  typealias Other = (inout Int) throws -> Self

  /// Reads the native form at `cursor`, and moves past it. Calls `orElse` if another form is there.
  // Not an optional, whose metadata the runtime would look up for each value.
  static func readNative(_ session: DecodingSession, at cursor: inout Int, orElse: Other) throws -> Self
}

extension NativeForm {
  static func makeDecodingPlan() -> AnyDecodingPlan { NativeDecodingPlan<Self>() }
}

final class NativeDecodingPlan<Value: NativeForm>: DecodingPlan<Value> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    try Value.readNative(session, at: &cursor) { try decodeOther(at: &$0, session, depth) }
  }

  @inline(never)
  private func decodeOther(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    try session.decodeOtherForm(by: self, at: &cursor, depth)
  }
}

extension Date: NativeForm {
  static func readNative(_ session: DecodingSession, at cursor: inout Int, orElse: Other) throws -> Date {
    guard try session.reader.byte(at: cursor) == Tag.date else { return try orElse(&cursor) }
    let bits = try session.reader.word(at: cursor + 1)
    cursor += 9
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
  }
}

extension UUID: NativeForm {
  static func readNative(_ session: DecodingSession, at cursor: inout Int, orElse: Other) throws -> UUID {
    guard try session.reader.byte(at: cursor) == Tag.uuid else { return try orElse(&cursor) }
    let value = try UUID(session.reader, at: cursor + 1)
    cursor += 17
    return value
  }

  /// The UUID whose sixteen bytes are at `offset`.
  @inline(__always)
  init(_ reader: ByteReader, at offset: Int) throws(ArchiveError) {
    let words = (try reader.word(at: offset), try reader.word(at: offset + 8))
    self.init(uuid: bits(of: words, uuid_t.self))
  }
}

extension Data: NativeForm {
  static func readNative(_ session: DecodingSession, at cursor: inout Int, orElse: Other) throws -> Data {
    guard try session.reader.byte(at: cursor) == Tag.bytes else { return try orElse(&cursor) }
    var start = cursor + 1
    let count = try session.reader.varint(at: &start)
    try session.reader.check(count, at: start)
    try session.charge(count, elementsOf: 1, at: cursor)
    let data = try session.reader.withBytes(start..<(start + count)) { Data($0) }
    cursor = start + count
    return data
  }
}

extension URL: NativeForm {
  static func readNative(_ session: DecodingSession, at cursor: inout Int, orElse: Other) throws -> URL {
    let start = cursor
    switch TagKind(try session.reader.byte(at: start)) {
    case .url: return try session.url(at: &cursor)
    case .string, .shortString, .stringReference: return try session.urlOfString(at: &cursor, relativeTo: nil)
    default:
      let url = try orElse(&cursor)
      try session.charge(url, at: start)
      return url
    }
  }
}

extension DecodingSession {
  /// Reads a value that is not in the native form of its type: by `plan` if it is an object, otherwise by `init(from:)`.
  fileprivate func decodeOtherForm<Value: Decodable>(
    by plan: DecodingPlan<Value>,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> Value {
    if let value = try decodeReferred(by: plan, at: &cursor, depth) { return value }
    let start = cursor
    if try isNil(at: start) { throw ReadingFault.mismatch(start) }
    do {
      return try decodePlainly(Value.self, at: &cursor, depth)
    } catch DecodingError.typeMismatch(_, let context)
      where (context.underlyingError as? ArchiveError)?.byteOffset == start
    {
      // The initializer asked for a container or a number. The program asked for the type.
      throw ReadingFault.mismatch(start)
    } catch DecodingError.keyNotFound {
      // The keys are those of another type.
      throw ReadingFault.mismatch(start)
    }
  }

  /// The URL at `cursor`, which moves past it (Format §4.5).
  fileprivate func url(at cursor: inout Int) throws -> URL {
    let start = cursor
    var url: URL?
    for text in try image.urlTexts(at: start, in: reader).reversed() {
      var end = text
      url = try urlOfString(at: &end, relativeTo: url)
    }
    cursor = try image.end(ofValueAt: start, in: reader)
    guard let url else { throw ReadingFault.mismatch(start) }
    return url
  }

  /// The URL whose text is the string at `cursor`, which moves past it.
  fileprivate func urlOfString(at cursor: inout Int, relativeTo base: URL?) throws -> URL {
    let start = cursor
    guard let url = URL(string: try String.read(self, at: &cursor), relativeTo: base) else {
      throw ArchiveError(.typeMismatch, "Foundation does not accept the text as a URL", byteOffset: start)
    }
    try charge(url, at: start)
    return url
  }

  /// The absolute text of the URL at `cursor`, which moves past it. Coders without a form for URLs write this text.
  func urlString(at cursor: inout Int) throws -> String {
    let start = cursor
    let text = try url(at: &cursor).absoluteString
    try charge(stringOf: text.utf8.count, at: start)
    return text
  }

  fileprivate func charge(_ url: URL, at offset: Int) throws(ArchiveError) {
    let text = url.relativeString
    try countLong(text, at: offset)
    try charge(text.utf8.count &+ DecodingBudget.urlOverhead, at: offset)
  }
}

/// A decimal also reads any other number. It reads a floating-point number as its printed text: as 0.1 and not as the
/// binary fraction next to it.
extension Decimal: NativeForm, NumberConvertible {
  static func readNative(_ session: DecodingSession, at cursor: inout Int, orElse: Other) throws -> Decimal {
    let reader = session.reader
    var end = cursor
    let decimal: Decimal?
    switch TagKind(try reader.byte(at: cursor)) {
    case .decimal:
      decimal = try DecimalParts(reader, at: &end)?.decimal
      if decimal == nil { throw ArchiveError.damaged("A decimal number is out of range", at: cursor) }
    case .float64:
      decimal = Decimal(printed: Double(bitPattern: try reader.word(at: cursor + 1)))
      end += 9
    case .float32:
      let bits = try reader.unsigned(at: cursor + 1, byteCount: 4)
      decimal = Decimal(printed: Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      end += 5
    default:
      switch try IntegerValue(reader, at: &end) {
      case .signed(let number): decimal = Decimal(printed: number)
      case .unsigned(let number): decimal = Decimal(printed: number)
      case nil: return try orElse(&cursor)
      }
    }
    guard let decimal else { throw ReadingFault.doesNotFit(cursor) }
    cursor = end
    return decimal
  }

  /// The decimal with the text of `number`; `nil` if it is out of range.
  init?(printed number: some CustomStringConvertible) {
    self.init(string: number.description)
  }

  static func convert(_ number: PackedArray.Number) -> Decimal? {
    switch number {
    case .signed(let number): Decimal(printed: number)
    case .unsigned(let number): Decimal(printed: number)
    case .float32(let number): Decimal(printed: number)
    case .float64(let number): Decimal(printed: number)
    case .bool: nil
    }
  }
}

extension DecodingSession {
  /// The printed form of the UUID at `cursor`, which moves past it. A `UUID` encodes itself in this form.
  func uuidString(at cursor: inout Int) throws(ArchiveError) -> String {
    defer { cursor += 17 }
    return try UUID(reader, at: cursor + 1).uuidString
  }

  /// The decimal at `cursor`, which moves past it, when another type of number is requested.
  func decimal(at cursor: inout Int) throws(ReadingFault) -> DecimalParts {
    do throws(ArchiveError) {
      if let parts = try DecimalParts(reader, at: &cursor) { return parts }
    } catch {
      throw .damage(error)
    }
    throw .mismatch(cursor)
  }

  /// The parts of the decimal at `offset`; `nil` if another value is there.
  func decimal(at offset: Int, _ depth: Int) throws -> DecimalParts? {
    try reporting(path(to: offset, depth: depth)) {
      var cursor = try bodyOfAnnotation(offset)
      guard let parts = try DecimalParts(reader, at: &cursor) else { return nil }
      nesting.complete(offset, cursor)
      return parts
    }
  }
}
