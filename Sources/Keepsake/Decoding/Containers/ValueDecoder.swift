/// The `Decoder` that `init(from:)` receives, which is also its single-value container. It has three words, so it needs
/// no memory of its own.
struct ValueDecoder: Decoder {
  let session: DecodingSession
  /// The offset of the value, which identifies it.
  let offset: Int
  /// The depth of the value, which is the index of its frame.
  let depth: Int

  var codingPath: [any CodingKey] { session.path(to: offset, depth: depth) }
  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try checkBody()
    return try session.keyedContainer(type, offset, depth)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try checkBody()
    return try session.unkeyedContainer(self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try checkBody()
    return self
  }

  /// Walks the body that contains the value, if the walk was deferred.
  @inline(__always)
  private func checkBody() throws {
    if session.graph.unwalked.isEmpty { return }
    do throws(ArchiveError) { try session.walkUnwalked() } catch {
      throw session.corrupted(error, codingPath)
    }
  }
}

extension ValueDecoder: PrimitiveSingleValueDecoding {
  @inline(__always)
  func decode<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    session.claimFrame(depth, for: offset)
    var cursor = offset
    let value: Value
    do throws(ReadingFault) {
      value = try Value.readValue(session, at: &cursor)
    } catch {
      throw session.error(error, type, codingPath)
    }
    session.nesting.complete(offset, cursor)
    return value
  }

  func decodeNil() -> Bool {
    var isNil = false
    session.rememberingFailure(of: offset, depth) {
      let content = try session.contentOfReference(at: offset)
      // The *some* of an optional around the value is there if the value is not declared as an optional any more.
      isNil = try session.isNil(at: content) || session.isMarkedNil(at: content)
      if isNil { session.nesting.complete(offset, try session.end(ofValueAt: offset)) }
    }
    return isNil
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // What another container of this decoder read last is no step of the path to this value.
    session.prepareFrame(depth, for: offset)
    var cursor = offset
    let value = try session.decode(type, at: &cursor, depth)
    session.nesting.complete(offset, cursor)
    return value
  }
}

extension DecodingSession {
  // Not in `ValueDecoder`, whose reference the closure would retain.
  @inline(__always)
  fileprivate func keyedContainer<Key: CodingKey>(
    _ type: Key.Type,
    _ offset: Int,
    _ depth: Int
  ) throws -> KeyedDecodingContainer<Key> {
    do {
      if depth >= nesting.frames.count || !nesting.frames[depth].isKeyed(at: offset) {
        try parseKeyed(offset, depth)
      }
    } catch {
      let decoder = ValueDecoder(session: self, offset: offset, depth: depth)
      return try nativeContainer(decoder, insteadOf: error)
    }
    return keyTable(type).use { $0.container(self, offset, depth) }
  }

  /// The container of `decoder` for a URL or a decimal, after opening a keyed container has failed with `error`.
  ///
  /// Their own initializers read them by keys, recognized by one of these. For other types, they are no keyed containers,
  /// as in JSON: a type that tries one form after another would get their parts, and one of optionals would seem to be
  /// there.
  // Not inlined, so that only this function looks up the metadata of the container.
  @inline(never)
  private func nativeContainer<Key: CodingKey>(
    _ decoder: ValueDecoder,
    insteadOf error: any Error
  ) throws -> KeyedDecodingContainer<Key> {
    guard error is DecodingError, Key(stringValue: "") == nil else { throw error }
    if Key(stringValue: "relative") != nil {
      try parseKeyed(decoder.offset, decoder.depth, passingURLs: true)
      return keyTable(Key.self).use { $0.container(self, decoder.offset, decoder.depth) }
    }
    guard Key(stringValue: "exponent") != nil, let decimal = try decimal(at: decoder.offset, decoder.depth)
    else { throw error }
    return KeyedDecodingContainer(DecimalKeyedDecoder<Key>(decimal, decoder))
  }

  /// Makes the frame at `depth` that of the keyed container at `offset`.
  private func parseKeyed(_ offset: Int, _ depth: Int, passingURLs: Bool = false) throws {
    do {
      let head = try keyedHead(offset, depth, passingURLs)
      claimFrame(depth, for: offset)
      nesting.frames[depth].setKeyed(head)
    } catch {
      throw publicError(error, path(to: offset, depth: depth))
    }
  }

  @inline(__always)
  private func keyedHead(_ offset: Int, _ depth: Int, _ passingURLs: Bool) throws -> KeyedHead {
    if let head = try recordHead(at: offset) { return head }
    let reference = try bodyOfAnnotation(offset, passingURLs: passingURLs)
    let start = try contentOfReference(at: reference)
    var head = try recordHead(at: start) ?? mapHead(at: start, of: offset, depth)
    head.isElsewhere = start != reference
    return head
  }

  @inline(__always)
  private func recordHead(at offset: Int) throws -> KeyedHead? {
    guard let record = try RecordHead(self, at: offset) else { return nil }
    let head = KeyedHead(record: try image.shape(record.shape, at: offset), payload: record.payload)
    try reader.check(head.count, at: head.payload)
    return head
  }

  /// The head of the map at `start`, which is the content of the value at `offset`.
  private func mapHead(at start: Int, of offset: Int, _ depth: Int) throws -> KeyedHead {
    var payload = start + 1
    var count = 0
    switch TagKind(try reader.byte(at: start)) {
    case .map:
      count = try reader.varint(at: &payload)
      try reader.check(count, at: payload)
      try checkElementCount(count, at: start)
    case .empty: break
    default: throw mismatch([String: Any].self, start, path(to: offset, depth: depth))
    }
    return KeyedHead(count: count, payload: payload)
  }

  /// The offset of the value itself after the annotations at `offset`, which mark it as a URL, an optional, or a value
  /// of a type that is known here (Format §4.10).
  func bodyOfAnnotation(_ offset: Int, passingURLs: Bool = true) throws(ArchiveError) -> Int {
    var cursor = offset
    while true {
      switch try reader.byte(at: cursor) {
      case Tag.some: cursor += 1
      case Tag.url where passingURLs:
        _ = try image.urlTexts(at: cursor, in: reader)
        cursor += 1
      case Tag.typed: _ = try image.valueTypeNumber(at: &cursor)
      default: return cursor
      }
    }
  }
}
