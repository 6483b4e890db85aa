/// Which value a keyed container is that of, and how it finds values in it. The value changes when the container is used
/// again for another (see ``SpareContainers``).
final class DecodingContainerState: ContainerState {
  let session: DecodingSession
  let table: DecodingKeyTable
  /// Where the value begins, which tells it from all others, and how deep it is nested, which is where its frame is.
  @safe @exclusivity(unchecked) var offset: Int
  @safe @exclusivity(unchecked) var depth: Int
  /// Where its values are, once one was asked for out of order. It is kept here and not in the frame, which others may
  /// take over: any number of containers can be read in turns, and each is walked once.
  @safe @exclusivity(unchecked) var index: KeyIndex?
  /// Whether its frame was taken over by another container.
  @safe @exclusivity(unchecked) private var wasInterrupted = false

  init(_ session: DecodingSession, _ table: DecodingKeyTable, _ offset: Int, _ depth: Int) {
    self.session = session
    self.table = table
    self.offset = offset
    self.depth = depth
  }

  var codingPath: [any CodingKey] { session.path(to: offset, depth: depth) }

  /// Makes it the state of a container for another value.
  @inline(__always)
  func move(to offset: Int, _ depth: Int) {
    if wasInterrupted || index != nil, self.offset != offset {
      index = nil
      wasInterrupted = false
    }
    self.offset = offset
    self.depth = depth
  }

  func forgetArchive() {
    index = nil
    wasInterrupted = false
  }

  // MARK: Finding values

  /// Makes sure that the frame at `depth` is that of this container.
  @inline(__always)
  func open() throws {
    if !session.isOpen(offset, depth) { try openAgain() }
  }

  /// Containers that are read in turns take each other's frames. From the second time on, the values are not looked for
  /// from the first one again.
  @inline(never)
  private func openAgain() throws {
    try session.openAgain(offset, depth)
    table.noteKeyType(session, depth)
    if wasInterrupted { try session.makeIndex(of: self) }
    wasInterrupted = true
  }

  /// Where the value of `key` is, which becomes the current one of the frame; `nil` when there is none.
  @inline(__always)
  func valueOffset<Key: CodingKey>(of key: Key) throws -> Int? {
    try open()
    if session.nesting.frames[depth].kind == .record {
      let number = table.number(of: key, in: session, depth)
      let next = session.nesting.frames[depth].nextSlot
      if next < session.nesting.frames[depth].count,
        session.image.shapeKey(session.nesting.frames[depth].firstSlot &+ next) == number,
        offset != session.lookups.topLevelOffset
      {
        session.nesting.frames[depth].currentSlot = next
        return session.nesting.frames[depth].nextOffset
      }
    }
    return try search(for: key)
  }

  /// The same where the value of `key` is not the one that comes next in a record.
  @inline(never)
  private func search<Key: CodingKey>(for key: Key) throws -> Int? {
    if session.nesting.frames[depth].kind == .record {
      let number = table.number(of: key, in: session, depth)
      if let offset = try session.findInRecord(number, self) { return offset }
    } else if let offset = try session.findInMap(key.stringValue, key.intValue, self) {
      return offset
    }
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

  // MARK: Values

  @inline(__always)
  func get<Value: ReadablePrimitive, Key: CodingKey>(_ type: Value.Type, _ key: Key) throws -> Value {
    try get(type, at: existingOffset(of: key))
  }

  @inline(__always)
  private func get<Value: ReadablePrimitive>(_ type: Value.Type, at start: Int) throws -> Value {
    let slot = session.nesting.frames[depth].currentSlot
    var cursor = start
    let value: Value
    do throws(ReadingFault) {
      value = try Value.read(session, at: &cursor)
    } catch {
      value = try getReferred(type, at: &cursor, after: error)
    }
    try advance(depth, offset, past: slot, from: start, to: cursor)
    return value
  }

  /// What ``get(_:at:)`` does where something else stands than a value of the type.
  @inline(never)
  private func getReferred<Value: ReadablePrimitive>(
    _ type: Value.Type,
    at cursor: inout Int,
    after fault: ReadingFault
  ) throws -> Value {
    do throws(ReadingFault) {
      return try Value.readReferred(session, at: &cursor, after: fault)
    } catch {
      throw session.error(error, type, session.path(toValueAt: cursor, in: depth))
    }
  }

  /// Notes that a value was read, whose end may be behind that of its body.
  @inline(__always)
  private func advance(_ depth: Int, _ offset: Int, past slot: Int, from start: Int, to end: Int) throws {
    do throws(ArchiveError) {
      try session.advance(depth, offset, past: slot, to: end)
    } catch {
      throw session.corrupted(error, session.path(toValueAt: start, in: depth))
    }
  }

  /// Looks where the value at `start` ends, the current one, for a decoder or container that will not tell.
  func checkEnd(ofValueAt start: Int) throws {
    guard offset == session.lookups.topLevelOffset else { return }
    let slot = session.nesting.frames[depth].currentSlot
    // What is in the body of the top level itself was walked when that was opened.
    guard session.lookups.topLevelEnds[slot] != nil else { return }
    do throws(ArchiveError) {
      try session.checkEnd(ofTopLevelSlot: slot, session.end(ofValueAt: start))
    } catch {
      throw session.corrupted(error, session.path(toValueAt: start, in: depth))
    }
  }

  @inline(__always)
  func getIfPresent<Value: ReadablePrimitive, Key: CodingKey>(_ type: Value.Type, _ key: Key) throws -> Value?
  {
    guard let offset = try valueOffset(of: key), try !isNil(at: offset) else { return nil }
    return try get(type, at: offset)
  }

  func decodeNil<Key: CodingKey>(_ key: Key) throws -> Bool { try isNil(at: existingOffset(of: key)) }

  /// Whether the value at `offset`, the current one, is nil; then all of it was read.
  @inline(__always)
  private func isNil(at offset: Int) throws -> Bool {
    guard try session.isNil(at: offset) else { return false }
    try checkEnd(ofValueAt: offset)
    return true
  }

  func decode<Value: Decodable, Key: CodingKey>(_ type: Value.Type, _ key: Key) throws -> Value {
    let start = try existingOffset(of: key)
    return session.later.readLast.areThere
      ? try decodeUnlessReadLast(type, key, at: start) : try decode(type, at: start)
  }

  // A call, so that the metadata of the optional is looked up only here.
  @inline(never)
  private func decodeUnlessReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    at start: Int
  ) throws -> Value {
    if try !isNil(at: start), try isReadLast(type, key, at: start, needsValue: true) != nil,
      let empty = empty(type)
    {
      return empty
    }
    return try decode(type, at: start)
  }

