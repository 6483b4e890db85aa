/// A set or dictionary. It is useless if its elements have other hashes than when it was made.
protocol HashedValue {
  var count: Int { get }
  /// The hashes of the elements or keys, in the order of the value.
  var elementHashes: [Int] { get }
  /// Returns a value with the same elements and `others`, which were equal to some of them, by their present hashes;
  /// `nil` if it would have fewer.
  func madeAgain(with others: [Any]) -> (any HashedValue)?
}

/// The hashes of `elements`, by a loop: `map` of a generic collection takes several times as long.
@inline(__always)
private func hashes<Elements: Sequence>(of elements: Elements) -> [Int] where Elements.Element: Hashable {
  var hashes: [Int] = []
  for element in elements { hashes.append(element.hashValue) }
  return hashes
}

extension Set: HashedValue {
  var elementHashes: [Int] { hashes(of: self) }

  func madeAgain(with others: [Any]) -> (any HashedValue)? {
    let new = Set(Array(self) + others.compactMap { $0 as? Element })
    return new.count >= count ? new : nil
  }
}

extension Dictionary: HashedValue {
  var elementHashes: [Int] { hashes(of: keys) }

  func madeAgain(with others: [Any]) -> (any HashedValue)? {
    let pairs = self + others.compactMap { $0 as? Element }
    let new = Dictionary(pairs.map { ($0, $1) }) { first, _ in first }
    return new.count >= count ? new : nil
  }
}

/// The hashes by which a set or dictionary was made.
struct HashesOfElements {
  typealias Rehashed = (value: any HashedValue, hashes: [Int])

  private var value: any HashedValue
  /// The elements that were equal to others, so that the value lacks them.
  private let others: [Any]
  private var hashes: [Int]
  /// The offset of the value in the archive.
  let offset: Int
  /// The object whose initializer was running; 0 if there was none.
  let object: Int
  /// The property that has the value, if it can wait but did not.
  fileprivate(set) var property: PropertiesReadLast.PropertyOfKey?
  /// Whether the value is in a property of the object, and not only used by an initializer.
  fileprivate(set) var isStored = false
  /// Replaces the value by one with others, too, in the property that has it; returns `nil` if it cannot.
  fileprivate(set) var replace: (any HashedValue, _ others: [Any]) -> Rehashed? = { _, _ in nil }

  var type: Any.Type { Swift.type(of: value) }
  var count: Int { value.count }

  init(_ value: any HashedValue, _ others: [Any], _ offset: Int, in object: Int) {
    self.value = value
    self.others = others
    self.offset = offset
    self.object = object
    hashes = value.elementHashes
  }

  var haveChanged: Bool { value.elementHashes != hashes }

  /// Whether the value lacks elements that were equal to others then, and are not now.
  var lacksElements: Bool { !others.isEmpty && value.madeAgain(with: others)?.count != value.count }

  /// Makes the value again; returns `false` if that is not possible.
  mutating func makeAgain(withOthers: Bool) -> Bool {
    guard let new = replace(value, withOthers ? others : []) else { return false }
    (value, hashes) = new
    return true
  }
}

/// The sets and dictionaries that were made while properties waited. They are checked when none waits.
struct NotedHashes {
  private var list: [HashesOfElements] = []
  /// The indexes of those for which no property is recorded.
  private var inNone: [Int] = []
  /// The indexes of those whose initializer may still be running.
  private var inProgress: [Int] = []

  var count: Int { list.count }

  mutating func append(_ value: HashesOfElements) {
    inNone.append(list.count)
    inProgress.append(list.count)
    list.append(value)
  }

  /// The offset of the value that was noted last; -1 if there is none.
  var lastOffset: Int { list.last?.offset ?? -1 }

  /// Records how to replace the value that was noted last.
  mutating func noteReplacement(
    _ replace: @escaping (any HashedValue, _ others: [Any]) -> HashesOfElements.Rehashed?
  ) {
    if let last = list.indices.last { list[last].replace = replace }
  }

  /// Records that a property of `object` has the values that the initializer of the object has read after the first
  /// `count`.
  mutating func noteStored(by object: Int, after count: Int) {
    // The rest belongs to other objects, whose initializers have returned.
    while let index = inProgress.last, index >= count {
      if list[index].object == object { list[index].isStored = true }
      inProgress.removeLast()
    }
  }

