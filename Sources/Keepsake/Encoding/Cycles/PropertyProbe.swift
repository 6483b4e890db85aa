/// Which values an object encodes under which keys, found by letting it encode into nothing.
///
/// Made once for each class in a cycle, so that nothing has to be recorded while other objects are encoded. Objects of
/// a class may encode different keys, so it asks another one about a key that it does not know.
final class PropertyProbe {
  /// A value under a key of the object, or of one of its superclasses.
  struct Finding {
    /// The names that the stored property may have.
    let propertyNames: [String]
    /// The type of the value.
    let type: Any.Type
    /// The type of the value made optional.
    let optionalType: Any.Type
    /// Whether it is in a record of a superclass, or of another value that uses a `superEncoder`.
    let isOfSuperclass: Bool
    /// Whether both a record of the class and one of a superclass have the key.
    let isAmbiguous: Bool
  }

  fileprivate(set) var findings: [String: Finding] = [:]
  fileprivate let hasSuperclass: Bool

  init(_ type: AnyClass) {
    hasSuperclass = RuntimeTypes.superclass(of: type) != nil
  }

  /// Adds what `object` encodes.
  func ask(_ object: some Encodable, userInfo: [CodingUserInfoKey: Any]) {
    // If `encode(to:)` throws here, it throws to the archiver, too.
    try? object.encode(to: ProbeEncoder(probe: self, userInfo: userInfo))
  }

  /// What objects of the class, such as `object`, encode under `key`.
  func finding(_ key: String, in object: some Encodable, userInfo: [CodingUserInfoKey: Any]) -> Finding? {
    if findings[key] == nil { ask(object, userInfo: userInfo) }
    return findings[key]
  }

  fileprivate func note<Value, Key: CodingKey>(_ type: Value.Type, _ key: Key, _ isOfSuperclass: Bool) {
    let known = findings[key.stringValue]
    findings[key.stringValue] = Finding(
      propertyNames: propertyNames(of: key),
      type: type,
      optionalType: Value?.self,
      isOfSuperclass: isOfSuperclass,
      isAmbiguous: known.map { $0.isAmbiguous || $0.isOfSuperclass != isOfSuperclass } ?? false
    )
  }
}

/// The encoder of the object, of its value in a single-value container, or of a superclass, and such a container. Without
/// a probe, the encoder of any other value, and its containers without keys: it records nothing.
private struct ProbeEncoder: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  var probe: PropertyProbe?
  let userInfo: [CodingUserInfoKey: Any]
  var isOfSuperclass = false
  /// In how many single-value containers the value is. It may be a number, which asks for another one each time.
  var singleValueDepth = 0
  static let mostSingleValues = 4
  /// How many elements the unkeyed container has.
  var count = 0
  var codingPath: [any CodingKey] { [] }

  var ofAnotherValue: ProbeEncoder { ProbeEncoder(probe: nil, userInfo: userInfo) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedProbe<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ofAnotherValue }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    singleValueDepth < ProbeEncoder.mostSingleValues ? self : ofAnotherValue
  }

  mutating func encodeNil() { count += 1 }
  mutating func encode<Value: Encodable>(_ value: Value) throws {
    count += 1
    // The keys of another object are its own. Its references may lead back here.
    guard probe != nil, !(Value.self is AnyClass) else { return }
    var encoder = self
    encoder.singleValueDepth += 1
    try value.encode(to: encoder)
  }
  // Without these, here and below, the standard library's methods for integers of 128 bits are called, which throw.
  mutating func encode(_ value: Int128) { count += 1 }
  mutating func encode(_ value: UInt128) { count += 1 }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    count += 1
    return ofAnotherValue.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    count += 1
    return ofAnotherValue
  }

  mutating func superEncoder() -> any Encoder {
    count += 1
    return ofAnotherValue
  }
}

private struct KeyedProbe<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ProbeEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) {}
  func encode(_ value: Int128, forKey key: Key) {}
  func encode(_ value: UInt128, forKey key: Key) {}

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
    encoder.probe?.note(Value.self, key, encoder.isOfSuperclass)
  }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) {
    encoder.probe?.note(Value.self, key, encoder.isOfSuperclass)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.ofAnotherValue.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.ofAnotherValue
  }

  func superEncoder() -> any Encoder {
    guard let probe = encoder.probe, probe.hasSuperclass else { return encoder.ofAnotherValue }
    return ProbeEncoder(probe: probe, userInfo: encoder.userInfo, isOfSuperclass: true)
  }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}
