/// Decoding a whole graph: retries, deferred values, conditional references, awakening.
extension DecodingSession {
  /// Decodes a value that is in no other, with everything it reaches.
  @inline(never)
  func decodeOutermost<Value: Decodable>(
    _ type: Value.Type,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> Value {
    try turn.take { try decodeOutermostInTurn(type, at: &cursor, depth) }
  }

  private func decodeOutermostInTurn<Value: Decodable>(
    _ type: Value.Type,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> Value {
    try throwEarlierFailure()
    stack.bounds = StackGuard()
    if types.plans.namesGeneration != ClassNames.generation { forgetTypes() }
    later.isActive = true
    nesting.base = 0
    // Forget an early use that was noted after an earlier call had thrown.
    _ = later.earlyUses.take()
    // The program may have continued without closing the cycle that was met last.
    if later.readLast.cycle != nil { later.readLast.cycle = nil }
    later.readLast.throwsForValues = false
    let start = cursor
    let charged = checks.budget.begin(at: start)
    var isDecoded = false
    defer {
      checks.budget.end(charged, at: start, isDecoded: isDecoded)
      later.isActive = false
      if !types.earlierPlans.isEmpty { types.earlierPlans = [] }
      stack.spare = nil
      later.failed.forgetAll()
      if !later.rehearsed.isEmpty { for value in exchange(&later.rehearsed, with: []) { value.forget() } }
    }
    var depth = depth
    while true {
      do {
        let value = try decodeWhole(type, at: &cursor, depth)
        isDecoded = true
        if !later.awakening.isEmpty { awaken() }
        return value
      } catch {
        forgetValues()
        // An error that could not be thrown before may be the reason for this one.
        let error = checks.failure.take() ?? error
        guard later.readLast.closeCycle() || later.failed.give() else { throw error }
        // Some plans have cached which properties wait.
        forgetTypes()
        // Try again. What was read stays counted, so the number of attempts is bounded.
        checks.budget.release(charged, except: later.failed.byteCount)
        detachFrames(for: start)
        (cursor, depth) = (start, 0)
      }
    }
  }

  /// Forgets everything that was decoded, since it lacks deferred values. Opens the cycles that properties have closed,
  /// which nobody else would break.
  private func forgetValues() {
    for waiting in later.deferred.decoded {
      if let owner = owner(waiting.number) { (waiting.value as? AnyWaitingProperty)?.empty(in: owner) }
    }
    truncate(to: Mark())
    nesting.base = 0
    graph.inProgress = []
    graph.unwalked = 0..<0
    graph.haveEarly = false
    later.deferred = DeferredQueue()
    later.readLast.forgetValues()
    later.caught.forgetAll()
    _ = later.hashed.take()
    _ = later.earlyUses.take()
  }

  /// Decodes a value, everything it reaches, and what waits.
  private func decodeWhole<Value: Decodable>(_ type: Value.Type, at cursor: inout Int, _ depth: Int) throws
    -> Value
  {
    let value = try decodeInside(type, at: &cursor, depth)
    try checkEarlyUses()
    var failure: (any Error)?
    while let next = later.deferred.next() {
      let stepCount = checks.budget.paths.stepCount
      do { try next.value.decode(self, next) } catch  where next.number > 0 && mayBeCaught(error) {
        // The others may fail, too.
        let byteCount = DecodingBudget.byteCount(ofErrorWith: checks.budget.paths.stepCount &- stepCount)
        guard (try? charge(byteCount, at: next.offset)) != nil else { throw error }
        later.failed.add(error, at: next.offset, byteCount)
        failure = failure ?? error
      }
      try checkEarlyUses()
    }
    if let failure { throw failure }
    try resolveConditionals()
    if later.readLast.areThere || graph.haveEarly { try checkHashes() }
    if graph.inProgress.isEmpty { graph.haveEarly = false }
    if let failure = checks.failure.take() ?? later.caught.first { throw failure }
    if later.deferred.count > 0 { later.deferred.removeAll() }
    // Not earlier: if the value is decoded again, they receive the new objects.
    if !graph.waiting.isEmpty { try resolveWaiting() }
    if !lazies.contents.isEmpty || !lazies.inline.isEmpty { letGoOfObjects() }
    if !graph.decodedNumbers.isEmpty { graph.decodedNumbers.removeAll(keepingCapacity: true) }
    return value
  }

  private func awaken() {
    let awakening = exchange(&later.awakening, with: [])
    guard !settings.isRehearsal else { return }
    later.isActive = false
    // An observer may have given one object for several.
    let mayRepeat = settings.observer != nil
    var awakened: Set<ObjectIdentifier> = []
    for object in awakening where !mayRepeat || awakened.insert(ObjectIdentifier(object)).inserted {
      object.awakeFromArchive()
    }
  }

  /// Releases the decoded objects, since they may hold lazy values, which retain the session: with the spare containers,
  /// if somebody will release those.
  private func letGoOfObjects() {
    if let new = lazies.newObjects {
      for number in graph.decodedNumbers.lazy.map(Int.init) {
        if let object = graph.objects.object(number) { new.list.append((number, object)) }
      }
    }
    lazies.retained += graph.decodedNumbers
    if !types.kept.isKeeping { dropSpares() }
  }

  /// Decodes the value of the root key, usually the only one of its archive.
  func decodeRoot<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try keepingSpares {
      // A container handles a subclass that is known only at run time.
      guard ObjectIdentifier(type) == ObjectIdentifier(Value.self), let start = try openRoot() else {
        return try decodeRootByContainer(type)
      }
      var cursor = start
      if MemoryLayout<Value>.size >= DecodingBudget.largeValue {
        try charge(valueOf: type, at: start, path(toValueAt: start, in: 0))
      }
      let value = try decode(type, at: &cursor, 0)
      do throws(ArchiveError) { try checkEnd(ofTopLevelSlot: 0, cursor) } catch {
        throw corrupted(error, path(toValueAt: start, in: 0))
      }
      return value
    }
  }

  // Not inlined, so that only this function looks up the metadata of the container.
  @inline(never)
  private func decodeRootByContainer<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try topLevelDecoder.container(keyedBy: ArchiveCodingKey.self).decode(runtime: type, forKey: .root)
  }

