/// A keyed container that also records absent values, which the default implementations leave out.
///
/// For primitive types, those default implementations are separate methods, which the generic one does not replace.
protocol AbsenceRecordingContainer: KeyedEncodingContainerProtocol {
  func recordIfPresent<Value: Encodable>(_ value: Value?, _ key: Key) throws
}

extension AbsenceRecordingContainer {
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try recordIfPresent(value, key) }
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    try recordIfPresent(value, key)
  }
}
