/// The `Encoder` for a value's `encode(to:)`: three words, so that it needs no allocation.
struct ValueEncoder: Encoder {
  let session: EncodingSession
  let frame: FrameID
  let nested: NestedContainer?

  var codingPath: [any CodingKey] { session.path(of: frame, nested) }
  var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    session.keyedContainer(type, frame, nested)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedValueEncoder(session: session, frame: session.openUnkeyed(frame, nested), nested: nested)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ValueEncoder(session: session, frame: session.openSingle(frame, nested), nested: nested)
  }
}

/// The single-value container of a value: it encodes one other value in its place.
extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { try session.putSingle(Nil(), frame, nested) }

  func encode<Value: Encodable>(_ value: Value) throws { try session.encodeSingle(value, frame, nested) }

  func encode<Value: ArchivePrimitive>(_ value: Value) throws { try session.putSingle(value, frame, nested) }
  // For these types, the standard library has methods that throw.
  func encode(_ value: Int128) throws { try session.putSingle(value, frame, nested) }
  func encode(_ value: UInt128) throws { try session.putSingle(value, frame, nested) }
}

/// An encoder of this library: that of a value, or an archiver, which is the encoder of the top level.
protocol ArchiveWriting: Encoder {}

extension ValueEncoder: ArchiveWriting {}

extension Encoder {
  /// Whether this encoder writes an archive of this library.
  var writesArchive: Bool { self is ValueEncoder || self is any ArchiveWriting }
}

/// A set of kinds of frames, made without an allocation.
private struct FrameKinds: ExpressibleByArrayLiteral {
  private var bits: UInt16 = 0

  @inline(__always)
  init(arrayLiteral kinds: EncodingFrame.Kind...) {
    for kind in kinds { bits |= 1 << UInt16(kind.rawValue) }
  }

  @inline(__always)
  func contains(_ kind: EncodingFrame.Kind) -> Bool { bits & 1 << UInt16(kind.rawValue) != 0 }
}

extension EncodingSession {
  @inline(__always)
  fileprivate func keyedContainer<Key: CodingKey>(
    _ type: Key.Type,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    keyTable(type).use { table in table.container(self, openKeyed(frame, nested, table), nested) }
  }

  /// Makes the value of `frame` a keyed container, unless it is one already.
  ///
  /// - Returns: the frame, or ``conflictingFrame`` if the value is already something else.
  @inline(__always)
  func openKeyed(_ frame: FrameID, _ nested: NestedContainer?, _ table: EncodingKeyTable) -> FrameID {
    if context.top.id == frame, context.top.kind == .undecided {
      context.top.kind = table.isDynamic ? .map : .record
      context.top.tableNumber = table.number
      context.top.headByteCount = keepHead(table.number)
      return frame
    }
    if bodies.classWithWeakProperties >= 0 {
      types.classProperties.noteLaterTable(table.number, of: bodies.classWithWeakProperties)
    }
    return open(frame, nested, [.record, .map]) { _ = self.openKeyed($0, nil, table) }
  }

  func openUnkeyed(_ frame: FrameID, _ nested: NestedContainer?) -> FrameID {
    if context.top.id == frame, context.top.kind == .undecided {
      context.top.kind = .unkeyed
      context.top.headByteCount = keepHead(0)
      return frame
    }
    return open(frame, nested, [.unkeyed]) { _ = self.openUnkeyed($0, nil) }
  }

  func openSingle(_ frame: FrameID, _ nested: NestedContainer?) -> FrameID {
    if context.top.id == frame, context.top.kind == .undecided {
      context.top.kind = .single
      return frame
    }
    return open(frame, nested, [.single, .singleUsed]) { _ = self.openSingle($0, nil) }
  }

  private func open(
    _ frame: FrameID,
    _ nested: NestedContainer?,
    _ allowed: FrameKinds,
    _ decide: (FrameID) -> Void
  ) -> FrameID {
    // If the frame cannot be entered, the first write throws, since requesting a container cannot.
    guard let host = try? enter(frame, nested) else {
      return finishOpening(frame, nested, allowed, decide)
    }
    defer { leave(host) }
    return finishOpening(frame, nested, allowed, decide)
  }

  private func finishOpening(
    _ frame: FrameID,
    _ nested: NestedContainer?,
    _ allowed: FrameKinds,
    _ decide: (FrameID) -> Void
  ) -> FrameID {
    // The kind of the value is unknown now, so the container must not be used later either.
    guard context.top.id == frame else { return refusingEncoder(frame, nested).frame }
    if !allowed.contains(context.top.kind), let refusal = replaceSingle() { return refusal }
    if context.top.kind == .undecided { decide(frame) }
    return allowed.contains(context.top.kind) ? frame : EncodingSession.conflictingFrame
  }

  /// An encoder whose use throws why the container of `frame` cannot be used now.
  @inline(never)
  func refusingEncoder(_ frame: FrameID, _ nested: NestedContainer?) -> ValueEncoder {
    let isOpen = frame == 0 || self.frame(frame, nested) != nil
    return ValueEncoder(session: self, frame: isOpen ? EncodingSession.busyFrame : frame, nested: nil)
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
