/// The unkeyed container of a value: an array (Format §4.6). It has value semantics: each copy has its own position.
struct UnkeyedValueDecoder: PrimitiveUnkeyedDecoding {
  let decoder: ValueDecoder
  /// The offsets of the first element and of the next one.
  let firstOffset: Int
  private(set) var cursor: Int
  let elementCount: Int
  /// Whether the elements are in the body of an object, and only a reference to it is at the offset.
  let isElsewhere: Bool
  private(set) var currentIndex = 0

  private var session: DecodingSession { decoder.session }
  private var depth: Int { decoder.depth }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { session.toldCount(elementCount, of: decoder.offset, payload: firstOffset) }
  var isAtEnd: Bool { currentIndex >= elementCount }

  /// Makes the next element the current one of the frame.
  private func prepare(_ type: Any.Type) throws {
    guard currentIndex < elementCount else { throw session.atEnd(type, codingPath, currentIndex) }
    session.prepareElement(decoder.offset, depth, currentIndex)
  }

  private mutating func advance(to end: Int) {
    cursor = end
    currentIndex += 1
    if currentIndex == elementCount, !isElsewhere { session.nesting.complete(decoder.offset, end) }
  }

  mutating func decode<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    try prepare(type)
    var end = cursor
    let value: Value
    do throws(ReadingFault) {
      value = try Value.readValue(session, at: &end)
    } catch {
      throw session.error(error, type, session.path(toValueAt: cursor, in: depth))
    }
    advance(to: end)
    return value
  }

  mutating func decodeNil() throws -> Bool {
    try prepare(Any?.self)
    guard try session.isNil(at: cursor) || session.isLazyNil(at: cursor) else { return false }
    try passOver()
    return true
  }

  private mutating func passOver() throws {
    do { advance(to: try session.end(ofValueAt: cursor)) } catch {
      throw session.publicError(error, codingPath)
    }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try prepare(type)
    var end = cursor
    // The caller keeps elements that it reads one by one.
    try session.charge(valueOf: type, at: cursor, session.path(toValueAt: cursor, in: depth))
    let value = try session.decode(type, at: &end, depth)
    advance(to: end)
    return value
  }

  /// Keeps the levels of an optional: a stored nil is no value, a stored some(nil) is a value.
  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    guard !isAtEnd else { return nil }
    if ObjectIdentifier(type) == ObjectIdentifier(Value.self) { return try decode(Value?.self) }
    func decodeOptional<Subclass: Decodable>(_ type: Subclass.Type) throws -> (any Decodable)? {
      try decode(Subclass?.self)
    }
    return try decodeOptional(runtimeType(type, orElse: Value.self)) as? Value
  }

  // MARK: Nested containers

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested(KeyedDecodingContainer<NestedKey>.self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nested((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try nested((any Decoder).self) { $0 }
  }

  private mutating func nested<Result>(_ type: Result.Type, _ open: (ValueDecoder) throws -> Result) throws
    -> Result
  {
    try prepare(type)
    let result = try open(try session.nestedDecoder(at: cursor, in: depth))
    try passOver()
    return result
  }
}
