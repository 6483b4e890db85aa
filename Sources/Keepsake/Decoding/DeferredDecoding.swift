/// A value that is decoded when everything else has been (Design §4).
class AnyDeferredValue {
  /// Where the value is in the archive.
  fileprivate let offset: Int

  fileprivate init(offset: Int) {
    self.offset = offset
  }

  func decode(_ session: DecodingSession) throws {}

  /// Lets go of the value, which may close a ring.
  func forget() {}
}

/// The place of a deferred value, for whoever waits for it.
final class DeferredBox<Value>: AnyDeferredValue {
  /// The value, once it was decoded.
  private(set) var value: Value?
  private var read: ((DecodingSession, inout Int) throws -> Value)?
  private var receive: ((Value) -> Void)?

  init(at offset: Int) where Value: Decodable {
    read = { session, place in try session.decodeInside(Value.self, at: &place, 0) }
    super.init(offset: offset)
  }

  /// Calls `receive` with the value once that was decoded.
  func whenDecoded(_ receive: @escaping (Value) -> Void) {
    if let value { receive(value) } else { self.receive = receive }
  }

  override func forget() { value = nil }

  override func decode(_ session: DecodingSession) throws {
    guard let read else { return }
    self.read = nil
    session.detachFrames(for: offset)
    var place = offset
    let value = try read(session, &place)
    self.value = value
    if session.isRehearsal {
      session.rehearsed.append(self)
    } else {
      receive?(value)
    }
    receive = nil
  }
}

/// The deferred values that wait, first come, first served.
struct DeferredQueue {
  private var values: [AnyDeferredValue?] = []
  private var head = 0

  /// How many were put in since the queue was last empty.
  var count: Int { values.count }

  mutating func append(_ value: AnyDeferredValue) { values.append(value) }

  mutating func next() -> AnyDeferredValue? {
    while head < values.count {
      defer { head += 1 }
      if let value = exchange(&values[head], with: nil) { return value }
    }
    values.removeAll(keepingCapacity: true)
    head = 0
    return nil
  }

  /// Forgets the values from number `start` on: what came upon them threw.
  mutating func truncate(to start: Int) {
    values.removeLast(max(0, values.count - max(start, head)))
  }
}

/// Puts `other` in the place of `value` and gives back what was there.
func exchange<Value>(_ value: inout Value, with other: Value) -> Value {
  let old = value
  value = other
  return old
}

extension DecodingSession {
  /// Reads the value at `place`, which moves behind it, now or later: the box is `nil` when it was read.
  ///
  /// What needs no initializer to run is read now: nil, and objects that are there.
  func decodeDeferred<Value: Decodable>(
    _ type: Value.Type,
    at place: inout Int,
    _ depth: Int
  ) throws -> (value: Value?, box: DeferredBox<Value>?) {
    let start = place
    if try reader.byte(at: start) == Tag.none || isDecoded(at: start) {
      return (try decodeInside(type, at: &place, depth), nil)
    }
    place = try end(ofValueAt: start)
    // What is deferred in something deferred is passed over at each level.
    budget.costs.passedOverByteCount += place - start
    guard
      (budget.costs.passedOverByteCount - DecodingSession.freePassing) / DecodingSession.mostReadings
        <= reader.count
    else {
      throw ArchiveError(
        .limitExceeded,
        "Deferred values are nested in each other so deep that reading them would take too long",
        byteOffset: start
      )
    }
    try charge(DecodingBudget.deferredOverhead &+ MemoryLayout<Value>.stride, at: start)
    let box = DeferredBox<Value>(at: start)
    deferred.append(box)
    return (nil, box)
  }

  /// Whether a reference stands at `place` to an object that is there.
  private func isDecoded(at place: Int) throws -> Bool {
    guard try isReference(at: place), let number = try referencedBody(at: place), number >= 1,
      number <= image.directory.bodyCount, let object = objects.object(number)
    else { return false }
    return object !== ObjectBeingDecoded.marker
  }
}
