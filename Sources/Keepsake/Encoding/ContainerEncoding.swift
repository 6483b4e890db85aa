/// What the three kinds of encoding containers share: a place in a session, and how a value gets there.
protocol ContainerEncoding {
  var session: EncodingSession { get }
  var frame: FrameID { get }
  var nested: NestedContainer? { get }
}

extension ContainerEncoding {
  var codingPath: [any CodingKey] { session.path(of: frame, nested) }

  /// Enters the container and lets `body` write to it.
  @inline(__always)
  func enter(_ body: (EncodingSession) throws -> Void) throws {
    let host = try session.enter(frame, nested)
    defer { session.leave(host) }
    try body(session)
  }

  /// As ``enter(_:)``, for values whose `encode(to:)` may throw: nothing of them is left then.
  @inline(__always)
  func enterOrRollBack(_ body: (EncodingSession) throws -> Void) throws {
    let host = try session.enter(frame, nested)
    defer { session.leave(host) }
    let checkpoint = session.checkpoint()
    do { try body(session) } catch {
      session.roll(back: checkpoint)
      throw error
    }
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
  func beginSingle() throws {
    guard context.top.kind == .single else {
      throw misuse("A single-value container was given a second value; it holds one")
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
    guard let next = shapes.step(from: context.top.place, key: number) else { return true }
    context.top.place = next
    context.top.count += 1
    return false
  }

  private func beginMapValue(_ key: some CodingKey) -> Bool {
    let name = ExactString(string: key.stringValue)
    let replaces = !mapKeys[context.top.id, default: []].insert(name).inserted
    if !replaces { context.top.count += 1 }
    context.top.place = buffer.count
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
      let next = shapes.step(from: context.top.place, key: keys.number(for: name.string))
    {
      context.top.place = next
    }
  }

  /// Forgets that the map of `frame` has the key `name`, whose value is not there after all.
  func forgetMapKey(_ name: ExactString, of frame: FrameID) {
    if !mapKeys.isEmpty { mapKeys[frame]?.remove(name) }
  }

  /// Writes a string, as a reference when it was written before (Format §4.5).
  @inline(__always)
  func write(string: String) {
    string.withUTF8Bytes { utf8 in
      if utf8.byteCount >= StringSharing.shortest, let number = strings.number(for: utf8) {
        buffer.append(reference: Tag.stringReference, number)
      } else {
        buffer.append(string: utf8)
      }
    }
  }

  /// Encodes a value of any type where the innermost frame has made a place for it.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value) throws {
    let plan = plans.plan(for: Value.self)
    if context.isTopLevel, context.lower.isEmpty {
      try encodeTopLevel(value, plan)
    } else {
      try plan.encode(value, self)
    }
  }
}
