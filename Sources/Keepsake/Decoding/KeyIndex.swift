/// Where each value of a keyed container is, so that reading in any order takes one walk.
final class KeyIndex {
  /// Where a value is; of a map, its key.
  typealias Entry = DistinctKeys.Entry

  /// Where the container begins, as decoders know it.
  let offset: Int
  let entries: [Entry]
  /// Where the last value ends.
  let end: Int
  /// The keys of a map; those of a record are known for its shape.
  private let keys: DistinctKeys?

  /// An index of the record at `offset` with `count` values from `payload` on.
  init(recordAt offset: Int, _ payload: Int, count: Int, _ session: DecodingSession) throws(ArchiveError) {
    var entries: [Entry] = []
    // At most so many, as what a file says is not believed; the shape has been read.
    entries.reserveCapacity(min(count, 1_024))
    var cursor = payload
    for _ in 0..<count {
      entries.append(Entry(offset: cursor, hash: 0))
      cursor = try session.end(ofValueAt: cursor)
    }
    self.offset = offset
    self.entries = entries
    end = cursor
    keys = nil
  }

  /// An index of the map at `offset` with `count` values, the first of whose keys is at `payload`. Throws when a key
  /// stands there twice.
  init(mapAt offset: Int, _ payload: Int, count: Int, _ session: DecodingSession) throws(ArchiveError) {
    let image = session.image
    let keyHash = session.lookups.keyHash
    var entries: [Entry] = []
    // No more than the bytes that were seen: a file may say that there are very many.
    entries.reserveCapacity(min(count, 1_024))
    var cursor = payload
    for _ in 0..<count {
      let keyOffset = cursor
      try session.countSharedKey(at: cursor)
      let hash = try image.keyHash(at: &cursor, keyHash)
      entries.append(Entry(offset: keyOffset, hash: hash))
      cursor = try session.end(ofValueAt: cursor)
    }
    self.offset = offset
    self.entries = entries
    end = cursor
    keys = try DistinctKeys(entries, image)
  }

  /// The entry in a slot of the container as it was parsed last: there may be none if its file was changed since.
  func entry(_ slot: Int) throws(ArchiveError) -> Entry {
    guard slot < entries.count else {
      throw ArchiveError(
        .damaged,
        "The keys of a container changed while it was read",
        byteOffset: offset
      )
    }
    return entries[slot]
  }

  /// The slot of the key `name` of a map.
  func slot(of name: String, _ image: ArchiveImage, _ keyHash: KeyHash) throws(ArchiveError) -> Int? {
    try keys?.slot(of: name, image, keyHash)
  }
}

extension DecodingSession {
  /// Sees to it that `container`, which is open, has an index.
  func makeIndex(of container: DecodingContainerState) throws(ArchiveError) {
    let (offset, depth) = (container.offset, container.depth)
    if container.index == nil {
      container.index =
        try offset == lookups.topLevelOffset ? indexOfTopLevel(depth) : makeIndex(offset, depth)
    }
    nesting.frames[depth].indexed = (offset, container.index?.end ?? -1)
  }

  /// The top level is read by many containers, one for each key that a program asks for.
  private func indexOfTopLevel(_ depth: Int) throws(ArchiveError) -> KeyIndex {
    if let index = lookups.topLevelIndex { return index }
    let index = try makeIndex(lookups.topLevelOffset, depth)
    lookups.topLevelIndex = index
    return index
  }

  private func makeIndex(_ offset: Int, _ depth: Int) throws(ArchiveError) -> KeyIndex {
    let frame = nesting.frames[depth]
    return frame.kind == .record
      ? try KeyIndex(recordAt: offset, frame.payload, count: frame.count, self)
      : try KeyIndex(mapAt: offset, frame.payload, count: frame.count, self)
  }

  /// Throws when the map at `offset` has a key twice.
  func checkKeysDiffer(mapAt offset: Int) throws(ArchiveError) {
    var payload = offset + 1
    let count = try reader.varint(at: &payload)
    _ = try KeyIndex(mapAt: offset, payload, count: count, self)
  }

  /// Up to so many keys of a shape are compared one by one.
  private static let fewKeys = 8

  /// The slot of the key `number` in the record whose frame is at `depth`.
  @inline(__always)
  func slot(ofKey number: Int, _ depth: Int) -> Int? {
    let first = nesting.frames[depth].firstSlot
    let count = nesting.frames[depth].count
    guard count <= DecodingSession.fewKeys else {
      return slot(ofKey: number, first, count)
    }
    var slot = 0
    while slot < count {
      if image.shapeKey(first &+ slot) == number { return slot }
      slot &+= 1
    }
    return nil
  }

  /// The slot of the key `number` in a shape of many keys, which are put in a table once.
  private func slot(ofKey number: Int, _ first: Int, _ count: Int) -> Int? {
    let slots = lookups.shapeSlots[first] ?? makeShapeSlots(first, count)
    return slots.slot(lookups.keyHash.of(number)) { image.shapeKey(first &+ $0) == number }
  }

  private func makeShapeSlots(_ first: Int, _ count: Int) -> SlotTable {
    var slots = SlotTable(for: count)
    for slot in 0..<count {
      // No key stands in a shape twice (see `ArchiveImage`).
      _ = slots.insert(slot, lookups.keyHash.of(image.shapeKey(first &+ slot))) { _ in false }
    }
    lookups.shapeSlots[first] = slots
    return slots
  }
}
