/// How containers that are written out of turn keep their place.
extension EncodingSession {
  /// The identifier of a container that must not be used at all. No frame has it.
  static let conflictingFrame = FrameID.max
  /// The same for a container that would be nested too deep.
  static let tooDeepFrame = FrameID.max - 1
  /// The same for a container that was requested while its encoder could not be used.
  static let busyFrame = FrameID.max - 2
  /// The same for a container that would add to a value that is archived by itself.
  static let sealedFrame = FrameID.max - 3

  /// Makes the frame of `encoder` the innermost one.
  fileprivate func enter(_ encoder: ValueEncoder) throws -> NestedContainer? {
    let frame = encoder.frame
    guard !outcome.isClosed else { throw unusableNow }
    if context.has(frame) {
      try settle(to: frame)
      return nil
    }
    if let host = encoder.host {
      // Otherwise its references would be recorded as those of another body, or as deferred ones.
      guard host.body == currentBody, host.deferralDepth >= nesting.deferralDepth else { throw usedMeanwhile }
      swapContext(host)
      // The frame may be that of an outer container, which waits here until one of its values is complete.
      do { try settle(to: frame) } catch {
        swapContext(host)
        throw error
      }
      noteWrite(into: host)
      return host
    }
    switch frame {
    case EncodingSession.tooDeepFrame: throw nestedTooDeep
    // The top level is open as long as there is a session: if it is not here, a body is being written.
    case 0, EncodingSession.busyFrame: throw usedMeanwhile
    case EncodingSession.sealedFrame:
      throw misuse(
        "A container cannot add to an object or to a value behind a protocol, which are archived separately"
      )
    case EncodingSession.conflictingFrame:
      throw misuse(
        "encode(to:) asked for containers of two kinds. Encode a value through containers of one kind"
      )
    default: throw misuse("A container was used after its encode(to:) returned. Use it before that")
    }
  }

  @inline(__always)
  func leave(_ host: NestedContainer?) {
    if let host { swapContext(host) }
  }

  /// Swaps contexts. While a nested container is active, the context that called it waits in its place.
  func swapContext(_ nested: NestedContainer) {
    guard let bytes = nested.detached?.waiting, var other = nested.detached.take() else { return }
    buffer.exchange(with: bytes)
    context.waiting = bytes
    if bodies.isInProgress, !context.isDetached { bodies.waitingBytes = bytes }
    context.levels = (nesting.depth, nesting.base)
    // Moved, since a copy would retain all that both have.
    swap(&context, &other)
    nested.detached = consume other
    context.waiting = nil
    if !context.isDetached { bodies.waitingBytes = nil }
    (nesting.depth, nesting.base) = context.levels
    nesting.depthToLookAt = nesting.depth + 1
  }

  private func settle(to frame: FrameID) throws {
    while context.top.id != frame { try settleNested() }
  }

  /// The encoder for a nested container or a `superEncoder` in the innermost frame, which has begun its value.
  ///
  /// Requesting it cannot throw; if it would be nested too deep, using it throws.
  func nestedEncoder(key: ExactString?, host: NestedContainer?, isSuper: Bool = false) -> ValueEncoder {
    let parent = context.top.id
    guard (try? push()) != nil else {
      buffer.append(Tag.empty)
      return ValueEncoder(session: self, frame: EncodingSession.tooDeepFrame, nested: nil)
    }
    context.top.isNested = true
    if isSuper, context.propertyLevel == context.lower.count - 1, hasSuperclass { context.propertyLevel += 1 }
    let nested = types.spareNested.take() ?? NestedContainer()
    nested.begin(context.top.id, in: parent, key, host, self)
    context.nested.append(nested)
    return ValueEncoder(session: self, frame: nested.frame, nested: nested)
  }

  /// Whether the object whose body is written has a superclass. Otherwise a `superEncoder` is for another value, such
  /// as a structure, whose keys may be the same as those of the object's properties.
  private var hasSuperclass: Bool {
    bodies.objects.object(currentBody).flatMap { _getSuperclass(type(of: $0)) } != nil
  }

