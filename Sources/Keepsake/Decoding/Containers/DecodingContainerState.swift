/// The state of a keyed container: its value, how far it was read, and how values in it are found. The value changes
/// when the container is used again (see ``SpareContainers``).
final class DecodingContainerState: ContainerState {
  let session: DecodingSession
  let table: DecodingKeyTable
  /// The offset of the value, which identifies it, and its depth, which is the index of its frame.
  @safe @exclusivity(unchecked) private(set) var offset = -1
  @safe @exclusivity(unchecked) private(set) var depth = 0
  /// Whether the values are those of the top level, some of which are elsewhere.
  @safe @exclusivity(unchecked) private var isTopLevel = false
  @safe @exclusivity(unchecked) private(set) var head = KeyedHead()
  /// The slot that is expected next or was found last, and the offset of its value (in a map, of its key).
  @safe @exclusivity(unchecked) private(set) var nextSlot = 0
  @safe @exclusivity(unchecked) private(set) var nextOffset = 0
  /// In a map, the integer value of the key that was requested for the current slot.
  @safe @exclusivity(unchecked) private(set) var currentIntValue: Int?
  /// The container expects the requested key in the next slot if that slot is below this number: in all slots of a
  /// record, except at the top level, whose values may be elsewhere.
  @safe @exclusivity(unchecked) private var expectedSlots = 0
  /// Whether each value is after the one that was read before.
  @safe @exclusivity(unchecked) private var isInOrder = true
  /// Where the values are, once one was requested out of order.
  @safe @exclusivity(unchecked) private(set) var index: KeyIndex?

  /// - Parameter offset: the offset of the value, whose frame at `depth` is open.
  init(_ session: DecodingSession, _ table: DecodingKeyTable, _ offset: Int, _ depth: Int) {
    self.session = session
    self.table = table
    begin(at: offset, depth)
  }

  var codingPath: [any CodingKey] { session.path(to: offset, depth: depth) }

  /// Makes this the state of a container for the value at `offset`, whose frame at `depth` is open.
  @inline(__always)
  func begin(at offset: Int, _ depth: Int) {
    head = session.nesting.frames[depth].head
    // An earlier attempt may have read the container, or have found it empty.
    if let index, self.offset != offset || index.entries.count != head.count { self.index = nil }
    self.offset = offset
    self.depth = depth
    isTopLevel = offset == session.lookups.topLevelOffset && session.isAtTopLevel(depth)
    expectedSlots = head.isRecord && !isTopLevel ? head.count : 0
    isInOrder = !isTopLevel && index == nil
    currentIntValue = nil
    nextSlot = 0
    nextOffset = head.payload
    if session.nesting.latest.offset == offset { continueReading() }
  }

  /// Continues where another container for the same value stopped. The container of a subclass, for example, reads
  /// before that of its superclass.
  @inline(never)
  private func continueReading() {
    let (_, rest, cursor) = session.nesting.latest
    guard rest > 0, isInOrder else { return }
    nextSlot = head.count &- rest &>> keyShift
    nextOffset = cursor
  }

  func forgetArchive() { index = nil }

  /// The shift from the number of slots to the number of values: in a map, each slot also has a key.
  private var keyShift: Int { head.isRecord ? 0 : 1 }

  // MARK: Finding values

  /// The offset of the value of `key`, which becomes the current one; `nil` if there is none.
  @inline(__always)
  func valueOffset<Key: CodingKey>(of key: Key) throws -> Int? {
    if nextSlot < expectedSlots,
      session.image.shapeKey(head.firstSlot &+ nextSlot) == table.number(of: key, in: session)
    {
      return nextOffset
    }
    return try search(for: key)
  }

  /// As ``valueOffset(of:)``, if the value of `key` is not the next one in a record.
  @inline(never)
  private func search<Key: CodingKey>(for key: Key) throws -> Int? {
    let found =
      head.isRecord
      ? try findInRecord(table.number(of: key, in: session)) : try findInMap(key.stringValue, key.intValue)
    if let found { return found }
    return table.otherNames == .none ? nil : try offsetByOtherName(of: key)
  }

  @inline(__always)
  func existingOffset<Key: CodingKey>(of key: Key) throws -> Int {
    if let offset = try valueOffset(of: key) { return offset }
    throw missing(key)
  }

  @inline(never)
  private func missing(_ key: any CodingKey) -> DecodingError {
    DecodingError.keyNotFound(
      key,
      .init(
        codingPath: codingPath,
        debugDescription: "No value is stored under the key \"\(key.stringValue)\""
      )
    )
  }

  /// The offset of the value of the key `name`, which becomes the current one.
  func find(_ name: String) throws -> Int? {
    head.isRecord ? try findInRecord(session.keyNumber(name)) : try findInMap(name, nil)
  }

