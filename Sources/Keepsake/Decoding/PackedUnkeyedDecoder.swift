#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The unkeyed container over a packed array or bytes, whose elements are numbers without a place of their
/// own.
struct PackedUnkeyedDecoder: PrimitiveUnkeyedDecoding {
  let session: DecodingSession
  let codingPath: [any CodingKey]
  let numbers: PackedArray
  private(set) var currentIndex = 0

  init(_ session: DecodingSession, _ codingPath: [any CodingKey], _ numbers: PackedArray) {
    self.session = session
    self.codingPath = codingPath
    self.numbers = numbers
  }

  var count: Int? { numbers.count }
  var isAtEnd: Bool { currentIndex >= numbers.count }

  private func decoder(_ type: Any.Type) throws -> NumberDecoder {
    guard !isAtEnd else { throw session.atEnd(type, codingPath, currentIndex) }
    return NumberDecoder(
      session: session,
      number: numbers[currentIndex],
      codingPath: codingPath + [ArchiveCodingKey(index: currentIndex)]
    )
  }

  mutating func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    let value = try decoder(type).get(type)
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    _ = try decoder(Any?.self)
    return false
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let decoder = try decoder(type)
    try session.charge(valueOf: type, at: nil, decoder.codingPath)
    let value = try decoder.decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder([String: Any].self).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try decoder([Any].self).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try decoder((any Decoder).self)
    currentIndex += 1
    return decoder
  }
}

/// The decoder of a run of numbers that has no place of its own in the archive.
struct PackedValueDecoder: Decoder {
  let session: DecodingSession
  let codingPath: [any CodingKey]
  let numbers: PackedArray

  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw session.mismatchWithoutOffset([String: Any].self, codingPath)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    PackedUnkeyedDecoder(session, codingPath, numbers)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw session.mismatchWithoutOffset(Any.self, codingPath)
  }
}

/// The decoder and single-value container of one number of a packed array.
struct NumberDecoder: Decoder, PrimitiveSingleValueDecoding {
  let session: DecodingSession
  let number: PackedArray.Number
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: Any].self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  private func mismatch(_ type: Any.Type) -> DecodingError { session.mismatchWithoutOffset(type, codingPath) }

  func decodeNil() -> Bool { false }

  func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    if let value = Value.convert(number) { return value }
    throw mismatch(type)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let primitive = type as? any ReadablePrimitive.Type {
      if let value = primitive.convert(number) as? Value { return value }
      throw mismatch(type)
    }
    if type == Decimal.self {
      if let value = Decimal(number) as? Value { return value }
      throw mismatch(type)
    }
    return try type.init(from: self)
  }
}
