/// How the containers find values, and what they share.
extension DecodingSession {
  /// Where the value of the key `name` is in a keyed container that is open.
  func find(_ name: String, _ container: DecodingContainerState) throws -> Int? {
    nesting.frames[container.depth].kind == .record
      ? try findInRecord(keyNumber(name), container) : try findInMap(name, nil, container)
  }

  /// Where the value of a key is in a record, when it is not the one that was expected.
  func findInRecord(_ number: Int, _ container: DecodingContainerState) throws -> Int? {
    let (offset, depth) = (container.offset, container.depth)
    guard number >= 0, let slot = slot(ofKey: number, depth) else { return nil }
    // The index is the container's, and the frame may have been parsed anew, of a mapped file that was changed since.
    if offset != lookups.topLevelOffset, let index = container.index, slot < index.entries.count {
      return move(depth, to: slot, at: index.entries[slot].offset)
    }
    return try located(depth, offset) { () throws(ArchiveError) in
      let next = self.nesting.frames[depth].nextSlot
      var cursor = self.nesting.frames[depth].nextOffset
      if slot < next || slot != next && offset == self.lookups.topLevelOffset {
        try self.makeIndex(of: container)
        if let index = container.index { cursor = try index.entry(slot).offset }
      } else {
        for _ in next..<slot { cursor = try self.end(ofValueAt: cursor) }
      }
      return self.move(depth, to: slot, at: cursor)
    }
  }

  /// Makes the value at `offset` the current one of a record.
  @inline(__always)
  private func move(_ depth: Int, to slot: Int, at offset: Int) -> Int {
    nesting.frames[depth].nextSlot = slot
    nesting.frames[depth].nextOffset = offset
    nesting.frames[depth].currentSlot = slot
    return offset
  }

  /// Where the value of a key is in a map. The next key is looked at first; then all keys are indexed.
  func findInMap(_ name: String, _ intValue: Int?, _ container: DecodingContainerState) throws -> Int? {
    let (offset, depth) = (container.offset, container.depth)
    return try located(depth, offset) { () throws(ArchiveError) in
      if container.index == nil {
        let keyOffset = self.nesting.frames[depth].nextOffset
        if self.nesting.frames[depth].nextSlot < self.nesting.frames[depth].count {
          var cursor = keyOffset
          if try self.image.isKey(name, at: &cursor) {
            self.nesting.frames[depth].currentSlot = self.nesting.frames[depth].nextSlot
            self.nesting.frames[depth].currentKey = keyOffset
            self.nesting.frames[depth].currentIntValue = intValue
            return cursor
          }
        }
        try self.makeIndex(of: container)
      }
      guard let index = container.index, let slot = try index.slot(of: name, self.image, self.lookups.keyHash)
      else {
        return nil
      }
      let keyOffset = index.entries[slot].offset
      self.nesting.frames[depth].nextSlot = slot
      self.nesting.frames[depth].nextOffset = keyOffset
      self.nesting.frames[depth].currentSlot = slot
      self.nesting.frames[depth].currentKey = keyOffset
      self.nesting.frames[depth].currentIntValue = intValue
      return try self.end(ofValueAt: keyOffset)
    }
  }

  /// The place that `find` returns; at the top level, that of the value that a reference there stands for.
  private func located(_ depth: Int, _ offset: Int, _ find: () throws(ArchiveError) -> Int?) throws -> Int? {
    do {
      guard let cursor = try find() else { return nil }
      // Not deeper, where only a damaged archive can lead here again.
      return offset == lookups.topLevelOffset && depth <= 1 ? try resolved(cursor, depth) : cursor
    } catch {
      throw publicError(error, path(to: offset, depth: depth))
    }
  }

  /// Follows a value reference, which stands only at the top level, and so never leads in a circle (Format
  /// §4.9).
  func resolved(_ offset: Int, _ depth: Int) throws(ArchiveError) -> Int {
    guard TagKind(try reader.byte(at: offset)) == .valueReference else { return offset }
    let number = try reader.referencedNumber(at: offset)
    let body = try image.body(number, at: offset)
    var content = body.lowerBound
    guard try image.classNumber(at: &content) == nil else {
      throw image.leadsToOtherKind(isToValue: true, offset)
    }
    let first = graph.objects.origin(number)
    try image.checkReference(isOnlyOne: first < 0 ? nil : first, at: offset)
    graph.objects.set(number, nil, origin: offset)
    lookups.topLevelEnds[nesting.frames[depth].currentSlot] = body.upperBound
    return content
  }

  /// Throws when the value of `slot` at the top level, which ends at `end`, does not do so where the body does that it is
  /// in.
  func checkEnd(ofTopLevelSlot slot: Int, _ end: Int) throws(ArchiveError) {
    guard let bodyEnd = lookups.topLevelEnds[slot] else { return }
    try image.checkEnd(end, of: bodyEnd..<bodyEnd)
  }

