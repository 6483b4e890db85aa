extension Set: NativelyDecodable where Element: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { SetDecodingPlan<Element>() }
}

final class SetDecodingPlan<Element: Decodable & Hashable>: DecodingPlan<Set<Element>> {
  private let isString = Element.self == String.self
  private let mayHoldObjects = DecodingSession.mayHoldObjects(Element.self)

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Set<Element>
  {
    switch TagKind(try session.reader.byte(at: cursor)) {
    case .empty, .shortArray, .array: break
    default: return try session.decodeOtherArray(by: self, at: &cursor, depth)
    }
    let offset = cursor
    var elements: Set<Element> = []
    var equal: [Element] = []
    try session.forEachElement(at: &cursor, depth) { count in
      // A hash table has at least a third more buckets than elements.
      try session.charge(count, elementsOf: MemoryLayout<Element>.stride, at: offset)
      elements.reserveCapacity(session.reservation(count, Element.self))
    } _: { (cursor, plan: DecodingPlan<Element>) in
      let start = cursor
      let element = try plan.decode(at: &cursor, session, depth + 1)
      if isString, let string = element as? String { try session.countLong(string, at: start) }
      if !elements.insert(element).inserted, mayHoldObjects { equal.append(element) }
    }
    if mayHoldObjects, !elements.isEmpty { try session.noteHashed(elements, equal, at: offset) }
    return elements
  }
}

extension Dictionary: NativelyDecodable where Key: Decodable, Value: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { DictionaryDecodingPlan<Key, Value>() }
}

final class DictionaryDecodingPlan<Key: Decodable & Hashable, Value: Decodable>: DecodingPlan<[Key: Value]> {
  /// Makes a key from that of a map; `nil` for dictionaries that are written as pairs.
  private let key: ((PathElement) -> Key?)?
  private let mayHoldObjects = DecodingSession.mayHoldObjects(Key.self)

  override init() {
    if Key.self == String.self {
      key = { exactly($0.name.string, as: Key.self) }
    } else if Key.self == Int.self {
      key = { element in
        switch element {
        case .intKey(let number), .index(let number): exactly(number, as: Key.self)
        case .key(let name): Int(name).flatMap { exactly($0, as: Key.self) }
        }
      }
    } else if let type = Key.self as? any CodingKeyRepresentable.Type {
      key = { element in
        if let key = type.init(codingKey: ArchiveCodingKey(element)) as? Key { return key }
        // The number may have been the key of a dictionary with strings.
        guard case .key(let name) = element, let number = Int(name) else { return nil }
        return type.init(codingKey: ArchiveCodingKey(intValue: number)) as? Key
      }
    } else {
      key = nil
    }
  }

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> [Key: Value]
  {
    // Values of the top level may be elsewhere; only containers know.
    guard try session.reader.byte(at: cursor) == Tag.map, cursor != session.lookups.topLevelOffset else {
      return try decodeOther(at: &cursor, session, depth)
    }
    var entry = cursor + 1
    let count = try session.reader.varint(at: &entry)
    guard count == 0, !session.isUnusuallyDeep(below: depth) else {
      return try decodeEntries(count, at: &cursor, entry, session, depth)
    }
    // Many dictionaries are empty. A literal would look up the metadata of an entry.
    cursor = entry
    return .init()
  }

