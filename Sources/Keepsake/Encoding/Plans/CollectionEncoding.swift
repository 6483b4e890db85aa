/// Collections that the library walks itself: no container per collection, no existential per element.
extension EncodingSession {
  /// Writes the elements behind a head with their count (Format §4.6).
  @inline(__always)
  func encodeElements<Elements: Collection>(
    _ elements: Elements,
    _ plan: EncodingPlan<Elements.Element>
  ) throws where Elements.Element: Encodable {
    try walkElements(elements.count) {
      for element in elements { try encodeNext(element, plan) }
    }
  }

  /// Writes the elements of an array without copying them one by one.
  @inline(__always)
  func encodeElements<Element: Encodable>(ofArray array: [Element], _ plan: EncodingPlan<Element>) throws {
    try walkElements(array.count) {
      try array.withSpan { (elements) throws in
        try elements.visit { (element) throws in try encodeNext(element, plan) }
      }
    }
  }

  /// Writes the head of an array of `count` elements and runs `encodeAll` to write these in a frame of their own; on a
  /// larger stack if this one is about to end.
  @inline(__always)
  fileprivate func walkElements(_ count: Int, _ encodeAll: () throws -> Void) throws {
    guard stack.bounds.hasRoom(StackGuard.collectionReserve) else {
      return try onLargerStack { try walkElements(count, encodeAll) }
    }
    buffer.append(arrayHead: count)
    try push()
    context.top.kind = .walkedElements
    try encodeAll()
    dropTop()
  }

  @inline(__always)
  fileprivate func encodeNext<Element: Encodable>(
    _ element: borrowing Element,
    _ plan: EncodingPlan<Element>
  ) throws {
    context.top.count += 1
    try plan.encode(element, self)
  }
}

extension Span where Element: ~Copyable {
  /// Calls `body` with each element in place. Elements need not be copyable here, so none is copied: for a structure of
  /// some strings, a copy costs as much as encoding.
  @inline(__always)
  fileprivate func visit(_ body: (borrowing Element) throws -> Void) rethrows {
    for index in indices { try body(self[index]) }
  }
}

extension Array: NativelyEncodable where Element: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan {
    if RuntimeMetadata.mayConform(Element.self, to: (any PackableElement).self),
      let packable = Element.self as? any PackableElement.Type
    {
      return packable.makePackedPlan()
    }
    if let type = RuntimeMetadata.classType(Element.self) { return makeObjectsPlan(type) }
    return ArrayEncodingPlan<Element>(canBeNil: false)
  }

  private static func makeObjectsPlan<Object: Encodable & AnyObject>(_ type: Object.Type) -> AnyEncodingPlan {
    ObjectsEncodingPlan<Object>(canBeNil: false)
  }
}

final class ArrayEncodingPlan<Element: Encodable>: EncodingPlan<[Element]> {
  override func encode(_ value: [Element], _ session: EncodingSession) throws {
    try session.types.plans.unretained(for: Element.self).use { (plan) throws in
      try session.encodeElements(ofArray: value, plan)
    }
  }
}

/// An array of objects. In a large archive, what the session knows about them is far away in memory.
final class ObjectsEncodingPlan<Element: Encodable & AnyObject>: EncodingPlan<[Element]> {
  /// How many objects are prefetched together.
  private static var blockSize: Int { 16 }

  override func encode(_ value: [Element], _ session: EncodingSession) throws {
    try session.types.plans.unretained(for: Element.self).use { (plan) throws in
      guard session.bodies.objects.isLarge else { return try session.encodeElements(ofArray: value, plan) }
      try session.walkElements(value.count) {
        for start in stride(from: 0, to: value.count, by: ObjectsEncodingPlan.blockSize) {
          let block = start..<min(value.count, start + ObjectsEncodingPlan.blockSize)
          value.withAddresses { session.bodies.objects.prefetch($0, block) }
          try value.withSpan { (elements) throws in
            try elements.extracting(block).visit { (element) throws in try session.encodeNext(element, plan) }
          }
        }
      }
    }
  }
}

/// An array of strings. Strings need no coding path and call no other code.
final class StringsEncodingPlan: EncodingPlan<[String]> {
  override func encode(_ value: [String], _ session: EncodingSession) throws {
    try session.encode(strings: value)
  }
}

