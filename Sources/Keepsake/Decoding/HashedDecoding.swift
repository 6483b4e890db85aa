extension Set: NativelyDecodable where Element: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { SetDecodingPlan<Element>() }
}

final class SetDecodingPlan<Element: Decodable & Hashable>: DecodingPlan<Set<Element>> {
  private let isString = Element.self == String.self

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Set<Element>
  {
    switch TagKind(try session.reader.byte(at: cursor)) {
    case .packedArray, .bytes, .objectReference, .conditionalReference:
      return try session.decodeOtherArray(by: self, at: &cursor, depth)
    default: break
    }
    let offset = cursor
    var elements: Set<Element> = []
    try session.forEachElement(at: &cursor, depth) { count in
      elements.reserveCapacity(session.reservation(count, Element.self))
    } _: { (cursor, plan: DecodingPlan<Element>) in
      let start = cursor
      let element = try plan.decode(at: &cursor, session, depth + 1)
      if isString, let string = element as? String { try session.countLong(string, at: start) }
      elements.insert(element)
    }
    session.noteHashed(elements, of: Element.self, at: offset)
    return elements
  }
}

extension Dictionary: NativelyDecodable where Key: Decodable, Value: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { DictionaryDecodingPlan<Key, Value>() }
}

final class DictionaryDecodingPlan<Key: Decodable & Hashable, Value: Decodable>: DecodingPlan<[Key: Value]> {
  /// Makes a key of what stands in a map; `nil` for dictionaries that are written as pairs.
  private let key: ((PathElement) -> Key?)?

  override init() {
    if Key.self == String.self {
      key = { $0.name.string as? Key }
    } else if Key.self == Int.self {
      key = { element in
        switch element {
        case .intKey(let number), .index(let number): number as? Key
        case .key(let name): Int(name) as? Key
        }
      }
    } else if let type = Key.self as? any CodingKeyRepresentable.Type {
      key = { type.init(codingKey: ArchiveCodingKey($0)) as? Key }
    } else {
      key = nil
    }
  }

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> [Key: Value]
  {
    guard try session.reader.byte(at: cursor) == Tag.map else {
      if let record = try RecordHead(session, at: cursor) {
        let count = try session.image.slotCount(ofShape: record.shape, at: cursor)
        try session.charge(count, elementsOf: MemoryLayout<(Key, Value)>.stride * 2, at: cursor)
      } else if let dictionary = try session.decodeReferred(by: self, at: &cursor, depth) {
        return dictionary
      }
      let offset = cursor
      let dictionary = try session.decodePlainly([Key: Value].self, at: &cursor, depth)
      session.noteHashed(dictionary, of: Key.self, at: offset)
      return dictionary
    }
    guard session.stack.bounds.hasRoom(StackGuard.collectionReserve) else {
      return try session.onLargerStack { try decode(at: &cursor, session, depth) }
    }
    let start = cursor
    var entry = start + 1
    let count = try session.reader.varint(at: &entry)
    try session.reader.check(count, at: entry)
    // A table of hashes has a third more places than entries, at least.
    try session.charge(count, elementsOf: MemoryLayout<(Key, Value)>.stride * 2, at: start)
    var dictionary: [Key: Value] = [:]
    dictionary.reserveCapacity(session.reservation(count, (Key, Value).self))
    let plan = session.types.plans.plan(for: Value.self).use { $0 }
    try session.descend(to: start, from: depth)
    session.nesting.frames[depth + 1].setKeyed(KeyedHead(count: count, payload: entry))
    var keysDiffer = false
    for _ in 0..<count {
      session.nesting.frames[depth + 1].showEntry(at: entry)
      let key = try decodeKey(at: &entry, session, depth)
      try session.describingFaults(Value.self, at: entry, depth + 1) {
        let value = try plan.decode(at: &entry, session, depth + 1)
        // Two keys that are equal may still be spelled in two ways, which is no fault.
        if dictionary.updateValue(value, forKey: key) != nil, !keysDiffer {
          try session.checkKeysDiffer(mapAt: start)
          keysDiffer = true
        }
      }
    }
    cursor = entry
    session.noteHashed(dictionary, of: Key.self, at: start)
    return dictionary
  }

  /// The key at `cursor` of a map, which moves past it.
  @inline(__always)
  private func decodeKey(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Key {
    guard let key else { return try decodeOtherKey(at: &cursor, session, depth) }
    let start = cursor
    let element = try session.image.mapKey(at: &cursor, in: session.reader)
    if case .key(let name) = element { try session.countLong(name, at: start) }
    guard let key = key(element) else {
      throw session.error(.mismatch(start), Key.self, session.path(toValueAt: start, in: depth + 1))
    }
    return key
  }

  /// A key of a type that Swift writes among the values, in turns with them. Such dictionaries are maps if they come from
  /// old archives, where nobody knew the type; the key is a value as any other.
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

// MARK: Hashes

/// A set or dictionary, which is no use if its elements have other hashes than when it was made.
protocol HashedValue {
  /// The hashes of its elements or keys, in the order in which it has them.
  var elementHashes: [Int] { get }
  /// The same elements by the hashes that they have now; `nil` where some are equal now.
  var mended: (any HashedValue)? { get }
}

extension Set: HashedValue {
  var elementHashes: [Int] { map(\.hashValue) }
  var mended: (any HashedValue)? {
    let mended = Set(Array(self))
    return mended.count == count ? mended : nil
  }
}

extension Dictionary: HashedValue {
  var elementHashes: [Int] { keys.map(\.hashValue) }
  var mended: (any HashedValue)? {
    let mended = Dictionary(map { ($0, $1) }) { first, _ in first }
    return mended.count == count ? mended : nil
  }
}

/// By which hashes a set or dictionary was made.
struct HashesOfElements {
  private let value: any HashedValue
  private let hashes: [Int]
  /// Where it is in the archive.
  let offset: Int
  /// The property that it is in, if that can wait but did not.
  var property: PropertiesReadLast.PropertyOfKey?
  /// Makes it anew where it is.
  var mend: (() -> Bool)?

  var type: Any.Type { Swift.type(of: value) }

  init(_ value: any HashedValue, _ offset: Int) {
    self.value = value
    self.offset = offset
    hashes = value.elementHashes
  }

  /// Whether each element is found, if need be after it was made anew.
  var isRight: Bool { value.elementHashes == hashes || mend?() == true }
}
