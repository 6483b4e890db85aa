/// The unkeyed container of a packed array or of bytes. The elements are numbers without offsets of their own.
struct PackedUnkeyedDecoder: PrimitiveUnkeyedDecoding {
  let session: DecodingSession
  let codingPath: [any CodingKey]
  let numbers: PackedArray
  private(set) var currentIndex = 0

  var count: Int? { numbers.count }
  var isAtEnd: Bool { currentIndex >= numbers.count }

  private func decoder(_ type: Any.Type) throws -> PlacelessDecoder {
    guard !isAtEnd else { throw session.atEnd(type, codingPath, currentIndex) }
    return PlacelessDecoder(
      session: session,
      number: numbers[currentIndex],
      codingPath: codingPath + [ArchiveCodingKey(index: currentIndex)]
    )
  }

  mutating func decode<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    let value = try decoder(type).decode(type)
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

/// It is also the decoder of a run of numbers without an offset in the archive.
extension PackedUnkeyedDecoder: Decoder {
  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw session.mismatch([String: Any].self, .packedArray, nil, codingPath)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { self }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw session.mismatch(Any.self, .packedArray, nil, codingPath)
  }
}

/// The decoder and single-value container of a value without an offset: a number of a packed array, or the nil that
/// `superDecoder` gives for a missing key.
struct PlacelessDecoder: Decoder, PrimitiveSingleValueDecoding {
  let session: DecodingSession
  var number: PackedArray.Number?
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: Any].self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    if let number { return session.mismatch(type, number, nil, codingPath) }
    let message = "Expected \(type) but there is no such key"
    return DecodingError.valueNotFound(type, session.context(codingPath, message, nil))
  }

  func decodeNil() -> Bool { number == nil }

  func decode<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    if let value = number.flatMap(Value.convert) { return value }
    throw mismatch(type)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // Only a type that decodes itself from its own container gets here at such a depth.
    guard session.stack.bounds.hasRoom(StackGuard.lastReserve) else {
      throw session.corrupted(.limitExceeded("\(type) decodes itself without end", at: nil), codingPath)
    }
    guard let number else { return try type.init(from: self) }
    guard let convertible = type as? any NumberConvertible.Type else { return try type.init(from: self) }
    guard let value = convertible.convert(number) as? Value else { throw mismatch(type) }
    return value
  }
}

extension Decoder {
  /// The number at this decoder, if it is one of a packed array.
  var packedNumber: Any? { (self as? PlacelessDecoder)?.number?.value }
}
