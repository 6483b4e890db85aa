/// An entry for each of a number of types. The most recent ones are found without a search.
struct TypeCache<Entry: AnyObject> {
  private static var recentCount: Int { 64 }

  private struct Slot: BitwiseCopyable {
    var type: ObjectIdentifier?
    /// One of ``TypeCache/entries``.
    var entry: Unretained<Entry>?
  }

  /// Empty until there is an entry: a session seldom uses some of its caches.
  private let recent = OwnedArray<Slot>()
  // Not a dictionary: the first of each type has the runtime search for conformances.
  private var entries: [(type: ObjectIdentifier, entry: Entry)] = []
  private var slots = SlotTable(for: 0)

  /// The entry for `type`, which `make` makes the first time. Use it only as long as the cache exists.
  @inline(__always)
  mutating func unretained(for type: Any.Type, make: () -> Entry) -> Unretained<Entry> {
    let id = ObjectIdentifier(type)
    let offset = id.slot(of: TypeCache.recentCount)
    if offset < recent.count, recent[offset].type == id, let entry = recent[offset].entry { return entry }
    return search(id, offset, make)
  }

  func forEach(_ body: (Entry) -> Void) { for known in entries { body(known.entry) } }

  /// Tries the neighboring slot, as two types may have the same first slot, and then all entries.
  @inline(never)
  private mutating func search(
    _ id: ObjectIdentifier,
    _ offset: Int,
    _ make: () -> Entry
  ) -> Unretained<Entry> {
    let other = offset ^ 1
    if other < recent.count, recent[other].type == id, let entry = recent[other].entry { return entry }
    let known = slots.slot(TypeCache.hash(id)) { entries[$0].type == id }
    let entry = known.map { entries[$0].entry } ?? add(id, make())
    recent.fill(to: TypeCache.recentCount, with: Slot())
    let isTaken = recent[offset].type != nil && recent[other].type == nil
    recent[isTaken ? other : offset] = Slot(type: id, entry: Unretained(entry))
    return Unretained(entry)
  }

  private mutating func add(_ id: ObjectIdentifier, _ entry: Entry) -> Entry {
    if entries.isEmpty { entries.reserveCapacity(8) }
    entries.append((id, entry))
    slots.enterLast(of: entries.count) { [entries] in TypeCache.hash(entries[$0].type) }
    return entry
  }

  private static func hash(_ id: ObjectIdentifier) -> UInt32 { KeyHash.unseeded.of(Int(bitPattern: id)) }
}
