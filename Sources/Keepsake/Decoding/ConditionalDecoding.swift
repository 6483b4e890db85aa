internal import Synchronization

/// The place of a conditional reference, for whoever waits for its object.
class AnyWeakBox {
  /// The number of the object, while the box waits for it.
  let number: Int

  init(waitingFor number: Int) {
    self.number = number
  }

  /// Fills the box if the object is there; returns whether that is done with.
  func resolve(in session: DecodingSession) throws -> Bool { true }
}

/// A reference that does not keep its object.
final class WeakBox<Object: AnyObject>: AnyWeakBox {
  private weak var found: Object?
  /// Whether ``found`` was written, which is done once. The box may wait for its object until a later call decodes that,
  /// when whatever holds the box may be in use by another thread.
  private let isFound: Atomic<Bool>
  private let offset: Int
  /// Who is told of the object as well.
  private var receive: ((Object) -> Void)?

  init(_ object: Object?) {
    found = object
    isFound = Atomic(true)
    offset = 0
    super.init(waitingFor: 0)
  }

  fileprivate init(waitingFor number: Int, _ offset: Int) {
    isFound = Atomic(false)
    self.offset = offset
    super.init(waitingFor: number)
  }

  /// The object, once it is known and as long as somebody keeps it.
  var object: Object? { isFound.load(ordering: .acquiring) ? found : nil }

  /// Makes a weak property of `owner` refer to the object, now or as soon as it is there. Until then nothing keeps `owner`.
  func whenFound(for owner: AnyObject, _ property: StoredProperty) {
    if let object {
      _ = property.assign(reference: object, in: owner)
    } else {
      receive = { [weak owner] object in
        if let owner { _ = property.assign(reference: object, in: owner) }
      }
    }
  }

  override func resolve(in session: DecodingSession) throws -> Bool {
    guard let found = session.objects.object(number), found !== ObjectBeingDecoded.marker else {
      return false
    }
    if found === ObjectReplacedByNil.marker { return true }
    guard let object = found as? Object else {
      throw session.isOther(found, Object.self, offset, session.searchedPath(to: offset))
    }
    self.found = object
    isFound.store(true, ordering: .releasing)
    receive?(object)
    receive = nil
    return true
  }
}

extension DecodingSession {
  /// Reads the reference at `place`, which moves behind it, without having its object decoded.
  func decodeConditional<Object: AnyObject>(
    _ type: Object.Type,
    at place: inout Int
  ) throws -> WeakBox<Object>? {
    let start = place
    if try isNil(at: start) {
      place = try end(ofValueAt: start)
      return nil
    }
    guard try isReference(at: start) else { throw ReadingFault.mismatch(start) }
    let number = try objectNumber(at: &place)
    // The number must be that of an object, whether or not it is ever decoded.
    _ = try objectBody(number, at: start)
    let box = WeakBox<Object>(waitingFor: number, start)
    if try !box.resolve(in: self) { conditional.append(box) }
    return box
  }
}
