/// The visiting encoder's keyed container.
struct VisitingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Bool, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: String, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Double, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Float, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Int, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Int8, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Int16, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Int32, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: Int64, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: UInt, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: UInt8, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: UInt16, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: UInt32, forKey key: Key) { VisitCount.visit() }
  func encode(_ value: UInt64, forKey key: Key) { VisitCount.visit() }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try value.encode(to: VisitingEncoder())
  }

  // The default implementations would call back through the witness table. A floor takes the shortest way.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: String?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Double?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Float?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) { VisitCount.visit() }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) { VisitCount.visit() }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    guard let value else { return VisitCount.visit() }
    try value.encode(to: VisitingEncoder())
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(VisitingKeyedContainer<NestedKey>())
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    VisitingUnkeyedContainer()
  }

  func superEncoder() -> any Encoder { VisitingEncoder() }
  func superEncoder(forKey key: Key) -> any Encoder { VisitingEncoder() }
}

/// The visiting encoder's unkeyed container.
struct VisitingUnkeyedContainer: UnkeyedEncodingContainer {
  var codingPath: [any CodingKey] { [] }
  private(set) var count = 0

  mutating func encodeNil() {
    count += 1
    VisitCount.visit()
  }

  mutating func encode(_ value: Bool) { encodeNil() }
  mutating func encode(_ value: String) { encodeNil() }
  mutating func encode(_ value: Double) { encodeNil() }
  mutating func encode(_ value: Float) { encodeNil() }
  mutating func encode(_ value: Int) { encodeNil() }
  mutating func encode(_ value: Int8) { encodeNil() }
  mutating func encode(_ value: Int16) { encodeNil() }
  mutating func encode(_ value: Int32) { encodeNil() }
  mutating func encode(_ value: Int64) { encodeNil() }
  mutating func encode(_ value: UInt) { encodeNil() }
  mutating func encode(_ value: UInt8) { encodeNil() }
  mutating func encode(_ value: UInt16) { encodeNil() }
  mutating func encode(_ value: UInt32) { encodeNil() }
  mutating func encode(_ value: UInt64) { encodeNil() }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    count += 1
    try value.encode(to: VisitingEncoder())
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    count += 1
    return KeyedEncodingContainer(VisitingKeyedContainer<NestedKey>())
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    count += 1
    return VisitingUnkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    count += 1
    return VisitingEncoder()
  }
}
