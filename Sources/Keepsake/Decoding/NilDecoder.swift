/// The decoder of a value that is not there, as `superDecoder` gives it for a missing key: that of nil.
struct NilDecoder: Decoder, PrimitiveSingleValueDecoding {
  let session: DecodingSession
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw notFound([String: Any].self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw notFound([Any].self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { true }

  func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value { throw notFound(type) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try type.init(from: self) }

  private func notFound(_ type: Any.Type) -> DecodingError {
    let message = "Expected \(type) but there is no such key"
    return DecodingError.valueNotFound(type, ArchiveError(.typeMismatch, message).decodingContext(codingPath))
  }
}
