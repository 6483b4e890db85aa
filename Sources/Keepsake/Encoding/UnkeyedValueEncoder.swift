/// The unkeyed container of a value: an array (Format §4.6).
struct UnkeyedValueEncoder: UnkeyedEncodingContainer, ContainerEncoding {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?

  var count: Int { session.frame(frame, nested)?.count ?? 0 }

  // MARK: Values

  @inline(__always)
  private func put<Value: ArchivePrimitive>(_ value: Value) throws {
    try enter { session in
      session.beginElement()
      Value.write(value, to: session)
    }
  }

  func encodeNil() throws {
    try enter { session in
      session.beginElement()
      session.buffer.append(Tag.none)
    }
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try enterOrRollBack { session in
      session.beginElement()
      try session.encode(value)
    }
  }

  func encode(_ value: Bool) throws { try put(value) }
  func encode(_ value: String) throws { try put(value) }
  func encode(_ value: Double) throws { try put(value) }
  func encode(_ value: Float) throws { try put(value) }
  func encode(_ value: Int) throws { try put(value) }
  func encode(_ value: Int8) throws { try put(value) }
  func encode(_ value: Int16) throws { try put(value) }
  func encode(_ value: Int32) throws { try put(value) }
  func encode(_ value: Int64) throws { try put(value) }
  func encode(_ value: Int128) throws { try put(value) }
  func encode(_ value: UInt) throws { try put(value) }
  func encode(_ value: UInt8) throws { try put(value) }
  func encode(_ value: UInt16) throws { try put(value) }
  func encode(_ value: UInt32) throws { try put(value) }
  func encode(_ value: UInt64) throws { try put(value) }
  func encode(_ value: UInt128) throws { try put(value) }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    nestedEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { nestedEncoder() }

  private func nestedEncoder() -> ValueEncoder {
    let unusable = ValueEncoder(session: session, frame: EncodingSession.conflictingFrame, nested: nil)
    guard let host = try? EnteredFrame(session, frame, nested) else { return unusable }
    defer { session.leave(host.nested) }
    session.beginElement()
    guard let child = try? session.pushNested(key: nil, host: nested) else { return unusable }
    return ValueEncoder(session: session, frame: child.frame, nested: child)
  }
}
