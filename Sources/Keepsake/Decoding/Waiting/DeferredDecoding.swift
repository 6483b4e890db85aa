internal import Synchronization

/// A value that is decoded after everything else (Design §4).
@usableFromInline
class AnyDeferredValue {
  func decode(_ session: DecodingSession, _ waiting: DeferredQueue.Waiting) throws {}

  /// Releases the value, which may close a cycle.
  func forget() {}
}

/// Holds a deferred value for those that wait for it.
@usableFromInline
class DeferredBox<Value>: AnyDeferredValue {
  /// The offset of the value.
  private let offset: Int
  private var decoded: Value?
  /// Whether ``decoded`` has the value. Written once, after the value. Any thread may read it: an initializer may have
  /// handed its object to a thread that does not wait for the outermost decode to return.
  private let isDecoded = Atomic(false)
  private let earlyUses: EarlyUses
  private var read: ((DecodingSession, inout Int) throws -> Value)?
  private var receive: ((Value) -> Void)?

  required init(at offset: Int, _ earlyUses: EarlyUses) where Value: Decodable {
    self.offset = offset
    self.earlyUses = earlyUses
    read = { session, cursor in try session.decodeInside(Value.self, at: &cursor, 0) }
  }

  /// The value, if it is decoded.
  @usableFromInline
  final var value: Value? { isDecoded.load(ordering: .acquiring) ? decoded : nil }

  /// Notes that the value is needed. If it is not decoded yet, the outermost decode will throw.
  final func noteEarlyUse() {
    if !isDecoded.load(ordering: .acquiring) { earlyUses.note(at: offset) }
  }

  /// Calls `receive` with the value once it is decoded.
  final func whenDecoded(_ receive: @escaping (Value) -> Void) {
    if let value { receive(value) } else { self.receive = receive }
  }

  override func forget() {
    isDecoded.store(false, ordering: .releasing)
    decoded = nil
  }

  override func decode(_ session: DecodingSession, _ waiting: DeferredQueue.Waiting) throws {
    guard let read else { return }
    self.read = nil
    session.detachFrames(for: offset)
    var cursor = offset
    let value = try read(session, &cursor)
    decoded = value
    isDecoded.store(true, ordering: .releasing)
    if session.settings.isRehearsal {
      session.later.rehearsed.append(self)
    } else {
      receive?(value)
    }
    receive = nil
  }
}

/// Records that a deferred value was needed before it was decoded. What was made of it cannot be right.
final class EarlyUses: Sendable {
  /// The offset of the first value that was needed too early; -1 if there is none.
  private let first = Atomic(-1)

  /// Returns the offset of the first value that was needed too early, and forgets it.
  @inline(__always)
  func take() -> Int? {
    first.load(ordering: .relaxed) < 0 ? nil : first.exchange(-1, ordering: .relaxed)
  }

  func note(at offset: Int) {
    _ = first.compareExchange(expected: -1, desired: offset, ordering: .relaxed)
  }
}

/// The deferred values that wait, first come, first served.
struct DeferredQueue {
  /// A value that waits.
  struct Waiting {
    let value: AnyDeferredValue
    /// The number of the object whose property receives the value, if one does.
    var number = 0
    let offset: Int
  }

  private var values: [Waiting] = []
  private var head = 0

  /// How many values were appended since the outermost decode began.
  var count: Int { values.count }

  /// The values that were decoded, or failed.
  var decoded: ArraySlice<Waiting> { values[..<head] }

  mutating func append(_ value: Waiting) { values.append(value) }

  /// Whether the object `number` has added the value at `offset`, and nothing was added for another since.
  func hasLately(_ offset: Int, of number: Int) -> Bool {
    values.reversed().prefix { $0.number == number }.contains { $0.offset == offset }
  }

  mutating func next() -> Waiting? {
    guard head < values.count else { return nil }
    defer { head += 1 }
    return values[head]
  }

  /// Forgets the values, and keeps their memory for the next ones.
  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    head = 0
  }

  /// Removes the values from number `start` on, because the code that added them threw.
  mutating func takeSuffix(from start: Int) -> [Waiting] { values.takeSuffix(from: max(start, head)) }
}

extension DecodingSession {
  /// Charges the value at `cursor`, which is decoded later and takes `stride` bytes, and moves past it.
  func passOverDeferred(at cursor: inout Int, _ stride: Int) throws {
    let start = cursor
    let passedOver = lookups.skipped.byteCount
    cursor = try end(ofValueAt: start)
    // A deferred value within deferred values is passed over at each level. That costs little once ends are noted.
    checks.budget.costs.passedOverByteCount += lookups.skipped.byteCount - passedOver
    guard
      (checks.budget.costs.passedOverByteCount - DecodingChecks.freePassing) / DecodingChecks.mostReadings
        <= reader.count
    else {
      throw ArchiveError.limitExceeded(
        "Deferred values are nested too deep to be read in reasonable time",
        at: start
      )
    }
    try charge(DecodingBudget.deferredOverhead &+ stride, at: start)
  }

  /// Throws if a deferred value was needed before it was decoded. A set, for example, may have used a wrong hash of it.
  @inline(__always)
  func checkEarlyUses() throws {
    if let offset = later.earlyUses.take() { throw usedTooEarly(offset) }
  }

  @inline(never)
  private func usedTooEarly(_ offset: Int) -> DecodingError {
    misuse(
      "A @Deferred property was read, compared or hashed while its archive was being decoded, before it had its value. "
        + "Leave it out of == and hash(into:), or mark the set or dictionary that hashes it @Deferred, too. Move code "
        + "that needs it from initializers to awakeFromArchive()",
      at: offset
    )
  }

  /// Whether nil is at `offset`, or a reference to an object that is decoded.
  func isDecoded(at offset: Int) throws -> Bool {
    if try reader.byte(at: offset) == Tag.none { return true }
    guard try isReference(at: offset), let number = try referencedBody(at: offset), number >= 1,
      number <= image.directory.bodyCount
    else { return false }
    return graph.objects.object(number) != nil || graph.objects.state(number) == .isReplacedByNil
  }
}
