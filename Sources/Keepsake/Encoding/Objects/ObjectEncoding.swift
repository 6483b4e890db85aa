/// Class instances: a reference wherever one is reached, and its content in a body of its own (Format §4.9, §4.1).
final class ClassEncodingPlan<Value: Encodable & AnyObject>: EncodingPlan<Value> {
  override func encode(_ value: Value, _ session: EncodingSession) throws {
    if session.bodies.classWithWeakProperties >= 0, session.isInWeakProperty(Value.self) {
      return try session.encodeConditionally(value, declared: Value.self)
    }
    if session.replacesObjects { return try encodeObserved(value, session) }
    try encodeReference(to: value, session)
  }

  @inline(__always)
  func encodeReference(to object: AnyObject, _ session: EncodingSession) throws {
    if ObjectIdentifier(type(of: object)) != ObjectIdentifier(Value.self) {
      try session.notePolymorphism(of: type(of: object))
    }
    try session.append(referenceTo: object, self)
  }

  /// Encodes the object that the observer wants archived instead of `value`, or nil if it wants none.
  @inline(never)
  private func encodeObserved(_ value: Value, _ session: EncodingSession) throws {
    guard let object = try session.replacement(for: value, declared: Value.self) else {
      return session.buffer.append(Tag.none)
    }
    try encodeReference(to: object, session)
  }

  override func standsInline(_ value: Value) -> Bool { true }

  override func encodeBody(_ object: AnyObject, _ session: EncodingSession) throws {
    if ObjectIdentifier(type(of: object)) == ObjectIdentifier(Value.self) {
      return try Unretained(known: object, as: Value.self).use { try session.encodePlainly($0) }
    }
    guard let value = object as? Value else { return }
    try session.encodePlainly(value)
  }
}

/// Weak references got their objects after the owners were written, so the value has to be encoded again.
struct AwaitedObjects: Error {}

extension EncodingSession {
  /// Appends a reference to `object`. If it is the first, `plan` will write the object's body.
  @inline(__always)
  func append(referenceTo object: AnyObject, _ plan: AnyEncodingPlan) throws {
    guard let (number, isNew) = bodies.objects.number(for: object) else { throw tooManyObjects }
    if isNew {
      bodies.pending.append(plan)
      if bodies.isAdded { bodies.saved?.note(object, number) }
    }
    noteReference(to: number)
    buffer.append(reference: Tag.objectReference, writtenNumber(number))
  }

  /// Leaves out the body that was begun, if the file to which a save is added has it. Its bytes there stay as they are.
  ///
  /// - Parameter isNew: whether the file has it although ``SavedNumbers`` does not know that.
  /// - Returns: whether the file has it.
  func leaveBodyOut(evenIf isNew: @autoclosure () -> Bool) -> Bool {
    guard let saved = bodies.saved, saved.isInFile(bodies.assembly.bodyCount + 1) || isNew() else {
      return false
    }
    buffer.truncate(to: context.top.start)
    return true
  }

  var tooManyObjects: EncodingError {
    misuse("An archive holds at most \(ObjectRegistry.mostNumbers) objects", code: .limitExceeded)
  }

  /// Records that the value being written refers to an object.
  @inline(__always)
  func noteReference(to number: Int) {
    if bodies.isInProgress {
      bodies.graph.addReference(
        to: number,
        depth: nesting.depth - nesting.base,
        property: currentProperty,
        isDeferred: nesting.deferralDepth > 0
      )
    } else {
      bodies.graph.addTopLevelReference(to: number, depth: nesting.depth - nesting.base)
    }
  }

  /// Runs `encode`, whose references a reader follows only after everything else has been read.
  @inline(__always)
  func encodeDeferred(_ encode: () throws -> Void) throws {
    let (outer, inBody) = (nesting, bodies.isInProgress)
    let group = bodies.graph.beginDeferred(inBody: inBody)
    nesting.deferralDepth += 1
    if nesting.depth - nesting.base <= ArchiveLimits.usualValueDepth {
      nesting.base = nesting.depth
      nesting.depthToLookAt = nesting.depth + EncodingNesting.depthStep
    }
    defer {
      nesting.deferralDepth -= 1
      (nesting.base, nesting.depthToLookAt) = (outer.base, outer.depthToLookAt)
      bodies.graph.endDeferred(group, inBody: inBody)
    }
    try encode()
  }

