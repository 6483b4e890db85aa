/// The unkeyed container of a value: an array (Format §4.6).
struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var count: Int { encoder.openFrame?.count ?? 0 }

  var codingPath: [any CodingKey] { encoder.codingPath }

  // MARK: Values

  func encodeNil() throws { try encoder.putElement(Nil()) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try encoder.encode(value) { encoder.session.beginElement() }
  }

  /// The default implementation in the standard library would write the object unconditionally.
  func encodeConditional<Object: AnyObject & Encodable>(_ object: Object) throws {
    try encode(ConditionalReference(object: object))
  }

  func encode<Value: ArchivePrimitive>(_ value: Value) throws { try encoder.putElement(value) }
  // For these types, the standard library has methods that throw.
  func encode(_ value: Int128) throws { try encoder.putElement(value) }
  func encode(_ value: UInt128) throws { try encoder.putElement(value) }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<
    NestedKey
  > {
    nestedEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { nestedEncoder() }

  private func nestedEncoder() -> ValueEncoder {
    let session = encoder.session
    do {
      let host = try encoder.enter()
      defer { session.leave(host) }
      session.beginElement()
      return session.nestedEncoder(key: nil, host: encoder.nested)
    } catch {
      return encoder.refusing
    }
  }
}
