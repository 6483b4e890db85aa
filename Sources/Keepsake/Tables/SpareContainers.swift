internal import Synchronization

/// Keyed containers of one type of key, to be used again.
///
/// To make a `KeyedEncodingContainer` or `KeyedDecodingContainer` takes a block of memory and look-ups of the metadata of
/// three generic types, which cost more than to write a small record. So a coder keeps those that it hands out; when
/// nobody else holds one any more, it is handed out again, and its `Place` is changed to that of the next value.
struct SpareContainers<Place: AnyObject> {
  /// More than one are in use at a time only where values of a type are nested in each other.
  private static var mostSpares: Int { 8 }

  /// Each a `SpareContainer` of the one type of container that these are.
  private var first: AnyObject?
  private var others: [AnyObject] = []

  /// The container that was kept first, if nobody holds it any more. `Container` is the type of those that were kept.
  @inline(__always)
  func first<Container>(_ type: Container.Type) -> SpareContainer<Container, Place>? {
    guard let first else { return nil }
    let spare = knownDowncast(first, to: SpareContainer<Container, Place>.self)
    return spare.isIdle ? spare : nil
  }

  /// Any other container that nobody holds.
  func other<Container>(_ type: Container.Type) -> SpareContainer<Container, Place>? {
    for other in others {
      let spare = knownDowncast(other, to: SpareContainer<Container, Place>.self)
      if spare.isIdle { return spare }
    }
    return nil
  }

  /// Keeps `container`, which was made for `place`, for later.
  mutating func keep<Container>(_ container: Container, _ place: Place) {
    guard others.count < Self.mostSpares, isSoleReference(container) else { return }
    let spare = SpareContainer(container, place)
    if first == nil { first = spare } else { others.append(spare) }
  }
}

/// A container that is kept to be used again.
///
/// It is generic over the whole type of the container, and ``take()`` stays a call: so it finds the metadata of that type
/// in its own object, where others would have to look it up each time.
final class SpareContainer<Container, Place: AnyObject> {
  /// The one reference that the container is.
  @safe @exclusivity(unchecked) private var box: AnyObject
  let place: Place

  /// `container` was found to be one reference, as `isSoleReference` says.
  fileprivate init(_ container: Container, _ place: Place) {
    box = unsafe unsafeBitCast(container, to: AnyObject.self)  // that reference
    self.place = place
  }

  /// Whether nobody else holds the container: whoever does, holds its box.
  @inline(__always)
  fileprivate var isIdle: Bool { isKnownUniquelyReferenced(&box) }

  @inline(never)
  func take() -> Container {
    unsafe unsafeBitCast(box, to: Container.self)  // what it was made from
  }
}

/// Whether `container` consists of one reference and nothing else. What it consists of is the standard library's own
/// business; should that change, containers are not used again.
private func isSoleReference<Container>(_ container: Container) -> Bool {
  soleReferences.withLock { known in
    let id = ObjectIdentifier(Container.self)
    if let isReference = known[id] { return isReference }
    let children = Mirror(reflecting: container).children
    let isReference =
      MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size && children.count == 1
      && children.allSatisfy { type(of: $0.value) is AnyClass }
    known[id] = isReference
    return isReference
  }
}

/// The types of containers that were looked at: one for each type of key and direction.
private let soleReferences = Mutex<[ObjectIdentifier: Bool]>([:])
