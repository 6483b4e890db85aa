/// A set or dictionary. It is useless if its elements have other hashes than when it was made.
protocol HashedValue {
  var count: Int { get }
  /// The hashes of the elements or keys, in the order of the value.
  var elementHashes: [Int] { get }
  /// Returns a value with the same elements and `others`, which were equal to some of them, by their present hashes;
  /// `nil` if it would have fewer.
  func madeAgain(with others: [Any]) -> (any HashedValue)?
}

extension Set: HashedValue {
  var elementHashes: [Int] { map(\.hashValue) }

  func madeAgain(with others: [Any]) -> (any HashedValue)? {
    let new = Set(Array(self) + others.compactMap { $0 as? Element })
    return new.count >= count ? new : nil
  }
}

extension Dictionary: HashedValue {
  var elementHashes: [Int] { keys.map(\.hashValue) }

  func madeAgain(with others: [Any]) -> (any HashedValue)? {
    let pairs = self + others.compactMap { $0 as? Element }
    let new = Dictionary(pairs.map { ($0, $1) }) { first, _ in first }
    return new.count >= count ? new : nil
  }
}

/// The hashes by which a set or dictionary was made.
struct HashesOfElements {
  typealias MadeAgain = (value: any HashedValue, hashes: [Int])

  private var value: any HashedValue
  /// The elements that were equal to others, so that the value lacks them.
  private let others: [Any]
  private var hashes: [Int]
  /// The offset of the value in the archive.
  let offset: Int
  /// The object whose initializer was running; 0 if there was none.
  let object: Int
  /// The property that has the value, if it can wait but did not.
  var property: PropertiesReadLast.PropertyOfKey?
  /// Whether the value is in a property of the object, and not only used by an initializer.
  var isStored = false
  /// Replaces a value by one with other elements, too, in the property that has it; returns `nil` if it cannot.
  var makeAgain: (any HashedValue, _ others: [Any]) -> MadeAgain? = { _, _ in nil }

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
    guard let new = makeAgain(value, withOthers ? others : []) else { return false }
    (value, hashes) = new
    return true
  }
}

extension DecodingSession {
  /// Whether the hash of a `type` may depend on objects.
  static func mayHoldObjects(_ type: Any.Type) -> Bool {
    func isPlain<Element>(_ type: Element.Type) -> Bool { _isPOD(type) || type is any ReadablePrimitive.Type }
    if _openExistential(type, do: isPlain) { return false }
    if let wrapped = (type as? any OptionalValue.Type)?.wrapped { return mayHoldObjects(wrapped) }
    guard !(type is AnyClass), let properties = StoredProperties.of(type) else { return true }
    return properties.list.contains { mayHoldObjects($0.type) }
  }

  /// Notes a set or dictionary, if properties of its elements may get their values later.
  @inline(__always)
  func noteHashed(_ value: any HashedValue, _ equal: [Any], at offset: Int) throws {
    guard later.readLast.areThere || graph.haveEarly else { return }
    try charge(DecodingBudget.deferredOverhead, at: offset)
    let object = graph.inProgress.last?.number ?? 0
    later.readLast.noteHashed(HashesOfElements(value, equal, offset, in: object))
  }

  /// Records that the set or dictionary that was noted last is in a property of `owner`, if it is at `offset`.
  func noteHashed(in property: AnyWaitingProperty, of owner: AnyObject, at offset: Int) {
    guard later.readLast.lastHashedOffset == offset else { return }
    later.readLast.changeLastHashed {
      $0.makeAgain = { value, others in property.makeAgain(value, in: owner, with: others) }
    }
  }

  /// Records that the sets and dictionaries noted after the first `count` are in `property` of `owner`, unless they are
  /// in another property. The value of `property` is at `offset`.
  @inline(never)
  func noteHashed(in property: StoredProperty, of owner: AnyObject?, at offset: Int, _ count: Int) {
    guard let owner, let number = graph.inProgress.last?.number else { return }
    later.readLast.noteStored(by: number, behind: count)
    guard let waiting = waitingProperty(property) else { return }
    let found = PropertiesReadLast.PropertyOfKey(
      property.owner,
      property.type,
      waiting: waiting,
      reference: nil
    )
    later.readLast.note(found, ofHashedBehind: count)
    noteHashed(in: waiting, of: owner, at: offset)
  }

  /// Makes sets and dictionaries again whose elements got other hashes while properties waited. Call it when none waits.
  ///
  /// Hashes may depend on other sets, so there are as many rounds as sets depend on each other.
  ///
  /// - Throws: `DecodingError` if an initializer has the set. If its property can wait, the next attempt lets it wait.
  func checkHashes() throws {
    var values = later.readLast.takeHashed()
    var areRight = false
    while !areRight {
      areRight = true
      for index in values.indices {
        let lacksElements = values[index].lacksElements
        guard lacksElements || values[index].haveChanged else { continue }
        if values[index].makeAgain(withOthers: lacksElements) {
          areRight = false
          try countReading(of: values[index])
        } else if lacksElements || values[index].isStored || later.readLast.areThere {
          throw isHashedTooEarly(values[index])
        }
        // Otherwise an initializer has only used the set.
      }
    }
  }

  private func countReading(of value: HashesOfElements) throws {
    do throws(ArchiveError) {
      try countReading(value.count, at: value.offset)
    } catch {
      throw corrupted(error, searchedPath(to: value.offset))
    }
  }

  private func isHashedTooEarly(_ value: HashesOfElements) -> DecodingError {
    // If its property can wait, too, the set is read when the properties of its elements have their values.
    if !settings.isRehearsal {
      later.readLast.cycle = .init(target: 0, property: value.property)
    }
    return corrupted(
      ArchiveError.misuse(
        "The elements of a \(value.type) were hashed before one of their properties had its value, because the property "
          + "closes a cycle. Leave the property out of == and hash(into:), or make the set or dictionary a stored var",
        at: value.offset
      ),
      searchedPath(to: value.offset)
    )
  }
}
