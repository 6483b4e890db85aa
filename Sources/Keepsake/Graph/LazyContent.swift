internal import Synchronization

/// The value of a lazy property, or its place in an archive. An archive has it as an object whose content is the value,
/// so the value has a body of its own, and readers pass over it as over a reference.
final class LazyContent<Value>: AnyLazyContent {
  private indirect enum State {
    case value(Value)
    /// The place of the value in an archive, the session of that archive, and the function that reads the value.
    case archived(LazySource, DecodingSession, (DecodingSession, LazySource) throws -> Value)
    /// The error, the state before, and what types and settings there were then.
    case failed(any Error, State, settingsState: [Int])
  }

  private let state: Mutex<Held<State>>

  init(_ value: Value) { state = Mutex(Held(.value(value))) }

  /// Creates the content for the value at `offset` in the archive of `session`.
  init(at offset: Int, _ session: DecodingSession) where Value: Decodable {
    let read: (DecodingSession, LazySource) throws -> Value = { session, source in
      try session.decodeLazily(Value.self, source)
    }
    state = Mutex(Held(.archived(.offset(offset), session, read)))
  }

  private var current: State { state.withLock { $0.value } }

  var isLoaded: Bool {
    if case .value = current { true } else { false }
  }

  var error: (any Error)? {
    if case .failed(let error, _, _) = current { error } else { nil }
  }

  override var hasFailed: Bool { error != nil }

  override var isArchived: Bool {
    if case .archived = current { true } else { false }
  }

  override func move(to session: AnyObject, body number: Int) {
    guard let session = session as? DecodingSession else { return }
    state.withLock {
      if case .archived(_, _, let read) = $0.value { $0 = Held(.archived(.body(number), session, read)) }
    }
  }

  override func readIfNeeded() throws { _ = try load() }

  override func readIfPossible() {
    if case .archived(let source, let session, let read) = current, let value = try? read(session, source) {
      set(.value(value))
    }
  }

  /// Releases the value, which the caller keeps until it sets another.
  func clear() where Value: LazyValue { set(.value(Value.emptyLazyValue)) }

  private func set(_ new: State) { state.withLock { $0 = Held(new) } }

  /// What decides whether a value can be read: it changes with the type names of the process and the settings of `session`.
  private func settingsState(_ session: DecodingSession) -> [Int] {
    ClassNames.state + [session.lazies.settingsCount]
  }

  /// Returns the value, and reads it first if necessary.
  func load() throws -> Value {
    while true {
      switch current {
      case .value(let value): return value
      case .failed(let error, let before, let settingsState):
        guard case .archived(_, let session, _) = before,
          settingsState != session.turn.take({ self.settingsState(session) })
        else { throw error }
        // A type that was missing may be there now, or a limit higher.
        state.withLock { if case .failed = $0.value { $0 = Held(before) } }
      case .archived(_, let session, _):
        if let value = try session.turn.take({ try read(by: session) }) { return value }
      }
    }
  }

  /// Whether a document has read the owner since it began `encoding`. It will encode again, and then knows that its file
  /// has the value.
  fileprivate func isNew(since encoding: EncodingSession) -> Bool {
    guard case .archived(_, let session, _) = current, encoding.bodies.saved?.isReader(session) == true else {
      return false
    }
    return session.turn.take { session.lazies.newObjects?.contains(self) ?? false }
  }

  /// Prepares to read the value for `encoding`: reads the objects that weak references of the archive wait for, except
  /// those that were read for `encoding` before.
  fileprivate func prepare(for encoding: EncodingSession) throws {
    guard case .archived(let source, let session, _) = current else { return }
    let id = ObjectIdentifier(session)
    let followed = encoding.bodies.followed[id] ?? EncodedBodies.Followed(session)
    encoding.bodies.followed[id] = followed
    try session.turn.take {
      encoding.bodies.awaited += try session.readAwaited(after: &followed.count)
      // A damaged archive may have a value that leads to itself through objects that are read as values, which are
      // others each time. Then the costs add up, so that reading it ends.
      if case .offset(let offset) = source, !followed.offsets.insert(offset).inserted {
        session.checks.budget.keepCosts(ofValueAt: offset)
      }
    }
  }

  /// Reads the value by `session`, which has the turn; `nil` if another thread has read it, or it was moved.
  private func read(by session: DecodingSession) throws -> Value? {
    guard case .archived(let source, let reader, let read) = current, reader === session else { return nil }
    do {
      let value = try read(session, source)
      set(.value(value))
      return value
    } catch {
      // It was requested too early, and a later attempt may succeed.
      if session.later.isActive { throw error }
      session.readOtherLazyValues(after: error)
      if case .value(let value) = current { return value }
      set(.failed(error, current, settingsState: settingsState(session)))
      session.lazies.unreadableCount -= 1
      session.lazies.faults.note(error, of: self)
      throw error
    }
  }
}

/// A state that a lock protects. It may hold values that are not `Sendable`, as they are reached only under the lock.
private struct Held<State>: @unchecked Sendable {
  let value: State

  init(_ value: State) { self.value = value }
}

extension LazyContent: Encodable, NativelyEncodable where Value: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { LazyContentPlan<Value>() }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(load())
  }
}

private final class LazyContentPlan<Value: Encodable>: EncodingPlan<LazyContent<Value>> {
  override func encode(_ value: LazyContent<Value>, _ session: EncodingSession) throws {
    try session.append(referenceTo: value, self)
  }

  override func encodeBody(_ object: AnyObject, _ session: EncodingSession) throws {
    guard let content = object as? LazyContent<Value> else { return }
    if content.isArchived {
      if session.leaveBodyOut(evenIf: content.isNew(since: session)) { return }
      try content.prepare(for: session)
    }
    try session.write(content.load())
  }
}