  /// Records that `property` has the values noted after the first `count`, unless another property has them.
  mutating func note(_ property: PropertiesReadLast.PropertyOfKey, after count: Int) {
    while let index = inNone.last, index >= count {
      list[index].property = property
      inNone.removeLast()
    }
  }

  /// Removes the values noted after the first `count`, since decoding them threw.
  mutating func takeSuffix(from count: Int) -> [HashesOfElements] {
    while let last = inNone.last, last >= count { inNone.removeLast() }
    while let last = inProgress.last, last >= count { inProgress.removeLast() }
    return list.takeSuffix(from: count)
  }

  mutating func take() -> [HashesOfElements] {
    (inNone, inProgress) = ([], [])
    return exchange(&list, with: [])
  }
}

extension DecodingSession {
  /// Whether the hash of a `type` may depend on objects.
  static func mayHoldObjects(_ type: Any.Type) -> Bool {
    func isPlain<Element>(_ type: Element.Type) -> Bool {
      _isPOD(type)
        || RuntimeMetadata.mayConform(type, to: (any ReadablePrimitive).self)
          && type is any ReadablePrimitive.Type
    }
    if _openExistential(type, do: isPlain) { return false }
    if let wrapped = RuntimeMetadata.wrappedType(of: type) { return mayHoldObjects(wrapped) }
    guard !(type is AnyClass), let properties = StoredProperty.all(of: type) else { return true }
    return properties.contains { mayHoldObjects($0.type) }
  }

  /// Notes a set or dictionary, if properties of its elements may get their values later.
  @inline(__always)
  func noteHashed(_ value: any HashedValue, _ equal: [Any], at offset: Int) throws {
    guard later.readLast.areThere || graph.haveEarly else { return }
    try charge(DecodingBudget.deferredOverhead, at: offset)
    let object = graph.inProgress.last?.number ?? 0
    later.hashed.append(HashesOfElements(value, equal, offset, in: object))
  }

  /// Records that the value at `offset`, if it was noted last, is in a property of `owner`.
  func noteHashed(in property: AnyWaitingProperty, of owner: AnyObject, at offset: Int) {
    guard later.hashed.lastOffset == offset else { return }
    later.hashed.noteReplacement { property.replace($0, in: owner, with: $1) }
  }

  /// Records that the sets and dictionaries noted after the first `count` are in `property` of `owner`, unless they are
  /// in another property. The value of `property` is at `offset`.
  @inline(never)
  func noteHashed(in property: StoredProperty, of owner: AnyObject?, at offset: Int, _ count: Int) {
    guard let owner, let number = graph.inProgress.last?.number else { return }
    later.hashed.noteStored(by: number, after: count)
    guard let field = fieldThatCanWait(property), let waiting = field.waiting else { return }
    later.hashed.note(field, after: count)
    noteHashed(in: waiting, of: owner, at: offset)
  }

  /// Makes sets and dictionaries again whose elements got other hashes while properties waited. Call it when none waits.
  ///
  /// Hashes may depend on other sets, so there are as many rounds as sets depend on each other.
  ///
  /// - Throws: `DecodingError` if an initializer has the set. If its property can wait, the next attempt lets it wait.
  func checkHashes() throws {
    var values = later.hashed.take()
    var areRight = false
    while !areRight {
      areRight = true
      for index in values.indices {
        let lacksElements = values[index].lacksElements
        guard lacksElements || values[index].haveChanged else { continue }
        if values[index].makeAgain(withOthers: lacksElements) {
          areRight = false
          let (count, offset) = (values[index].count, values[index].offset)
          try reporting(searchedPath(to: offset)) { try countReading(count, at: offset) }
        } else if lacksElements || values[index].isStored || later.readLast.areThere {
          throw isHashedTooEarly(values[index])
        }
        // Otherwise an initializer has only used the set.
      }
    }
  }

  private func isHashedTooEarly(_ value: HashesOfElements) -> DecodingError {
    // If its property can wait, too, the set is read when the properties of its elements have their values.
    if !settings.isRehearsal {
      later.readLast.cycle = .init(target: 0, property: value.property)
    }
    return misuse(
      "The elements of a \(value.type) were hashed before one of their properties had its value, because the property "
        + "closes a cycle. Leave the property out of == and hash(into:), or make the set or dictionary a stored var",
      at: value.offset
    )
  }
}
