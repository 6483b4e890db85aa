/// How the containers find values, and what they share.
extension DecodingSession {
  /// Where the value of the key `name` is in a keyed container that is open.
  func find(_ name: String, _ container: DecodingPlace) throws -> Int? {
    nesting.frames[container.depth].kind == .record
      ? try findInRecord(keyNumber(name), container) : try findInMap(name, nil, container)
  }

  /// Where the value of a key is in a record, when it is not the one that was expected.
  func findInRecord(_ number: Int, _ container: DecodingPlace) throws -> Int? {
    let (offset, depth) = (container.offset, container.depth)
    guard number >= 0, let slot = slot(ofKey: number, depth) else { return nil }
    // The index is the container's, and the frame may have been parsed anew, of a mapped file that was changed since.
    if offset != lookups.topLevelOffset, let index = container.index, slot < index.entries.count {
      return move(depth, to: slot, at: index.entries[slot].place)
    }
    return try located(depth, offset) { () throws(ArchiveError) in
      let next = self.nesting.frames[depth].nextSlot
      var place = self.nesting.frames[depth].nextPlace
      if slot < next || slot != next && offset == self.lookups.topLevelOffset {
        try self.makeIndex(of: container)
        if let index = container.index { place = try index.entry(slot).place }
      } else {
        for _ in next..<slot { place = try self.end(ofValueAt: place) }
      }
      return self.move(depth, to: slot, at: place)
    }
  }

  /// Makes the value at `place` the current one of a record.
  @inline(__always)
  private func move(_ depth: Int, to slot: Int, at place: Int) -> Int {
    nesting.frames[depth].nextSlot = slot
    nesting.frames[depth].nextPlace = place
    nesting.frames[depth].currentSlot = slot
    return place
  }

  /// Where the value of a key is in a map. The next key is looked at first; then all keys are indexed.
  func findInMap(_ name: String, _ intValue: Int?, _ container: DecodingPlace) throws -> Int? {
    let (offset, depth) = (container.offset, container.depth)
    return try located(depth, offset) { () throws(ArchiveError) in
      if container.index == nil {
        let keyPlace = self.nesting.frames[depth].nextPlace
        if self.nesting.frames[depth].nextSlot < self.nesting.frames[depth].count {
          var place = keyPlace
          if try self.image.isKey(name, at: &place) {
            self.nesting.frames[depth].currentSlot = self.nesting.frames[depth].nextSlot
            self.nesting.frames[depth].currentKey = keyPlace
            self.nesting.frames[depth].currentIntValue = intValue
            return place
          }
        }
        try self.makeIndex(of: container)
      }
      guard let index = container.index, let slot = try index.slot(of: name, self.image, self.lookups.keyHash)
      else {
        return nil
      }
      let keyPlace = index.entries[slot].place
      self.nesting.frames[depth].nextSlot = slot
      self.nesting.frames[depth].nextPlace = keyPlace
      self.nesting.frames[depth].currentSlot = slot
      self.nesting.frames[depth].currentKey = keyPlace
      self.nesting.frames[depth].currentIntValue = intValue
      return try self.end(ofValueAt: keyPlace)
    }
  }

  /// The place that `find` returns; at the top level, that of the value that a reference there stands for.
  private func located(_ depth: Int, _ offset: Int, _ find: () throws(ArchiveError) -> Int?) throws -> Int? {
    do {
      guard let place = try find() else { return nil }
      // Not deeper, where only a damaged archive can lead here again.
      return offset == lookups.topLevelOffset && depth <= 1 ? try resolved(place, depth) : place
    } catch {
      throw publicError(error, path(to: offset, depth: depth))
    }
  }

  /// Follows a value reference, which stands only at the top level, and so never leads in a circle (Format
  /// §4.9).
  private func resolved(_ place: Int, _ depth: Int) throws(ArchiveError) -> Int {
    guard TagKind(try reader.byte(at: place)) == .valueReference else { return place }
    let number = try reader.referencedNumber(at: place)
    let body = try image.body(number, at: place)
    var content = body.lowerBound
    guard try image.classNumber(at: &content) == nil else {
      throw image.leadsToOtherKind(isToValue: true, place)
    }
    let first = graph.objects.origin(number)
    try image.checkReference(isOnlyOne: first < 0 ? nil : first, at: place)
    graph.objects.set(number, nil, origin: place)
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
    nesting.frames[depth].nextPlace = end
  }

  /// Visits the keys of a keyed container, which is open, in the order of writing.
  func forEachKey(of container: DecodingPlace, _ body: (PathElement) -> Void) throws(ArchiveError) {
    let frame = nesting.frames[container.depth]
    // As many as there are values, says the archive.
    try charge(keysOf: frame.offset, count: frame.count, at: frame.payload)
    guard frame.kind == .map else {
      for slot in 0..<frame.count { body(.key(image.keys[image.shapeKey(frame.firstSlot + slot)])) }
      return
    }
    // Throws where a key is there twice.
    try makeIndex(of: container)
    var place = frame.payload
    for _ in 0..<frame.count {
      body(try image.mapKey(at: &place, in: reader))
      place = try end(ofValueAt: place)
    }
  }

  /// Decodes a value of any type; `depth` is that of the container that it is in.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, at place: inout Int, _ depth: Int) throws -> Value {
    if later.isActive { return try decodeInside(type, at: &place, depth) }
    return try decodeOutermost(type, at: &place, depth)
  }

  @inline(__always)
  func decodeInside<Value: Decodable>(_ type: Value.Type, at place: inout Int, _ depth: Int) throws -> Value {
    guard ObjectIdentifier(type) == ObjectIdentifier(Value.self) else {
      return try decode(subclass: type, at: &place, depth)
    }
    let start = place
    let mark = mark
    do {
      return try types.plans.plan(for: type).decode(at: &place, self, depth)
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

  /// A decoder for the value at `place` of the container at `depth`, to be used at any time.
  func nestedDecoder(at place: Int, in depth: Int) throws -> ValueDecoder {
    try descend(to: place, from: depth)
    return ValueDecoder(session: self, offset: place, depth: depth + 1)
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
      var place = try contentOfReference(at: bodyOfAnnotation(offset))
      let start = place
      let isElsewhere = try isReference(at: bodyOfAnnotation(offset))
      let tag = try reader.byte(at: place)
      place += 1
      switch TagKind(tag) {
      case .shortArray:
        return UnkeyedValueDecoder(
          self,
          offset,
          depth,
          payload: place,
          count: Int(tag - Tag.shortArray),
          isElsewhere: isElsewhere
        )
      case .array:
        let count = try reader.varint(at: &place)
        try reader.check(count, at: place)
        try charge(count, elementsOf: 0, at: start)
        return UnkeyedValueDecoder(
          self,
          offset,
          depth,
          payload: place,
          count: count,
          isElsewhere: isElsewhere
        )
      case .empty:
        return UnkeyedValueDecoder(self, offset, depth, payload: place, count: 0)
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