  // MARK: Bodies

  /// Encodes the bodies of all objects that were reached and have none yet, and of those that they reach.
  ///
  /// - Parameters:
  ///   - valueBody: the body of the top-level value that reached them, if it has one.
  ///   - isReadable: whether the value can be read although it has a cycle that plain properties could not close.
  /// - Throws: also if no reader could rebuild the objects.
  @inline(__always)
  func drain(valueBody: Int? = nil, isReadable: () -> Bool = { false }) throws {
    let first = valueBody ?? bodies.assembly.bodyCount + 1
    if !bodies.pending.isEmpty { try writingBodies { try encodePending() } }
    guard settings.bodyLimit == nil else { return }
    let obstacle = bodies.graph.findObstacle(
      from: first,
      valueBody: valueBody,
      // Leaves some room for what a reader adds, and for the coarse measure of depth here.
      maximumDepth: settings.limits.maximumDepth - 16,
      self
    )
    switch obstacle {
    case .cycle? where isReadable():
      // Other keys may enter the cycle where it cannot be read.
      bodies.graph.playOthersFromTheStart()
    case let obstacle?: throw unreadable(obstacle)
    case nil: break
    }
  }

  /// Encodes the bodies of objects that containers nested at the top level have reached. The bytes of these containers
  /// cannot be taken back: if this fails, the archive cannot be completed any more.
  func drainLeftovers() throws {
    if let failure = outcome.failure { throw failure }
    let first = bodies.assembly.bodyCount + 1
    do { try drain() } catch {
      outcome.failure = error
      throw error
    }
    reportEncoded(from: first)
  }

  private func encodePending() throws {
    var remaining = settings.bodyLimit ?? Int.max
    while remaining > 0, let plan = bodies.pending.next() {
      remaining -= 1
      let number = bodies.assembly.bodyCount + 1
      guard let object = bodies.objects.unretained(number) else { continue }
      try object.use { (object) throws in
        try plan.use { (plan) throws in try encodeBody(of: object, number, plan) }
      }
    }
  }

  @inline(__always)
  private func encodeBody(of object: AnyObject, _ number: Int, _ plan: AnyEncodingPlan) throws {
    if bodies.isAdded, bodies.saved?.isLeftOut(object, number) == true {
      bodies.graph.beginBody()
      return bodies.assembly.addBody(buffer.count..<buffer.count)
    }
    let classNumber = try classNumber(ofObject: object)
    bodies.classWithWeakProperties = tables.classes.weakness[classNumber] ? classNumber : -1
    beginBody(.object(number), class: classNumber)
    do { try plan.encodeBody(object, self) } catch { throw naming(object, error) }
    try endBody()
  }

  /// Runs `encode` with the buffer of the archive as the active one. Bodies are written at its end.
  private func writingBodies(_ encode: () throws -> Void) throws {
    let (outer, outerClass) = (nesting, bodies.classWithWeakProperties)
    otherContext.startOver(EncodingFrame(id: nesting.makeFrameID(), start: 0), .elements([]))
    swap(&context, &otherContext)
    buffer.exchange(with: bodies.assembly.buffer)
    bodies.isInProgress = true
    nesting.base = nesting.depth
    nesting.deferralDepth = 0
    bodies.classWithWeakProperties = -1
    defer {
      bodies.classWithWeakProperties = outerClass
      // There are splices only if a body could not be completed.
      if !context.splices.isEmpty { NestedContainer.abandon(context.splices) }
      (nesting.base, nesting.depthToLookAt) = (outer.base, outer.depthToLookAt)
      nesting.deferralDepth = outer.deferralDepth
      buffer.exchange(with: bodies.assembly.buffer)
      swap(&context, &otherContext)
      bodies.isInProgress = false
    }
    try encode()
  }

