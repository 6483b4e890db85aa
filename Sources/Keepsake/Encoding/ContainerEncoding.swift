/// How a value gets into a container. What the containers call is here, not generic over their own types,
/// since looking up the metadata of a generic type costs more than writing a value.
extension EncodingContainerState {
  /// Writes a primitive value under `key`. Nearly always the container is the innermost one, a record, and
  /// the key is the one that came next the last time.
  @inline(__always)
  func put<Value: ArchivePrimitive, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    guard session.context.top.id == frame, session.context.top.kind == .record, !session.outcome.isClosed,
      let next = session.tables.shapes.step(
        from: session.context.top.position,
        key: table.number(of: key, in: session)
      )
    else { return try putSlowly(value, key) }
    session.context.top.position = next
    session.context.top.count &+= 1
    Value.write(value, to: session)
  }

  @inline(never)
  private func putSlowly<Value: ArchivePrimitive, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    let host = try session.enter(frame, nested, for: value, key: key)
    defer { session.leave(host) }
    let replaces = session.beginValue(key, table)
    Value.write(value, to: session)
    if replaces { session.replaceValue(key) }
  }

  /// Encodes any value under `key`. When its `encode(to:)` throws, nothing of it is left.
  func encode<Value: Encodable, Key: CodingKey>(_ value: Value, _ key: Key) throws {
    // The value may come to use this container again.
    let frame = frame
    let host = try session.enterForValue(frame, nested, value, key: key)
    let checkpoint = session.checkpoint()
    let replaces = session.beginValue(key, table)
    do {
      try session.encode(value)
    } catch {
      session.roll(back: checkpoint)
      if !replaces { session.forgetMapKey(ExactString(string: key.stringValue), of: frame) }
      session.leave(host)
      throw session.naming(value, error)
    }
    if replaces { session.replaceValue(key) }
    session.leave(host)
  }
}

extension EncodingSession {
  /// Makes `frame` the innermost one, ready for `value`; an error is about that.
  @inline(__always)
  fileprivate func enter<Value>(
    _ frame: FrameID,
    _ nested: NestedContainer?,
    for value: Value,
    key: @autoclosure () -> (any CodingKey)? = nil
  ) throws -> NestedContainer? {
    do { return try enter(frame, nested) } catch {
      throw refusal(error, value, frame, nested, key: key())
    }
  }

  /// Makes `frame` the innermost one, ready for `value`, which may be taken back; an error is about that.
  ///
  /// What containers nested at the top level reached is encoded before that: it stays.
  @inline(__always)
  fileprivate func enterForValue<Value>(
    _ frame: FrameID,
    _ nested: NestedContainer?,
    _ value: Value,
    key: @autoclosure () -> (any CodingKey)? = nil
  ) throws -> NestedContainer? {
    let host = try enter(frame, nested, for: value, key: key())
    guard context.isTopLevel, !bodies.pending.isEmpty, !isWithinValue else { return host }
    do { try drainLeftovers() } catch {
      leave(host)
      throw refusal(error, value, frame, nested, key: key())
    }
    return host
  }

  // MARK: Unkeyed and single-value containers

  @inline(__always)
  func putElement<Value: ArchivePrimitive>(
    _ value: Value,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) throws {
    let host = try enter(frame, nested, for: value)
    beginElement()
    Value.write(value, to: self)
    leave(host)
  }

  func encodeElement<Value: Encodable>(_ value: Value, _ frame: FrameID, _ nested: NestedContainer?) throws {
    let host = try enterForValue(frame, nested, value)
    let checkpoint = checkpoint()
    beginElement()
    try encode(value, orRollBack: checkpoint, host)
  }

  @inline(__always)
  func putSingle<Value: ArchivePrimitive>(
    _ value: Value,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) throws {
    let host = try enter(frame, nested, for: value)
    defer { leave(host) }
    try beginSingle(value)
    Value.write(value, to: self)
  }

  func encodeSingle<Value: Encodable>(_ value: Value, _ frame: FrameID, _ nested: NestedContainer?) throws {
    let host = try enterForValue(frame, nested, value)
    let checkpoint = checkpoint()
    do { try beginSingle(value) } catch {
      leave(host)
      throw error
    }
    try encode(value, orRollBack: checkpoint, host)
  }

  /// Encodes a value for which a place was made; when that fails, nothing of it is left. Either way leaves
  /// `host`.
  private func encode<Value: Encodable>(
    _ value: Value,
    orRollBack checkpoint: EncodingCheckpoint,
    _ host: NestedContainer?
  ) throws {
    do {
      try encode(value)
    } catch {
      roll(back: checkpoint)
      leave(host)
      throw naming(value, error)
    }
    leave(host)
  }
}

extension EncodingSession {
  /// Makes a place for an element of the innermost frame, an unkeyed container.
  @inline(__always)
  func beginElement() {
    context.top.count += 1
  }

  /// Makes a place for the value of a single-value container.
  @inline(__always)
  func beginSingle(_ value: @autoclosure () -> Any) throws {
    guard context.top.kind == .single else {
      throw misuse("A single-value container was given a second value; it holds one", value: value())
    }
    context.top.kind = .singleUsed
  }

  /// Makes a place for the value of `key` in the innermost frame, a keyed container.
  ///
  /// - Returns: whether the container has a value of that key, which stays until ``replaceValue(_:_:)``.
  @inline(__always)
  func beginValue<Key: CodingKey>(_ key: Key, _ table: EncodingKeyTable) -> Bool {
    guard context.top.kind == .record else { return beginMapValue(key) }
    let number = table.number(of: key, in: self)
    guard let next = tables.shapes.step(from: context.top.position, key: number) else { return true }
    context.top.position = next
    context.top.count += 1
    return false
  }

  private func beginMapValue(_ key: some CodingKey) -> Bool {
    let name = ExactString(string: key.stringValue)
    let replaces = !tables.mapKeys[context.top.id, default: []].insert(name).inserted
    if !replaces { context.top.count += 1 }
    context.top.position = buffer.count
    if let number = key.intValue, String(number) == name.string {
      buffer.append(integer: number)
    } else {
      write(string: name.string)
    }
    return replaces
  }

  /// Drops the value that the innermost frame had under `key` before the one that was just written.
  func replaceValue(_ key: some CodingKey) {
    let name = ExactString(string: key.stringValue)
    removeValue(name)
    context.top.count += 1
    if context.top.kind == .record,
      let next = tables.shapes.step(from: context.top.position, key: tables.keys.number(for: name.string))
    {
      context.top.position = next
    }
  }

  /// Forgets that the map of `frame` has the key `name`, whose value is not there after all.
  func forgetMapKey(_ name: ExactString, of frame: FrameID) {
    if !tables.mapKeys.isEmpty { tables.mapKeys[frame]?.remove(name) }
  }

  /// Writes a string, as a reference when it was written before (Format §4.5).
  @inline(__always)
  func write(string: String) {
    string.withUTF8Bytes { utf8 in
      if utf8.byteCount >= StringSharing.shortest, let number = tables.strings.number(for: utf8) {
        buffer.append(reference: Tag.stringReference, number)
      } else {
        buffer.append(string: utf8)
      }
    }
  }

  /// Encodes a value of any type where the innermost frame has made a place for it.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value) throws {
    let plan = types.plans.plan(for: Value.self)
    if context.isTopLevel, context.lower.isEmpty {
      try encodeTopLevel(value, plan)
    } else {
      try plan.encode(value, self)
    }
  }
}
