/// The single-value container of a value: it takes one value, which then is the value.
struct SingleValueEncoder: SingleValueEncodingContainer, ContainerEncoding {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?

  @inline(__always)
  private func put<Value: ArchivePrimitive>(_ value: Value) throws {
    try enter { session in
      try session.beginSingle()
      Value.write(value, to: session)
    }
  }

  func encodeNil() throws {
    try enter { session in
      try session.beginSingle()
      session.buffer.append(Tag.none)
    }
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try enterOrRollBack { session in
      try session.beginSingle()
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
}
