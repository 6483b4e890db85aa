/// The keyed container of a value: a record or a map (Format §4.8).
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let session: DecodingSession
  private let offset: Int
  private let depth: Int
  /// Not counted, as the container is copied at each use: the session keeps every table as long as itself.
  @safe private unowned(unsafe) let table: DecodingKeyTable

  init(_ session: DecodingSession, _ offset: Int, _ depth: Int, _ table: DecodingKeyTable) {
    self.session = session
    self.offset = offset
    self.depth = depth
    self.table = table
  }

  var codingPath: [any CodingKey] { session.path(to: offset, depth: depth) }

  var allKeys: [Key] {
    guard (try? session.openKeyed(offset, depth)) != nil else { return [] }
    return session.keys(depth).compactMap { element in
      switch element {
      case .key(let name): Key(stringValue: name)
      case .intKey(let number), .index(let number): Key(intValue: number) ?? Key(stringValue: String(number))
      }
    }
  }

  func contains(_ key: Key) -> Bool {
    (try? place(of: key)) != nil
  }

  // MARK: Finding values

  /// Where the value of `key` is, which becomes the current one of the frame; `nil` when there is none.
  @inline(__always)
  private func place(of key: Key) throws -> Int? {
    try session.openKeyed(offset, depth)
    if session.frames[depth].kind == .record {
      let number = table.number(of: key, in: session)
      let next = session.frames[depth].nextSlot
      if next < session.frames[depth].count,
        session.image.shapeKey(session.frames[depth].firstSlot &+ next) == number,
        offset != session.topLevelOffset
      {
        session.frames[depth].currentSlot = next
        return session.frames[depth].nextPlace
      }
      return try session.findInRecord(number, depth, offset)
    }
    return try session.findInMap(key.stringValue, depth, offset)
  }

  @inline(__always)
  private func existingPlace(of key: Key) throws -> Int {
    if let place = try place(of: key) { return place }
    throw missing(key)
  }

  @inline(never)
  private func missing(_ key: Key) -> DecodingError {
    DecodingError.keyNotFound(
      key,
      .init(
        codingPath: codingPath,
        debugDescription: "No value is stored under the key \"\(key.stringValue)\""
      )
    )
  }

  // MARK: Values

  @inline(__always)
  private func get<Value: ReadablePrimitive>(_ type: Value.Type, _ key: Key) throws -> Value {
    let start = try existingPlace(of: key)
    let slot = session.frames[depth].currentSlot
    var place = start
    let value: Value
    do throws(ReadingFault) {
      value = try Value.read(session, at: &place)
    } catch {
      throw session.error(error, type, session.path(toValueAt: start, in: depth))
    }
    session.advance(depth, offset, past: slot, to: place)
    return value
  }

  @inline(__always)
  private func getIfPresent<Value: ReadablePrimitive>(_ type: Value.Type, _ key: Key) throws -> Value? {
    guard let place = try place(of: key), try !session.isNil(at: place) else { return nil }
    return try get(type, key)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let start = try existingPlace(of: key)
    return try session.isNil(at: start)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(type, at: existingPlace(of: key))
  }

  /// An optional keeps its levels: what is stored as nil is no value, what is stored as some nil is one.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let place = try place(of: key), try !session.isNil(at: place) else { return nil }
    guard session.observer != nil || type is any OptionalValue.Type else {
      return try decode(type, at: place)
    }
    return try decode(Value?.self, at: place)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, at start: Int) throws -> Value {
    let slot = session.frames[depth].currentSlot
    var place = start
    let value = try session.decode(type, at: &place, depth)
    session.advance(depth, offset, past: slot, to: place)
    return value
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try get(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try get(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try get(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try get(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try get(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try get(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try get(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try get(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try get(type, key) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try get(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try get(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try get(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try get(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try get(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try get(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try get(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try getIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try getIfPresent(type, key)
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

  private func nestedDecoder(_ key: Key) throws -> ValueDecoder {
    try session.nestedDecoder(at: existingPlace(of: key), in: depth)
  }

  func superDecoder() throws -> any Decoder {
    try session.openKeyed(offset, depth)
    let key = ArchiveCodingKey.super
    guard let place = try session.find(key.stringValue, depth, offset) else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: codingPath, debugDescription: "No value is stored under the key \"super\"")
      )
    }
    return try session.nestedDecoder(at: place, in: depth)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try nestedDecoder(key) }
}
