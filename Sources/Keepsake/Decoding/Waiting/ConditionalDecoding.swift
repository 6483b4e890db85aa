internal import Synchronization

/// Receives the objects of conditional references.
protocol ReferenceReceiver: AnyObject {
  /// Receives the object to which `reference` leads.
  func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession) throws

  /// Whether `reference` still waits: its owner exists, and the program has assigned no other object to the property.
  func waits(for reference: WaitingReference, _ session: DecodingSession) -> Bool

  /// The class as which the object can be read; `nil` if only other references have it.
  var target: DecodableClass? { get }
}

/// A conditional reference whose object is not decoded yet.
struct WaitingReference {
  let receiver: any ReferenceReceiver
  /// The number of the object.
  let number: Int
  /// The offset of the reference; 0 if unknown.
  let offset: Int
  /// The number of the object that has the reference in a property; 0 if unknown.
  var owner = 0

  /// Gives the object to the receiver if it is decoded. Returns whether the reference is settled.
  func resolve(in session: DecodingSession) throws -> Bool {
    if let found = session.graph.objects.unretained(number) {
      try found.use { try receiver.receive($0, for: self, session) }
      return true
    }
    guard let found = session.graph.objects.object(number) else {
      return session.graph.objects.state(number) == .isReplacedByNil
    }
    // A document keeps it until the next save has seen the reference. Then it knows why to keep it.
    session.lazies.newObjects?.list.append((number, found))
    try receiver.receive(found, for: self, session)
    return true
  }

  /// Throws unless `object` is an instance of `type`, which is a class or `AnyObject`.
  func check(_ object: AnyObject, isA type: Any.Type, _ session: DecodingSession) throws {
    guard isInstance(object, of: type) || type == AnyObject.self else {
      throw session.isOther(Swift.type(of: object), type, offset, session.searchedPath(to: offset))
    }
  }
}

private final class FoundLater: @unchecked Sendable {
  // Only the initializer writes it. Whoever has the object decides whether other threads may use it.
  weak var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}

/// A weak reference to an object. It is not generic, because looking up the metadata of a generic box takes longer than
/// making it.
final class WeakBox: ReferenceReceiver {
  private let type: Any.Type
  /// Where the object is. The box may wait for it until a later call decodes it, while another thread may already use
  /// what holds the box.
  private enum State: UInt8, AtomicRepresentable { case waiting, found, foundLater }

  private let state: Atomic<State>
  /// The object from the first decoding. Written once.
  private weak var found: AnyObject?
  /// The object that replaced it when it was decoded again.
  private let foundLater = Mutex<FoundLater?>(nil)
  /// A property that receives the object as well.
  private var property: StoredProperty?
  private weak var owner: AnyObject?

  init<Object: AnyObject>(_ object: Object) {
    type = Object.self
    found = object
    state = Atomic(.found)
  }

  /// A box that waits for an object of `type`, a class or `AnyObject`.
  fileprivate init(waitingFor type: Any.Type) {
    self.type = type
    state = Atomic(.waiting)
  }

  /// The object, if it is known and something else retains it.
  var object: AnyObject? {
    switch state.load(ordering: .acquiring) {
    case .waiting: nil
    case .found: found
    case .foundLater: foundLater.withLock(\.self)?.object
    }
  }

  /// Makes a weak property of `owner` refer to the object, now or once it is known. Until then nothing retains `owner`.
  func whenFound(for owner: AnyObject, _ property: StoredProperty) {
    if let object {
      _ = property.assign(reference: object, in: owner)
    } else {
      (self.property, self.owner) = (property, owner)
    }
  }

  func waits(for reference: WaitingReference, _ session: DecodingSession) -> Bool {
    guard let property else { return true }
    return owner.map { property.reference(in: $0) == nil } ?? false
  }

  var target: DecodableClass? { type as? DecodableClass }

  func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession) throws {
    try reference.check(object, isA: type, session)
    if state.load(ordering: .relaxed) == .waiting {
      found = object
      state.store(.found, ordering: .releasing)
    } else {
      let later = FoundLater(object)
      foundLater.withLock { $0 = later }
      state.store(.foundLater, ordering: .releasing)
    }
    if let property, let owner { _ = property.assign(reference: object, in: owner) }
  }
}

