/// The replaying decoder's keyed container, which ignores the keys.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let reader: TapeReader

  /// The index of this container's keys in the tape, for `allKeys`.
  let header: Int

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { reader.keys(ofContainer: header).compactMap { Key(stringValue: $0) } }

  // A key that was absent when recording has a slot on the tape, too, so every key is there.
  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) -> Bool { reader.skipAbsent() }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try reader.flag() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try reader.text() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try reader.double() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try reader.float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try reader.integer(Int.self) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try reader.integer(Int8.self) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try reader.integer(Int16.self) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try reader.integer(Int32.self) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try reader.integer(Int64.self) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try reader.integer(UInt.self) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try reader.integer(UInt8.self) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try reader.integer(UInt16.self) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try reader.integer(UInt32.self) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try reader.integer(UInt64.self) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value(from: TapeDecoder(reader: reader))
  }

  // The default implementations would call back three times through the witness table. A floor takes the shortest way.

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    reader.skipAbsent() ? nil : try reader.flag()
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    reader.skipAbsent() ? nil : try reader.text()
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    reader.skipAbsent() ? nil : try reader.double()
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    reader.skipAbsent() ? nil : try reader.float()
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    reader.skipAbsent() ? nil : try reader.integer(Int.self)
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    reader.skipAbsent() ? nil : try reader.integer(Int8.self)
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    reader.skipAbsent() ? nil : try reader.integer(Int16.self)
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    reader.skipAbsent() ? nil : try reader.integer(Int32.self)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    reader.skipAbsent() ? nil : try reader.integer(Int64.self)
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    reader.skipAbsent() ? nil : try reader.integer(UInt.self)
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    reader.skipAbsent() ? nil : try reader.integer(UInt8.self)
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    reader.skipAbsent() ? nil : try reader.integer(UInt16.self)
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    reader.skipAbsent() ? nil : try reader.integer(UInt32.self)
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    reader.skipAbsent() ? nil : try reader.integer(UInt64.self)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    reader.skipAbsent() ? nil : try Value(from: TapeDecoder(reader: reader))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try TapeDecoder(reader: reader).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try TapeDecoder(reader: reader).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { TapeDecoder(reader: reader) }
  func superDecoder(forKey key: Key) -> any Decoder { TapeDecoder(reader: reader) }
}
