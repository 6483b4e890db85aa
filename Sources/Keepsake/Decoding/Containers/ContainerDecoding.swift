/// How containers find values, and what all containers share.
extension DecodingSession {
  /// Whether a container at `depth`, at the offset of the top level, is one of the top level. At greater depth, only
  /// single-value containers lead there; in a damaged archive, any value might.
  @inline(never)
  func isAtTopLevel(_ depth: Int) -> Bool {
    depth <= 1
      || nesting.frames[..<depth].allSatisfy { $0.offset == lookups.topLevelOffset && $0.kind == .unparsed }
  }

  /// Follows the value reference of `slot`. Value references stand only at the top level, so they form no cycles
  /// (Format §4.9).
  func resolved(_ offset: Int, slot: Int) throws(ArchiveError) -> Int {
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
    lookups.topLevelEnds[slot] = body.upperBound
    return content
  }

  /// Throws if the value of `slot` at the top level, which ends at `end`, does not end with its body.
  func checkEnd(ofTopLevelSlot slot: Int, _ end: Int) throws(ArchiveError) {
    guard let bodyEnd = lookups.topLevelEnds[slot] else { return }
    try ArchiveImage.checkEnd(end, of: bodyEnd..<bodyEnd)
  }

  /// Decodes a value of any type, in the container at `depth`.
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
    let (mark, allocated) = (mark, checks.budget.costs.allocated)
    do {
      return try decodeByPlan(type, at: &cursor, depth)
    } catch {
      // The search for the path needs what was decoded, so truncate last.
      defer {
        truncate(to: mark)
        // An initializer may try one type after the other.
        checks.budget.costs.allocated = allocated
      }
      throw publicError(error, as: type, path(toValueAt: start, in: depth))
    }
  }

  // MARK: Other containers

  /// A decoder for the value at `cursor` in the container at `depth`. It can be used at any time.
  func nestedDecoder(at cursor: Int, in depth: Int) throws -> ValueDecoder {
    // An initializer that passes such decoders on recurses as deep as the archive says; nothing else checks the stack.
    guard stack.bounds.hasRoom(StackGuard.lastReserve) else {
      let message = "The values are nested too deep for the stack of this thread. Use one with a larger stack"
      throw corrupted(.limitExceeded(message, at: cursor), path(toValueAt: cursor, in: depth))
    }
    try descend(to: cursor, from: depth)
    return ValueDecoder(session: self, offset: cursor, depth: depth + 1)
  }

  /// Makes the element `index` of the unkeyed container at `offset` the current one.
  @inline(__always)
  func prepareElement(_ offset: Int, _ depth: Int, _ index: Int) {
    if depth >= nesting.frames.count { addFrames(upTo: depth) }
    nesting.frames[depth].showElement(index, of: offset)
  }

  func unkeyedContainer(_ decoder: ValueDecoder) throws -> any UnkeyedDecodingContainer {
    do {
      let reference = try bodyOfAnnotation(decoder.offset)
      let start = try contentOfReference(at: reference)
      if let (count, payload) = try arrayHead(at: start) {
        try checkElementCount(count, at: start)
        return UnkeyedValueDecoder(
          decoder: decoder,
          firstOffset: payload,
          cursor: payload,
          elementCount: count,
          isElsewhere: start != reference
        )
      }
      switch TagKind(try reader.byte(at: start)) {
      case .packedArray, .bytes:
        let end = try image.end(ofValueAt: start, in: reader)
        // Charged as 64-bit numbers, whatever their type.
        try charge(image.elementCount(ofPackedArrayAt: start, in: reader), elementsOf: 8, at: start)
        if start == decoder.offset { nesting.complete(start, end) }
        let numbers = try PackedArray(image, at: start)
        return PackedUnkeyedDecoder(session: self, codingPath: decoder.codingPath, numbers: numbers)
      default:
        throw mismatch([Any].self, start, decoder.codingPath)
      }
    } catch {
      throw publicError(error, decoder.codingPath)
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
