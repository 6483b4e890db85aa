internal import CKeepsake
internal import Synchronization

/// Keyed containers for one type of key, kept to be used again.
///
/// Making a `KeyedEncodingContainer` or `KeyedDecodingContainer` takes an allocation and looks up the metadata of three
/// generic types, which costs more than writing a small record. So a coder keeps those that it hands out. When nothing
/// else holds one, the coder hands it out again, and its `State` becomes that of the next value.
///
/// Nested values of one type use several at a time, mostly one for each level. So the containers are kept in the order
/// in which they were made, and the search for an idle one begins after the last that is held.
struct SpareContainers<State: ContainerState> {
  private static var mostSpares: Int { 64 }
  /// The number of archives in a row that may use none of them. Each costs every archive a retain and a release.
  private static var mostUnused: Int { 64 }

  /// Each is a `SpareContainer` of the same type of container.
  private var spares: [AnySpareContainer<State>] = []
  /// The index of the container that was handed out last.
  private var latest = 0
  /// Whether this archive has used one, and how many archives in a row before it have not.
  private var isUsed = false
  private var unusedCount = 0

  var isEmpty: Bool { spares.isEmpty }

  /// An idle container, if there is one, to use only as long as it is kept here. `Container` is the type of those that
  /// were kept.
  @inline(__always)
  mutating func unretained<Container>(
    _ type: Container.Type
  ) -> Unretained<SpareContainer<Container, State>>? {
    guard latest < spares.count else { return nil }
    if !isIdle(latest) || latest > 0 && isIdle(latest &- 1) {
      guard search() else { return nil }
    }
    isUsed = true
    return Unretained(spares[latest]).use {
      Unretained(knownDowncast($0, to: SpareContainer<Container, State>.self))
    }
  }

  @inline(__always)
  private func isIdle(_ index: Int) -> Bool { Unretained(spares[index]).use { $0.isIdle } }

  /// Makes an idle container the latest, if there is one.
  private mutating func search() -> Bool {
    if isIdle(latest) {
      while latest > 0, isIdle(latest - 1) { latest -= 1 }
      return true
    }
    guard let next = spares.indices[(latest + 1)...].first(where: isIdle) else { return false }
    latest = next
    return true
  }

  /// Keeps `container`, which was made for `state`, to be used again.
  ///
  /// - Returns: The object that keeps it, or `nil` if it cannot be kept.
  mutating func keep<Container>(_ container: Container, _ state: State) -> AnySpareContainer<State>? {
    guard spares.count < Self.mostSpares, !spares.isEmpty || isSoleReference(Container.self) else {
      return nil
    }
    latest = spares.count
    isUsed = true
    spares.append(SpareContainer(container, state))
    return spares[latest]
  }

  mutating func removeAll() {
    for spare in spares { spare.state.forgetArchive() }
    spares = []
    latest = 0
  }

  /// Prepares the containers for another archive; returns their number, or `nil` if one is still held.
  mutating func forgetArchive() -> Int? {
    for index in spares.indices {
      guard spares[index].isIdle else { return nil }
      spares[index].state.forgetArchive()
    }
    latest = 0
    unusedCount = isUsed ? 0 : unusedCount &+ 1
    isUsed = false
    if unusedCount > Self.mostUnused { removeAll() }
    return spares.count
  }
}

/// An object that keeps containers for one type of key.
protocol SpareKeeper: AnyObject {
  associatedtype State: ContainerState
  var spares: SpareContainers<State> { get set }
}

/// The containers that a session keeps, for all types of keys.
struct KeptContainers<Keeper: SpareKeeper> {
  /// Whether containers are kept. They retain the session, so somebody has to release them.
  var isKeeping = true
  private var keepers: [Keeper] = []
  /// How many there were when the last archive was forgotten.
  private(set) var idleCount = 0

  mutating func append(_ keeper: Keeper) { keepers.append(keeper) }

  mutating func removeAll() {
    let dropped = keepers
    keepers = []
    for keeper in dropped { keeper.spares.removeAll() }
  }

  /// Prepares all containers for another archive, and removes the keepers that have none left; returns the number of
  /// containers, or `nil` if one is still held.
  mutating func forgetArchive() -> Int? {
    var count = 0
    var keepAll = true
    for keeper in keepers {
      guard let spares = keeper.spares.forgetArchive() else { return nil }
      count += spares
      if spares == 0 { keepAll = false }
    }
    if !keepAll { keepers.removeAll { $0.spares.isEmpty } }
    idleCount = count
    return count
  }
}

/// The value that a container is for. It has one reference to the coder.
protocol ContainerState: AnyObject {
  /// Forgets what applied to one archive only.
  func forgetArchive()
}

/// A coder whose session can be used again for another archive.
protocol ReusableCoder: AnyObject {
  /// Whether it has the usual settings and has not become too large.
  var canBeReused: Bool { get }

  /// The number of containers that wait with the coder while the coder is idle.
  var waitingContainerCount: Int { get }

  func forgetArchive()

  /// Prepares the kept containers for another archive; returns their number, or `nil` if somebody else holds one.
  func forgetArchiveInSpares() -> Int?

  /// Releases the kept containers, which retain the coder.
  func dropSpares()
}

