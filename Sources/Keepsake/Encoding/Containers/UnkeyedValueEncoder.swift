/// The unkeyed container of a value: an array (Format §4.6).
struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?

  var count: Int { session.frame(frame, nested)?.count ?? 0 }

  var codingPath: [any CodingKey] { session.path(of: frame, nested) }

  // MARK: Values

  func encodeNil() throws { try session.putElement(Nil(), frame, nested) }

  func encode<Value: Encodable>(_ value: Value) throws { try session.encodeElement(value, frame, nested) }

  /// The default implementation in the standard library would write the object unconditionally.
  func encodeConditional<Object: AnyObject & Encodable>(_ object: Object) throws {
    try encode(ConditionalReference(object: object))
  }

  func encode<Value: ArchivePrimitive>(_ value: Value) throws { try session.putElement(value, frame, nested) }
  // For these types, the standard library has methods that throw.
  func encode(_ value: Int128) throws { try session.putElement(value, frame, nested) }
  func encode(_ value: UInt128) throws { try session.putElement(value, frame, nested) }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<
    NestedKey
  > {
    nestedEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { nestedEncoder() }

  private func nestedEncoder() -> ValueEncoder {
    do {
      let host = try session.enter(frame, nested)
      defer { session.leave(host) }
      session.beginElement()
      return session.nestedEncoder(key: nil, host: nested)
    } catch {
      return session.refusingEncoder(frame, nested)
    }
  }
}
