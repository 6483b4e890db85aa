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
    guard let other = nested.detached, let bytes = other.waiting else { return }
    buffer.exchange(with: bytes)
    context.waiting = bytes
    context.levels = (nesting.depth, nesting.base)
    nested.detached = context
    context = other
    context.waiting = nil
    (nesting.depth, nesting.base) = other.levels
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
    let nested = NestedContainer(context.top.id, in: parent, key, host, self)
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
    } else {
      detach(nested)
    }
    context.leavePropertyLevel()
  }

  private func detach(_ nested: NestedContainer) {
    var frame = context.top
    let start = frame.start
    let hasProperties = context.propertyLevel == context.lower.count
    let path = pathOfTop
    let bytes = ByteBuffer(minimumCapacity: 64)
    bytes.append(buffer, start..<buffer.count)
    frame.start = 0
    if frame.kind == .map { frame.position -= start }
    nested.detached = EncodingContext(
      waiting: bytes,
      top: frame,
      basePath: .elements(path),
      levels: (nesting.depth, nesting.base),
      propertyLevel: hasProperties ? 0 : -1
    )
    var first = context.splices.count
    while first > 0, context.splices[first - 1].offset > start { first -= 1 }
    nested.detached?.splices = context.splices[first...].map {
      .init(offset: $0.offset - start, nested: $0.nested)
    }
    context.splices.removeSubrange(first...)
    buffer.truncate(to: start)
    dropTop()
    context.splices.append(.init(offset: start, nested: nested))
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
      cursor = splice.offset + 1
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
    let parent = context.top.id
    let isSame = { (nested: NestedContainer) in nested.parent == parent && nested.key == key }
    if let detached = context.splices.first(where: { isSame($0.nested) }) {
      return (detached.nested.frame, detached.nested)
    }
    guard let value = extent(of: key)?.value else { return nil }
    // It was made when its parent was another frame, which has been closed since.
    if let detached = context.splices.first(where: { $0.offset == value.lowerBound }) {
      return (detached.nested.frame, detached.nested)
    }
    if isSealed(at: value.lowerBound) { return (EncodingSession.sealedFrame, nil) }
    return reopen(value, key, host).map { ($0.frame, $0) }
  }

  /// Where the innermost frame, a keyed container, has `key`: the slot, the offset of the key and the range of the value.
  private func extent(of key: ExactString) -> (slot: Int, key: Int, value: Range<Int>)? {
    let reader = buffer.reader()
    let keys = context.top.kind == .record ? tables.shapes.keys(of: context.top.position) : nil
    var offset = context.top.start + context.top.headByteCount
    for slot in 0..<(keys?.count ?? context.top.count) {
      let start = offset
      let name = keys.map { ExactString(string: tables.keys.names[$0[slot]]) }
      guard let name = try? name ?? layout.mapKey(at: &offset, in: reader).name,
        let end = try? layout.end(ofValueAt: offset, in: reader)
      else { break }
      if name == key { return (slot, start, offset..<end) }
      offset = end
    }
    return nil
  }

  /// Removes the value of `key` from the innermost frame, so that it can be written again.
  func removeValue(_ key: ExactString) {
    guard let extent = extent(of: key) else { return }
    let range = extent.key..<extent.value.upperBound
    context.splices.removeAll { range.contains($0.offset) }
    buffer.replace(range, with: [])
    moveSplices(from: range.upperBound, by: -range.count)
    if context.top.kind == .map {
      context.top.count -= 1
      context.top.position -= range.count
    } else {
      var path = tables.shapes.keys(of: context.top.position)
      path.remove(at: extent.slot)
      context.top.position = path.reduce(ShapeTrie.root) { node, key in
        tables.shapes.step(from: node, key: key) ?? node
      }
    }
  }

  /// Removing a value walks the map and moves what is behind it. A larger map waits until half of its values are
  /// replaced, so that encoding many keys again takes linear time.
  private static let mostValuesToWalk = 32

  /// Counts the value of a key that the innermost frame, a map, already had before the one that was written last.
  func noteReplacedValue() {
    context.top.count += 1
    let replacedCount = (tables.mapKeys[context.top.id]?.replacedCount ?? 0) + 1
    tables.mapKeys[context.top.id]?.replacedCount = replacedCount
    if context.top.count <= EncodingSession.mostValuesToWalk || replacedCount > context.top.count / 2 {
      removeReplacedValues()
    }
  }

  /// Removes all values of the innermost frame, a map, that were replaced: those of each key but the last.
  func removeReplacedValues() {
    let (reader, start) = (buffer.reader(), context.top.start + context.top.headByteCount)
    var values: [(key: ExactString, range: Range<Int>)] = []
    var last: [ExactString: Int] = [:]
    for index in 0..<context.top.count {
      let offset = values.last?.range.upperBound ?? start
      var cursor = offset
      guard let key = try? layout.mapKey(at: &cursor, in: reader).name,
        let end = try? layout.end(ofValueAt: cursor, in: reader)
      else { return }
      values.append((key, offset..<end))
      last[key] = index
    }
    let kept = ByteBuffer(minimumCapacity: buffer.count - start)
    let splices = context.splices
    var next = splices.firstIndex { $0.offset >= start } ?? splices.endIndex
    context.splices.removeSubrange(next...)
    for (index, (key, range)) in values.enumerated() {
      let isKept = last[key] == index
      let offset = start + kept.count - range.lowerBound
      while next < splices.endIndex, splices[next].offset < range.upperBound {
        let splice = splices[next]
        if isKept { context.splices.append(.init(offset: splice.offset + offset, nested: splice.nested)) }
        next += 1
      }
      if isKept { kept.append(buffer, range) }
    }
    tables.mapKeys[context.top.id]?.replacedCount = 0
    context.top.count = last.count
    context.top.position += start + kept.count - buffer.count
    buffer.truncate(to: start)
    buffer.append(kept)
  }
}