  /// Reads the record, the reference or the array at `cursor`.
  @inline(never)
  private func decodeOther(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> [Key: Value] {
    switch TagKind(try session.reader.byte(at: cursor)) {
    // The initializer would not get a container either.
    case .bool, .float32, .float64, .integer, .smallInteger, .uint64, .date, .uuid, .string, .shortString,
      .stringReference:
      throw ReadingFault.mismatch(cursor)
    default: break
    }
    if let record = try RecordHead(session, at: cursor) {
      let count = try session.image.slotCount(ofShape: record.shape, at: cursor)
      try session.checkElementCount(count, at: cursor)
      try session.charge(count.multipliedSaturating(by: MemoryLayout<(Key, Value)>.stride * 2), at: cursor)
    } else if let dictionary = try session.decodeReferred(by: self, at: &cursor, depth) {
      return dictionary
    }
    if let pairs = try session.arrayHead(at: cursor), pairs.count % 2 == 0 {
      // For the buckets without entries, as below. The entries are charged when they are read.
      try session.charge(pairs.count / 2, elementsOf: MemoryLayout<(Key, Value)>.stride, at: cursor)
      if mayHoldObjects { return try decodePairs(at: &cursor, pairs.count / 2, session, depth) }
    }
    return try session.decodePlainly([Key: Value].self, at: &cursor, depth)
  }

  /// Reads the map at `cursor`, whose `count` entries begin at `first`.
  // Not inlined, so that only this function looks up the metadata of the dictionary.
  @inline(never)
  private func decodeEntries(
    _ count: Int,
    at cursor: inout Int,
    _ first: Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> [Key: Value] {
    guard session.stack.bounds.hasRoom(StackGuard.collectionReserve, holding: Value.self) else {
      return try session.onLargerStack { try decodeEntries(count, at: &cursor, first, session, depth) }
    }
    let start = cursor
    var entry = first
    try session.reader.check(count, at: entry)
    // A hash table has at least a third more buckets than entries.
    try session.charge(count, elementsOf: MemoryLayout<(Key, Value)>.stride * 2, at: start)
    var dictionary: [Key: Value] = .init()
    dictionary.reserveCapacity(session.reservation(count, (Key, Value).self))
    let plan = session.types.plans.plan(for: Value.self).use { $0 }
    try session.descend(to: start, from: depth)
    session.nesting.frames[depth + 1].setKeyed(KeyedHead(count: count, payload: entry), .planned)
    var keysDiffer = false
    for _ in 0..<count {
      session.nesting.frames[depth + 1].showPlanned(0, at: entry)
      let key = try decodeKey(at: &entry, session, depth)
      let value = try session.describingFaults(Value.self, at: entry, depth + 1) {
        try plan.decode(at: &entry, session, depth + 1)
      }
      // Two keys that are equal may still be spelled in two ways, which is no fault. An index has no key twice.
      if dictionary.updateValue(value, forKey: key) != nil, !keysDiffer {
        try session.describingFaults(Value.self, at: entry, depth + 1) {
          _ = try KeyIndex(start, KeyedHead(count: count, payload: first), session)
        }
        keysDiffer = true
      }
    }
    cursor = entry
    if mayHoldObjects, !dictionary.isEmpty { try session.noteHashed(dictionary, [], at: start) }
    return dictionary
  }

  /// Reads the dictionary at `cursor`, whose keys and values alternate, as the standard library writes it.
  private func decodePairs(
    at cursor: inout Int,
    _ count: Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> [Key: Value] {
    let start = cursor
    try session.charge(count, elementsOf: MemoryLayout<Value>.stride, at: start)
    var dictionary: [Key: Value] = [:]
    var equal: [Any] = []
    var key: Key?
    let values = session.types.plans.plan(for: Value.self).use { $0 }
    try session.forEachElement(at: &cursor, depth) { _ in
    } _: { (cursor, plan: DecodingPlan<Key>) in
      guard let present = key.take() else { return key = try plan.decode(at: &cursor, session, depth + 1) }
      let value = try session.describingFaults(Value.self, at: cursor, depth + 1) {
        try values.decode(at: &cursor, session, depth + 1)
      }
      // The last one counts.
      if let index = dictionary.index(forKey: present) { equal.append(dictionary.remove(at: index)) }
      dictionary[present] = value
    }
    if !dictionary.isEmpty { try session.noteHashed(dictionary, equal, at: start) }
    return dictionary
  }

  /// The key of a map at `cursor`, which moves past it.
  @inline(__always)
  private func decodeKey(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Key {
    guard let key else { return try decodeOtherKey(at: &cursor, session, depth) }
    let start = cursor
    let element = try session.image.mapKey(at: &cursor, in: session.reader)
    if case .key(let name) = element { try session.countLong(name, at: start) }
    guard let key = key(element) else { throw noKey(for: element, at: start, session, depth) }
    return key
  }

  @inline(never)
  private func noKey(
    for element: PathElement,
    at offset: Int,
    _ session: DecodingSession,
    _ depth: Int
  ) -> DecodingError {
    let path = session.path(toValueAt: offset, in: depth + 1)
    if Key.self == Int.self { return session.mismatch(Key.self, offset, path) }
    let message = "\(Key.self) has no value for the key \"\(element.keyText)\""
    return session.corrupted(ArchiveError(.typeMismatch, message, byteOffset: offset), path)
  }

  /// A key of a type that Swift writes alternating with the values. Such a dictionary is a map only in a translated
  /// archive, where the type was unknown. Its keys are values like any others.
  @inline(never)
  private func decodeOtherKey(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> Key {
    try session.describingFaults(Key.self, at: cursor, depth + 1) {
      try session.decodeByPlan(Key.self, at: &cursor, depth + 1)
    }
  }
}
