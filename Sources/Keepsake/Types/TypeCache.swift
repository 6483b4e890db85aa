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
  private var entries: [ObjectIdentifier: Entry] = [:]

  /// The entry for `type`, which `make` makes the first time. Use it only as long as the cache exists.
  @inline(__always)
  mutating func unretained(for type: Any.Type, make: () -> Entry) -> Unretained<Entry> {
    let id = ObjectIdentifier(type)
    let offset = id.slot(of: TypeCache.recentCount)
    if offset < recent.count, recent[offset].type == id, let entry = recent[offset].entry { return entry }
    return search(id, offset, make)
  }

  func forEach(_ body: (Entry) -> Void) { entries.values.forEach(body) }

  /// Tries the neighboring slot, as two types may have the same first slot, and then all entries.
  @inline(never)
  private mutating func search(
    _ id: ObjectIdentifier,
    _ offset: Int,
    _ make: () -> Entry
  ) -> Unretained<Entry> {
    let other = offset ^ 1
    if other < recent.count, recent[other].type == id, let entry = recent[other].entry { return entry }
    let known = entries[id]
    let entry = known ?? make()
    if known == nil { entries[id] = entry }
    recent.fill(to: TypeCache.recentCount, with: Slot())
    let isTaken = recent[offset].type != nil && recent[other].type == nil
    recent[isTaken ? other : offset] = Slot(type: id, entry: Unretained(entry))
    return Unretained(entry)
  }
}
