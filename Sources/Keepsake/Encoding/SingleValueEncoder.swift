/// The single-value container of a value: it takes one value, which then is the value.
struct SingleValueEncoder: SingleValueEncodingContainer {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?

  var codingPath: [any CodingKey] { session.path(of: frame, nested) }

  func encodeNil() throws { try session.putSingle(Nil(), frame, nested) }

  func encode<Value: Encodable>(_ value: Value) throws { try session.encodeSingle(value, frame, nested) }

  func encode(_ value: Bool) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: String) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Double) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Float) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Int) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Int8) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Int16) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Int32) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Int64) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: Int128) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt8) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt16) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt32) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt64) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt128) throws { try session.putSingle(value, frame, nested) }
}