  private func findInRecord(_ number: Int) throws -> Int? {
    guard number >= 0, let slot = session.slot(ofKey: number, in: head) else { return nil }
    return try located { () throws(ArchiveError) in
      if let index, !isTopLevel {
        nextOffset = try index.entry(slot).offset
      } else if slot < nextSlot || slot != nextSlot && isTopLevel {
        nextOffset = try makeIndex().entry(slot).offset
      } else {
        var cursor = nextOffset
        for _ in nextSlot..<slot { cursor = try session.end(ofValueAt: cursor) }
        nextOffset = cursor
      }
      nextSlot = slot
      return nextOffset
    }
  }

  /// The offset of the value of a key in a map. Compares the next key first, then indexes all keys.
  private func findInMap(_ name: String, _ intValue: Int?) throws -> Int? {
    try located { () throws(ArchiveError) in
      if index == nil, nextSlot < head.count {
        var cursor = nextOffset
        if try session.image.isKey(name, at: &cursor) {
          currentIntValue = intValue
          return cursor
        }
      }
      let index = try makeIndex()
      guard let slot = try index.slot(of: name, session.image) else { return nil }
      nextSlot = slot
      nextOffset = index.entries[slot].offset
      currentIntValue = intValue
      return try session.end(ofValueAt: nextOffset)
    }
  }

  /// Where all values are.
  func makeIndex() throws(ArchiveError) -> KeyIndex {
    if let index { return index }
    // Containers of the top level share one: a program may open one for each key.
    let shared = isTopLevel ? session.lookups.topLevelIndex : nil
    let index = if let shared { shared } else { try KeyIndex(offset, head, session) }
    if isTopLevel { session.lookups.topLevelIndex = index }
    self.index = index
    isInOrder = false
    return index
  }

  /// The result of `find`; at the top level, the value to which a reference there leads.
  private func located(_ find: () throws(ArchiveError) -> Int?) throws -> Int? {
    do throws(ArchiveError) {
      guard let cursor = try find() else { return nil }
      return isTopLevel ? try session.resolved(cursor, slot: nextSlot) : cursor
    } catch {
      throw session.corrupted(error, codingPath)
    }
  }

  // MARK: Where it is

  /// Makes the frame show the current value, for coding paths and for the end of the container.
  @inline(__always)
  func show() {
    if depth >= session.nesting.frames.count { session.addFrames(upTo: depth) }
    session.nesting.frames[depth].show(self)
  }

  /// The path of the current value, which is at `offset`.
  private func path(toValueAt offset: Int) -> [any CodingKey] {
    show()
    return session.path(toValueAt: offset, in: depth)
  }

  /// Notes that the value of `slot` was read and ends at `end`. A value at the top level may end after its body.
  @inline(__always)
  func advance(past slot: Int, from start: Int, to end: Int) throws {
    guard isInOrder else { return try advanceInAnyOrder(past: slot, from: start, to: end) }
    nextSlot = slot &+ 1
    nextOffset = end
    session.nesting.latest = (head.isElsewhere ? -1 : offset, (head.count &- nextSlot) &<< keyShift, end)
  }

  @inline(never)
  private func advanceInAnyOrder(past slot: Int, from start: Int, to end: Int) throws {
    guard !isTopLevel else {
      // The next value is found from its reference.
      return try session.reporting(path(toValueAt: start)) {
        try session.checkEnd(ofTopLevelSlot: slot, end)
      }
    }
    nextSlot = slot &+ 1
    nextOffset = end
    if let index, !head.isElsewhere { session.nesting.complete(offset, index.end) }
  }

  /// Checks where the current value, at `start`, ends, for a decoder or container that will not report it.
  func checkEnd(ofValueAt start: Int) throws {
    // Opening the top level walked the values that are in its own body.
    guard isTopLevel, session.lookups.topLevelEnds[nextSlot] != nil else { return }
    try session.reporting(path(toValueAt: start)) {
      try session.checkEnd(ofTopLevelSlot: nextSlot, session.end(ofValueAt: start))
    }
  }

  // MARK: Values

  /// Reads a primitive by the `read` of its type. A caller that knows the type names the function, which saves a call.
  @inline(__always)
  func get<Value: ReadablePrimitive, Key: CodingKey>(
    _ key: Key,
    _ read: (DecodingSession, inout Int) throws(ReadingFault) -> Value
  ) throws -> Value {
    try get(at: existingOffset(of: key), read)
  }

  @inline(__always)
  func getIfPresent<Value: ReadablePrimitive, Key: CodingKey>(
    _ key: Key,
    _ read: (DecodingSession, inout Int) throws(ReadingFault) -> Value
  ) throws -> Value? {
    guard let offset = try valueOffset(of: key), try !isNil(at: offset) else { return nil }
    if session.isLazyNil(at: offset) { return nil }
    do { return try get(at: offset, read) } catch  where session.isMarkedNil(at: offset) { return nil }
  }

