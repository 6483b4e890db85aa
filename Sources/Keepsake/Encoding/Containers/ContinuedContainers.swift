/// Complete values to which a container adds: the value of a key that is opened again, and the value of a single-value
/// container whose encoder then returns another container.
extension EncodingSession {
  /// Makes a detached container of the value at `range`, which the innermost frame has under `key`; `nil` if that value
  /// is no container.
  ///
  /// The value stays in the buffer, so nothing behind it moves.
  func reopen(_ range: Range<Int>, _ key: ExactString, _ host: NestedContainer?) -> NestedContainer? {
    guard let bytes = copy(ofValueAt: range) else { return nil }
    var frame = EncodingFrame(id: nesting.makeFrameID(), start: 0)
    frame.isNested = true
    let nested = NestedContainer()
    nested.begin(frame.id, in: context.top.id, key, host, self)
    nested.detached = EncodingContext(
      waiting: bytes,
      top: frame,
      basePath: basePath(ArchiveCodingKey(stringValue: key.string)),
      levels: (nesting.depth + 1, nesting.base),
      propertyLevel: -1
    )
    let inner = context.splices(in: range)
    nested.detached?.splices = context.splices[inner].map { $0.moved(by: -range.lowerBound) }
    swapContext(nested)
    let isContainer = resume()
    swapContext(nested)
    guard isContainer else { return nil }
    let splice = EncodingContext.Splice(offset: range.lowerBound, byteCount: range.count, nested: nested)
    context.splices.replaceSubrange(inner, with: [splice])
    return nested
  }

  /// The bytes of the value at `range`. A value of the top level may have them in a body, which then remains unused.
  private func copy(ofValueAt range: Range<Int>) -> ByteBuffer? {
    let bytes = ByteBuffer(minimumCapacity: 64)
    guard TagKind(buffer[range.lowerBound]) == .valueReference else {
      bytes.append(buffer, range)
      return bytes
    }
    guard let number = try? buffer.reader().referencedNumber(at: range.lowerBound),
      let (reader, start) = bodies.assembly.reader(ofBody: number, in: bodies.assembly.buffer)
    else { return nil }
    var cursor = start
    guard (try? reader.varint(at: &cursor)) != nil, let end = try? end(ofValueAt: cursor, in: reader),
      (try? reader.withBytes(cursor..<end) { bytes.append($0) }) != nil
    else { return nil }
    return bytes
  }

  /// Whether the value at `offset` has a type of its own: it refers to an object or is behind a protocol.
  func isSealed(at offset: Int) -> Bool {
    switch TagKind(buffer[offset]) {
    case .objectReference, .conditionalReference, .typed: true
    default: false
    }
  }

  /// Turns the value of the innermost frame, from its start to the end of the buffer, back into an open container, so
  /// that more can be written into it.
  ///
  /// - Returns: `false` if the value is no container.
  func resume() -> Bool {
    let start = context.top.start
    guard start < buffer.count else { return false }
    do throws(ArchiveError) {
      let reader = buffer.reader()
      let tag = buffer[start]
      var cursor = start + 1
      switch TagKind(tag) {
      case .empty:
        buffer.truncate(to: start)
        context.top.kind = .undecided
        return true
      case .shortRecord, .record:
        let number = try reader.numberInHead(tag, at: &cursor)
        context.top.kind = .record
        context.top.position = tables.shapes.end(of: number)
      case .map:
        context.top.count = try reader.varint(at: &cursor)
        context.top.kind = .map
        try noteMapKeys(from: cursor)
      case .shortArray, .array:
        context.top.count = try reader.numberInHead(tag, at: &cursor)
        context.top.kind = .unkeyed
      case .packedArray, .bytes:
        context.top.count = try unpack()
        context.top.kind = .unkeyed
      default: return false
      }
      context.top.headByteCount = cursor - start
      return true
    } catch {
      return false
    }
  }

  /// Records the keys of the innermost frame, a map whose first key is at `cursor`.
  private func noteMapKeys(from cursor: Int) throws(ArchiveError) {
    let reader = buffer.reader()
    var map = EncodedTables.OpenMap()
    var cursor = cursor
    for _ in 0..<context.top.count {
      context.top.position = cursor
      let key = try mapKey(at: &cursor, in: reader).name
      _ = map.begin(key, at: context.top.position - context.top.start)
      cursor = try end(ofValueAt: cursor, in: reader)
    }
    tables.mapKeys[context.top.id] = map
  }

  /// Rewrites the packed array or bytes of the innermost frame as an array of values, behind one byte reserved for its
  /// head.
  ///
  /// - Returns: the number of values.
  private func unpack() throws(ArchiveError) -> Int {
    let start = context.top.start
    let reader = buffer.reader()
    guard buffer[start] == Tag.packedArray else {
      var cursor = start + 1
      let count = try reader.varint(at: &cursor)
      return replace(by: try reader.array(of: UInt8.self, count: count, at: cursor))
    }
    let (element, count, payload, _) = try packedArray(at: start, in: reader)
    return switch try ArchiveNumbers(element, count, reader, at: payload) {
    case .bools(let values): replace(by: values)
    case .signed(let values): replace(by: values)
    case .unsigned(let values): replace(by: values)
    case .floats(let values): replace(by: values)
    case .doubles(let values): replace(by: values)
    }
  }

  private func replace<Value: ArchivePrimitive>(by values: [Value]) -> Int {
    buffer.truncate(to: context.top.start)
    buffer.append(0)
    for value in values { Value.write(value, to: self) }
    return values.count
  }
}
