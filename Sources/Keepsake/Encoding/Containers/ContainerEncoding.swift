/// How a container encodes a value. Containers call these functions, which are not generic over the container's type:
/// looking up the metadata of a generic type costs more than writing a value.
extension EncodingContainerState {
  /// Writes a primitive value under `key`.
  @inline(__always)
  func put<Value: ArchivePrimitive, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    guard let node = nodeAtOnce(for: key) else { return try putSlowly(value, key) }
    session.context.top.position = node
    Value.write(value, to: session)
  }

  /// Encodes any value under `key`. If its `encode(to:)` throws, nothing of it remains.
  func encode<Value: Encodable, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    try encode(value, key, marksNil: false)
  }

  /// The same for the content of an optional: what would read as nil is marked as some value.
  func encodePresent<Value: Encodable, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    try encode(value, key, marksNil: true)
  }

  @inline(__always)
  private func encode<Value: Encodable, Key: CodingKey>(_ value: Value, _ key: Key, marksNil: Bool) throws {
    guard session.bodies.isInProgress, let node = nodeAtOnce(for: key) else {
      return try encodeSlowly(value, key, marksNil)
    }
    try session.types.plans.unretained(for: Value.self).use { (plan) throws in
      guard !plan.isAtomic else {
        let position = session.context.top.position
        session.context.top.position = node
        do { try plan.encode(value, session) } catch {
          session.context.top.position = position
          throw session.naming(value, error)
        }
        return
      }
      let mark = session.mark
      let start = session.buffer.count
      session.context.top.position = node
      do { try plan.encode(value, session) } catch {
        session.truncate(to: mark)
        throw session.naming(value, error)
      }
      if marksNil { session.markSome(at: start) }
    }
  }

  /// The node to which `key` takes the shape of the container, in the usual case: the container is the innermost one, a
  /// record without such a key, and the key is the one that came next last time.
  @inline(__always)
  private func nodeAtOnce<Key: CodingKey>(for key: Key) -> Int? {
    guard session.context.top.id == frame, session.context.top.kind == .record, !session.outcome.isClosed
    else {
      return nil
    }
    return session.tables.shapes.step(
      from: session.context.top.position,
      key: table.number(of: key, in: session)
    )
  }

  @inline(never)
  private func putSlowly<Value: ArchivePrimitive, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    let host = try encoder.enter(for: value, key: key)
    defer { session.leave(host) }
    let replaces = session.beginValue(key, table)
    Value.write(value, to: session)
    if replaces { session.replaceValue(key) }
  }

  @inline(never)
  private func encodeSlowly<Value: Encodable, Key: CodingKey>(
    _ value: Value,
    _ key: Key,
    _ marksNil: Bool
  ) throws {
    // Encoding the value may use this container again.
    let encoder = encoder
    let host = try encoder.enterForValue(value, key: key)
    defer { session.leave(host) }
    let mark = session.mark
    let replaces = session.beginValue(key, table)
    let start = session.buffer.count
    do {
      if replaces { try session.encodeAnew(value, key, table) } else { try session.encode(value) }
      if marksNil, session.bodies.isInProgress { session.markSome(at: start) }
    } catch {
      session.truncate(to: mark)
      if !replaces { session.forgetMapKey(ExactString(string: key.stringValue), of: encoder.frame) }
      throw session.naming(value, error)
    }
    if replaces { session.replaceValue(key) }
  }
}

extension ValueEncoder {
  /// Makes the frame the innermost one, ready for `value`. An error names that value.
  @inline(__always)
  fileprivate func enter<Value>(
    for value: Value,
    key: @autoclosure () -> (any CodingKey)? = nil
  ) throws -> NestedContainer? {
    do { return try enter() } catch { throw refusal(error, value, key: key()) }
  }

  /// Makes the frame the innermost one, ready for `value`, which may be taken back. An error names that value.
  ///
  /// Before that, encodes what containers nested at the top level have reached, since that must stay.
  @inline(__always)
  fileprivate func enterForValue<Value>(
    _ value: Value,
    key: @autoclosure () -> (any CodingKey)? = nil
  ) throws -> NestedContainer? {
    let host = try enter(for: value, key: key())
    guard session.context.isTopLevel, !session.bodies.pending.isEmpty, !session.isWithinValue else {
      return host
    }
    do { try session.drainLeftovers() } catch {
      session.leave(host)
      throw refusal(error, value, key: key())
    }
    return host
  }

  // MARK: Unkeyed and single-value containers

  @inline(__always)
  func putElement<Value: ArchivePrimitive>(_ value: Value) throws {
    let host = try enter(for: value)
    session.beginElement()
    Value.write(value, to: session)
    session.leave(host)
  }