  @inline(__always)
  private func get<Value: ReadablePrimitive>(
    at start: Int,
    _ read: (DecodingSession, inout Int) throws(ReadingFault) -> Value
  ) throws -> Value {
    let slot = nextSlot
    var cursor = start
    let value: Value
    do throws(ReadingFault) {
      value = try Value.readValue(session, at: &cursor, by: read)
    } catch {
      throw session.error(error, Value.self, path(toValueAt: start))
    }
    try advance(past: slot, from: start, to: cursor)
    return value
  }

  func decodeNil<Key: CodingKey>(_ key: Key) throws -> Bool {
    let offset = try existingOffset(of: key)
    return try isNil(at: offset) || session.isLazyNil(at: offset)
      || session.later.readLast.areThere && isNilForNow(key, at: offset)
  }

  /// Whether there is a value that an initializer can decode now. An object may be missing, or be read later.
  func contains<Key: CodingKey>(_ key: Key) throws -> Bool {
    guard let offset = try valueOffset(of: key) else { return false }
    return try !(session.isReference(at: offset) && session.isNil(at: offset))
      && !(session.later.readLast.areThere && isNilForNow(key, at: offset))
  }

  /// Whether the current value, at `offset`, is nil. If it is, it counts as read.
  @inline(__always)
  private func isNil(at offset: Int) throws -> Bool {
    guard try session.isNil(at: offset) else { return false }
    try checkEnd(ofValueAt: offset)
    return true
  }

  func decode<Value: Decodable, Key: CodingKey>(_ type: Value.Type, _ key: Key) throws -> Value {
    let start = try existingOffset(of: key)
    do {
      return session.later.readLast.areThere || session.graph.haveEarly
        ? try decodeUnlessReadLast(type, key, at: start) : try decode(type, at: start)
    } catch {
      handle(error, type, key, at: start, needsValue: true)
      throw error
    }
  }

  @inline(never)
  private func decodeUnlessReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    at start: Int
  ) throws -> Value {
    if try session.later.readLast.areThere && !isNil(at: start) {
      if try isReadLast(type, key, at: start, needsValue: true) != nil {
        return try emptyValue(type, at: start)
      }
      if session.later.readLast.throwsForValues { try throwIfReadLast(type, key, at: start) }
    }
    let hashed = session.later.hashed.count
    defer {
      if session.later.hashed.count > hashed {
        noteHashed(type, key, needsValue: true, after: hashed, at: start)
      }
    }
    return try decode(type, at: start)
  }

  // Not inlined, so that only this function looks up the metadata of the optional.
  @inline(never)
  private func emptyValue<Value: Decodable>(_ type: Value.Type, at start: Int) throws -> Value {
    try empty(type) ?? decode(type, at: start)
  }

  /// Keeps the levels of an optional: a stored nil is no value, a stored some(nil) is a value.
  func decodeIfPresent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, _ key: Key) throws -> Value? {
    guard let offset = try valueOffset(of: key), try !isNil(at: offset) else { return nil }
    if session.later.readLast.areThere, let isEmpty = try isReadLast(type, key, at: offset, needsValue: false)
    {
      return isEmpty ? empty(type) : nil
    }
    do {
      let hashed = session.later.hashed.count
      defer {
        if session.later.hashed.count > hashed {
          noteHashed(type, key, needsValue: false, after: hashed, at: offset)
        }
      }
      guard
        try session.settings.observer != nil || session.reader.byte(at: offset) == Tag.some
          || session.lazyBody(at: offset) != nil
      else {
        return try decode(type, at: offset)
      }
      return try decodeOptional(type, at: offset)
    } catch  where session.isMarkedNil(at: offset) {
      return nil
    } catch {
      handle(error, type, key, at: offset, needsValue: false)
      throw error
    }
  }

  // Not inlined, so that only this function looks up the metadata of the optional.
  @inline(never)
  private func decodeOptional<Value: Decodable>(_ type: Value.Type, at offset: Int) throws -> Value? {
    try decode(Value?.self, at: offset)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, at start: Int) throws -> Value {
    let slot = nextSlot
    var cursor = start
    show()
    if MemoryLayout<Value>.size >= DecodingBudget.largeValue {
      try session.charge(valueOf: type, at: start, session.path(toValueAt: start, in: depth))
    }
    let value = try session.decode(type, at: &cursor, depth)
    try advance(past: slot, from: start, to: cursor)
    return value
  }

  /// The keys in the order in which they were written.
  func allKeys() throws(ArchiveError) -> [PathElement] {
    let image = session.image
    // The archive announces as many keys as values.
    try session.charge(keysOf: offset, count: head.count, at: head.payload)
    guard !head.isRecord else {
      return (0..<head.count).map { .key(image.keys[image.shapeKey(head.firstSlot + $0)]) }
    }
    // Throws if a key occurs twice.
    return try makeIndex().entries.map { (entry) throws(ArchiveError) in
      var cursor = entry.offset
      return try image.mapKey(at: &cursor, in: session.reader)
    }
  }
}