extension EncodingSession {
  @inline(__always)
  func encode(strings: [String]) throws {
    try countLevel()
    buffer.append(arrayHead: strings.count)
    tables.strings.reserve(strings.count)
    strings.withSpan { $0.visit { write(string: $0) } }
  }

  /// Checks that one more level is not too deep, for a value that needs no frame.
  @inline(__always)
  func countLevel() throws {
    guard nesting.depth &+ 1 >= nesting.depthToLookAt else { return }
    try push()
    dropTop()
  }
}

extension Set: NativelyEncodable where Element: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { SetEncodingPlan<Element>(canBeNil: false) }
}

final class SetEncodingPlan<Element: Encodable & Hashable>: EncodingPlan<Set<Element>> {
  override func encode(_ value: Set<Element>, _ session: EncodingSession) throws {
    let plan = session.types.plans.plan(for: Element.self)
    if session.settings.sortsKeys, value.count > 1 {
      if session.ordering.depth > 0 { return try session.encodeContents(value) { $0 } }
      try session.encodeElements(ofArray: session.sortedByContent(value, { $0 }, whole: { $0 }), plan)
    } else {
      try session.encodeElements(value, plan)
    }
  }
}

extension Dictionary: NativelyEncodable where Key: Encodable, Value: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { DictionaryEncodingPlan<Key, Value>() }
}

/// Writes dictionaries with `String`, `Int` or `CodingKeyRepresentable` keys as maps (Format §4.8), others as an array
/// of alternating keys and values, as the standard library does.
final class DictionaryEncodingPlan<Key: Encodable & Hashable, Value: Encodable>: EncodingPlan<[Key: Value]> {
  private let mapKey: ((Key) -> PathElement?)?
  /// Whether two different keys may have the same key in a map.
  private let keysMayMeet =
    Key.self is any CodingKeyRepresentable.Type && Key.self != String.self && Key.self != Int.self

  init() {
    if Key.self == String.self {
      mapKey = { exactly($0, as: String.self).map(PathElement.key) }
    } else if Key.self == Int.self {
      mapKey = { exactly($0, as: Int.self).map(PathElement.intKey) }
    } else if let type = Key.self as? any CodingKeyRepresentable.Type {
      mapKey = { key in
        guard let codingKey = (key as? any CodingKeyRepresentable)?.codingKey else { return nil }
        let text = codingKey.stringValue
        guard let number = codingKey.intValue else { return .key(text) }
        // "007" has a number as well, which is that of another key.
        guard String(number) != text else { return .intKey(number) }
        let fromText = type.init(codingKey: ArchiveCodingKey(stringValue: text)) as? Key
        return fromText == key ? .key(text) : .intKey(number)
      }
    } else {
      mapKey = nil
    }
    super.init(canBeNil: false)
  }

  override func encode(_ value: [Key: Value], _ session: EncodingSession) throws {
    guard mapKey != nil, value.isEmpty else { return try encodeEntries(value, session) }
    // Many dictionaries are empty.
    session.buffer.append(mapHead: 0)
    try session.countLevel()
  }

  // Not inlined, so that only this function looks up the metadata of an entry.
  @inline(never)
  private func encodeEntries(_ value: [Key: Value], _ session: EncodingSession) throws {
    guard session.stack.bounds.hasRoom(StackGuard.collectionReserve, holding: Value.self) else {
      return try session.onLargerStack { try encodeEntries(value, session) }
    }
    let plan = session.types.plans.plan(for: Value.self)
    guard let mapKey else { return try encodePairs(value, plan, session) }
    session.buffer.append(mapHead: value.count)
    try session.push()
    session.context.top.kind = .walkedMap
    // In the frame, which tells that a value is being encoded: this calls code of the program.
    if keysMayMeet, value.count > 1 { try checkKeysDiffer(value, mapKey, session) }
    if session.settings.sortsKeys {
      try encodeSorted(value, mapKey, plan, session)
    } else {
      for (key, value) in value {
        if let key = mapKey(key) { try encode(key, value, plan, session) }
      }
    }
    session.dropTop()
  }

  @inline(never)
  private func encodeSorted(
    _ value: [Key: Value],
    _ mapKey: (Key) -> PathElement?,
    _ plan: EncodingPlan<Value>,
    _ session: EncodingSession
  ) throws {
    // Keys and values are apart: tuples of generic types take several times as long.
    var keys: [PathElement?] = []
    for key in value.keys { keys.append(mapKey(key)) }
    let values = Array(value.values)
    for index in keys.indices.ordered(by: { precedes(keys[$0], keys[$1]) }) {
      if let key = keys[index] { try encode(key, values[index], plan, session) }
    }
  }

