/// The keyed container of a value: a record (Format §4.8), or a map where the keys are dynamic.
struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?
  /// Not counted, as the container is copied at each use: the session keeps every table as long as itself.
  @safe private unowned(unsafe) let table: EncodingKeyTable

  init(_ session: EncodingSession, _ frame: FrameID, _ nested: NestedContainer?, _ table: EncodingKeyTable) {
    self.session = session
    self.frame = frame
    self.nested = nested
    self.table = table
  }

  var codingPath: [any CodingKey] { session.path(of: frame, nested) }

  // MARK: Values

  func encodeNil(forKey key: Key) throws {
    try session.put(Nil(), key, frame, nested, table)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try session.encode(value, key, frame, nested, table)
  }

  /// An optional of an optional keeps its level: what is present and nil is not what is absent.
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    guard let value else { return }
    guard Value.self is any OptionalValue.Type else { return try encode(value, forKey: key) }
    try encode(Optional.some(value), forKey: key)
  }

  /// The default of the standard library would write the object unconditionally.
  func encodeConditional<Object: AnyObject & Encodable>(_ object: Object, forKey key: Key) throws {
    try encode(ConditionalReference(object: object), forKey: key)
  }

  func encode(_ value: Bool, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: String, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Double, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Float, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Int, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Int8, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Int16, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Int32, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Int64, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: Int128, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: UInt, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: UInt8, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: UInt16, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: UInt32, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: UInt64, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }
  func encode(_ value: UInt128, forKey key: Key) throws { try session.put(value, key, frame, nested, table) }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nestedEncoder(key, reusing: true).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nestedEncoder(key, reusing: true).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nestedEncoder(ArchiveCodingKey.super, reusing: false) }

  func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key, reusing: false) }

  /// An encoder for a value that may be written at any time until the body is done.
  ///
  /// Asking cannot throw: where no place can be made for the value, the encoder returned throws when it is
  /// used.
  private func nestedEncoder<NestedKey: CodingKey>(_ key: NestedKey, reusing: Bool) -> ValueEncoder {
    let unusable = ValueEncoder(session: session, frame: EncodingSession.conflictingFrame, nested: nil)
    guard let host = try? EnteredFrame(session, frame, nested) else { return unusable }
    defer { session.leave(host.nested) }
    let name = ExactString(string: key.stringValue)
    let table = session.keyTable(NestedKey.self)
    let start = session.buffer.count
    if session.beginValue(key, table) {
      session.buffer.truncate(to: start)
      if reusing, let existing = session.existingNested(name) {
        return ValueEncoder(session: session, frame: existing.frame, nested: existing)
      }
      session.removeValue(name)
      session.forgetMapKey(name, of: frame)
      _ = session.beginValue(key, table)
    }
    return session.nestedEncoder(key: name, host: nested)
  }
}
