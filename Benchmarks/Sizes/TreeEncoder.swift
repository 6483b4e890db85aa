/// An encoder that makes an ``EncodedTree``. It is never timed.
struct TreeEncoder: Encoder {
  let tree: EncodedTree

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    tree.beginRecord()
    return KeyedEncodingContainer(TreeKeyedContainer<Key>(tree: tree))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    tree.beginList()
    return TreeUnkeyedContainer(tree: tree)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    TreeSingleValueContainer(tree: tree)
  }
}

/// The container for a single value.
///
/// Here and below, one generic method meets the requirements for all primitive types.
private struct TreeSingleValueContainer: SingleValueEncodingContainer {
  let tree: EncodedTree

  var codingPath: [any CodingKey] { [] }

  func encodeNil() {}
  func encode<Value: Encodable>(_ value: Value) throws { try tree.record(value) }
}

/// The unkeyed container.
private struct TreeUnkeyedContainer: UnkeyedEncodingContainer {
  let tree: EncodedTree

  var codingPath: [any CodingKey] { [] }
  var count: Int { tree.elementCount }

  func encodeNil() { _ = tree.appendElement() }
  func encode<Value: Encodable>(_ value: Value) throws { try tree.appendElement().record(value) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<
    NestedKey
  > {
    TreeEncoder(tree: tree.appendElement()).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    TreeEncoder(tree: tree.appendElement()).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { TreeEncoder(tree: tree.appendElement()) }
}

/// The keyed container.
private struct TreeKeyedContainer<Key: CodingKey>: AbsenceRecordingContainer {
  let tree: EncodedTree

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { _ = tree.appendField(key) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try tree.appendField(key).record(value)
  }

  func recordIfPresent<Value: Encodable>(_ value: Value?, _ key: Key) throws {
    let place = tree.appendField(key, isOptional: true)
    if let value { try place.record(value) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    TreeEncoder(tree: tree.appendField(key)).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    TreeEncoder(tree: tree.appendField(key)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { TreeEncoder(tree: tree) }
  func superEncoder(forKey key: Key) -> any Encoder { TreeEncoder(tree: tree.appendField(key)) }
}
