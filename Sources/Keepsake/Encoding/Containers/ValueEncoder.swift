/// The `Encoder` for a value's `encode(to:)`: three words, so that it needs no allocation.
struct ValueEncoder: Encoder {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?

  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    session.keyedContainer(type, frame, nested)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedValueEncoder(encoder: ValueEncoder(session: session, frame: open(.unkeyed), nested: nested))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ValueEncoder(session: session, frame: open(.single), nested: nested)
  }
}

/// The single-value container of a value: it encodes one other value in its place.
extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { try putSingle(Nil()) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try encode(value) { try session.beginSingle(value) }
  }

  func encode<Value: ArchivePrimitive>(_ value: Value) throws { try putSingle(value) }
  // For these types, the standard library has methods that throw.
  func encode(_ value: Int128) throws { try putSingle(value) }
  func encode(_ value: UInt128) throws { try putSingle(value) }
}

/// An encoder of this library that is no `ValueEncoder`: an archiver, which is the encoder of the top level.
protocol ArchiveWriting: Encoder {}

extension Encoder {
  /// Whether this encoder writes an archive of this library.
  var writesArchive: Bool { self is ValueEncoder || self is any ArchiveWriting }
}

extension ValueEncoder {
  /// Makes the value a container of `kind`, whose keys are in the table `table`, unless it is one already.
  ///
  /// - Returns: the frame, or ``EncodingSession/conflictingFrame`` if the value is already something else.
  @inline(__always)
  fileprivate func open(_ kind: EncodingFrame.Kind, _ table: UInt32 = 0) -> FrameID {
    guard session.context.top.id == frame, session.context.top.kind == .undecided else {
      return openAgain(kind, table)
    }
    begin(kind, table)
    return frame
  }

  @inline(__always)
  private func begin(_ kind: EncodingFrame.Kind, _ table: UInt32) {
    session.context.top.kind = kind
    if kind == .single { return }
    session.context.top.tableNumber = table
    session.context.top.headByteCount = session.keepHead(table)
  }

  @inline(never)
  private func openAgain(_ kind: EncodingFrame.Kind, _ table: UInt32) -> FrameID {
    if kind.isKeyed, session.bodies.classWithWeakProperties >= 0 {
      session.types.classProperties.noteLaterTable(table, of: session.bodies.classWithWeakProperties)
    }
    // If the frame cannot be entered, the first write throws, since requesting a container cannot.
    let host = try? enter()
    defer { session.leave(host) }
    // The kind of the value is unknown now, so the container must not be used later either.
    guard session.context.top.id == frame else { return refusing.frame }
    if !session.context.top.kind.continues(kind), let refusal = session.replaceSingle() { return refusal }
    if session.context.top.kind == .undecided { begin(kind, table) }
    return session.context.top.kind.continues(kind) ? frame : EncodingSession.conflictingFrame
  }

  /// An encoder whose use throws why this one cannot be used now.
  var refusing: ValueEncoder {
    let isOpen = frame == 0 || openFrame != nil
    return ValueEncoder(session: session, frame: isOpen ? EncodingSession.busyFrame : frame, nested: nil)
  }
}

extension EncodingSession {
  // Not in `ValueEncoder`, whose reference the closure would retain.
  @inline(__always)
  fileprivate func keyedContainer<Key: CodingKey>(
    _ type: Key.Type,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    keyTable(type).use { table in
      let encoder = ValueEncoder(session: self, frame: frame, nested: nested)
      return table.container(self, encoder.open(table.isDynamic ? .map : .record, table.number), nested)
    }
  }

  /// Lets another container take the place of a single-value container, if the value has one.
  ///
  /// - Returns: the frame of the container to be refused, if it cannot.
  @inline(never)
  fileprivate func replaceSingle() -> FrameID? {
    switch context.top.kind {
    // A single-value container that was requested but not used has no effect.
    case .single: context.top.kind = .undecided
    // The value that it was given may be a container, to which others may add.
    case .singleUsed where !resume():
      return isSealed(at: context.top.start) ? EncodingSession.sealedFrame : EncodingSession.conflictingFrame
    default: break
    }
    return nil
  }
}