  @inline(__always)
  private func beginBody(_ basePath: EncodingContext.BasePath, class number: Int?) {
    bodies.graph.beginBody()
    nesting.depthToLookAt = nesting.depth &+ EncodingNesting.depthStep
    context.startOver(EncodingFrame(id: nesting.makeFrameID(), start: buffer.count), basePath)
    buffer.append(varint: number.map { $0 &+ 1 } ?? 0)
  }

  @inline(__always)
  private func endBody() throws {
    let start = context.top.start
    if !context.splices.isEmpty { try flattenSplices(from: start) }
    bodies.assembly.addBody(start..<buffer.count)
    guard bodies.assembly.isDue(buffer) else { return }
    buffer.exchange(with: bodies.assembly.buffer)
    defer { buffer.exchange(with: bodies.assembly.buffer) }
    try bodies.assembly.letBlocksGo()
  }

  // MARK: The top level

  /// Encodes a value of the top level: a small one in place, any other in a body of its own, so that it can be read
  /// without what precedes it. Then encodes all objects that were reached.
  func encodeTopLevel<Value: Encodable>(_ value: Value) throws {
    if !outcome.lateWrites.isEmpty { outcome.lateWrites = [] }
    try drainLeftovers()
    let mark = bodies.assembly.mark
    do { try encodeTopLevel(value, currentPath) } catch {
      if !bodies.assembly.truncate(to: mark) { outcome.failure = error }
      throw error
    }
  }

  /// Encodes a value in a container nested at the top level, and notes the path of objects that it reaches.
  func encodeNestedAtTopLevel<Value: Encodable>(_ value: Value) throws {
    let (objectCount, pathCount) = (bodies.objects.count, bodies.topLevelPaths.count)
    try write(value)
    guard bodies.objects.count > objectCount, bodies.topLevelPaths.count == pathCount else { return }
    bodies.topLevelPaths.append((objectCount + 1, currentPath))
  }

  /// Encodes a value, again and again while weak references get their objects too late for it.
  private func encodeTopLevel<Value: Encodable>(_ value: Value, _ path: [any CodingKey]) throws {
    let (start, before, first) = (bodies.assembly.mark, mark, bodies.assembly.bodyCount + 1)
    var awaitedCount = bodies.awaited.count
    try encodeOnce(value, path)
    while bodies.awaited.count > awaitedCount {
      awaitedCount = bodies.awaited.count
      guard bodies.assembly.truncate(to: start) else { throw AwaitedObjects() }
      truncate(to: before)
      try encodeOnce(value, path)
    }
    reportEncoded(from: first)
  }

  private func encodeOnce<Value: Encodable>(_ value: Value, _ path: [any CodingKey]) throws {
    let plan = types.plans.plan(for: Value.self)
    stack.bounds = StackGuard()
    defer { stack.spare = nil }
    bodies.topLevelPaths.append((bodies.objects.count + 1, path))
    if context.top.kind == .singleUsed || context.top.kind == .unkeyed || plan.standsInline(value) {
      try plan.encode(value, self)
      try drain { canBeRead(value) }
    } else {
      guard let number = bodies.objects.numberForValue() else { throw tooManyObjects }
      if bodies.isAdded { bodies.saved?.noteValue(number) }
      buffer.append(reference: Tag.valueReference, writtenNumber(number))
      try writingBodies {
        beginBody(.elements(path), class: nil)
        try plan.encode(value, self)
        try endBody()
      }
      try drain(valueBody: number) { canBeRead(value) }
    }
    if let failure = outcome.lateWriteFailure { throw failure }
    if ordering.depth > 0 { try takeContent() }
  }

  /// Encodes `value` as the only one of the archive, under the root key. If that throws, the session is useless.
  func encodeRoot<Value: Encodable>(_ value: Value) throws {
    try encode(root: value)
    do { try finish() } catch { throw failure(of: value, error) }
  }

