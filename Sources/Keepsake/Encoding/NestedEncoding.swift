/// How containers that are written out of turn keep their place.
extension EncodingSession {
  /// A frame identifier that no frame has: that of a container which must not be used at all.
  static let conflictingFrame = FrameID.max
  /// Another one: that of a container that would be nested too deep.
  static let tooDeepFrame = FrameID.max - 1
  /// A third one: that of a container that was asked for where its encoder could not be used.
  static let busyFrame = FrameID.max - 2

  /// Makes `frame` the innermost one, ready to be written.
  ///
  /// - Returns: the nested container whose context was swapped in for that and must be swapped out by ``leave(_:)``.
  @inline(__always)
  func enter(_ frame: FrameID, _ nested: NestedContainer?) throws -> NestedContainer? {
    if context.top.id == frame, !isClosed { return nil }
    return try enterSlowly(frame, nested)
  }

  @inline(__always)
  func leave(_ host: NestedContainer?) {
    if let host { swapContext(host) }
  }

  private func enterSlowly(_ frame: FrameID, _ nested: NestedContainer?) throws -> NestedContainer? {
    guard !isClosed else { throw unusableNow }
    if context.has(frame) {
      try settle(to: frame)
      return nil
    }
    var host = nested
    while let candidate = host {
      if candidate.detached?.has(frame) == true {
        swapContext(candidate)
        try settle(to: frame)
        return candidate
      }
      host = candidate.host
    }
    switch frame {
    case EncodingSession.tooDeepFrame: throw nestedTooDeep
    // The top level is open as long as there is a session: if it is not here, a body is being written.
    case 0, EncodingSession.busyFrame: throw usedMeanwhile
    case EncodingSession.conflictingFrame:
      throw misuse(
        "A second container of another kind was asked for where one was already; encode a value through one kind"
      )
    default: throw misuse("A container was used after the encode(to:) had returned that asked for it")
    }
  }

  /// While a nested container is active, the context that it was called from waits in its place.
  private func swapContext(_ nested: NestedContainer) {
    guard let other = nested.detached, let bytes = other.waiting else { return }
    buffer.exchange(with: bytes)
    context.waiting = bytes
    nested.detached = context
    context = other
    context.waiting = nil
  }

  private func settle(to frame: FrameID) throws {
    while context.top.id != frame { try settleNested() }
  }

  /// The encoder for a nested container or a `superEncoder` inside the innermost frame, for which a place was made.
  ///
  /// Asking for one cannot throw; where it would be nested too deep, using it does.
  func nestedEncoder(key: ExactString?, host: NestedContainer?, isSuper: Bool = false) -> ValueEncoder {
    let parent = context.top.id
    guard (try? push()) != nil else {
      buffer.append(Tag.empty)
      return ValueEncoder(session: self, frame: EncodingSession.tooDeepFrame, nested: nil)
    }
    context.top.isNested = true
    if isSuper, context.propertyLevel == context.lower.count - 1 { context.propertyLevel += 1 }
    let nested = NestedContainer(frame: context.top.id, parent: parent, key: key, host: host)
    context.nested.append(nested)
    return ValueEncoder(session: self, frame: nested.frame, nested: nested)
  }

  /// Ends the innermost frame, a nested container whose parent goes on: for good when nobody can use it any
  /// more, or by giving it a buffer of its own.
  func settleNested() throws {
    guard context.top.isNested, var nested = context.nested.popLast() else {
      throw usedMeanwhile
    }
    if isKnownUniquelyReferenced(&nested) {
      closeTop()
      dropTop()
    } else {
      detach(nested)
    }
    context.propertyLevel = min(context.propertyLevel, max(1, context.lower.count))
  }

  private func detach(_ nested: NestedContainer) {
    var frame = context.top
    let start = frame.start
    let path = path(of: frame.id, nil)
    let bytes = ByteBuffer(minimumCapacity: 64)
    bytes.append(buffer, start..<buffer.count)
    frame.start = 0
    if frame.kind == .map { frame.place -= start }
    nested.detached = EncodingContext(waiting: bytes, top: frame, basePath: .elements(path), propertyLevel: -1)
    while let inner = context.splices.last, inner.offset > start {
      context.splices.removeLast()
      nested.detached?.splices.insert(.init(offset: inner.offset - start, nested: inner.nested), at: 0)
    }
    buffer.truncate(to: start)
    dropTop()
    addSplice(nested)
  }

  /// Keeps the place of `nested` by one byte, so that what is around it can still be walked.
  private func addSplice(_ nested: NestedContainer) {
    context.splices.append(.init(offset: buffer.count, nested: nested))
    buffer.append(Tag.empty)
  }