  /// The offset of the value of the root key, or of the body to which it refers; `nil` if the top level has other keys.
  /// Leaves the frame of the top level as a search for the key would.
  private func openRoot() throws -> Int? {
    guard let offset = image.rootOffset else { return nil }
    let map = lookups.topLevelOffset
    prepareFrame(0, for: map)
    nesting.frames[0].setKeyed(KeyedHead(count: 1, payload: map + 2))
    do { return try resolved(offset, slot: 0) } catch { throw publicError(error, path(to: map, depth: 0)) }
  }

  /// Forgets the types found by name, as names may now stand for other types. If an initializer has changed the names,
  /// one of the plans has called it, and nothing else retains that plan.
  @inline(never)
  func forgetTypes() {
    if later.isActive { types.earlierPlans.append(types.plans) }
    types.plans = DecodingPlanCache()
  }

  /// Gives the objects that were decoded to the conditional references of earlier values.
  private func resolveWaiting() throws {
    for number in graph.decodedNumbers {
      for reference in graph.waiting[Int(number)] ?? []
      where reference.receiver.waits(for: reference, self) {
        _ = try reference.resolve(in: self)
      }
    }
    // What is read only for them may be released before a lazy value that refers to it is read.
    if lazies.areAwaited { return }
    for number in graph.decodedNumbers { graph.waiting[Int(number)] = nil }
  }

  /// Gives conditional references their objects. References to objects that nothing has requested yet begin to wait.
  private func resolveConditionals() throws {
    guard !graph.conditional.isEmpty else { return }
    let references = exchange(&graph.conditional, with: [])
    for (index, reference) in references.enumerated() {
      if hasManyBodies, index % DecodingSession.prefetchCount == 0 {
        // Fetches the objects of the next references together, as they are far apart in memory.
        let next = references[index...].prefix(DecodingSession.prefetchCount)
        for reference in next { graph.objects.prefetchEntry(reference.number) }
        for reference in next { graph.objects.prefetchObject(reference.number) }
      }
      if try !reference.resolve(in: self) || mayBeReadAgain(reference.number) { graph.wait(reference) }
    }
  }

  /// Prepares the frames for the value at `offset`, which is decoded apart from its container.
  func detachFrames(for offset: Int) {
    prepareFrame(0, for: -1)
    nesting.base = 0
    nesting.detached = (offset, nil)
  }
}
