internal import Synchronization

/// Who gets the objects of conditional references.
class ReferenceReceiver {
  /// Takes the object to which `reference` leads.
  func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession) throws {}
}

/// A conditional reference whose object is not there yet.
struct WaitingReference {
  let receiver: ReferenceReceiver
  /// The number of the object.
  let number: Int
  /// Where the reference is in the archive.
  let offset: Int
  /// The number of the object in whose property it is, if that is known.
  var owner = 0

  /// Gives the receiver the object if that is there; returns whether that is done with.
  func resolve(in session: DecodingSession) throws -> Bool {
    if let found = session.graph.objects.unretained(number) {
      try found.use { try receiver.receive($0, for: self, session) }
      return true
    }
    guard let found = session.graph.objects.object(number) else {
      return session.graph.objects.state(number) == .isReplacedByNil
    }
    try receiver.receive(found, for: self, session)
    return true
  }

  /// Throws unless `object` is a `type`, which is a class or `AnyObject`.
  func check(_ object: AnyObject, isA type: Any.Type, _ session: DecodingSession) throws {
    guard isInstance(object, of: type) || type == AnyObject.self else {
      throw session.isOther(object, type, offset, session.searchedPath(to: offset))
    }
  }
}

/// A reference that does not keep its object. It is not generic, since looking up the metadata of a generic box takes
/// longer than making it.
final class WeakBox: ReferenceReceiver {
  private let type: Any.Type
  private weak var found: AnyObject?
  /// Whether ``found`` was written, which is done once. The box may wait for its object until a later call decodes that,
  /// when whatever holds the box may be in use by another thread.
  private let isFound: Atomic<Bool>
  /// Other receivers of the object.
  private var notify: ((AnyObject) -> Void)?

  init<Object: AnyObject>(_ object: Object) {
    type = Object.self
    found = object
    isFound = Atomic(true)
  }

  /// A box that waits for an object, which has to be a `type`: a class or `AnyObject`.
  fileprivate init(waitingFor type: Any.Type) {
    self.type = type
    isFound = Atomic(false)
  }

  /// The object, once it is known and as long as something else keeps it.
  var object: AnyObject? { isFound.load(ordering: .acquiring) ? found : nil }

  /// Makes a weak property of `owner` refer to the object, now or as soon as it is there. Until then nothing keeps `owner`.
  func whenFound(for owner: AnyObject, _ property: WeakVariable) {
    if let object {
      _ = property.assign(object, in: owner)
    } else {
      notify = { [weak owner] object in
        if let owner { _ = property.assign(object, in: owner) }
      }
    }
  }

  override func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession)
    throws
  {
    try reference.check(object, isA: type, session)
    found = object
    isFound.store(true, ordering: .releasing)
    notify?(object)
    notify = nil
  }
}

extension DecodingSession {
  /// Reads the reference at `cursor`, which moves past it, without having its object decoded. That has to be a `type`, a
  /// class or `AnyObject`.
  func decodeConditional(_ type: Any.Type, at cursor: inout Int) throws -> WeakBox? {
    let start = cursor
    let tag = try reader.byte(at: start)
    let isNone = tag == Tag.none
    guard try isNone || isReference(at: start) else { throw ReadingFault.mismatch(start) }
    let referenced = isNone ? nil : try referencedBody(at: start)
    cursor = start &+ fixedLength(of: tag)
    guard let number = referenced else { return nil }
    try checkIsObject(number, at: start)
    let box = WeakBox(waitingFor: type)
    let reference = WaitingReference(receiver: box, number: number, offset: start)
    if try !reference.resolve(in: self) { graph.conditional.append(reference) }
    return box
  }
}
