/// References to objects in the archive (Format §4.9).
extension DecodingSession {
  /// Whether an object reference is at `offset`, conditional or not.
  @inline(__always)
  func isReference(at offset: Int) throws(ArchiveError) -> Bool {
    let tag = try reader.byte(at: offset)
    return tag & 0xFC == Tag.objectReference || tag & 0xFC == Tag.conditionalReference
  }

  /// The number in the object reference at `cursor`, which moves past it.
  ///
  /// - Throws: ``ReadingFault`` if it is a conditional reference to an object that was not archived.
  @inline(__always)
  func objectNumber(at cursor: inout Int) throws -> Int {
    guard let number = try referencedBody(at: cursor) else { throw ReadingFault.mismatch(cursor) }
    cursor = cursor &+ fixedLength(of: try reader.byte(at: cursor))
    return number
  }

  /// This many bodies do not fit into the nearer caches.
  private static let manyBodies = 1 << 15

  /// Whether fetching objects ahead pays.
  @inline(__always)
  var hasManyBodies: Bool { image.directory.bodyCount > DecodingSession.manyBodies }

  /// The number of objects that are looked up together.
  static let prefetchCount = 16

  /// Begins to fetch the objects to which the next references from `start` on lead, up to the first other value.
  @inline(never)
  func prefetchObjects(at start: Int) {
    var cursor = start
    for _ in 0..<DecodingSession.prefetchCount {
      guard let number = numberAhead(at: &cursor) else { break }
      graph.objects.prefetchEntry(number)
    }
    cursor = start
    for _ in 0..<DecodingSession.prefetchCount {
      guard let number = numberAhead(at: &cursor) else { break }
      graph.objects.prefetchObject(number)
    }
  }

  /// Appends the objects to which the references at `cursor` lead, and moves past these, until one is not decoded or
  /// not exactly a `type`. In a large archive, fetches objects ahead, as they are far apart in memory.
  @inline(never)
  func appendDecoded(
    _ objects: inout [AnyObject],
    upTo count: Int,
    of type: AnyClass,
    at cursor: inout Int
  ) {
    let areFar = hasManyBodies
    while objects.count < count {
      if areFar, objects.count % DecodingSession.prefetchCount == 0 { prefetchObjects(at: cursor) }
      var next = cursor
      guard let number = numberAhead(at: &next), let object = graph.objects.unretained(number),
        object.use({ ObjectIdentifier(Swift.type(of: $0)) == ObjectIdentifier(type) })
      else { return }
      objects.append(object.use { $0 })
      cursor = next
    }
  }

  /// The number in the object reference at `cursor`, which moves past it; `nil` if another value is there.
  @inline(__always)
  private func numberAhead(at cursor: inout Int) -> Int? {
    guard let tag = try? reader.byte(at: cursor), tag & 0xFC == Tag.objectReference else { return nil }
    guard let number = try? reader.referencedNumber(at: cursor), number >= 1,
      number <= image.directory.bodyCount
    else { return nil }
    cursor = cursor &+ fixedLength(of: tag)
    return number
  }

  /// Whether nil is at `offset`, or a conditional reference to an object that was not archived.
  @inline(__always)
  func isNil(at offset: Int) throws -> Bool {
    do throws(ArchiveError) {
      let tag = try reader.byte(at: offset)
      return tag & 0xFC == Tag.conditionalReference ? try isNilReference(at: offset) : tag == Tag.none
    } catch { throw corrupted(error, []) }
  }

  @inline(never)
  private func isNilReference(at offset: Int) throws(ArchiveError) -> Bool {
    try referencedBody(at: offset) == nil
  }

  /// Whether *some*, perhaps several times, and its nil are at `offset`. A type that has no value for the nil reads all
  /// as nil (Format §4.2).
  @inline(never)
  func isMarkedNil(at offset: Int) -> Bool {
    var cursor = offset
    while (try? reader.byte(at: cursor)) == Tag.some { cursor += 1 }
    return cursor > offset && (try? reader.byte(at: cursor)) == Tag.none
  }

  /// Throws unless `number`, to which the conditional reference at `offset` leads, is that of an object, even if the
  /// object is never decoded.
  func checkIsObject(_ number: Int, at offset: Int) throws(ArchiveError) {
    // An object that was reached before is known to be one.
    let isKnown =
      number >= 1 && number <= image.directory.bodyCount
      && (graph.objects.state(number) != .usual || graph.objects.unretained(number) != nil)
    if !isKnown { _ = try image.objectBody(number, at: offset) }
  }

  /// The offset of the content of the object to which a reference at `offset` leads, for a type that is not a class but
  /// may have been one when the archive was written. A value that is not a reference is its own content.
  func contentOfReference(at offset: Int) throws(ArchiveError) -> Int {
    try contentOfBody(at: contentOfLazyReference(at: offset) ?? offset)
  }

  /// As ``contentOfReference(at:)``, but the content of a lazy value may be another reference.
  func contentOfBody(at offset: Int) throws(ArchiveError) -> Int {
    guard try isReference(at: offset), let number = try referencedBody(at: offset) else { return offset }
    let (_, body, content) = try image.objectBody(number, at: offset)
    // Each time decodes the body again. A few bodies that refer to each other could request readings without end.
    try countReading(body.count + DecodingChecks.readingByteCount, at: offset)
    try charge(body.count &* DecodingBudget.rereadFactor, at: offset)
    try image.checkExtent(content, fills: body)
    if graph.objects.origin(number) < 0 { graph.objects.set(number, nil, origin: offset) }
    return content
  }

  /// Reads by `plan`, for a type that is not a class, the value of the object to which `cursor` refers, and moves past
  /// the reference; `nil` if there is none.
  ///
  /// The type was a class when the archive was written, or several values in an NSKeyedArchiver archive refer to one
  /// array (Design §9).
  func decodeReferred<Value: Decodable>(
    by plan: DecodingPlan<Value>,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> Value? {
    var content = try contentOfReference(at: cursor)
    // An object that is only another reference leads nowhere.
    guard content != cursor, try !isReference(at: content) else { return nil }
    guard stack.bounds.hasRoom(holding: Value.self) else {
      return try onLargerStack { try decodeReferred(by: plan, at: &cursor, depth) }
    }
    let value = try plan.decode(at: &content, self, depth)
    cursor = try image.end(ofValueAt: cursor, in: reader)
    return value
  }

  /// Counts bytes that will be read or passed over again. Throws if they are out of proportion to the archive.
  @inline(__always)
  func countReading(_ byteCount: Int, at offset: Int) throws(ArchiveError) {
    checks.budget.costs.readByteCount += byteCount
    guard
      checks.budget.costs.readByteCount / DecodingChecks.mostReadings <= reader.count
        + DecodingChecks.freeReadings
    else { throw readTooOften(offset) }
  }

  @inline(never)
  private func readTooOften(_ offset: Int) -> ArchiveError {
    .limitExceeded(
      "The same values are read too often, through too many references. If structures read objects that form a cycle, "
        + "make them classes",
      at: offset
    )
  }

  /// The number of the body to which the object reference at `offset` leads; `nil` for a conditional reference to an
  /// object that was not archived.
  @inline(__always)
  func referencedBody(at offset: Int) throws(ArchiveError) -> Int? {
    let number = try reader.referencedNumber(at: offset)
    let isObject = try reader.byte(at: offset) & 0xFC == Tag.objectReference
    return isObject ? number : try image.conditionalTarget(number, at: offset)
  }
}
