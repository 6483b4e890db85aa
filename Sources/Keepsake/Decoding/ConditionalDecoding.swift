internal import Synchronization

/// Who gets the objects of conditional references.
class ReferenceReceiver {
  /// Takes the object to which `reference` leads.
  func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession) throws {}

  /// Whether `reference` still waits: its owner is there, and the program has not given the property another object.
  func waits(for reference: WaitingReference, _ session: DecodingSession) -> Bool { true }

  /// The class as which the object can be read; `nil` where it cannot.
  var target: (any (Decodable & AnyObject).Type)? { nil }
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
  /// The property that receives the object, too.
  private var property: StoredProperty?
  private weak var owner: AnyObject?

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
      (self.property, self.owner) = (property, owner)
    }
  }

  override func waits(for reference: WaitingReference, _ session: DecodingSession) -> Bool {
    guard let property else { return true }
    return owner.map { property.reference(to: Object.self, in: $0) == nil } ?? false
  }

  override var target: (any (Decodable & AnyObject).Type)? {
    Object.self as? any (Decodable & AnyObject).Type
  }

  override func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession)
    throws
  {
    let object = try reference.checked(object, as: Object.self, session)
    found = object
    isFound.store(true, ordering: .releasing)
    if let property, let owner { _ = property.assign(reference: object, in: owner) }
  }
}

extension DecodingSession {
  /// Reads the objects for which weak references wait, if lazy values that were not read may lead to them.
  ///
  /// - Returns: the objects, which somebody has to keep.
  func readAwaited() throws -> [AnyObject] {
    lazies.awaited.removeAll { awaited in
      guard awaited.object.object == nil else { return false }
      // Who kept it did not keep it until it was read.
      graph.waiting[awaited.number, default: []] += awaited.references
      return true
    }
    guard !graph.waiting.isEmpty, lazies.contents.values.contains(where: { $0.content?.isArchived == true })
    else { return [] }
    var objects: [AnyObject] = []
    var seen: Set<Int> = []
    while case let numbers = graph.waiting.keys.filter({ seen.insert($0).inserted }), !numbers.isEmpty {
      for number in numbers.sorted() {
        let references = graph.waiting[number] ?? []
        guard let reference = references.first(where: { $0.receiver.waits(for: $0, self) }),
          let target = reference.receiver.target
        else { continue }
        let object = try read(target, for: reference)
        objects.append(object)
        lazies.awaited.append((number, WeakObject(object: object), references))
      }
    }
    return objects
  }

  private func read<Target: Decodable & AnyObject>(_ type: Target.Type, for reference: WaitingReference)
    throws
    -> AnyObject
  {
    do {
      var start = reference.offset
      detachFrames(for: start)
      return try keepingSpares { try decodeOutermost(type, at: &start, 0) }
    } catch {
      throw publicError(error, [])
    }
  }

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
