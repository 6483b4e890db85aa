/// Class instances, by number. Each is decoded once, and is the same instance wherever it is referred to (Format §4.9).
final class ClassDecodingPlan<Value: Decodable & AnyObject>: DecodingPlan<Value> {
  /// The classes to build, by the numbers of the archived classes.
  @safe @exclusivity(unchecked) private var known = NumberedCache<BuildableType>()

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    let start = cursor
    guard try session.isReference(at: start) else { return try decodeInline(at: &cursor, session, depth) }
    let number = try session.objectNumber(at: &cursor)
    guard number >= 1, number <= session.image.directory.bodyCount,
      let object = session.graph.objects.object(number)
    else { return try decodeBody(number, start, session, depth) }
    if ObjectIdentifier(type(of: object)) == ObjectIdentifier(Value.self) {
      return knownDowncast(object, to: Value.self)
    }
    return try typed(object, start, session, depth)
  }

  private func decodeBody(
    _ number: Int,
    _ reference: Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> Value {
    if session.lazies.areArchived, let value = try decodeLazy(reference, session, depth) { return value }
    var content = 0
    let (buildable, bodyEnd) = try openBody(number, reference, &content, session, depth)
    let outerBase = session.nesting.base
    session.nesting.base = depth
    defer { session.nesting.base = outerBase }
    do {
      if buildable.use({ $0.type == Value.self }) {
        let value = try session.decodePlainly(Value.self, at: &content, depth)
        try session.endBody(content, bodyEnd)
        if try session.complete(number, Unretained(value), buildable, reference) { return value }
      } else {
        let value = try session.decodeObject(buildable.use { $0.type }, at: &content, depth)
        try session.endBody(content, bodyEnd)
        _ = try withExtendedLifetime(value) {
          try session.complete(number, Unretained(value), buildable, reference)
        }
      }
      return try result(number, reference, session, depth)
    } catch {
      session.abandon(number, reference)
      throw error
    }
  }

  /// The object in the lazy value to which `reference` leads; `nil` if it leads to no lazy value.
  // Not inlined, so that nested objects take less of the stack.
  @inline(never)
  private func decodeLazy(_ reference: Int, _ session: DecodingSession, _ depth: Int) throws -> Value? {
    guard var content = try session.contentOfLazyReference(at: reference) else { return nil }
    return try decode(at: &content, session, depth)
  }

  /// Charges the object `number`, and moves `content` to the value that its initializer is to read.
  ///
  /// - Returns: the class to build, and the end of the body.
  @inline(never)
  private func openBody(
    _ number: Int,
    _ reference: Int,
    _ content: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> (buildable: Unretained<BuildableType>, bodyEnd: Int) {
    try session.walkUnwalked()
    let image = Unretained(session.image)
    let (classNumber, body, start) = try image.use { try $0.objectBody(number, at: reference) }
    switch session.graph.objects.state(number) {
    case .usual: break
    case .isBeingDecoded: throw session.meetCycle(Value.self, number, reference, depth)
    case .isReplacedByNil: throw ReadingFault.replacedByNil(reference)
    }
    let buildable = try buildable(classNumber, session, reference, depth)
    try session.charge(objectOf: buildable.use { $0.byteCount }, at: reference)
    // Each body is read once, but bodies may overlap, so bytes may be read again and again.
    try session.countReading(body.count, at: reference)
    if buildable.use({ $0.isOfFields }), start < body.upperBound {
      session.graph.unwalked = start..<body.upperBound
    } else {
      try image.use { try $0.checkExtent(start, fills: body) }
    }
    session.graph.objects.set(number, nil, .isBeingDecoded, origin: reference)
    session.graph.inProgress.append(
      TypedValueInProgress(
        number: number,
        entry: classNumber,
        type: buildable.use { $0.type },
        range: body,
        content: start
      )
    )
    content = start
    return (buildable, body.upperBound)
  }

  /// The object `number`, which is complete, or what the observer gave for it.
  @inline(never)
  private func result(_ number: Int, _ reference: Int, _ session: DecodingSession, _ depth: Int) throws
    -> Value
  {
    guard let object = session.graph.objects.object(number) else {
      throw ReadingFault.replacedByNil(reference)
    }
    return try typed(object, reference, session, depth)
  }

  /// The object to which `reference` leads, as the requested type.
  @inline(never)
  private func typed(_ object: AnyObject, _ reference: Int, _ session: DecodingSession, _ depth: Int) throws
    -> Value
  {
    guard let value = object as? Value else {
      let path = session.path(toValueAt: reference, in: depth)
      throw session.isOther(Swift.type(of: object), Value.self, reference, path)
    }
    return value
  }
}

extension ClassDecodingPlan {
  /// Decodes an object from a value: the class may have been a structure when the archive was written.
  private func decodeInline(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    let start = cursor
    let range = start..<session.reader.count
    let isNil = try session.isNil(at: start)
    if isNil { session.nesting.complete(-1, -1) }
    try session.charge(objectOf: instanceByteCount(Value.self), at: start)
    session.graph.inProgress.append(
      TypedValueInProgress(number: 0, entry: -1, type: Value.self, range: range)
    )
    defer { session.graph.inProgress.removeLast() }
    let value = try session.decodePlainly(Value.self, at: &cursor, depth)
    // A class may stand for nil, as a structure may. Then its initializer has read the nil.
    if isNil, session.nesting.latest.offset != start { throw ReadingFault.mismatch(start) }
    if let awakening = value as? any ArchiveAwakening { session.later.awakening.append(awakening) }
    return value
  }

  /// The class to build for objects of the class `number`.
  @inline(__always)
  private func buildable(
    _ number: Int,
    _ session: DecodingSession,
    _ reference: Int,
    _ depth: Int
  ) throws -> Unretained<BuildableType> {
    if let found = known.unretained(number) { return found }
    let type = try session.type(ofClass: number, expected: Value.self, reference, depth)
    guard let type = RuntimeMetadata.classType(type) else { throw ReadingFault.mismatch(reference) }
    let found = BuildableType(type)
    known[number] = found
    return Unretained(found)
  }
}

/// A class whose instances an archive may hold, with cached facts about it.
final class BuildableType {
  let type: DecodableClass
  let isAwakening: Bool
  /// Whether the stored properties are archived as they are.
  let isOfFields: Bool
  /// The bytes that an instance takes.
  let byteCount: Int

  init(_ type: DecodableClass) {
    self.type = type
    byteCount = instanceByteCount(type)
    isAwakening =
      RuntimeMetadata.mayConform(type, to: (any ArchiveAwakening).self) && type is any ArchiveAwakening.Type
    isOfFields = RuntimeMetadata.fieldsType(type) != nil
  }
}

/// An object, or a value behind a protocol, whose initializer is running.
struct TypedValueInProgress {
  /// The number of the object; 0 for a value.
  let number: Int
  /// The number of its type in the class table; -1 if the archive names no type.
  let entry: Int
  let type: Any.Type
  /// The range of the content.
  let range: Range<Int>
  /// The offset of an object's value in this range.
  var content = -1
}

extension DecodingSession {
  fileprivate func decodeObject(
    _ type: DecodableClass,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> AnyObject {
    func decode<Object: Decodable & AnyObject>(_ type: Object.Type) throws -> AnyObject {
      try decodePlainly(type, at: &cursor, depth)
    }
    return try decode(type)
  }

  // MARK: The life of an object

  /// Walks the body of the innermost object if the walk was deferred until something other than primitive properties is
  /// read (``readFields(_:of:at:)``).
  @inline(__always)
  func walkUnwalked() throws(ArchiveError) {
    if !graph.unwalked.isEmpty { try walkNow() }
  }

  @inline(never)
  private func walkNow() throws(ArchiveError) {
    // Stays unwalked if this throws, since the program may continue after an error.
    try image.checkExtent(graph.unwalked.lowerBound, fills: graph.unwalked)
    graph.unwalked = 0..<0
  }

  /// Notes that the value of a body was read up to `end`. Throws unless the body ends there.
  @inline(__always)
  fileprivate func endBody(_ end: Int, _ bodyEnd: Int) throws(ArchiveError) {
    try walkUnwalked()
    try ArchiveImage.checkEnd(end, of: bodyEnd..<bodyEnd)
  }

  /// Notes that the initializer of `object` returned.
  ///
  /// - Returns: `false` if the observer gave another object for it, or nil.
  // Not inlined, so that nested objects take less of the stack.
  @inline(never)
  fileprivate func complete(
    _ number: Int,
    _ object: Unretained<AnyObject>,
    _ buildable: Unretained<BuildableType>,
    _ reference: Int
  ) throws -> Bool {
    let isAwakening = buildable.use { $0.isAwakening }
    if settings.observer != nil { return try completeObserved(number, object, isAwakening, reference) }
    try enter(number, object, reference)
    if isAwakening, let object = object.use({ $0 }) as? any ArchiveAwakening {
      later.awakening.append(object)
    }
    return true
  }

  @inline(never)
  private func completeObserved(
    _ number: Int,
    _ unretained: Unretained<AnyObject>,
    _ isAwakening: Bool,
    _ reference: Int
  ) throws -> Bool {
    let object = unretained.use { $0 }
    let result = settings.observer?.replacement(object)
    try enter(number, unretained, reference)
    let isSame = result === object
    if !isSame {
      graph.objects.set(number, result, result == nil ? .isReplacedByNil : .usual, origin: reference)
    }
    // What waits needs the object itself.
    if later.readLast.areThere || later.deferred.count > 0 {
      later.readLast.replaced[number] = isSame ? nil : object
    }
    if isAwakening || !isSame, let result = result as? any ArchiveAwakening { later.awakening.append(result) }
    return isSame
  }

  @inline(__always)
  private func enter(_ number: Int, _ object: Unretained<AnyObject>, _ reference: Int) throws {
    guard object.use({ graph.objects.complete(number, $0) }) else {
      throw ArchiveError.misuse("An initializer registered one object and created another", at: reference)
    }
    graph.inProgress.removeLast()
    if later.readLast.areThere { later.readLast.end(number) }
    graph.decodedNumbers.append(UInt32(truncatingIfNeeded: number))
  }

  /// Forgets an object whose initializer threw.
  fileprivate func abandon(_ number: Int, _ reference: Int) {
    guard graph.inProgress.last?.number == number else { return }
    graph.inProgress.removeLast()
    graph.unwalked = 0..<0
    later.readLast.end(number)
    graph.objects.set(number, nil, origin: reference)
  }

  /// Makes `object`, whose initializer called with the decoder at `offset`, known to the values in it.
  @inline(__always)
  func register(_ object: AnyObject, from offset: Int) {
    guard let current = graph.inProgress.last, current.number > 0, current.range.contains(offset),
      ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(current.type)
    else { return }
    graph.objects.register(object, current.number)
    graph.haveEarly = true
  }

  // MARK: Errors

  /// The error for the reference at `offset` back to the object `number`, whose initializer is running. Notes the cycle.
  fileprivate func meetCycle<Value: AnyObject>(
    _ type: Value.Type,
    _ number: Int,
    _ offset: Int,
    _ depth: Int
  ) -> DecodingError {
    let target = graph.inProgress.last { $0.number == number }?.type
    let path = path(toValueAt: offset, in: depth)
    // The initializer may try other types first. An observer may yet give an object of another class.
    if settings.observer == nil, let target, !(target is Value.Type) {
      return isOther(target, type, offset, path)
    }
    // A rehearsal closes no cycle.
    if !settings.isRehearsal { later.readLast.cycle = .init(target: number) }
    let name = target.map { "the \($0)" } ?? "an object"
    return corrupted(
      ArchiveError(
        .cycle,
        "The object refers back to \(name) whose initializer is still running. Make a property in the cycle an "
          + "optional var, or decode properties in the order in which you encode them. Otherwise, mark this property "
          + "@Deferred or @WeakReference, read it with decodeDeferred, or make the class an ArchivedModel or SelfRegistering",
        byteOffset: offset
      ),
      path
    )
  }

  /// The error for an object of the class `other`, which is not the requested type.
  func isOther(_ other: Any.Type, _ type: Any.Type, _ offset: Int, _ path: [any CodingKey]) -> DecodingError {
    otherType(type, "Expected \(type) but the object is a \(other)", offset, path)
  }
}
