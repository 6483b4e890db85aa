/// The keyed container that the `init(from:)` of `Decimal` expects, made from the native form of a decimal.
struct DecimalKeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let values: [String: PackedArray.Number]
  private let mantissa: [UInt64]
  private let decoder: ValueDecoder

  init(_ parts: DecimalParts, _ decoder: ValueDecoder) {
    let digits = parts.mantissa ?? 0
    mantissa = (0..<8).map { UInt64(truncatingIfNeeded: digits >> ($0 * 16) & 0xFFFF) }
    let length = mantissa.reversed().drop { $0 == 0 }.count
    values = [
      "exponent": .signed(Int64(parts.exponent)),
      "length": .unsigned(UInt64(length)),
      "isNegative": .bool(parts.isNegative || parts.mantissa == nil),
      "isCompact": .bool(true),
    ]
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { (Array(values.keys).ordered(by: <) + ["mantissa"]).compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { key.stringValue == "mantissa" || values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { false }

  /// The decoder of a part. Of the mantissa, it is that of an array.
  private func decoder(_ key: Key) throws -> any Decoder {
    let path = codingPath + [key]
    guard key.stringValue != "mantissa" else {
      return PackedUnkeyedDecoder(session: decoder.session, codingPath: path, numbers: PackedArray(mantissa))
    }
    guard let number = values[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: codingPath, debugDescription: "A decimal number has no \"\(key.stringValue)\"")
      )
    }
    return PlacelessDecoder(session: decoder.session, number: number, codingPath: path)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let decoder = try decoder(key)
    return try (decoder as? PlacelessDecoder)?.decode(type) ?? Value(from: decoder)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}
