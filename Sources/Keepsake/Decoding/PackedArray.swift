/// The numbers of a packed array (Format §4.7) or of bytes, one by one: for those who did not ask for an
/// array of the very type that was written.
struct PackedArray {
  enum Number {
    case signed(Int64)
    case unsigned(UInt64)
    case float32(Float)
    case float64(Double)
    case bool(Bool)
  }

  private enum Storage {
    case signed([Int64])
    case unsigned([UInt64])
    case float32([Float])
    case float64([Double])
    case bool([Bool])
    case bytes([UInt8])
  }

  private let storage: Storage
  let count: Int

  init(_ image: ArchiveImage, at offset: Int) throws(ArchiveError) {
    let reader = image.reader
    if try reader.byte(at: offset) == Tag.bytes {
      var cursor = offset + 1
      count = try reader.varint(at: &cursor)
      storage = .bytes(try reader.array(of: UInt8.self, count: count, at: cursor))
      return
    }
    let head = try image.packedArray(at: offset, in: reader)
    count = head.count
    storage =
      switch head.element {
      case .signed: .signed(try reader.signedNumbers(head.count, at: head.payload))
      case .unsigned: .unsigned(try reader.unsignedNumbers(head.count, at: head.payload))
      case .float32: .float32(try reader.packedFloats(head.count, at: head.payload))
      case .float64: .float64(try reader.packedDoubles(head.count, at: head.payload))
      case .bool: .bool(try reader.packedBools(head.count, at: head.payload))
      }
  }

  init(_ numbers: [UInt64]) {
    storage = .unsigned(numbers)
    count = numbers.count
  }

  subscript(index: Int) -> Number {
    switch storage {
    case .signed(let numbers): .signed(numbers[index])
    case .unsigned(let numbers): .unsigned(numbers[index])
    case .float32(let numbers): .float32(numbers[index])
    case .float64(let numbers): .float64(numbers[index])
    case .bool(let numbers): .bool(numbers[index])
    case .bytes(let numbers): .unsigned(UInt64(numbers[index]))
    }
  }
}

/// A type whose arrays are read as one run of numbers.
protocol UnpackableElement: ReadablePrimitive {
  /// The array at `cursor`, which then moves past it, if it was written from this type or one that is as
  /// wide; `nil` when it is to be read element by element.
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Self]?
}

final class PackedDecodingPlan<Element: UnpackableElement>: DecodingPlan<[Element]> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> [Element] {
    let start = cursor
    let tag = try session.reader.byte(at: start)
    guard tag == Tag.packedArray || tag == Tag.bytes else {
      if let array = try session.decodeReferred(by: self, at: &cursor, depth) { return array }
      if try session.bodyOfAnnotation(start) != start {
        return try session.decodePlainly([Element].self, at: &cursor, depth)
      }
      return try session.decodeElements(Element.self, at: &cursor, depth)
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
        session.prepareFrame(depth + 1, for: start)
        session.nesting.frames[depth].child = start
        session.prepareElement(start, depth + 1, index)
        throw session.mismatchInPacked(Element.self, numbers[index], start, depth + 1)
      }
      return element
    }
    cursor = end
    return array
  }
}

extension DecodingSession {
  func mismatchInPacked(
    _ type: Any.Type,
    _ number: PackedArray.Number,
    _ offset: Int,
    _ depth: Int
  ) -> DecodingError {
    // The element is behind the head of the array, where it has no place of its own.
    let path = path(toValueAt: offset + 1, in: depth)
    let isNumber = type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
    switch number {
    case .signed, .unsigned:
      return isNumber ? doesNotFit(type, offset, path) : mismatchWithoutOffset(type, path)
    case .float32, .float64, .bool: return mismatchWithoutOffset(type, path)
    }
  }
}

extension UnpackableElement where Self: ReadableInteger {
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Self]? {
    guard let (count, payload) = try session.packedHead(Self.isSigned ? .signed : .unsigned, at: cursor)
    else {
      return nil
    }
    // One walk along the blocks, which are far from each other: each look at a width may miss the cache.
    var end = payload
    let numbers: [Self]? = try session.reader.packedIntegers(count, signed: Self.isSigned, at: &end)
    if numbers != nil { cursor = end }
    return numbers
  }
}

extension Int: UnpackableElement {}
extension Int8: UnpackableElement {}
extension Int16: UnpackableElement {}
extension Int32: UnpackableElement {}
extension Int64: UnpackableElement {}
extension UInt: UnpackableElement {}
extension UInt16: UnpackableElement {}
extension UInt32: UnpackableElement {}
extension UInt64: UnpackableElement {}

extension UInt8: UnpackableElement {
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [UInt8]? {
    guard try session.reader.byte(at: cursor) == Tag.bytes else { return nil }
    var start = cursor + 1
    let count = try session.reader.varint(at: &start)
    let bytes = try session.reader.array(of: UInt8.self, count: count, at: start)
    cursor = start + count
    return bytes
  }
}

extension Float: UnpackableElement {
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Float]? {
    guard let (count, payload) = try session.packedHead(.float32, at: cursor) else { return nil }
    let numbers = try session.reader.packedFloats(count, at: payload)
    cursor = payload + count * 4
    return numbers
  }
}

extension Double: UnpackableElement {
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Double]? {
    guard let (count, payload) = try session.packedHead(.float64, at: cursor) else { return nil }
    let numbers = try session.reader.packedDoubles(count, at: payload)
    cursor = payload + count * 8
    return numbers
  }
}

extension Bool: UnpackableElement {
  static func unpack(_ session: DecodingSession, at cursor: inout Int) throws(ArchiveError) -> [Bool]? {
    guard let (count, payload) = try session.packedHead(.bool, at: cursor) else { return nil }
    let bools = try session.reader.packedBools(count, at: payload)
    cursor = payload + (count + 7) / 8
    return bools
  }
}

extension DecodingSession {
  /// How many numbers of the type `element` the packed array at `offset` has, and where they begin; `nil` when
  /// something else stands there. What follows is not looked at.
  fileprivate func packedHead(
    _ element: PackedElement,
    at offset: Int
  ) throws(ArchiveError) -> (count: Int, payload: Int)? {
    guard try reader.byte(at: offset) == Tag.packedArray, try reader.byte(at: offset + 1) == element.rawValue
    else { return nil }
    var cursor = offset + 2
    let count = try reader.varint(at: &cursor)
    return (count, cursor)
  }
}