extension DecodingSession {
  /// Reads the objects for which weak references wait, if unread lazy values may lead to them.
  ///
  /// - Parameter count: how many of ``DecodedGraph/waitingNumbers`` earlier calls have followed.
  /// - Returns: the objects, which the caller must retain.
  func readAwaited(after count: inout Int) throws -> [AnyObject] {
    guard count < graph.waitingNumbers.count, lazies.areUnread else { return [] }
    guard !later.isActive else {
      throw ArchiveError.misuse(
        "A value with @Lazy properties was archived while their archive was still being decoded. Archive it in "
          + "awakeFromArchive()",
        at: 0
      )
    }
    lazies.areAwaited = true
    defer { lazies.areAwaited = false }
    var objects: [AnyObject] = []
    // More references may begin to wait.
    while count < graph.waitingNumbers.count {
      let number = graph.waitingNumbers[count]
      count += 1
      guard graph.objects.object(number) == nil else { continue }
      guard let reference = graph.waiting[number]?.first(where: { $0.receiver.waits(for: $0, self) }) else {
        // If another reference begins to wait, as its owner is read below, the number must be followed again.
        graph.waiting[number] = nil
        continue
      }
      if reference.offset > 0, let target = reference.receiver.target {
        if let object = try read(target, for: reference) { objects.append(object) }
      } else {
        // The lazy value that contains the object knows the declared class, and where it is.
        readLazyValuesIfPossible()
        if let object = graph.objects.object(number) { objects.append(object) }
      }
    }
    return objects
  }

  /// Whether the object `number` may be released and read again, as it was read only for references that wait for it.
  func mayBeReadAgain(_ number: Int) -> Bool { lazies.areAwaited || graph.waiting[number] != nil }

  /// Forgets the conditional references to objects that exist and satisfy `condition`.
  func forgetWaiting(where condition: (AnyObject) -> Bool) {
    graph.waiting = graph.waiting.filter { number, _ in
      !(graph.objects.object(number).map(condition) ?? false)
    }
  }

  /// Lets the references that wait in `session` wait for the same objects here, where these have other numbers.
  func continueWaiting(of session: DecodingSession, _ numbers: [Int: Int]) {
    for (number, references) in session.graph.waiting.sorted(by: { $0.key < $1.key }) {
      guard let number = numbers[number] else { continue }
      for reference in references {
        guard let owner = reference.owner == 0 ? 0 : numbers[reference.owner] else { continue }
        graph.wait(WaitingReference(receiver: reference.receiver, number: number, offset: 0, owner: owner))
      }
    }
  }

  /// - Returns: `nil` if the observer replaces the object by nil.
  private func read<Target: Decodable & AnyObject>(_ type: Target.Type, for reference: WaitingReference)
    throws
    -> AnyObject?
  {
    do {
      var start = reference.offset
      detachFrames(for: start)
      return try keepingSpares { try decodeOutermost(Target?.self, at: &start, 0) }
    } catch {
      // Perhaps it can be read only as part of a lazy value.
      readOtherLazyValues(after: error)
      guard let object = known(reference.number) else { throw publicError(error, []) }
      return object
    }
  }

  /// Reads the reference at `cursor`, and moves past it, without decoding its object. The object must be of `type`, a
  /// class or `AnyObject`.
  func decodeConditional(_ type: Any.Type, at cursor: inout Int) throws -> WeakBox? {
    var start = cursor
    let tag = try reader.byte(at: start)
    var isNone = tag == Tag.none
    guard try isNone || isReference(at: start) else { throw ReadingFault.mismatch(start) }
    cursor = start &+ fixedLength(of: tag)
    if let content = try contentOfLazyReference(at: start) {
      isNone = try isNil(at: content)
      guard try isNone || isReference(at: content) else { throw ReadingFault.mismatch(content) }
      start = content
    }
    let referenced = isNone ? nil : try referencedBody(at: start)
    guard let number = referenced else { return nil }
    try checkIsObject(number, at: start)
    let box = WeakBox(waitingFor: type)
    let reference = WaitingReference(receiver: box, number: number, offset: start)
    if try mayBeReadAgain(number) || !reference.resolve(in: self) { graph.conditional.append(reference) }
    return box
  }
}