  /// Throws if two keys have the same coding key: a reader could return only one of their values (Format §10, rule 27).
  private func checkKeysDiffer(
    _ value: [Key: Value],
    _ mapKey: (Key) -> PathElement?,
    _ session: EncodingSession
  ) throws {
    var names: Set<ExactString> = []
    for key in value.keys {
      guard let name = mapKey(key)?.keyText, !names.insert(ExactString(string: name)).inserted else {
        continue
      }
      throw session.misuse(
        "Two keys of a dictionary have the coding key \"\(name)\", so only one of their values could be read. "
          + "Give each \(Key.self) a codingKey of its own",
        value: value
      )
    }
  }

  @inline(__always)
  private func encode(
    _ key: PathElement,
    _ value: Value,
    _ plan: EncodingPlan<Value>,
    _ session: EncodingSession
  ) throws {
    session.context.top.position = session.buffer.count
    session.context.top.count += 1
    switch key {
    case .key(let string): session.write(string: string)
    case .intKey(let number), .index(let number): session.buffer.append(integer: number)
    }
    try plan.encode(value, session)
  }

  /// Whether `left` precedes `right` if keys are sorted.
  private func precedes(_ left: PathElement?, _ right: PathElement?) -> Bool {
    switch (left, right) {
    case (.key(let left), .key(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.intKey(let left), .intKey(let right)): left < right
    default: if case .intKey = left { true } else { false }
    }
  }

  private func encodePairs(
    _ value: [Key: Value],
    _ plan: EncodingPlan<Value>,
    _ session: EncodingSession
  ) throws {
    let keyPlan = session.types.plans.plan(for: Key.self)
    let pairs = { (entry: (key: Key, value: Value)) in Pair(key: entry.key, value: entry.value) }
    if session.ordering.depth > 0, value.count > 1 { return try session.encodeContents(value, pairs) }
    try session.walkElements(value.count * 2) {
      let sorted =
        session.settings.sortsKeys
        ? try session.sortedByContent(value, { $0.key }, whole: pairs) : Array(value)
      for (key, value) in sorted {
        try session.encodeNext(key, keyPlan)
        try session.encodeNext(value, plan)
      }
    }
  }

  /// The whole entry, compared if keys are alike.
  private struct Pair: Encodable {
    let key: Key
    let value: Value
  }
}

extension Optional: NativelyEncodable where Wrapped: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { OptionalEncodingPlan<Wrapped>() }
}

extension Optional where Wrapped: ~Copyable {
  /// Calls `body` with the wrapped value in place. The value need not be copyable here, so it is not copied: the runtime
  /// would look up the metadata of the optional each time.
  ///
  /// - Returns: `false` for nil.
  @inline(__always)
  @discardableResult
  borrowing func visit(_ body: (borrowing Wrapped) throws -> Void) rethrows -> Bool {
    switch self {
    case .some(let value):
      try body(value)
      return true
    case .none: return false
    }
  }
}

extension EncodingSession {
  /// Marks the content of an optional, at `start`, as some value if it would read as nil, so that no level of optionality
  /// is lost (Format §4.2).
  func markSome(at start: Int) {
    guard buffer[start] == Tag.none || buffer[start] == Tag.some else { return }
    buffer.replace(start..<start, with: [Tag.some])
    moveSplices(from: start, by: 1)
  }
}

final class OptionalEncodingPlan<Wrapped: Encodable>: EncodingPlan<Wrapped?> {
  override func encode(_ value: Wrapped?, _ session: EncodingSession) throws {
    let isSome = try value.visit { (value) throws in
      let start = session.buffer.count
      let canBeNil = try session.types.plans.unretained(for: Wrapped.self).use { (plan) throws in
        try plan.encode(value, session)
        return plan.canBeNil
      }
      if canBeNil { session.markSome(at: start) }
    }
    if !isSome { session.buffer.append(Tag.none) }
  }

  override func isNil(_ memory: PropertyMemory, at offset: Int) -> Bool {
    memory.withValue(Wrapped?.self, at: offset) { (value) in !value.visit { _ in } }
  }

  override func standsInline(_ value: Wrapped?) -> Bool { if case .none = value { true } else { false } }
}
