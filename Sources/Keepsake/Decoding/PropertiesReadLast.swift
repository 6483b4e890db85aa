/// The properties of one archive that get their values when everything else is there (Format §5.3).
struct PropertiesReadLast {
  /// Whether anything in the archive can be read last.
  private(set) var areThere: Bool
  /// The keys that some class reads last.
  private var keys: Set<ExactString>
  /// The names of the properties that this reader reads last, though the archive does not say so, by their owners.
  private var found: [ObjectIdentifier: Set<String>] = [:]
  /// The cycle that was met last.
  var cycle: OpenCycle?
  /// For each entry of the class table and each key of the archive, the property.
  private var known: [NumberedCache<PropertyOfKey>] = []
  /// Where the records of superclasses are that stand in those of the objects in progress, and whose objects these are.
  private var superclasses: [(object: Int, offset: Int)] = []
  /// What is hashed while properties wait, to look at it when none does any more.
  private(set) var hashed: [HashesOfElements] = []
  /// The indexes of those that are in no property yet.
  private var hashedInNone: [Int] = []
  /// The indexes of those that an initializer has read which may still be running.
  private var hashedInProgress: [Int] = []
  /// Where the one that was noted last is, -1 if there is none.
  private(set) var lastHashedOffset = -1
  /// Objects whose place the observer gave to others.
  private(set) var replaced: [Int: AnyObject] = [:]

  /// The property of a key, for objects of the type `owner` that ask for a value of the type `value`.
  final class PropertyOfKey {
    let owner: Any.Type
    let value: Any.Type
    /// `nil` where the key is not read last, or the class has no property that can wait for the value.
    let waiting: AnyWaitingProperty?
    /// `nil` where the class has no property that can wait for the object of a conditional reference.
    let reference: ReferenceReceiver?
    /// The property, if it is weak and can be the place of a conditional reference.
    let weak: StoredProperty?
    /// Whether a reference in the weak property counts as conditional.
    let isConditional: Bool
    /// Whether the property is read from memory, as its object is there before what it holds.
    let isField: Bool
    /// Whether the value can be empty itself, and need not be missing.
    let canBeEmpty: Bool

    init(
      _ owner: Any.Type,
      _ value: Any.Type,
      waiting: AnyWaitingProperty?,
      reference: ReferenceReceiver?,
      weak: StoredProperty? = nil,
      isConditional: Bool = false,
      isField: Bool = false
    ) {
      self.owner = owner
      self.value = value
      self.waiting = waiting
      self.reference = reference
      self.weak = weak
      self.isConditional = isConditional
      self.isField = isField
      canBeEmpty = value is any ValueThatCanBeEmpty.Type
    }

    /// By how much it is preferred to others of a cycle: a single object waits rather than a collection, and that rather than
    /// a field. A weak property keeps none, so that its object may be missed; 0 if it cannot wait.
    var preference: Int { waiting == nil ? weak == nil ? 0 : 1 : isField ? 2 : reference == nil ? 3 : 4 }
  }

  /// A cycle in which no property waits, so that it leads back to an object whose initializer is running. The archive may
  /// be of a time when a wrapper or a model closed the cycle.
  struct OpenCycle {
    let target: Int
    /// The property of the cycle that is to wait.
    var property: PropertyOfKey?
  }

  init(_ image: ArchiveImage) {
    keys = PropertiesReadLast.keys(in: image)
    areThere = image.hasConditionals || !keys.isEmpty
  }

  private static func keys(in image: ArchiveImage) -> Set<ExactString> {
    // Most archives have no classes.
    image.classes.isEmpty ? [] : Set(image.classes.lazy.flatMap(\.keysReadLast).map(ExactString.init))
  }

  /// Makes them those of another archive.
  mutating func startOver(_ image: ArchiveImage) {
    guard known.isEmpty, superclasses.isEmpty, hashed.isEmpty, replaced.isEmpty, found.isEmpty else {
      return self = PropertiesReadLast(image)
    }
    keys = PropertiesReadLast.keys(in: image)
    areThere = image.hasConditionals || !keys.isEmpty
  }

