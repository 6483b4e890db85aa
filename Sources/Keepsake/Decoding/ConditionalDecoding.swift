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

  /// `object` as a `Target`.
  func checked<Target: AnyObject>(
    _ object: AnyObject,
    as type: Target.Type,
    _ session: DecodingSession
  ) throws -> Target {
    if ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(Target.self) {
      return knownDowncast(object, to: Target.self)
    }
    guard let target = object as? Target else {
      throw session.isOther(object, Target.self, offset, session.searchedPath(to: offset))
    }
    return target
  }
}

/// A reference that does not keep its object.
final class WeakBox<Object: AnyObject>: ReferenceReceiver {
  private weak var found: Object?
  /// Whether ``found`` was written, which is done once. The box may wait for its object until a later call decodes that,
  /// when whatever holds the box may be in use by another thread.
  private let isFound: Atomic<Bool>
  /// Other receivers of the object.
  private var notify: ((Object) -> Void)?

  init(_ object: Object?) {
    found = object
    isFound = Atomic(true)
  }

  /// A box that waits for its object.
  fileprivate override init() {
    isFound = Atomic(false)
  }

  /// The object, once it is known and as long as something else keeps it.
  var object: Object? { isFound.load(ordering: .acquiring) ? found : nil }

  /// Makes a weak property of `owner` refer to the object, now or as soon as it is there. Until then nothing keeps `owner`.
  func whenFound(for owner: AnyObject, _ property: StoredProperty) {
    if let object {
      _ = property.assign(reference: object, in: owner)
    } else {
      notify = { [weak owner] object in
        if let owner { _ = property.assign(reference: object, in: owner) }
      }
    }
  }

  override func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession)
    throws
  {
    let object = try reference.checked(object, as: Object.self, session)
    found = object
    isFound.store(true, ordering: .releasing)
    notify?(object)
    notify = nil
  }
}

extension DecodingSession {
  /// Reads the reference at `cursor`, which moves past it, without having its object decoded.
  func decodeConditional<Object: AnyObject>(
    _ type: Object.Type,
    at cursor: inout Int
  ) throws -> WeakBox<Object>? {
    let start = cursor
    if try isNil(at: start) {
      cursor = try end(ofValueAt: start)
      return nil
    }
    guard try isReference(at: start) else { throw ReadingFault.mismatch(start) }
    let number = try objectNumber(at: &cursor)
    try checkIsObject(number, at: start)
    let box = WeakBox<Object>()
    let reference = WaitingReference(receiver: box, number: number, offset: start)
    if try !reference.resolve(in: self) { graph.conditional.append(reference) }
    return box
  }
}