  /// Ends the innermost frame, a nested container whose parent continues. Closes it if nobody can use it any more;
  /// otherwise gives it a buffer of its own.
  func settleNested() throws {
    guard context.top.isNested, var nested = context.nested.popLast() else {
      throw usedMeanwhile
    }
    nested.leaveSpare()
    if isKnownUniquelyReferenced(&nested) {
      closeTop()
      dropTop()
      nested.end()
      types.spareNested = nested
    } else {
      detach(nested)
    }
    context.leavePropertyLevel()
  }

  private func detach(_ nested: NestedContainer) {
    var frame = context.top
    let start = frame.start
    let hasProperties = context.propertyLevel == context.lower.count
    let basePath = basePath()
    let bytes = ByteBuffer(minimumCapacity: 64)
    bytes.append(buffer, start..<buffer.count)
    frame.start = 0
    if frame.kind == .map { frame.position -= start }
    nested.detached = EncodingContext(
      waiting: bytes,
      top: frame,
      basePath: basePath,
      levels: (nesting.depth, nesting.base),
      propertyLevel: hasProperties ? 0 : -1
    )
    let inner = context.splices(in: start..<Int.max)
    nested.detached?.splices = context.splices[inner].map { $0.moved(by: -start) }
    context.splices.removeSubrange(inner)
    buffer.truncate(to: start)
    dropTop()
    context.splices.append(.init(offset: start, byteCount: 1, nested: nested))
    // Holds the place with one byte, so that the bytes around it can still be walked.
    buffer.append(Tag.empty)
  }

  /// Inserts the bytes of all detached containers in their places, from `start` to the end.
  func flattenSplices(from start: Int) throws {
    guard !context.splices.isEmpty else { return }
    guard stack.bounds.hasRoom() else { return try onLargerStack { try flattenSplices(from: start) } }
    let splices = context.splices
    context.splices = []
    let flat = ByteBuffer(minimumCapacity: buffer.count - start)
    var cursor = start
    for splice in splices {
      flat.append(buffer, cursor..<splice.offset)
      flat.append(try flattened(splice.nested))
      cursor = splice.offset + splice.byteCount
    }
    flat.append(buffer, cursor..<buffer.count)
    buffer.truncate(to: start)
    buffer.append(flat)
  }

  private func flattened(_ nested: NestedContainer) throws -> ByteBuffer {
    swapContext(nested)
    while context.top.id != nested.frame, (try? settleNested()) != nil {}
    closeTop()
    try flattenSplices(from: 0)
    swapContext(nested)
    defer { nested.detached = nil }
    return nested.detached?.waiting ?? ByteBuffer(minimumCapacity: 16)
  }
}

extension ValueEncoder {
  /// Makes the frame the innermost one, ready to be written.
  ///
  /// - Returns: the nested container whose context was swapped in, for `leave(_:)` of the session to swap out.
  @inline(__always)
  func enter() throws -> NestedContainer? {
    if session.context.top.id == frame, !session.outcome.isClosed { return nil }
    return try session.enter(self)
  }

  /// The detached container in which the frame is open, if there is one.
  var host: NestedContainer? {
    var host = nested
    while let candidate = host, candidate.detached?.has(frame) != true { host = candidate.host }
    return host
  }
}

extension EncodingContext {
  func has(_ frame: FrameID) -> Bool { index(of: frame) != nil }

  /// How many frames are around `frame`; `nil` if it is not open here.
  func index(of frame: FrameID) -> Int? {
    top.id == frame ? lower.count : lower.lastIndex { $0.id == frame }
  }

  subscript(index: Int) -> EncodingFrame { index < lower.count ? lower[index] : top }
}

/// Keys that are written a second time: the later value counts, and a nested container continues where it was.
extension EncodingSession {
  /// The nested container that the innermost frame has under `key`, if any: open, detached, or closed, which this opens
  /// again.
  ///
  /// - Returns: its frame, or ``sealedFrame`` if nothing can be added to the value there; `nil` if there is no
  ///   container.
  func existingNested(_ key: ExactString, host: NestedContainer?) -> (
    frame: FrameID, nested: NestedContainer?
  )? {
    if let known = detachedInRecord(key) { return (known.frame, known) }
    guard let value = offset(ofValue: key) else { return nil }
    // It may have been made when its parent was another frame, which has been closed since.
    if let next = context.splices(in: value..<Int.max).first, context.splices[next].offset == value {
      return (context.splices[next].nested.frame, context.splices[next].nested)
    }
    if isSealed(at: value) { return (EncodingSession.sealedFrame, nil) }
    guard let end = try? end(ofValueAt: value, in: buffer.reader()) else { return nil }
    return reopen(value..<end, key, host).map { ($0.frame, $0) }
  }