  /// Forgets what was decoded.
  mutating func forgetValues() {
    known = []
    superclasses = []
    _ = takeHashed()
    replaced = [:]
  }

  /// Whether some class has properties that are read last, not only conditional ones.
  var haveKeys: Bool { !keys.isEmpty || !found.isEmpty }

  /// Whether the archive says that some class reads `key` last.
  func include(_ key: String) -> Bool { !keys.isEmpty && keys.contains(ExactString(string: key)) }

  func include(_ property: StoredProperty) -> Bool {
    found[ObjectIdentifier(property.owner)]?.contains(property.name) == true
  }

  /// Forgets a cycle that was met, and that the program can do without.
  @inline(__always)
  mutating func forgetCycle() { if cycle != nil { cycle = nil } }

  /// Lets a property wait that belongs to the cycle that was met.
  ///
  /// - Returns: `false` if none was met, or if none of its properties can wait.
  mutating func closeCycle() -> Bool {
    guard let cycle = cycle.take() else { return false }
    if let property = cycle.property?.waiting?.property ?? cycle.property?.weak {
      areThere = true
      return found[ObjectIdentifier(property.owner), default: []].insert(property.name).inserted
    }
    // The properties of superclasses are not told from those of other values before.
    defer { areThere = true }
    return !areThere
  }

  func property(_ key: Int, of entry: Int) -> PropertyOfKey? {
    entry < known.count ? known[entry][key] : nil
  }

  mutating func note(_ property: PropertyOfKey, _ key: Int, of entry: Int) {
    while known.count <= entry { known.append(NumberedCache()) }
    known[entry][key] = property
  }

  /// Notes that the record of a superclass of the object `number` begins at `offset`.
  mutating func noteSuperclass(of number: Int, at offset: Int) {
    superclasses.append((number, offset))
  }

  func isSuperclass(of number: Int, at offset: Int) -> Bool {
    // Those of the innermost object are the last ones; around it there may be very many.
    for superclass in superclasses.reversed() {
      guard superclass.object == number else { return false }
      if superclass.offset == offset { return true }
    }
    return false
  }

  /// Notes that the initializer of the object `number` returned or threw.
  @inline(__always)
  mutating func end(_ number: Int) {
    while superclasses.last?.object == number { superclasses.removeLast() }
  }

  mutating func noteHashed(_ value: HashesOfElements) {
    hashedInNone.append(hashed.count)
    hashedInProgress.append(hashed.count)
    hashed.append(value)
    lastHashedOffset = value.offset
  }

  /// Changes what is known of the set or dictionary that was noted last.
  mutating func changeLastHashed(_ change: (inout HashesOfElements) -> Void) {
    if !hashed.isEmpty { change(&hashed[hashed.count - 1]) }
  }

  /// Notes that a property of `object` has those that its initializer has read, of those behind the first `count`.
  mutating func noteStored(by object: Int, behind count: Int) {
    // Others are of objects within, whose initializers have returned.
    while let index = hashedInProgress.last, index >= count {
      if hashed[index].object == object { hashed[index].isStored = true }
      hashedInProgress.removeLast()
    }
  }

  /// Notes in which property those are that were noted behind the first `count`, and are in none yet.
  mutating func note(_ property: PropertyOfKey, ofHashedBehind count: Int) {
    while let index = hashedInNone.last, index >= count {
      hashed[index].property = property
      hashedInNone.removeLast()
    }
  }

  /// Forgets those that were noted behind the first `count`: what came upon them threw.
  mutating func truncateHashed(to count: Int) {
    guard hashed.count > count else { return }
    hashed.removeLast(hashed.count - count)
    while let last = hashedInNone.last, last >= count { hashedInNone.removeLast() }
    while let last = hashedInProgress.last, last >= count { hashedInProgress.removeLast() }
    lastHashedOffset = -1
  }

  mutating func takeHashed() -> [HashesOfElements] {
    lastHashedOffset = -1
    (hashedInNone, hashedInProgress) = ([], [])
    return exchange(&hashed, with: [])
  }

  mutating func replace(_ object: AnyObject, _ number: Int) { replaced[number] = object }
}
