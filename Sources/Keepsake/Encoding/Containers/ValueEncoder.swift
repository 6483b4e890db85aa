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
    let frame = session.open(frame, nested, .unkeyed)
    return UnkeyedValueEncoder(encoder: ValueEncoder(session: session, frame: frame, nested: nested))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ValueEncoder(session: session, frame: session.open(frame, nested, .single), nested: nested)
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

  /// Throws if this is an encoder of another copy of this library.
  func refuseCopy() throws(ArchiveError) {
    if !(self is ValueEncoder) { try RuntimeTypes.refuseCopy(Self.self) }
  }
}

extension ValueEncoder {
  /// An encoder whose use throws why this one cannot be used now.
  var refusing: ValueEncoder {
    let isOpen = frame == 0 || openFrame != nil
    return ValueEncoder(session: session, frame: isOpen ? EncodingSession.busyFrame : frame, nested: nil)
  }
}

// Not in `ValueEncoder`, whose references closures would retain.
extension EncodingSession {
  @inline(__always)
  fileprivate func keyedContainer<Key: CodingKey>(
    _ type: Key.Type,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    keyTable(type).use { table in
      table.container(self, open(frame, nested, table.isDynamic ? .map : .record, table.number), nested)
    }
  }

  /// Makes the value of `frame` a container of `kind`, whose keys are in the table `table`, unless it is one already.
  ///
  /// - Returns: the frame, or ``conflictingFrame`` if the value is already something else.
  @inline(__always)
  fileprivate func open(
    _ frame: FrameID,
    _ nested: NestedContainer?,
    _ kind: EncodingFrame.Kind,
    _ table: UInt32 = 0
  ) -> FrameID {
    guard context.top.id == frame, context.top.kind == .undecided else {
      return openAgain(frame, nested, kind, table)
    }
    begin(kind, table)
    return frame
  }

  @inline(__always)
  private func begin(_ kind: EncodingFrame.Kind, _ table: UInt32) {
    context.top.kind = kind
    if kind == .single { return }
    context.top.tableNumber = table
    context.top.headByteCount = keepHead(table)
  }

  @inline(never)
  private func openAgain(
    _ frame: FrameID,
    _ nested: NestedContainer?,
    _ kind: EncodingFrame.Kind,
    _ table: UInt32
  ) -> FrameID {
    if kind.isKeyed { noteLaterTable(table) }
    let encoder = ValueEncoder(session: self, frame: frame, nested: nested)
    // If the frame cannot be entered, the first write throws, since requesting a container cannot.
    let host = try? encoder.enter()
    defer { leave(host) }
    // The kind of the value is unknown now, so the container must not be used later either.
    guard context.top.id == frame else { return encoder.refusing.frame }
    if !context.top.kind.continues(kind), let refusal = replaceSingle() { return refusal }
    if context.top.kind == .undecided { begin(kind, table) }
    return context.top.kind.continues(kind) ? frame : EncodingSession.conflictingFrame
  }

  /// Lets another container take the place of a single-value container, if the value has one.
  ///
  /// - Returns: the frame of the container to be refused, if it cannot.
  @inline(never)
  private func replaceSingle() -> FrameID? {
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