  /// The detached container that the innermost frame, a record, has under `key`. To find the key in the bytes takes a
  /// walk, perhaps over large values.
  private func detachedInRecord(_ key: ExactString) -> NestedContainer? {
    guard context.top.kind == .record else { return nil }
    return context.splices[context.splices(in: context.top.start..<Int.max)]
      .first { $0.nested.parent == context.top.id && $0.nested.key == key }?.nested
  }

  /// The offset of the latest value that the innermost frame, a keyed container, has under `key`.
  private func offset(ofValue key: ExactString) -> Int? {
    guard context.top.kind == .map else { return extent(of: key)?.value.lowerBound }
    guard let offset = tables.mapKeys[context.top.id]?.offsets[key] else { return nil }
    var cursor = context.top.start + offset
    return (try? mapKey(at: &cursor, in: buffer.reader())) == nil ? nil : cursor
  }

  /// Where the innermost frame, a record, has `key`: the slot, and the range of the value.
  private func extent(of key: ExactString) -> (slot: Int, value: Range<Int>)? {
    let keys = tables.shapes.keys(of: context.top.position)
    let slot = keys.firstIndex { ExactString(string: tables.keys.names[$0]) == key }
    guard let slot else { return nil }
    let reader = buffer.reader()
    var range = context.top.start..<(context.top.start + context.top.headByteCount)
    for _ in 0...slot {
      guard let end = try? end(ofValueAt: range.upperBound, in: reader) else { return nil }
      range = range.upperBound..<end
    }
    return (slot, range)
  }

  /// Removes the value of `key` from the innermost frame, a record, so that it can be written again.
  func removeValue(_ key: ExactString) {
    guard let (slot, range) = extent(of: key) else { return }
    context.splices.removeSubrange(context.splices(in: range))
    buffer.replace(range, with: [])
    moveSplices(from: range.upperBound, by: -range.count)
    var path = tables.shapes.keys(of: context.top.position)
    path.remove(at: slot)
    context.top.position = path.reduce(ShapeTrie.root) { node, key in
      tables.shapes.step(from: node, key: key) ?? node
    }
  }

  /// Notes that the innermost frame, a map, has another value of `key`, which was written last.
  func noteReplacedValue(_ key: ExactString) {
    context.top.count += 1
    tables.mapKeys[context.top.id]?.replace(key, with: context.top.position - context.top.start)
  }

  /// Removes the replaced values of the innermost frame, a map, if they are the majority. That takes a walk, so encoding
  /// many keys again takes linear time.
  func removeManyReplacedValues() {
    let replacedCount = tables.mapKeys[context.top.id]?.replacedCount ?? 0
    if replacedCount > context.top.count / 2 { removeReplacedValues() }
  }

  /// Removes all values of the innermost frame, a map, that were replaced: those of each key but the last.
  func removeReplacedValues() {
    let offsets = tables.mapKeys[context.top.id]?.offsets ?? [:]
    let (reader, start) = (buffer.reader(), context.top.start)
    let first = start + context.top.headByteCount
    let kept = ByteBuffer(minimumCapacity: buffer.count - first)
    var splices: [EncodingContext.Splice] = []
    var map = EncodedTables.OpenMap()
    var cursor = first
    for _ in 0..<context.top.count {
      let offset = cursor
      guard let key = try? mapKey(at: &cursor, in: reader).name,
        let end = try? end(ofValueAt: cursor, in: reader)
      else { return }
      cursor = end
      guard offsets[key] == offset - start else { continue }
      let new = first + kept.count
      _ = map.begin(key, at: new - start)
      splices += context.splices[context.splices(in: offset..<end)].map { $0.moved(by: new - offset) }
      kept.append(buffer, offset..<end)
    }
    context.splices.replaceSubrange(context.splices(in: first..<Int.max), with: splices)
    tables.mapKeys[context.top.id] = map
    context.top.count = map.offsets.count
    context.top.position += first + kept.count - buffer.count
    buffer.truncate(to: first)
    buffer.append(kept)
  }
}
