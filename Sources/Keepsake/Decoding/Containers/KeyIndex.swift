/// The positions of the values of a keyed container, so that reading them in any order takes one walk.
final class KeyIndex {
  /// The offset of a value; in a map, of its key.
  typealias Entry = DistinctKeys.Entry

  /// The offset by which decoders know the container.
  let offset: Int
  let entries: [Entry]
  /// The end of the last value.
  let end: Int
  /// The keys of a map. A record's shape has its keys.
  private let keys: DistinctKeys?

  /// Indexes the container at `offset`. Throws if a map has a key twice; the shape of a record is already checked.
  init(_ offset: Int, _ head: KeyedHead, _ session: DecodingSession) throws(ArchiveError) {
    let image = session.image
    var entries: [Entry] = []
    // The count comes from the file and may be false, so limit the reserved capacity.
    entries.reserveCapacity(min(head.count, 1_024))
    var cursor = head.payload
    for _ in 0..<head.count {
      var entry = Entry(offset: cursor, hash: 0)
      if !head.isRecord {
        try session.countSharedKey(at: cursor)
        entry.hash = try image.keyHash(at: &cursor)
      }
      entries.append(entry)
      cursor = try session.end(ofValueAt: cursor)
    }
    self.offset = offset
    self.entries = entries
    end = cursor
    keys = head.isRecord ? nil : try DistinctKeys(entries, image)
  }

  /// The entry in a slot of the container. It is missing if the file has changed since.
  func entry(_ slot: Int) throws(ArchiveError) -> Entry {
    guard slot < entries.count else {
      throw .damaged("The keys of a container changed while it was read", at: offset)
    }
    return entries[slot]
  }

  /// The slot of the key `name` of a map.
  func slot(of name: String, _ image: ArchiveImage) throws(ArchiveError) -> Int? {
    try keys?.slot(of: name, image)
  }
}

extension DecodingSession {
  /// In a shape of at most this many keys, a linear search finds a key.
  private static let fewKeys = 8

  /// The slot of the key `number` in the record `head`. Caches failures, too, since records of a type repeat them.
  @inline(__always)
  func slot(ofKey number: Int, in head: KeyedHead) -> Int? {
    let (first, count) = (head.firstSlot, head.count)
    guard count > 0 else { return nil }
    let index = (first &+ number) & (RecentSlot.mostKept - 1)
    if index < lookups.recentSlots.count {
      let recent = lookups.recentSlots[index]
      if recent.first == first, recent.key == number { return recent.slot }
    }
    return slot(ofOtherKey: number, first, count, index)
  }

  @inline(never)
  private func slot(ofOtherKey number: Int, _ first: Int, _ count: Int, _ index: Int) -> Int? {
    let slot =
      count <= DecodingSession.fewKeys
      ? (0..<count).first { image.shapeKey(first &+ $0) == number } : slot(ofKey: number, first, count)
    if lookups.recentSlots.isEmpty {
      lookups.recentSlots = Array(repeating: RecentSlot(), count: RecentSlot.mostKept)
    }
    lookups.recentSlots[index] = RecentSlot(first: first, key: number, slot: slot)
    return slot
  }

  /// The slot of the key `number` in a shape of many keys. The first search makes a table of them.
  private func slot(ofKey number: Int, _ first: Int, _ count: Int) -> Int? {
    let slots = lookups.shapeSlots[first] ?? makeShapeSlots(first, count)
    return slots.slot(KeyHash.seeded.of(number)) { image.shapeKey(first &+ $0) == number }
  }

  private func makeShapeSlots(_ first: Int, _ count: Int) -> SlotTable {
    var slots = SlotTable(for: count)
    for slot in 0..<count {
      // No key stands in a shape twice (see `ArchiveImage`).
      _ = slots.insert(slot, KeyHash.seeded.of(image.shapeKey(first &+ slot))) { _ in false }
    }
    lookups.shapeSlots[first] = slots
    return slots
  }
}