  @inline(__always)
  func putSingle<Value: ArchivePrimitive>(_ value: Value) throws {
    let host = try enter(for: value)
    defer { session.leave(host) }
    try session.beginSingle(value)
    Value.write(value, to: session)
  }

  /// Encodes a value after `begin` has begun it. If its `encode(to:)` throws, nothing of it remains.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, _ begin: () throws -> Void) throws {
    let host = try enterForValue(value)
    defer { session.leave(host) }
    let mark = session.mark
    try begin()
    do { try session.encode(value) } catch {
      session.truncate(to: mark)
      throw session.naming(value, error)
    }
  }
}

extension EncodingSession {
  /// Begins an element of the innermost frame, an unkeyed container.
  @inline(__always)
  func beginElement() {
    context.top.count += 1
  }

  @inline(__always)
  func beginSingle(_ value: @autoclosure () -> Any) throws {
    guard context.top.kind == .single else {
      throw misuse("A single-value container was given a second value; it holds one", value: value())
    }
    context.top.kind = .singleUsed
  }

  /// Begins the value of `key` in the innermost frame, a keyed container.
  ///
  /// - Returns: whether the container already has a value for that key, which stays until ``replaceValue(_:)``.
  @inline(__always)
  func beginValue<Key: CodingKey>(_ key: Key, _ table: EncodingKeyTable) -> Bool {
    guard context.top.kind == .record else { return beginMapValue(key) }
    let number = table.number(of: key, in: self)
    guard let next = tables.shapes.step(from: context.top.position, key: number) else { return true }
    context.top.position = next
    return false
  }

  private func beginMapValue(_ key: some CodingKey) -> Bool {
    let name = ExactString(string: key.stringValue)
    context.top.position = buffer.count
    let replaces = tables.mapKeys[context.top.id, default: .init()]
      .begin(name, at: buffer.count - context.top.start)
    if !replaces { context.top.count += 1 }
    if let number = key.intValue, String(number) == name.string {
      buffer.append(integer: number)
    } else {
      write(string: name.string)
    }
    return replaces
  }

  /// Encodes a value for a key that the innermost frame already has. During that time, a record is at the node of that
  /// key, which determines the coding path and the property.
  fileprivate func encodeAnew<Value: Encodable, Key: CodingKey>(
    _ value: Value,
    _ key: Key,
    _ table: EncodingKeyTable
  ) throws {
    guard context.top.kind == .record else { return try encode(value) }
    let position = context.top.position
    context.top.position = tables.shapes.step(from: ShapeTrie.root, newKey: table.number(of: key, in: self))
    try encode(value)
    context.top.position = position
  }

  /// Drops the value that the innermost frame had under `key` before the one that was written last.
  func replaceValue(_ key: some CodingKey) {
    let name = ExactString(string: key.stringValue)
    if context.top.kind == .map {
      noteReplacedValue(name)
      return removeManyReplacedValues()
    }
    removeValue(name)
    if let next = tables.shapes.step(
      from: context.top.position,
      key: tables.keys.number(for: name.string)
    ) {
      context.top.position = next
    }
  }

  /// Forgets that the map of `frame` has the key `name`, since encoding its value failed.
  func forgetMapKey(_ name: ExactString, of frame: FrameID) {
    if !tables.mapKeys.isEmpty { tables.mapKeys[frame]?.forget(name) }
  }

  /// Writes a string, as a reference if it was written before (Format §4.5).
  @inline(__always)
  func write(string: String) {
    guard tables.knowsSmallTexts, let text = SmallText(string) else { return write(large: string) }
    guard text.byteCount < StringSharing.shortest || tables.strings.isNew(text) else {
      return write(seen: text)
    }
    buffer.append(string: text)
  }

  @inline(never)
  private func write(seen text: SmallText) {
    guard let number = tables.strings.number(forSeen: text) else { return buffer.append(string: text) }
    buffer.append(reference: Tag.stringReference, number)
  }

  @inline(never)
  private func write(large string: String) {
    string.withUTF8Bytes { utf8 in
      if utf8.byteCount >= StringSharing.shortest, let number = tables.strings.number(for: utf8) {
        buffer.append(reference: Tag.stringReference, number)
      } else {
        buffer.append(string: utf8)
      }
    }
  }

  /// Encodes a value of any type that the innermost frame has begun.
  func encode<Value: Encodable>(_ value: Value) throws {
    if bodies.isInProgress { return try write(value) }
    if context.isTopLevel, context.lower.isEmpty {
      try encodeTopLevel(value)
    } else {
      try encodeNestedAtTopLevel(value)
    }
  }
}
