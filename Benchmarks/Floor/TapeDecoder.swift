/// The floor of decoding: a decoder that replays the values of a ``Tape`` in the order they were recorded.
///
/// It ignores keys, searches and parses nothing, and does not check the ranges of numbers. It serves types that decode
/// their values in the order in which they encode them, as synthesized code does.
struct TapeDecoder: Decoder {
  let reader: TapeReader

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(TapeKeyedContainer<Key>(reader: reader, header: try reader.header()))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    TapeUnkeyedContainer(reader: reader, elementCount: try reader.header())
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    TapeSingleValueContainer(reader: reader)
  }
}

/// The replaying decoder's container for a single value.
struct TapeSingleValueContainer: SingleValueDecodingContainer {
  let reader: TapeReader

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { reader.skipAbsent() }

  func decode(_ type: Bool.Type) throws -> Bool { try reader.flag() }
  func decode(_ type: String.Type) throws -> String { try reader.text() }
  func decode(_ type: Double.Type) throws -> Double { try reader.double() }
  func decode(_ type: Float.Type) throws -> Float { try reader.float() }
  func decode(_ type: Int.Type) throws -> Int { try reader.integer(Int.self) }
  func decode(_ type: Int8.Type) throws -> Int8 { try reader.integer(Int8.self) }
  func decode(_ type: Int16.Type) throws -> Int16 { try reader.integer(Int16.self) }
  func decode(_ type: Int32.Type) throws -> Int32 { try reader.integer(Int32.self) }
  func decode(_ type: Int64.Type) throws -> Int64 { try reader.integer(Int64.self) }
  func decode(_ type: UInt.Type) throws -> UInt { try reader.integer(UInt.self) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try reader.integer(UInt8.self) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try reader.integer(UInt16.self) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try reader.integer(UInt32.self) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try reader.integer(UInt64.self) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try Value(from: TapeDecoder(reader: reader))
  }
}

/// The replaying decoder's unkeyed container.
struct TapeUnkeyedContainer: UnkeyedDecodingContainer {
  let reader: TapeReader
  let elementCount: Int
  private(set) var currentIndex = 0

  /// Creates the container for the next `elementCount` elements of the tape.
  init(reader: TapeReader, elementCount: Int) {
    self.reader = reader
    self.elementCount = elementCount
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { elementCount }
  var isAtEnd: Bool { currentIndex >= elementCount }

  mutating func decodeNil() -> Bool {
    let isNil = reader.skipAbsent()
    if isNil { currentIndex += 1 }
    return isNil
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try advanced().flag() }
  mutating func decode(_ type: String.Type) throws -> String { try advanced().text() }
  mutating func decode(_ type: Double.Type) throws -> Double { try advanced().double() }
  mutating func decode(_ type: Float.Type) throws -> Float { try advanced().float() }
  mutating func decode(_ type: Int.Type) throws -> Int { try advanced().integer(Int.self) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try advanced().integer(Int8.self) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try advanced().integer(Int16.self) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try advanced().integer(Int32.self) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try advanced().integer(Int64.self) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try advanced().integer(UInt.self) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try advanced().integer(UInt8.self) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try advanced().integer(UInt16.self) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try advanced().integer(UInt32.self) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try advanced().integer(UInt64.self) }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try Value(from: TapeDecoder(reader: advanced()))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try TapeDecoder(reader: advanced()).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try TapeDecoder(reader: advanced()).unkeyedContainer()
  }

  mutating func superDecoder() -> any Decoder {
    TapeDecoder(reader: advanced())
  }

  private mutating func advanced() -> TapeReader {
    currentIndex += 1
    return reader
  }
}
