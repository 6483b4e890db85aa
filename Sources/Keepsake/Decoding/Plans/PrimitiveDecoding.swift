/// A type as which numbers of packed arrays can be read.
protocol NumberConvertible: NativelyDecodable {
  /// The number as this type, if it can be converted without a change.
  static func convert(_ number: PackedArray.Number) -> Self?
}

/// A type whose values are one tag and its payload.
protocol ReadablePrimitive: NumberConvertible {
  /// Reads the value at `cursor`, and moves past it.
  static func read(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> Self
}

final class PrimitiveDecodingPlan<Value: ReadablePrimitive>: DecodingPlan<Value> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    try Value.readValue(session, at: &cursor)
  }
}

extension ReadablePrimitive {
  static func makeDecodingPlan() -> AnyDecodingPlan { PrimitiveDecodingPlan<Self>() }
  static func convert(_ number: PackedArray.Number) -> Self? { nil }

  /// Reads the value at `cursor`, and moves past it. If a reference is there, reads the content of the object, because
  /// its class may have encoded a single value, as the requested type does. If the name of a type is there, reads the
  /// value behind it, because the property may have been `@Polymorphic`.
  ///
  /// - Parameter read: the `read` of the type. A caller that knows the type names the function, which saves a call.
  @inline(__always)
  static func readValue(
    _ session: DecodingSession,
    at cursor: inout Int,
    by read: (DecodingSession, inout Int) throws(ReadingFault) -> Self
  ) throws(ReadingFault) -> Self {
    do throws(ReadingFault) {
      return try read(session, &cursor)
    } catch {
      return try readReferred(session, at: &cursor, after: error)
    }
  }

