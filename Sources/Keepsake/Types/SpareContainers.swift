internal import KeepsakeStack
internal import Synchronization

/// Keyed containers of one type of key, to be used again.
///
/// To make a `KeyedEncodingContainer` or `KeyedDecodingContainer` takes a block of memory and look-ups of the metadata of
/// three generic types, which cost more than to write a small record. So a coder keeps those that it hands out; when
/// nothing else holds one any more, it is handed out again, and its `State` is changed to that of the next value.
///
/// Several are in use at a time where values of a type are nested in each other, mostly as many as the nesting is deep.
/// So they are kept in the order in which they were made, and the search for a
/// free one begins behind the last that is held.
struct SpareContainers<State: ContainerState> {
  private static var mostSpares: Int { 64 }
  /// In how many archives in a row none of them may be needed. Each costs every archive a retain and a release.
  private static var mostUnused: Int { 8 }

  /// Each a `SpareContainer` of the one type of container that these are.
  private var spares: [AnySpareContainer<State>] = []
  /// The one that was handed out last.
  private var latest = 0
  /// Whether one was handed out for this archive, and for how many archives before none was.
  private var isUsed = false
  private var unusedCount = 0

  var isEmpty: Bool { spares.isEmpty }

  /// A container that nobody holds any more, if there is one, to be used as long as these are kept. `Container` is the type
  /// of those that were kept.
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

  /// Makes one that is idle the latest, if there is one.
  private mutating func search() -> Bool {
    if isIdle(latest) {
      while latest > 0, isIdle(latest - 1) { latest -= 1 }
      return true
    }
    guard let next = spares.indices[(latest + 1)...].first(where: isIdle) else { return false }
    latest = next
    return true
  }

  /// Keeps `container`, which was made for `state`, for later.
  ///
  /// - Returns: what it is kept in, unless it cannot be.
  @discardableResult
  mutating func keep<Container>(_ container: Container, _ state: State) -> AnySpareContainer<State>? {
    guard spares.count < Self.mostSpares, isSoleReference(container) else { return nil }
    latest = spares.count
    isUsed = true
    spares.append(SpareContainer(container, state))
    return spares[latest]
  }

  /// Lets go of all.
  mutating func removeAll() {
    for spare in spares { spare.state.forgetArchive() }
    spares = []
    latest = 0
  }

  /// Makes the containers ready for another archive; returns how many there are, or `nil` when one is still held.
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

/// What keeps containers for one type of key.
protocol SpareKeeper: AnyObject {
  associatedtype State: ContainerState
  var spares: SpareContainers<State> { get set }
}

/// The containers that a session keeps, of all types of keys.
struct KeptContainers<Keeper: SpareKeeper> {
  /// Whether containers are kept. They hold the session, so somebody has to let go of them.
  var isKeeping = true
  private var keepers: [Keeper] = []
  /// How many wait with the session, when it waits itself.
  var waitingCount = 0

  mutating func append(_ keeper: Keeper) { keepers.append(keeper) }

  /// Lets go of all.
  mutating func removeAll() {
    let dropped = keepers
    keepers = []
    for keeper in dropped { keeper.spares.removeAll() }
  }

  /// Makes all ready for another archive, and leaves out the keepers that have none any more; returns how many containers
  /// there are, or `nil` when one is still held.
  mutating func forgetArchive() -> Int? {
    var count = 0
    var keepAll = true
    for keeper in keepers {
      guard let spares = keeper.spares.forgetArchive() else { return nil }
      count += spares
      if spares == 0 { keepAll = false }
    }
    if !keepAll { keepers.removeAll { $0.spares.isEmpty } }
    return count
  }
}

/// What tells a container which value it is that of. It has one reference to the coder.
protocol ContainerState: AnyObject {
  /// Forgets what was true of one archive only.
  func forgetArchive()
}

/// A coder whose session can be used again for another archive.
protocol ReusableCoder: AnyObject {
  /// Whether its settings are those that others have, and it has not become too large.
  var canBeReused: Bool { get }

  /// How many containers wait with it, when it waits itself.
  var waitingContainerCount: Int { get set }

  func forgetArchive()

  /// Makes the containers that are kept ready for another archive; returns how many there are, or `nil` when somebody
  /// else holds one.
  func forgetArchiveInSpares() -> Int?

  /// Lets go of the containers that are kept, which hold the coder.
  func dropSpares()
}

/// Coders that wait for another archive, with their idle containers.
///
/// Meanwhile the references that these have to their coder are not counted. Otherwise they and the coder would keep each
/// other, and its reference count would not tell whether something else holds it.
///
/// A coder is in one of a few slots, from which one atomic exchange takes it. Each thread looks at a slot of its own first,
/// so that threads seldom touch the same memory.
@safe
struct SpareCoders<Coder: ReusableCoder>: ~Copyable, @unchecked Sendable {
  // Only who takes a coder out refers to it, or to anything in it: hence `@unchecked`.

  @safe
  private struct Slot: ~Copyable {
    let coder = unsafe Atomic<Unmanaged<Coder>?>(nil)
    /// The kind of archives that the coder is for, as of the last look.
    let kind = Atomic<UInt32>(0)
    /// Keeps slots so far from each other that no two are in one line of a cache, nor in two that are fetched together.
    private let distance = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  }

