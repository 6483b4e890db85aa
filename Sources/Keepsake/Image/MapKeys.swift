/// The keys of one map, found by their hashes. No key is there twice (Format §4.8; §10, rule 27).
struct DistinctKeys {
  struct Entry {
    var offset: Int
    var hash: UInt32
  }

  private(set) var entries: [Entry] = []
  private var slots = SlotTable(for: 0)

  /// Adds the key at `offset`; throws if it is there already.
  mutating func insert(keyAt offset: Int, _ image: ArchiveImage) throws(ArchiveError) {
    entries.append(Entry(offset: offset, hash: try image.rememberedKeyHash(at: offset)))
    if entries.count > slots.capacity { return try makeSlots(for: 2 * entries.count, image) }
    try enter(entries.count - 1, image)
  }

  func slot(of name: String, _ image: ArchiveImage) throws(ArchiveError) -> Int? {
    let hash = name.withUTF8Bytes { KeyHash.seeded.of($0) }
    return try slots.slot(hash) { (slot) throws(ArchiveError) in
      guard entries[slot].hash == hash else { return false }
      var cursor = entries[slot].offset
      return try image.isKey(name, at: &cursor)
    }
  }

  private mutating func makeSlots(for count: Int, _ image: ArchiveImage) throws(ArchiveError) {
    guard let first = entries.first else { return }
    guard UInt32(exactly: entries.count) != nil else {
      throw .limitExceeded("A map has more keys than can be looked up", at: first.offset)
    }
    slots = SlotTable(for: count)
    for slot in entries.indices { try enter(slot, image) }
  }

  private mutating func enter(_ slot: Int, _ image: ArchiveImage) throws(ArchiveError) {
    let entry = entries[slot]
    let isNew = try slots.insert(slot, entry.hash) { [entries] (other) throws(ArchiveError) in
      guard entries[other].hash == entry.hash else { return false }
      return try image.isSameKey(entries[other].offset, entry.offset)
    }
    guard isNew else { throw .damaged("A map contains a key twice", at: entry.offset) }
  }
}

extension DistinctKeys {
  /// The keys in `entries`; throws if two are the same.
  init(_ entries: [Entry], _ image: ArchiveImage) throws(ArchiveError) {
    self.entries = entries
    try makeSlots(for: entries.count, image)
  }
}

/// The form of a key of a map (Format §4.8).
enum KeyText {
  /// The range of the text.
  case text(Range<Int>)
  /// The number of the text in the string table.
  case shared(Int)
  case number(Int)
}

extension ValueLayout {
  /// The key of a map at `cursor`, which moves past it.
  func mapKey(at cursor: inout Int, in reader: ByteReader) throws(ArchiveError) -> PathElement {
    let start = cursor
    return switch try keyText(at: &cursor, in: reader) {
    case .text(let range): .key(try reader.string(range))
    case .shared(let number): .key(try string(number, at: start))
    case .number(let number): .intKey(number)
    }
  }

  @inline(__always)
  fileprivate func keyText(at cursor: inout Int, in reader: ByteReader) throws(ArchiveError) -> KeyText {
    let start = cursor
    let tag = try reader.byte(at: start)
    switch tag {
    case Tag.shortString..<Tag.objectReference:
      let count = Int(tag & 0x1F)
      try reader.check(count, at: start &+ 1)
      cursor = start &+ 1 &+ count
      return .text((start &+ 1)..<cursor)
    case Tag.stringReference..<Tag.valueReference:
      let byteCount = Int(tag & 3) &+ 1
      cursor = start &+ 1 &+ byteCount
      return .shared(Int(try reader.unsigned(at: start &+ 1, byteCount: byteCount)))
    case Tag.string:
      cursor = start &+ 1
      return .text(try reader.countedRange(at: &cursor))
    case Tag.smallInteger...:
      cursor = start &+ 1
      return .number(Int(tag) &- Int(Tag.smallInteger) &- 16)
    case Tag.integer..<Tag.uint64:
      let byteCount = Int(tag &- Tag.integer) &+ 1
      cursor = start &+ 1 &+ byteCount
      return .number(Int(try reader.signed(at: start &+ 1, byteCount: byteCount)))
    default:
      throw .damaged("The key of a map is neither a string nor an integer", at: start)
    }
  }
}

/// Compares and hashes the keys of maps in an archive (Format §4.8) without making strings of them.
extension ArchiveImage {
  /// Whether the key of a map at `cursor`, which moves past it, is `name`.
  func isKey(_ name: String, at cursor: inout Int) throws(ArchiveError) -> Bool {
    let start = cursor
    return switch try keyText(at: &cursor, in: reader) {
    case .text(let range): try reader.hasUTF8(of: name, in: range)
    case .shared(let number): try reader.hasUTF8(of: name, in: stringRange(number, at: start))
    case .number(let number): name.utf8.elementsEqual(String(number).utf8)
    }
  }

  /// The hash of the key of a map at `cursor`, which moves past it; throws if it is a text that is not UTF-8.
  func keyHash(at cursor: inout Int) throws(ArchiveError) -> UInt32 {
    let start = cursor
    let text: Range<Int>
    switch try keyText(at: &cursor, in: reader) {
    case .text(let range): text = range
    case .shared(let number): text = try stringRange(number, at: start)
    case .number(let number): return String(number).withUTF8Bytes { KeyHash.seeded.of($0) }
    }
    let (hash, isASCII) = try reader.withBytes(text) { (KeyHash.seeded.of($0), $0.isASCII) }
    if !isASCII { _ = try reader.string(text) }
    return hash
  }

  /// The hash of the key of a map at `cursor`. That of a string in the string table is computed only once.
  fileprivate func rememberedKeyHash(at cursor: Int) throws(ArchiveError) -> UInt32 {
    var cursor = cursor
    guard try reader.byte(at: cursor) & 0xFC == Tag.stringReference else {
      return try keyHash(at: &cursor)
    }
    let number = try reader.referencedNumber(at: cursor)
    if let known = knownBodies.stringHashes[number] { return known }
    let hash = try keyHash(at: &cursor)
    knownBodies.stringHashes[number] = hash
    return hash
  }

  fileprivate func isSameKey(_ cursor: Int, _ other: Int) throws(ArchiveError) -> Bool {
    var cursor = cursor
    var other = other
    return try mapKey(at: &cursor, in: reader).name == mapKey(at: &other, in: reader).name
  }
}