  @inline(__always)
  static func readValue(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> Self {
    try readValue(session, at: &cursor, by: Self.read)
  }

  @inline(never)
  static func readReferred(
    _ session: DecodingSession,
    at cursor: inout Int,
    after fault: ReadingFault
  ) throws(ReadingFault) -> Self {
    guard case .mismatch(let start) = fault, start == cursor else { throw fault }
    let (content, end) = try reading { () throws(ArchiveError) in try session.referredContent(at: start) }
    guard content != start else { throw fault }
    var inner = content
    let value = try read(session, at: &inner)
    cursor = end
    return value
  }

  /// Reads the integer or decimal at `cursor`, moves past it, and converts it by `integer` or `decimal`.
  @inline(never)
  fileprivate static func readNumber(
    _ session: DecodingSession,
    at cursor: inout Int,
    _ integer: (IntegerValue) -> Self?,
    _ decimal: (DecimalParts) -> Self?
  ) throws(ReadingFault) -> Self {
    var end = cursor
    let number = try reading { () throws(ArchiveError) in try IntegerValue(session.reader, at: &end) }
    let value = if let number { integer(number) } else { decimal(try session.decimal(at: &end)) }
    guard let value else { throw .doesNotFit(cursor) }
    cursor = end
    return value
  }

  /// Runs `body`, and turns damage into a fault.
  @inline(__always)
  static func reading<Result>(_ body: () throws(ArchiveError) -> Result) throws(ReadingFault) -> Result {
    do { return try body() } catch { throw .damage(error) }
  }
}

extension Bool: ReadablePrimitive {
  @inline(__always)
  static func read(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> Bool {
    let at = cursor
    let tag = try reading { () throws(ArchiveError) in try session.reader.byte(at: at) }
    guard tag == Tag.true || tag == Tag.false else { throw .mismatch(cursor) }
    cursor += 1
    return tag == Tag.true
  }

  static func convert(_ number: PackedArray.Number) -> Bool? {
    if case .bool(let value) = number { value } else { nil }
  }
}

/// The integer types, which share one implementation.
protocol ReadableInteger: ReadablePrimitive, FixedWidthInteger, BitwiseCopyable {}

extension ReadableInteger {
  @inline(__always)
  static func read(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> Self {
    let start = cursor
    let tag = try reading { () throws(ArchiveError) in try session.reader.byte(at: start) }
    let number: Int64
    var end = start + 1
    if tag >= Tag.smallInteger {
      number = Int64(tag) &- Int64(Tag.smallInteger) &- 16
    } else if tag >= Tag.integer, tag < Tag.uint64 {
      let byteCount = Int(tag &- Tag.integer) &+ 1
      end = start &+ 1 &+ byteCount
      number = try reading { () throws(ArchiveError) in
        try session.reader.signed(at: start + 1, byteCount: byteCount)
      }
    } else {
      return try readLarge(session, at: &cursor)
    }
    guard let value = Self(exactly: number) else { throw .doesNotFit(start) }
    cursor = end
    return value
  }

  // Not inlined, because its closures cost something even if they are not made.
  @inline(never)
  private static func readLarge(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> Self
  {
    try readNumber(session, at: &cursor, { Self(exactly: $0) }, { $0.integer(Self.self) })
  }

  static func convert(_ number: PackedArray.Number) -> Self? {
    switch number {
    case .signed(let number): Self(exactly: number)
    case .unsigned(let number): Self(exactly: number)
    case .float32, .float64, .bool: nil
    }
  }
}

extension Int: ReadableInteger, UnpackableElement {}
extension Int8: ReadableInteger, UnpackableElement {}
extension Int16: ReadableInteger, UnpackableElement {}
extension Int32: ReadableInteger, UnpackableElement {}
extension Int64: ReadableInteger, UnpackableElement {}
extension Int128: ReadableInteger {}
extension UInt: ReadableInteger, UnpackableElement {}
extension UInt8: ReadableInteger {}
extension UInt16: ReadableInteger, UnpackableElement {}
extension UInt32: ReadableInteger, UnpackableElement {}
extension UInt64: ReadableInteger, UnpackableElement {}
extension UInt128: ReadableInteger {}

/// `Float` and `Double`. They read the bits of their own type, floating-point numbers that they represent exactly, and
/// any integer or decimal, rounded.
protocol ReadableFloat: ReadablePrimitive, BinaryFloatingPoint, LosslessStringConvertible {
  /// The number in this type; `nil` if it would be another number. NaN remains NaN.
  init?(narrowing value: Double)
}

extension Double: ReadableFloat {
  init?(narrowing value: Double) { self = value }
}

extension Float: ReadableFloat {
  init?(narrowing value: Double) {
    if value.isNaN { self = Float(value) } else { self.init(exactly: value) }
  }
}

extension ReadableFloat {
  @inline(__always)
  static func read(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> Self {
    let start = cursor
    let reader = session.reader
    let tag = try reading { () throws(ArchiveError) in try reader.byte(at: start) }
    switch tag {
    case Tag.float64, Tag.date:
      let bits = try reading { () throws(ArchiveError) in try reader.word(at: start + 1) }
      guard let value = Self(narrowing: Double(bitPattern: bits)) else { throw .doesNotFit(start) }
      cursor = start + 9
      return value
    case Tag.float32:
      let bits = try reading { () throws(ArchiveError) in
        try reader.unsigned(at: start + 1, byteCount: 4)
      }
      cursor = start + 5
      return Self(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    default:
      return try readNumber(session, at: &cursor, { Self(rounding: $0) }, { $0.rounded(Self.self) })
    }
  }

  static func convert(_ number: PackedArray.Number) -> Self? {
    switch number {
    case .signed(let number): Self(number)
    case .unsigned(let number): Self(number)
    case .float32(let number): Self(number)
    case .float64(let number): Self(narrowing: number)
    case .bool: nil
    }
  }
}

extension String: ReadablePrimitive {
  @inline(__always)
  static func read(_ session: DecodingSession, at cursor: inout Int) throws(ReadingFault) -> String {
    let start = cursor
    do {
      let tag = try session.reader.byte(at: start)
      if tag & 0xE0 == Tag.shortString {
        let end = start + 1 + Int(tag & 0x1F)
        let string = try session.reader.string((start + 1)..<end)
        cursor = end
        return string
      }
      return try readLong(session, tag, at: &cursor)
    } catch let error as ArchiveError {
      throw .damage(error)
    } catch {
      throw .mismatch(start)
    }
  }

  private static func readLong(
    _ session: DecodingSession,
    _ tag: UInt8,
    at cursor: inout Int
  ) throws -> String {
    let start = cursor
    if tag & 0xFC == Tag.stringReference {
      let byteCount = Int(tag & 3) &+ 1
      let number = try session.reader.unsigned(at: start &+ 1, byteCount: byteCount)
      let string = try Unretained(session.image).use { try $0.string(Int(number), at: start) }
      try session.checkLength(ofString: string.utf8.count, at: start)
      cursor = start &+ 1 &+ byteCount
      return string
    }
    switch TagKind(tag) {
    case .string:
      var text = start + 1
      let count = try session.reader.varint(at: &text)
      try session.reader.check(count, at: text)
      try session.charge(stringOf: count, at: start)
      let string = try session.reader.string(text..<(text + count))
      cursor = text + count
      return string
    case .uuid:
      return try session.uuidString(at: &cursor)
    case .url:
      return try session.urlString(at: &cursor)
    default:
      throw ReadingFault.mismatch(start)
    }
  }
}

extension DecodingSession {
  /// The content of the object or typed value at `start`, and the end of that value; `start` if it is another value.
  @inline(never)
  fileprivate func referredContent(at start: Int) throws(ArchiveError) -> (content: Int, end: Int) {
    let isTyped = try reader.byte(at: start) == Tag.typed
    let value = isTyped ? try bodyOfAnnotation(start) : start
    return (try contentOfReference(at: value), try end(ofValueAt: start))
  }
}