/// Coders that wait for another archive, with their idle containers.
///
/// While they wait, the references from the containers to their coder are not counted. Otherwise coder and containers
/// would keep each other alive, and the coder's reference count would not show whether something else holds it.
///
/// A coder is in one of a few slots, from which one atomic exchange takes it. Each thread tries a slot of its own
/// first, so threads seldom touch the same memory.
@safe
struct SpareCoders<Coder: ReusableCoder>: ~Copyable, @unchecked Sendable {
  // Only the thread that takes a coder out refers to it or its content: hence `@unchecked`.

  @safe
  private struct Slot: ~Copyable {
    let coder = unsafe Atomic<Unmanaged<Coder>?>(nil)
    /// Keeps slots so far apart that no two are in one cache line, or in two that are fetched together.
    private let distance = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  }

  private static var slotCount: Int { 16 }

  /// Never freed: a program has one such table for each type of coder.
  private let slots: UnsafeMutablePointer<Slot>

  init() {
    unsafe slots = UnsafeMutablePointer.allocate(capacity: SpareCoders.slotCount)
    for index in 0..<SpareCoders.slotCount { unsafe (slots + index).initialize(to: Slot()) }
  }

  /// The slot where the calling thread begins: a hash of its own address, whose low bits are the same in many threads.
  @inline(__always)
  private static var ownSlot: Int {
    Int((UInt64(keepsake_thread()) &* 0x9E37_79B9_7F4A_7C15) &>> 60)
  }

  /// A coder that waits, if there is one.
  func take() -> Coder? {
    let own = SpareCoders.ownSlot
    for offset in 0..<SpareCoders.slotCount {
      let index = (own &+ offset) % SpareCoders.slotCount
      guard unsafe slots[index].coder.load(ordering: .relaxed) != nil,
        let coder = unsafe slots[index].coder.exchange(nil, ordering: .acquiring)
      else { continue }
      return unsafe SpareCoders.wake(coder)
    }
    return nil
  }

  private static func wake(_ coder: Unmanaged<Coder>) -> Coder {
    // The reference that the slot owned. Each retain balances a release in `giveBack`.
    let woken = unsafe coder.takeRetainedValue()
    for _ in 0..<woken.waitingContainerCount { _ = unsafe coder.retain() }
    return woken
  }

  /// Keeps `coder`, which is done with its archive, unless it cannot be used again, or something still holds it or a
  /// container of it.
  func giveBack(_ coder: consuming Coder) {
    guard coder.canBeReused, let count = coder.forgetArchiveInSpares() else { return coder.dropSpares() }
    // Releases what the idle containers retain; the caller's reference remains. Nobody uses one before it is taken.
    for _ in 0..<count { unsafe Unmanaged.passUnretained(coder).release() }
    guard isKnownUniquelyReferenced(&coder) else {
      for _ in 0..<count { _ = unsafe Unmanaged.passRetained(coder) }
      return coder.dropSpares()
    }
    coder.forgetArchive()
    keep(coder)
  }

  /// Puts `coder` into the first free slot. If there is none, it replaces the coder in the slot of this thread.
  private func keep(_ coder: consuming Coder) {
    let own = SpareCoders.ownSlot
    let coder = unsafe Unmanaged.passRetained(coder)
    for offset in 0..<SpareCoders.slotCount {
      let index = (own &+ offset) % SpareCoders.slotCount
      if unsafe slots[index].coder.load(ordering: .relaxed) == nil,
        unsafe slots[index].coder.compareExchange(expected: nil, desired: coder, ordering: .releasing)
          .exchanged
      {
        return
      }
    }
    let earlier = unsafe slots[own].coder.exchange(coder, ordering: .acquiringAndReleasing)
    if let earlier = unsafe earlier { unsafe SpareCoders.wake(earlier).dropSpares() }
  }
}

/// A kept container, independent of its type.
///
/// `State` is not constrained to `ContainerState`, since the runtime would search for the conformance.
class AnySpareContainer<State: AnyObject> {
  /// The single reference of which the container consists. It is never nil, but optional: otherwise
  /// `isKnownUniquelyReferenced` would open an `AnyObject`, which a debug build copies, and never find it unique.
  @safe @exclusivity(unchecked) fileprivate final var box: AnyObject?
  final let state: State

  fileprivate init(box: AnyObject, state: State) {
    self.box = box
    self.state = state
  }

  /// Whether nothing else holds the container: a holder would retain the box.
  @inline(__always)
  final var isIdle: Bool { isKnownUniquelyReferenced(&box) }
}

/// A container that is kept to be used again.
///
/// It is generic over the full type of the container, and ``take()`` is never inlined. So it finds the metadata of that
/// type in its own object, where a caller would have to look it up each time.
final class SpareContainer<Container, State: AnyObject>: AnySpareContainer<State> {
  /// `container` is a single reference, as `isSoleReference` has found.
  fileprivate init(_ container: Container, _ state: State) {
    super.init(box: unsafe unsafeBitCast(container, to: AnyObject.self), state: state)  // that reference
  }

  @inline(never)
  func take() -> Container {
    unsafe unsafeBitCast(box, to: Container.self)  // what it was made from
  }
}

/// Whether `type` consists of a single reference. That is private to the standard library. If it changes, containers are
/// not used again.
private func isSoleReference<Container>(_ type: Container.Type) -> Bool {
  let properties = RuntimeMetadata.storedProperties(of: type)
  return MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size && properties?.count == 1
    && properties?.first?.type is AnyClass
}