  /// Puts the bytes of all detached containers in their places, from `start` on to the end.
  func flattenSplices(from start: Int) throws {
    guard !context.splices.isEmpty else { return }
    guard stackGuard.hasRoom() else { return try onLargerStack { try flattenSplices(from: start) } }
    let splices = context.splices
    context.splices = []
    let flat = ByteBuffer(minimumCapacity: buffer.count - start)
    var place = start
    for splice in splices {
      flat.append(buffer, place..<splice.offset)
      flat.append(try flattened(splice.nested))
      place = splice.offset + 1
    }
    flat.append(buffer, place..<buffer.count)
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

extension EncodingContext {
  func has(_ frame: FrameID) -> Bool {
    top.id == frame || lower.contains { $0.id == frame }
  }
}

/// A key that is written a second time: the later value counts, a nested container goes on where it was.
extension EncodingSession {
  /// The nested container that the innermost frame has under `key`, if it has one: open, detached, or by now
  /// closed and to be opened again.
  func existingNested(_ key: ExactString) -> NestedContainer? {
    let parent = context.top.id
    let isSame = { (nested: NestedContainer) in nested.parent == parent && nested.key == key }
    if let detached = context.splices.first(where: { isSame($0.nested) }) { return detached.nested }
    guard let slot = slot(of: key), let extent = extents()[safe: slot] else { return nil }
    return reopen(extent, key)
  }

  private func slot(of key: ExactString) -> Int? {
    switch context.top.kind {
    case .record:
      shapes.keys(of: context.top.place).firstIndex { ExactString(string: keys.names[$0]) == key }
    case .map:
      extents().firstIndex { extent in
        var place = extent.key
        return (try? layout.mapKey(at: &place, in: buffer.reader())).map { $0.name == key } ?? false
      }
    default: nil
    }
  }

  /// Where the keys and values of the innermost frame, a keyed container, stand.
  private func extents() -> [(key: Int, value: Range<Int>)] {
    let reader = buffer.reader()
    var place = context.top.start + context.top.headByteCount
    var extents: [(key: Int, value: Range<Int>)] = []
    for _ in 0..<context.top.count {
      let key = place
      if context.top.kind == .map, let end = try? layout.end(ofValueAt: place, in: reader) { place = end }
      guard let end = try? layout.end(ofValueAt: place, in: reader) else { break }
      extents.append((key, place..<end))
      place = end
    }
    return extents
  }

  /// Drops what the innermost frame has under `key`, so that it can be written anew.
  func removeValue(_ key: ExactString) {
    guard let slot = slot(of: key), let extent = extents()[safe: slot] else { return }
    let range = extent.key..<extent.value.upperBound
    context.splices.removeAll { range.contains($0.offset) }
    buffer.replace(range, with: [])
    moveSplices(from: range.upperBound, by: -range.count)
    context.top.count -= 1
    if context.top.kind == .map { context.top.place -= range.count }
    if context.top.kind == .record {
      var path = shapes.keys(of: context.top.place)
      path.remove(at: slot)
      context.top.place = path.reduce(ShapeTrie.root) { node, key in shapes.step(from: node, key: key) ?? node
      }
    }
  }

  /// Makes a detached container again of one that was closed in its place.
  private func reopen(_ extent: (key: Int, value: Range<Int>), _ key: ExactString) -> NestedContainer? {
    let reader = buffer.reader()
    var place = extent.value.lowerBound + 1
    let tag = buffer[extent.value.lowerBound]
    var frame = EncodingFrame(id: makeFrameID(), start: 0)
    frame.isNested = true
    frame.headByteCount = 1
    switch TagKind(tag) {
    case .shortRecord, .record:
      frame.kind = .record
      let number = tag == Tag.record ? try? reader.varint(at: &place) : Int(tag - Tag.shortRecord)
      guard let number else { return nil }
      frame.place = shapes.end(of: number)
      frame.count = shapes.keys(of: frame.place).count
    case .map:
      frame.kind = .map
      guard let count = try? reader.varint(at: &place) else { return nil }
      frame.count = count
    case .shortArray, .array:
      frame.kind = .unkeyed
      let count = tag == Tag.array ? try? reader.varint(at: &place) : Int(tag - Tag.shortArray)
      guard let count else { return nil }
      frame.count = count
    default: return nil
    }
    let base = path(of: context.top.id, nil) + [ArchiveCodingKey(stringValue: key.string)]
    let bytes = ByteBuffer(minimumCapacity: 64)
    bytes.append(0)
    bytes.append(buffer, place..<extent.value.upperBound)
    let own = EncodingContext(waiting: bytes, top: frame, basePath: .elements(base), propertyLevel: -1)
    let nested = NestedContainer(frame: frame.id, parent: context.top.id, key: key, host: nil)
    nested.detached = own
    if frame.kind == .map { mapKeys[frame.id] = reopenedKeys(bytes, count: frame.count) }
    let moved = context.splices.filter { extent.value.contains($0.offset) }
    nested.detached?.splices = moved.map { .init(offset: $0.offset - place + 1, nested: $0.nested) }
    context.splices.removeAll { extent.value.contains($0.offset) }
    buffer.replace(extent.value, with: [Tag.empty])
    moveSplices(from: extent.value.upperBound, by: 1 - extent.value.count)
    let index = context.splices.firstIndex { $0.offset > extent.value.lowerBound } ?? context.splices.endIndex
    context.splices.insert(.init(offset: extent.value.lowerBound, nested: nested), at: index)
    return nested
  }

  private func reopenedKeys(_ bytes: ByteBuffer, count: Int) -> Set<ExactString> {
    var keys: Set<ExactString> = []
    let reader = bytes.reader()
    var place = 1
    for _ in 0..<count {
      guard let key = try? layout.mapKey(at: &place, in: reader),
        let end = try? layout.end(ofValueAt: place, in: reader)
      else { break }
      keys.insert(key.name)
      place = end
    }
    return keys
  }
}

extension Array {
  /// The element at `index`, or `nil` where there is none.
  subscript(safe index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}

/// A container that was made ready for a write; what was swapped in for that must be swapped out again.
struct EnteredFrame {
  let nested: NestedContainer?

  init(_ session: EncodingSession, _ frame: FrameID, _ nested: NestedContainer?) throws {
    self.nested = try session.enter(frame, nested)
  }
}

extension EncodingSession {
  /// The frame of `id`, wherever it is open.
  func frame(_ id: FrameID, _ nested: NestedContainer?) -> EncodingFrame? {
    if context.top.id == id { return context.top }
    if let frame = context.lower.last(where: { $0.id == id }) { return frame }
    var host = nested
    while let candidate = host {
      if let detached = candidate.detached {
        if detached.top.id == id { return detached.top }
        if let frame = detached.lower.last(where: { $0.id == id }) { return frame }
      }
      host = candidate.host
    }
    return nil
  }
}
