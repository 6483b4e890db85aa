/// The floor of encoding: an encoder that visits every value and does nothing else.
///
/// It calls `encode(to:)` of every nested `Encodable`, element by element, as any coder must that knows nothing about
/// the types it meets. It has no state, so nothing is allocated except what Codable itself allocates. Its only effect
/// is ``VisitCount``, which shows that it visits everything.
struct VisitingEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(VisitingKeyedContainer<Key>())
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    VisitingUnkeyedContainer()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    VisitingSingleValueContainer()
  }
}

/// The number of primitive values and nils that the visiting encoder has met.
///
/// One increment of a global costs next to nothing and keeps the optimizer from dropping the visit.
enum VisitCount {
  // Safety: the suite runs on the main thread only.
  nonisolated(unsafe) static var values = 0

  /// Counts one primitive value or nil.
  @inline(__always)
  static func visit() {
    unsafe values &+= 1
  }

  /// Visits `value`, and returns the number of values in it.
  static func values<Value: Encodable>(in value: Value) throws -> Int {
    unsafe values = 0
    try value.encode(to: VisitingEncoder())
    return unsafe values
  }
}

/// The visiting encoder's container for a single value.
struct VisitingSingleValueContainer: SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { VisitCount.visit() }
  func encode(_ value: Bool) { VisitCount.visit() }
  func encode(_ value: String) { VisitCount.visit() }
  func encode(_ value: Double) { VisitCount.visit() }
  func encode(_ value: Float) { VisitCount.visit() }
  func encode(_ value: Int) { VisitCount.visit() }
  func encode(_ value: Int8) { VisitCount.visit() }
  func encode(_ value: Int16) { VisitCount.visit() }
  func encode(_ value: Int32) { VisitCount.visit() }
  func encode(_ value: Int64) { VisitCount.visit() }
  func encode(_ value: UInt) { VisitCount.visit() }
  func encode(_ value: UInt8) { VisitCount.visit() }
  func encode(_ value: UInt16) { VisitCount.visit() }
  func encode(_ value: UInt32) { VisitCount.visit() }
  func encode(_ value: UInt64) { VisitCount.visit() }

  func encode<Value: Encodable>(_ value: Value) throws {
    try value.encode(to: VisitingEncoder())
  }
}
