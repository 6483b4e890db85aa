/// What happens around the decoding of a whole graph: deferred values, conditional references, awakening.
extension DecodingSession {
  /// Decodes a value that is in no other, with all that it reaches.
  @inline(never)
  func decodeOutermost<Value: Decodable>(
    _ type: Value.Type,
    at place: inout Int,
    _ depth: Int
  ) throws -> Value {
    try turn.take { try decodeOutermostInTurn(type, at: &place, depth) }
  }

  private func decodeOutermostInTurn<Value: Decodable>(
    _ type: Value.Type,
    at place: inout Int,
    _ depth: Int
  ) throws -> Value {
    try throwEarlierFailure()
    stackGuard = StackGuard()
    forgetTypesOfOldNames()
    isActive = true
    depthBase = 0
    // One that came after an earlier call had thrown.
    _ = earlyUses.take()
    let start = place
    let charged = budget.begin(at: start)
    var isDecoded = false
    defer {
      budget.end(charged, at: start, isDecoded: isDecoded)
      isActive = false
      spareStack = nil
      for value in exchange(&rehearsed, with: []) { value.forget() }
    }
    do {
      let value = try decodeInside(type, at: &place, depth)
      try checkEarlyUses()
      while let next = deferred.next() {
        try next.value.decode(self, next)
        // At once, so that fewer cycles are closed, which nobody would break.
        try checkEarlyUses()
      }
      try resolveConditionals()
      if readLast.areThere { try checkHashes() }
      if let failure = failure.take() { throw failure }
      if !lazyContents.isEmpty { letGoOfObjects() }
      decodedNumbers.removeAll(keepingCapacity: true)
      isDecoded = true
      let awakening = exchange(&awakening, with: [])
      awakened = []
      guard !isRehearsal else { return value }
      isActive = false
      for object in awakening { object.awakeFromArchive() }
      return value
    } catch {
      // Nothing that was decoded meanwhile is kept: its deferred values would be missing.
      goBack(to: DecodingMark())
      depthBase = 0
      inProgress = []
      deferred = DeferredQueue()
      readLast = PropertiesReadLast(image)
      // What could not be told before may be the reason.
      throw failure.take() ?? error
    }
  }

  /// Keeps the objects that were decoded no more: they may hold lazy values, which hold the session.
  private func letGoOfObjects() {
    newNumbers += decodedNumbers
    objects.letGo(decodedNumbers)
  }

  /// Decodes the only value of an archive that has but one.
  func decodeRoot<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let key = ArchiveCodingKey.root
    // A subclass that is known only when the program runs is found by a container.
    guard ObjectIdentifier(type) == ObjectIdentifier(Value.self) else {
      return try keepingSpares {
        try topLevelDecoder.container(keyedBy: ArchiveCodingKey.self).decode(runtime: type, forKey: key)
      }
    }
    return try keepingSpares {
      try DecodingPlace(self, keyTable(ArchiveCodingKey.self), topLevelOffset, 0).decode(type, key)
    }
  }

  private func forgetTypesOfOldNames() {
    let generation = ClassNames.generation
    if generation != namesGeneration { forgetTypes() }
    namesGeneration = generation
  }

  /// Forgets which types were found for names: they may now be others.
  func forgetTypes() {
    plans = DecodingPlanCache()
  }

  /// Gives the conditional references their objects. Those whose objects nothing has asked for yet wait on.
  private func resolveConditionals() throws {
    if !waiting.isEmpty {
      for number in decodedNumbers {
        for reference in waiting.removeValue(forKey: Int(number)) ?? [] {
          _ = try reference.resolve(in: self)
        }
      }
    }
    for reference in exchange(&conditional, with: []) where try !reference.resolve(in: self) {
      waiting[reference.number, default: []].append(reference)
    }
  }

  /// Makes the frames those of a value that is decoded by itself, at `offset`.
  func detachFrames(for offset: Int) {
    prepareFrame(0, for: -1)
    depthBase = 0
    detached = (offset, nil)
  }
}

/// What had been decoded at some moment, to be able to go back to it.
struct DecodingMark {
  fileprivate var decoded = 0
  fileprivate var deferred = 0
  fileprivate var conditional = 0
  fileprivate var awakening = 0
}

extension DecodingSession {
  @inline(__always)
  var mark: DecodingMark {
    DecodingMark(
      decoded: decodedNumbers.count,
      deferred: deferred.count,
      conditional: conditional.count,
      awakening: awakening.count
    )
  }

  /// Forgets the objects that were decoded since `mark`, and all that was still to be done for them: what they
  /// were decoded for could not be.
  func goBack(to mark: DecodingMark) {
    for number in decodedNumbers.dropFirst(mark.decoded) {
      objects.set(Int(number), nil, origin: objects.origin(Int(number)))
    }
    decodedNumbers.removeLast(max(0, decodedNumbers.count - mark.decoded))
    deferred.truncate(to: mark.deferred)
    conditional.removeLast(max(0, conditional.count - mark.conditional))
    for object in awakening.dropFirst(mark.awakening) { awakened.remove(ObjectIdentifier(object)) }
    awakening.removeLast(max(0, awakening.count - mark.awakening))
  }
}