  /// Prevents any further encoding, since `error` was thrown for the root value.
  ///
  /// - Returns: the error for the caller, which any container that is still held throws as well.
  private func failure<Value>(of value: Value, _ error: any Error) -> any Error {
    let error = naming(value, error)
    outcome.isClosed = true
    outcome.failure = error
    return error
  }

  /// Encodes an object that the file has, with what it reaches, even if nothing refers to it in this save. If that
  /// throws, nothing of it was encoded.
  func encode<Object: Encodable & AnyObject>(unreached object: Object) throws {
    let (start, before, first) = (bodies.assembly.mark, mark, bodies.assembly.bodyCount + 1)
    let byteCount = buffer.count
    do {
      try append(referenceTo: object, types.plans.plan(for: Object.self))
      buffer.truncate(to: byteCount)
      try drain()
    } catch {
      _ = bodies.assembly.truncate(to: start)
      truncate(to: before)
      throw error
    }
    reportEncoded(from: first)
  }

  /// Encodes `value` as the only one of the archive or save. If that throws, nothing else can be encoded.
  func encode<Value: Encodable>(root value: Value) throws {
    openRoot()
    do {
      try encodeTopLevel(value, settings.hidesRootKey ? [] : [ArchiveCodingKey.root])
    } catch { throw failure(of: value, error) }
  }

  /// Makes the top level a map of the root key alone, whose value must follow.
  private func openRoot() {
    context.top.kind = .map
    context.top.count = 1
    context.top.headByteCount = 2
    buffer.append(Tag.map, word: 1, byteCount: 1)
    context.top.position = buffer.count
    write(string: EncodingSession.rootKey)
  }

  /// This many bytes are rehearsed in any case; more only in proportion to the archive.
  private static let freeRehearsals = 1 << 24

  /// Whether `value` can be read again: archives it once more by itself, and reads it.
  ///
  /// This is called only for a cycle of references none of which can wait. An initializer may read one of them deferred
  /// nevertheless, which only it knows.
  private func canBeRead<Value: Encodable>(_ value: Value) -> Bool {
    guard let rehearse = settings.rehearse, let type = Value.self as? any Decodable.Type,
      bodies.rehearsedByteCount <= EncodingSession.freeRehearsals + 256 * bodies.assembly.byteCount
    else { return false }
    // Objects that register themselves close cycles, which nobody could break after the rehearsal.
    if tables.classes.types.contains(where: Keepsake.isKnownEarly) { return false }
    let session = sessionForQuestion(sortsKeys: false, bodyLimit: Int.max)
    defer {
      bodies.rehearsedByteCount += session.bodies.assembly.byteCount
      session.dropSpares()
    }
    return whileClosed {
      do {
        try session.encode(value, forKey: .root)
        try session.finish()
      } catch { return false }
      return rehearse(type, session)
    }
  }

  /// A session with the settings of this one, for an archive that is made only to answer a question.
  func sessionForQuestion(sortsKeys: Bool, bodyLimit: Int) -> EncodingSession {
    let session = EncodingSession(userInfo: settings.userInfo, hidesRootKey: true)
    session.settings.sortsKeys = sortsKeys
    session.settings.ownClassNames = settings.ownClassNames
    session.observation.replacements = observation.replacements
    session.settings.typesReadingLast = Dictionary(
      zip(tables.classes.types, tables.classes.entries).map { (ObjectIdentifier($0), $1.keysReadLast) },
      uniquingKeysWith: { first, _ in first }
    )
    session.settings.classesAreKnown = true
    session.settings.bodyLimit = bodyLimit
    session.bodies.assembly.prefersShortForm = false
    return session
  }

  /// Encodes `value` under `key` at the top level.
  func encode<Value: Encodable>(_ value: Value, forKey key: ArchiveCodingKey) throws {
    let encoder = ValueEncoder(session: self, frame: 0, nested: nil)
    do { try checkIdle() } catch { throw encoder.refusal(error, value, key: key) }
    var container = encoder.container(keyedBy: ArchiveCodingKey.self)
    try container.encode(value, forKey: key)
  }
}