  /// An optional keeps its levels: what is stored as nil is no value, what is stored as some nil is one.
  func decodeIfPresent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, _ key: Key) throws -> Value? {
    guard let offset = try valueOffset(of: key), try !isNil(at: offset) else { return nil }
    if session.later.readLast.areThere, let isEmpty = try isReadLast(type, key, at: offset, needsValue: false)
    {
      return isEmpty ? empty(type) : nil
    }
    guard session.settings.observer != nil || session.types.plans.plan(for: Value.self).isForOptionals else {
      return try decode(type, at: offset)
    }
    return try decodeOptional(type, at: offset)
  }

  // A call, so that the metadata of the optional is looked up only here.
  @inline(never)
  private func decodeOptional<Value: Decodable>(_ type: Value.Type, at offset: Int) throws -> Value? {
    try decode(Value?.self, at: offset)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, at start: Int) throws -> Value {
    let (offset, depth) = (offset, depth)
    let slot = session.nesting.frames[depth].currentSlot
    var cursor = start
    if MemoryLayout<Value>.size >= DecodingBudget.largeValue {
      try session.charge(valueOf: type, at: start, session.path(toValueAt: start, in: depth))
    }
    let value = try session.decode(type, at: &cursor, depth)
    try advance(depth, offset, past: slot, from: start, to: cursor)
    return value
  }
}

/// The keyed container of a value: a record or a map (Format §4.8).
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let state: DecodingContainerState

  init(_ state: DecodingContainerState) {
    self.state = state
  }

  private var session: DecodingSession { state.session }
  private var offset: Int { state.offset }
  private var depth: Int { state.depth }

  var codingPath: [any CodingKey] { state.codingPath }

  var allKeys: [Key] {
    var keys: [Key] = []
    session.rememberingFailure(of: offset, depth) {
      try state.open()
      try session.forEachKey(of: state) { element in
        if let key = key(for: element) { keys.append(key) }
      }
    }
    return keys
  }

  /// The key that finds what `element` stands for; `nil` where there is none in this type.
  private func key(for element: PathElement) -> Key? {
    let name = element.name
    if case .intKey(let number) = element, let key = Key(intValue: number),
      ExactString(string: key.stringValue) == name
    {
      return key
    }
    guard let key = Key(stringValue: name.string), ExactString(string: key.stringValue) == name else {
      return nil
    }
    return key
  }

  func contains(_ key: Key) -> Bool {
    do { return try state.valueOffset(of: key) != nil } catch {
      session.remember(error)
      return false
    }
  }

  // MARK: Values

  func decodeNil(forKey key: Key) throws -> Bool { try state.decodeNil(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try state.decode(type, key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try state.decodeIfPresent(type, key)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try state.get(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try state.get(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try state.get(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try state.get(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try state.get(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try state.get(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try state.get(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try state.get(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try state.get(type, key) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try state.get(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try state.get(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try state.get(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try state.get(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try state.get(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try state.get(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try state.get(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try state.getIfPresent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try state.getIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try state.getIfPresent(type, key)
  }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nestedDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedDecoder(key).unkeyedContainer()
  }

  private func nestedDecoder(_ key: Key) throws -> ValueDecoder {
    try nestedDecoder(at: state.existingOffset(of: key))
  }

  private func nestedDecoder(at value: Int) throws -> ValueDecoder {
    try state.checkEnd(ofValueAt: value)
    return try session.nestedDecoder(at: value, in: depth)
  }

  func superDecoder() throws -> any Decoder {
    let key = ArchiveCodingKey.super
    try state.open()
    guard let value = try session.find(key.stringValue, state) else {
      // NSCoding writes what a superclass has beside what the class itself has.
      if session.image.source != nil {
        return ValueDecoder(session: session, offset: state.offset, depth: depth)
      }
      return NilDecoder(session: session, codingPath: codingPath + [key])
    }
    session.noteSuperclass(in: state, at: value)
    return try nestedDecoder(at: value)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    guard let value = try state.valueOffset(of: key) else {
      return NilDecoder(session: session, codingPath: codingPath + [key])
    }
    session.noteSuperclass(in: state, at: value)
    return try nestedDecoder(at: value)
  }
}
