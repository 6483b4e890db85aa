/// References to objects, as they stand in the archive (Format §4.9).
extension DecodingSession {
  /// Whether an object reference stands at `offset`, conditional or not.
  @inline(__always)
  func isReference(at offset: Int) throws(ArchiveError) -> Bool {
    let tag = try reader.byte(at: offset)
    return tag & 0xFC == Tag.objectReference || tag & 0xFC == Tag.conditionalReference
  }

  /// The number in the object reference at `cursor`, which moves past it.
  ///
  /// - Throws: ``ReadingFault`` when it is a conditional one to an object that was not archived.
  @inline(__always)
  func objectNumber(at cursor: inout Int) throws -> Int {
    guard let number = try referencedBody(at: cursor) else { throw ReadingFault.mismatch(cursor) }
    cursor = cursor &+ fixedLength(of: try reader.byte(at: cursor))
    return number
  }

  /// So many bodies do not fit into the nearer caches.
  private static let manyBodies = 1 << 15

  /// Whether it pays to fetch objects ahead.
  @inline(__always)
  var hasManyBodies: Bool { image.directory.bodyCount > DecodingSession.manyBodies }

  /// So many objects are looked up together.
  static let prefetchCount = 16

  /// Begins to fetch the objects to which the next references at `start` lead, as far as references stand there.
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

  /// Appends the objects to which the references at `cursor` lead, as far as they were decoded and are exactly of `type`.
  /// `cursor` moves past these references. In a large archive, objects are far away in memory, and fetched ahead.
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

  /// The number in the object reference at `cursor`, which moves past it; `nil` where something else stands.
  @inline(__always)
  private func numberAhead(at cursor: inout Int) -> Int? {
    guard let tag = try? reader.byte(at: cursor), tag & 0xFC == Tag.objectReference else { return nil }
    guard let number = try? reader.referencedNumber(at: cursor), number >= 1,
      number <= image.directory.bodyCount
    else { return nil }
    cursor = cursor &+ fixedLength(of: tag)
    return number
  }

  /// Whether nil stands at `offset`, or a conditional reference to an object that was not archived.
  @inline(__always)
  func isNil(at offset: Int) throws -> Bool {
    do throws(ArchiveError) {
      let tag = try reader.byte(at: offset)
      return tag & 0xFC == Tag.conditionalReference
        ? try referencedBody(at: offset) == nil : tag == Tag.none
    } catch { throw corrupted(error, []) }
  }

  /// Throws unless `number`, to which the conditional reference at `offset` leads, is that of an object, whether or not
  /// that is ever decoded.
  func checkIsObject(_ number: Int, at offset: Int) throws(ArchiveError) {
    // Of one that was reached before it is known.
    let isKnown =
      number >= 1 && number <= image.directory.bodyCount
      && (graph.objects.state(number) != .usual || graph.objects.unretained(number) != nil)
    if !isKnown { _ = try image.objectBody(number, at: offset) }
  }

  /// Where the content of the object is that `offset` refers to, for a type that is no class: it may have been
  /// one when the archive was written. A value that is no reference is its own content.
  func contentOfReference(at offset: Int) throws(ArchiveError) -> Int {
    let content = try contentOfBody(at: offset)
    guard lazies.areArchived, content != offset, try isReference(at: content),
      try leadsToLazyValue(offset), try !leadsToLazyValue(content)
    else { return content }
    return try contentOfBody(at: content)
  }

  /// As ``contentOfReference(at:)``, but the content of a lazy value may be another reference.
  func contentOfBody(at offset: Int) throws(ArchiveError) -> Int {
    guard try isReference(at: offset), let number = try referencedBody(at: offset) else { return offset }
    let (_, body, content) = try image.objectBody(number, at: offset)
    // Each time is another decoding: a few bodies that refer to each other could ask for more than ever ends.
    try countReading(body.count + DecodingChecks.readingByteCount, at: offset)
    try charge(body.count &* DecodingBudget.rereadFactor, at: offset)
    try image.checkExtent(content, fills: body)
    if graph.objects.origin(number) < 0 { graph.objects.set(number, nil, origin: offset) }
    return content
  }

  /// Reads the value of the object that `cursor` refers to by `plan`, whose type is no class; `cursor` moves past the
  /// reference. `nil` when there is none.
  ///
  /// Such a value was of a class when the archive was written, or stands in an NSKeyedArchiver archive, where several may refer to
  /// one array (Design §9).
  func decodeReferred<Value: Decodable>(
    by plan: DecodingPlan<Value>,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> Value? {
    var content = try contentOfReference(at: cursor)
    // That an object is only another reference leads nowhere.
    guard content != cursor, try !isReference(at: content) else { return nil }
    guard stack.bounds.hasRoom() else {
      return try onLargerStack { try decodeReferred(by: plan, at: &cursor, depth) }
    }
    let value = try plan.decode(at: &content, self, depth)
    cursor = try image.end(ofValueAt: cursor, in: reader)
    return value
  }

  /// Counts bytes that will be read, or passed over, more than once; throws when they are out of proportion to
  /// the archive.
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
    .limitExceeded("The same values are read too often, through too many references", at: offset)
  }

  /// The number of the body to which the object reference at `offset` leads; `nil` for a conditional one to an
  /// object that was not archived.
  @inline(__always)
  func referencedBody(at offset: Int) throws(ArchiveError) -> Int? {
    let number = try reader.referencedNumber(at: offset)
    let isObject = try reader.byte(at: offset) & 0xFC == Tag.objectReference
    return isObject ? number : try image.conditionalTarget(number, at: offset)
  }
}