  /// Notes that the value of `slot`, which ends at `end`, was read from the keyed container at `offset`.
  @inline(__always)
  func advance(_ depth: Int, _ offset: Int, past slot: Int, to end: Int) throws(ArchiveError) {
    // At the top level the value may be elsewhere; the next one is found from the reference.
    guard nesting.frames[depth].offset == offset, nesting.frames[depth].kind.isKeyed,
      offset != lookups.topLevelOffset
    else {
      return offset == lookups.topLevelOffset ? try checkEnd(ofTopLevelSlot: slot, end) : ()
    }
    nesting.frames[depth].nextSlot = slot &+ 1
    nesting.frames[depth].nextOffset = end
  }

  /// Visits the keys of a keyed container, which is open, in the order of writing.
  func forEachKey(of container: DecodingContainerState, _ body: (PathElement) -> Void) throws(ArchiveError) {
    let frame = nesting.frames[container.depth]
    // As many as there are values, says the archive.
    try charge(keysOf: frame.offset, count: frame.count, at: frame.payload)
    guard frame.kind == .map else {
      for slot in 0..<frame.count { body(.key(image.keys[image.shapeKey(frame.firstSlot + slot)])) }
      return
    }
    // Throws where a key is there twice.
    try makeIndex(of: container)
    var cursor = frame.payload
    for _ in 0..<frame.count {
      body(try image.mapKey(at: &cursor, in: reader))
      cursor = try end(ofValueAt: cursor)
    }
  }

  /// Decodes a value of any type; `depth` is that of the container that it is in.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, at cursor: inout Int, _ depth: Int) throws -> Value {
    if later.isActive { return try decodeInside(type, at: &cursor, depth) }
    return try decodeOutermost(type, at: &cursor, depth)
  }

  @inline(__always)
  func decodeInside<Value: Decodable>(_ type: Value.Type, at cursor: inout Int, _ depth: Int) throws -> Value
  {
    guard ObjectIdentifier(type) == ObjectIdentifier(Value.self) else {
      return try decode(subclass: type, at: &cursor, depth)
    }
    let start = cursor
    let mark = mark
    do {
      return try types.plans.plan(for: type).decode(at: &cursor, self, depth)
    } catch {
      throw abandon(mark, error, type, path(toValueAt: start, in: depth))
    }
  }

  /// Forgets what was decoded since `mark`, for `fault`; returns the error for the caller.
  @inline(never)
  private func abandon(
    _ mark: DecodingMark,
    _ fault: any Error,
    _ type: Any.Type,
    _ path: @autoclosure () -> [any CodingKey]
  ) -> any Error {
    let error =
      switch fault {
      case let fault as ReadingFault: self.error(fault, type, path())
      case let damage as ArchiveError: corrupted(damage, path())
      default: fault
      }
    goBack(to: mark)
    return error
  }

  // MARK: Other containers

  /// A decoder for the value at `cursor` of the container at `depth`, to be used at any time.
  func nestedDecoder(at cursor: Int, in depth: Int) throws -> ValueDecoder {
    try descend(to: cursor, from: depth)
    return ValueDecoder(session: self, offset: cursor, depth: depth + 1)
  }

  /// Makes the element `index` the current one of the unkeyed container at `offset`.
  @inline(__always)
  func prepareElement(_ offset: Int, _ depth: Int, _ index: Int) {
    claimFrame(depth, for: offset)
    nesting.frames[depth].kind = .elements
    nesting.frames[depth].currentSlot = index
  }

  func unkeyedContainer(_ offset: Int, _ depth: Int) throws -> any UnkeyedDecodingContainer {
    do {
      var cursor = try contentOfReference(at: bodyOfAnnotation(offset))
      let start = cursor
      let isElsewhere = try isReference(at: bodyOfAnnotation(offset))
      let tag = try reader.byte(at: cursor)
      cursor += 1
      switch TagKind(tag) {
      case .shortArray:
        return UnkeyedValueDecoder(
          self,
          offset,
          depth,
          payload: cursor,
          count: Int(tag - Tag.shortArray),
          isElsewhere: isElsewhere
        )
      case .array:
        let count = try reader.varint(at: &cursor)
        try reader.check(count, at: cursor)
        try charge(count, elementsOf: 0, at: start)
        return UnkeyedValueDecoder(
          self,
          offset,
          depth,
          payload: cursor,
          count: count,
          isElsewhere: isElsewhere
        )
      case .empty:
        return UnkeyedValueDecoder(self, offset, depth, payload: cursor, count: 0)
      case .packedArray, .bytes:
        let end = try image.end(ofValueAt: start, in: reader)
        // As numbers of 64 bits, whatever they are.
        try charge(image.elementCount(ofPackedArrayAt: start, in: reader), elementsOf: 8, at: start)
        if start == offset { nesting.completed = (offset, end) }
        let numbers = try PackedArray(image, at: start)
        return PackedUnkeyedDecoder(self, path(to: offset, depth: depth), numbers)
      default:
        throw mismatch([Any].self, start, path(to: offset, depth: depth))
      }
    } catch {
      throw publicError(error, path(to: offset, depth: depth))
    }
  }

  /// The error for reading past the last element.
  func atEnd(_ type: Any.Type, _ path: [any CodingKey], _ index: Int) -> DecodingError {
    DecodingError.valueNotFound(
      type,
      .init(
        codingPath: path + [ArchiveCodingKey(index: index)],
        debugDescription: "The unkeyed container is at its end: it has \(index) elements"
      )
    )
  }
}
