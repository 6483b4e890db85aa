/// What is kept for each of a number of types, the most recent ones where they are found without a search.
struct TypeCache<Entry: AnyObject> {
  private static var recentCount: Int { 64 }

  private struct Slot {
    var type: ObjectIdentifier?
    /// One of ``TypeCache/entries``.
    var entry: Unretained<Entry>?
  }

  /// Empty as long as nothing is kept: some caches of a session are seldom used.
  private var recent: [Slot] = []
  private var entries: [ObjectIdentifier: Entry] = [:]

  /// The entry for `type`, made by `make` the first time, to be used as long as the cache is there.
  @inline(__always)
  mutating func unretained(for type: Any.Type, make: () -> Entry) -> Unretained<Entry> {
    let id = ObjectIdentifier(type)
    let bits = UInt(bitPattern: id)
    let offset = Int((bits >> 4 ^ bits >> 10) & UInt(TypeCache.recentCount - 1))
    if offset < recent.count, recent[offset].type == id, let entry = recent[offset].entry { return entry }
    return search(id, offset, make)
  }

  func forEach(_ body: (Entry) -> Void) {
    for entry in entries.values { body(entry) }
  }

  func first(where isMeant: (Entry) -> Bool) -> Entry? { entries.values.first(where: isMeant) }

  private mutating func search(_ id: ObjectIdentifier, _ offset: Int, _ make: () -> Entry) -> Unretained<
    Entry
  > {
    let entry = entries[id] ?? make()
    entries[id] = entry
    if recent.isEmpty { recent = Array(repeating: Slot(), count: TypeCache.recentCount) }
    recent[offset] = Slot(type: id, entry: Unretained(entry))
    return Unretained(entry)
  }
}
