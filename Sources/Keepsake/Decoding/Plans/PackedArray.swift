/// The numbers of a packed array (Format §4.7) or of bytes, one by one, for readers that did not request an array of
/// the type that was written.
struct PackedArray {
  enum Number {
    case signed(Int64)
    case unsigned(UInt64)
    case float32(Float)
    case float64(Double)
    case bool(Bool)

    /// The number as the type that a program would use.
    var value: Any {
      switch self {
      case .signed(let number): Int(number)
      case .unsigned(let number): Int(exactly: number) ?? number
      case .float32(let number): number
      case .float64(let number): number
      case .bool(let value): value
      }
    }
  }

  private let numbers: ArchiveNumbers
  let count: Int

  init(_ image: ArchiveImage, at offset: Int) throws(ArchiveError) {
    let reader = image.reader
    if try reader.byte(at: offset) == Tag.bytes {
      var cursor = offset + 1
      count = try reader.varint(at: &cursor)
      numbers = .unsigned(try reader.array(of: UInt8.self, count: count, at: cursor).map(UInt64.init))
      return
    }
    let head = try image.packedArray(at: offset, in: reader)
    count = head.count
    numbers = try ArchiveNumbers(head.element, head.count, reader, at: head.payload)
  }

  init(_ numbers: [UInt64]) {
    self.numbers = .unsigned(numbers)
    count = numbers.count
  }

  subscript(index: Int) -> Number {
    switch numbers {
    case .signed(let numbers): .signed(numbers[index])
    case .unsigned(let numbers): .unsigned(numbers[index])
    case .floats(let numbers): .float32(numbers[index])
    case .doubles(let numbers): .float64(numbers[index])
    case .bools(let numbers): .bool(numbers[index])
    }
  }
}

/// A type whose arrays are read as one run of numbers.
protocol UnpackableElement: ReadablePrimitive {
  /// The element type of packed arrays of this type; `nil` if they are bytes.
  static var packedElement: PackedElement? { get }
  /// The `count` numbers at `end`, which moves past them; `nil` if this type is too narrow for them.
  static func numbers(_ count: Int, _ reader: ByteReader, at end: inout Int) throws(ArchiveError) -> [Self]?
  /// Reads the array at `cursor`, and moves past it, if it was written from this type or one of the same width; `nil`
  /// if its elements must be read one by one.
  // A requirement, so that each type has its own code.
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Self]?
}

extension UnpackableElement {
  @inline(__always)
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Self]? {
    let isBytes = try session.reader.byte(at: cursor) == Tag.bytes
    let element = isBytes ? nil : try session.reader.byte(at: cursor + 1)
    guard element == packedElement?.rawValue else { return nil }
    var end = element == nil ? cursor + 1 : cursor + 2
    let numbers = try numbers(session.reader.varint(at: &end), session.reader, at: &end)
    if numbers != nil { cursor = end }
    return numbers
  }
}

final class PackedDecodingPlan<Element: UnpackableElement>: DecodingPlan<[Element]> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> [Element] {
    let start = cursor
    let tag = try session.reader.byte(at: start)
    guard tag == Tag.packedArray || tag == Tag.bytes else {
      return try session.arrayHead(at: start) == nil
        ? session.decodeOtherArray(by: self, at: &cursor, depth)
        : session.decodeElements(Element.self, at: &cursor, depth)
    }
    try session.charge(
      try session.image.elementCount(ofPackedArrayAt: start, in: session.reader),
      elementsOf: MemoryLayout<Element>.stride,
      at: start
    )
    if let array = try Element.unpack(session, at: &cursor) { return array }
    let end = try session.image.end(ofValueAt: start, in: session.reader)
    let numbers = try PackedArray(session.image, at: start)
    let array = try (0..<numbers.count).map { index in
      guard let element = Element.convert(numbers[index]) else {
        // The element has no offset of its own, by which its path could be found.
        session.prepareFrame(depth + 1, for: start)
        session.nesting.frames[depth].child = start
        let path = session.path(to: start, depth: depth + 1) + [ArchiveCodingKey(index: index)]
        throw session.mismatch(Element.self, numbers[index], start, path)
      }
      return element
    }
    cursor = end
    return array
  }
}

extension DecodingSession {
  /// The error for `number`, an element of an array of numbers, if `type` cannot hold it or is no type of numbers.
  func mismatch(_ type: Any.Type, _ number: PackedArray.Number, _ offset: Int?, _ path: [any CodingKey])
    -> DecodingError
  {
    switch number {
    case .signed, .unsigned:
      return type is any Numeric.Type
        ? doesNotFit(type, offset, path) : mismatch(type, .integer, offset, path)
    case .float32, .float64:
      // Integers are another kind of number; `Float` and `Decimal` lack this one.
      return type is any BinaryInteger.Type || !(type is any Numeric.Type)
        ? mismatch(type, .float64, offset, path) : doesNotFit(type, offset, path)
    case .bool: return mismatch(type, .bool, offset, path)
    }
  }
}

extension UnpackableElement where Self: ReadableInteger {
  static var packedElement: PackedElement? { isSigned ? .signed : .unsigned }

  // One pass over the blocks. They are far apart, so each look at a width may miss the cache.
  static func numbers(_ count: Int, _ reader: ByteReader, at end: inout Int) throws(ArchiveError) -> [Self]? {
    try reader.packedIntegers(count, signed: isSigned, at: &end)
  }
}

extension UInt8: UnpackableElement {
  static var packedElement: PackedElement? { nil }

  static func numbers(_ count: Int, _ reader: ByteReader, at end: inout Int) throws(ArchiveError) -> [Self]? {
    let bytes = try reader.array(of: UInt8.self, count: count, at: end)
    end += count
    return bytes
  }
}

extension UnpackableElement where Self: ReadableFloat & BitwiseCopyable {
  static func numbers(_ count: Int, _ reader: ByteReader, at end: inout Int) throws(ArchiveError) -> [Self]? {
    let numbers = try reader.array(of: Self.self, count: count, at: end)
    end += count * MemoryLayout<Self>.size
    return numbers
  }
}

extension Float: UnpackableElement {
  static var packedElement: PackedElement? { .float32 }
}

extension Double: UnpackableElement {
  static var packedElement: PackedElement? { .float64 }
}

extension Bool: UnpackableElement {
  static var packedElement: PackedElement? { .bool }

  static func numbers(_ count: Int, _ reader: ByteReader, at end: inout Int) throws(ArchiveError) -> [Self]? {
    let bools = try reader.packedBools(count, at: end)
    end += (count + 7) / 8
    return bools
  }
}