  private static var slotCount: Int { 16 }

  /// They are never given back: there is one such table in a program for each type of coder.
  private let slots: UnsafeMutablePointer<Slot>

  init() {
    unsafe slots = UnsafeMutablePointer.allocate(capacity: SpareCoders.slotCount)
    for index in 0..<SpareCoders.slotCount { unsafe (slots + index).initialize(to: Slot()) }
  }

  /// The slot at which the calling thread begins: by an address that is its own, of which the low bits are the same in many.
  @inline(__always)
  private static var ownSlot: Int {
    Int((UInt64(keepsake_thread()) &* 0x9E37_79B9_7F4A_7C15) &>> 60)
  }

  /// A coder for archives of `kind` that `isMeant`, if there is one.
  func take(_ kind: UInt32 = 0, where isMeant: (Coder) -> Bool = { _ in true }) -> Coder? {
    let own = SpareCoders.ownSlot
    for offset in 0..<SpareCoders.slotCount {
      let index = (own &+ offset) % SpareCoders.slotCount
      guard unsafe slots[index].kind.load(ordering: .relaxed) == kind, let coder = take(at: index) else {
        continue
      }
      if isMeant(coder) { return coder }
      putBack(coder, kind)
    }
    return nil
  }

  private func take(at index: Int) -> Coder? {
    guard unsafe slots[index].coder.load(ordering: .relaxed) != nil,
      let coder = unsafe slots[index].coder.exchange(nil, ordering: .acquiring)
    else { return nil }
    return unsafe SpareCoders.wake(coder)
  }

  private static func wake(_ coder: Unmanaged<Coder>) -> Coder {
    // The reference that the slot had. Each retain balances one release in `giveBack`.
    let woken = unsafe coder.takeRetainedValue()
    for _ in 0..<woken.waitingContainerCount { _ = unsafe coder.retain() }
    return woken
  }

  /// Takes `coder`, which is done with its archive, unless it cannot be used again, or it or a container of it is still
  /// held.
  func giveBack(_ coder: consuming Coder, _ kind: UInt32 = 0) {
    guard coder.canBeReused, let count = coder.forgetArchiveInSpares() else { return coder.dropSpares() }
    // As many as its idle containers have, beside the caller's. Nobody uses one of these before it is taken again.
    for _ in 0..<count { unsafe Unmanaged.passUnretained(coder).release() }
    guard isKnownUniquelyReferenced(&coder) else {
      for _ in 0..<count { _ = unsafe Unmanaged.passRetained(coder) }
      return coder.dropSpares()
    }
    coder.waitingContainerCount = count
    coder.forgetArchive()
    keep(coder, kind)
  }

  /// Puts back `coder`, which was taken and not used.
  func putBack(_ coder: consuming Coder, _ kind: UInt32) {
    for _ in 0..<coder.waitingContainerCount { unsafe Unmanaged.passUnretained(coder).release() }
    keep(coder, kind)
  }

  /// Puts `coder` into the first free slot; where there is none, in the place of the one in that of this thread.
  private func keep(_ coder: consuming Coder, _ kind: UInt32) {
    let own = SpareCoders.ownSlot
    let coder = unsafe Unmanaged.passRetained(coder)
    for offset in 0..<SpareCoders.slotCount {
      let index = (own &+ offset) % SpareCoders.slotCount
      guard unsafe slots[index].coder.load(ordering: .relaxed) == nil,
        unsafe slots[index].coder.compareExchange(expected: nil, desired: coder, ordering: .releasing)
          .exchanged
      else { continue }
      return unsafe slots[index].kind.store(kind, ordering: .relaxed)
    }
    let earlier = unsafe slots[own].coder.exchange(coder, ordering: .acquiringAndReleasing)
    unsafe slots[own].kind.store(kind, ordering: .relaxed)
    if let earlier = unsafe earlier { unsafe SpareCoders.wake(earlier).dropSpares() }
  }
}

/// What can be said of a kept container without its type.
class AnySpareContainer<State: ContainerState> {
  /// The one reference that the container is. It is never nil: it is optional because `isKnownUniquelyReferenced` opens
  /// an `AnyObject`, of which a debug build makes a copy, and so never finds it unique.
  @safe @exclusivity(unchecked) fileprivate final var box: AnyObject?
  final let state: State

  fileprivate init(box: AnyObject, state: State) {
    self.box = box
    self.state = state
  }

  /// Whether nothing else holds the container: a holder has its box.
  @inline(__always)
  final var isIdle: Bool { isKnownUniquelyReferenced(&box) }
}

/// A container that is kept to be used again.
///
/// It is generic over the whole type of the container, and ``take()`` stays a call: so it finds the metadata of that type
/// in its own object, where others would have to look it up each time.
final class SpareContainer<Container, State: ContainerState>: AnySpareContainer<State> {
  /// `container` was found to be one reference, as `isSoleReference` says.
  fileprivate init(_ container: Container, _ state: State) {
    super.init(box: unsafe unsafeBitCast(container, to: AnyObject.self), state: state)  // that reference
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
