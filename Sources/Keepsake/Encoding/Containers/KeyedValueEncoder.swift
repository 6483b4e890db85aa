/// The value to which a keyed container belongs. It changes when the container is used again for another value (see
/// ``SpareContainers``).
final class EncodingContainerState: ContainerState {
  let session: EncodingSession
  let table: EncodingKeyTable
  @safe @exclusivity(unchecked) var frame: FrameID
  @safe @exclusivity(unchecked) var nested: NestedContainer?

  init(_ session: EncodingSession, _ table: EncodingKeyTable, _ frame: FrameID, _ nested: NestedContainer?) {
    self.session = session
    self.table = table
    self.frame = frame
    self.nested = nested
  }

  /// The encoder of the value.
  var encoder: ValueEncoder { ValueEncoder(session: session, frame: frame, nested: nested) }

  // Each use of the container sets `frame` to that of the next value.
  func forgetArchive() { nested = nil }
}

/// The keyed container of a value: a record (Format §4.8), or a map if the keys are dynamic.
struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let state: EncodingContainerState

  init(_ state: EncodingContainerState) {
    self.state = state
  }

  private var session: EncodingSession { state.session }

  var codingPath: [any CodingKey] { state.encoder.codingPath }

  // MARK: Values

  func encodeNil(forKey key: Key) throws {
    try state.put(Nil(), key)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try state.encode(value, key)
  }

  /// What is present and reads as nil differs from what is absent.
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    try value.visit { value in
      if state.session.types.plans.unretained(for: Value.self).use({ $0.canBeNil }) {
        try state.encodePresent(value, key)
      } else {
        try state.encode(value, key)
      }
    }
  }

  /// The default implementation in the standard library would write the object unconditionally.
  func encodeConditional<Object: AnyObject & Encodable>(_ object: Object, forKey key: Key) throws {
    try encode(ConditionalReference(object: object), forKey: key)
  }

  @inline(__always)
  func encode<Value: ArchivePrimitive>(_ value: Value, forKey key: Key) throws { try state.put(value, key) }
  // For these types, the standard library has methods that throw.
  func encode(_ value: Int128, forKey key: Key) throws { try state.put(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try state.put(value, key) }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nestedEncoder(key, state.table, isSuper: false).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nestedEncoder(key, state.table, isSuper: false).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    session.keyTable(ArchiveCodingKey.self).use { nestedEncoder(ArchiveCodingKey.super, $0, isSuper: true) }
  }

  func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key, state.table, isSuper: true) }

  /// An encoder for a value that may be written at any time until the body is complete.
  ///
  /// Requesting it cannot throw: if the value cannot be begun, the returned encoder throws when it is used.
  private func nestedEncoder(_ key: some CodingKey, _ table: EncodingKeyTable, isSuper: Bool) -> ValueEncoder
  {
    let host: NestedContainer?
    do { host = try state.encoder.enter() } catch { return state.encoder.refusing }
    defer { session.leave(host) }
    let name = ExactString(string: key.stringValue)
    // A record tells whether it has the key without writing anything; a map is asked first.
    let isMap = session.context.top.kind == .map
    let hasKey = isMap || session.beginValue(key, table)
    if hasKey, !isSuper, let existing = session.existingNested(name, host: state.nested) {
      return ValueEncoder(session: session, frame: existing.frame, nested: existing.nested)
    }
    if isMap {
      if session.beginValue(key, table) { session.noteReplacedValue(name) }
    } else if hasKey {
      session.removeValue(name)
      _ = session.beginValue(key, table)
    }
    return session.nestedEncoder(key: name, host: state.nested, isSuper: isSuper)
  }
}
