internal import Synchronization

/// Keyed containers of one type of key, to be used again.
///
/// To make a `KeyedEncodingContainer` or `KeyedDecodingContainer` takes a block of memory and look-ups of the metadata of
/// three generic types, which cost more than to write a small record. So a coder keeps those that it hands out; when
/// nobody else holds one any more, it is handed out again, and its `Place` is changed to that of the next value.
///
/// Several are in use at a time where values of a type are nested in each other, mostly as many as the nesting is deep.
/// So they are kept in the order in which they were made, and the first is looked for that nobody holds of those behind
/// the last that somebody does.
struct SpareContainers<Place: AnyObject> {
  private static var mostSpares: Int { 64 }

  /// Each a `SpareContainer` of the one type of container that these are.
  private var spares: [AnySpareContainer] = []
  /// The one that was handed out last.
  private var latest = 0

  /// A container that nobody holds any more, if there is one. `Container` is the type of those that were kept.
  @inline(__always)
  mutating func spare<Container>(_ type: Container.Type) -> SpareContainer<Container, Place>? {
    guard let spare = idle() else { return nil }
    return knownDowncast(spare, to: SpareContainer<Container, Place>.self)
  }

  @inline(__always)
  private mutating func idle() -> AnySpareContainer? {
    guard latest < spares.count else { return nil }
    guard spares[latest].isIdle, latest == 0 || !spares[latest &- 1].isIdle else { return search() }
    return spares[latest]
  }

  private mutating func search() -> AnySpareContainer? {
    if spares[latest].isIdle {
      while latest > 0, spares[latest - 1].isIdle { latest -= 1 }
      return spares[latest]
    }
    guard let next = spares.indices[(latest + 1)...].first(where: { spares[$0].isIdle }) else { return nil }
    latest = next
    return spares[next]
  }

  /// Keeps `container`, which was made for `place`, for later.
  mutating func keep<Container>(_ container: Container, _ place: Place) {
    guard spares.count < Self.mostSpares, isSoleReference(container) else { return }
    latest = spares.count
    spares.append(SpareContainer(container, place))
  }
}

/// What can be said of a kept container without its type.
class AnySpareContainer {
  /// The one reference that the container is.
  @safe @exclusivity(unchecked) fileprivate final var box: AnyObject

  fileprivate init(box: AnyObject) {
    self.box = box
  }

  /// Whether nobody else holds the container: whoever does, holds its box.
  @inline(__always)
  fileprivate final var isIdle: Bool { isKnownUniquelyReferenced(&box) }
}

/// A container that is kept to be used again.
///
/// It is generic over the whole type of the container, and ``take()`` stays a call: so it finds the metadata of that type
/// in its own object, where others would have to look it up each time.
final class SpareContainer<Container, Place: AnyObject>: AnySpareContainer {
  let place: Place

  /// `container` was found to be one reference, as `isSoleReference` says.
  fileprivate init(_ container: Container, _ place: Place) {
    self.place = place
    super.init(box: unsafe unsafeBitCast(container, to: AnyObject.self))  // that reference
  }

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
