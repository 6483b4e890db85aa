/// The keyed container of a value: a record or a map (Format §4.8).
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let state: DecodingContainerState

  init(_ state: DecodingContainerState) {
    self.state = state
  }

  private var session: DecodingSession { state.session }
  private var offset: Int { state.offset }
  private var depth: Int { state.depth }

  var codingPath: [any CodingKey] { state.codingPath }

  var allKeys: [Key] {
    var keys: [Key] = []
    session.rememberingFailure(of: offset, depth) {
      if let known: [Key] = state.table.keys(of: state.head) {
        // Not charged: all containers of the shape share the array.
        try session.checkElementCount(known.count, at: offset)
        keys = known
        return
      }
      for element in try state.allKeys() {
        if let key = key(for: element) { keys.append(key) }
      }
      state.table.keep(keys, of: state.head)
    }
    return keys
  }

  /// The key that finds `element`; `nil` if the type has none.
  // Inlined, so that the runtime looks up the metadata of the optional only once.
  @inline(__always)
  private func key(for element: PathElement) -> Key? {
    let name = element.name
    if case .intKey(let number) = element, let key = Key(intValue: number),
      ExactString(string: key.stringValue) == name
    {
      return key
    }
    guard let key = Key(stringValue: name.string), ExactString(string: key.stringValue) == name else {
      return nil
    }
    return key
  }

  func contains(_ key: Key) -> Bool {
    do { return try state.contains(key) } catch {
      session.remember(error)
      return false
    }
  }

  // MARK: Values

  func decodeNil(forKey key: Key) throws -> Bool { try state.decodeNil(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try state.decode(type, key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try state.decodeIfPresent(type, key)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try state.get(key, Bool.read) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try state.get(key, String.read) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try state.get(key, Double.read) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try state.get(key, Float.read) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try state.get(key, Int.read) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try state.get(key, Int8.read) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try state.get(key, Int16.read) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try state.get(key, Int32.read) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try state.get(key, Int64.read) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try state.get(key, UInt.read) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try state.get(key, UInt8.read) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try state.get(key, UInt16.read) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try state.get(key, UInt32.read) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try state.get(key, UInt64.read) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try state.get(key, Int128.read) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try state.get(key, UInt128.read) }

  // The most frequent types name their function, which saves a call.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try state.getIfPresent(key, Bool.read)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try state.getIfPresent(key, String.read)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try state.getIfPresent(key, Double.read)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try state.getIfPresent(key, Int.read)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try ifPresent(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try ifPresent(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try ifPresent(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try ifPresent(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try ifPresent(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try ifPresent(key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try ifPresent(key) }

  // Not the requirement itself: the methods of the standard library, which search three times and take a marked nil for
  // a value of another type, would be preferred to a generic one.
  private func ifPresent<Value: ReadablePrimitive>(_ key: Key) throws -> Value? {
    try state.getIfPresent(key, Value.read)
  }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nestedDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedDecoder(key).unkeyedContainer()
  }

  private func nestedDecoder(_ key: Key) throws -> any Decoder {
    try nestedDecoder(at: state.existingOffset(of: key), key)
  }

  private func nestedDecoder(at value: Int, _ key: some CodingKey) throws -> any Decoder {
    try state.checkEnd(ofValueAt: value)
    state.show()
    let decoder = try session.nestedDecoder(at: value, in: depth)
    return try session.later.readLast.throwsForValues ? state.emptied(decoder, key) : decoder
  }

  func superDecoder() throws -> any Decoder {
    let value = try state.find(ArchiveCodingKey.super.stringValue)
    // NSCoding writes the values of a superclass beside those of the class itself.
    if value == nil, session.image.source != nil {
      return ValueDecoder(session: session, offset: offset, depth: depth)
    }
    return try superDecoder(at: value, ArchiveCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(at: state.valueOffset(of: key), key)
  }

  private func superDecoder(at value: Int?, _ key: any CodingKey) throws -> any Decoder {
    guard let value else { return PlacelessDecoder(session: session, codingPath: codingPath + [key]) }
    session.noteSuperclass(in: state, at: value)
    return try nestedDecoder(at: value, key)
  }
}
