/// The properties of an archive that get their values after everything else (Format §5.3).
struct PropertiesReadLast {
  /// Whether the archive has anything that can be read last.
  private(set) var areThere: Bool
  /// Whether some class of the archive reads keys last.
  private var haveKeysInArchive: Bool
  /// Whether the archive has conditional references.
  private var haveConditionals = false
  /// The keys that some class reads last, maybe one of an earlier archive that the image has opened.
  private let keys: Set<ExactString>
  /// The names of properties that this reader reads last although the archive does not say so, by their owners.
  private var found: [ObjectIdentifier: Set<String>] = [:]
  /// The cycle that was met last.
  var cycle: OpenCycle?
  /// Whether initializers get an error for a value that is read last, if they request it in a way that does not let it be
  /// missing. If they catch the error, the property waits. If they request another collection, as
  /// `decode([Failable<Node>].self)` and a nested container are for `[Node]`, they get an empty one.
  var throwsForValues = false
  /// The property for each entry of the class table and each key.
  var known = PairCache<PropertyOfKey>()
  /// The records of superclasses within those of the objects in progress, and the numbers of these objects.
  var superclasses: [(object: Int, offset: Int)] = []
  /// The objects that the observer has replaced, by number.
  var replaced: [Int: AnyObject] = [:]

  /// The property for a key, for objects of the type `owner` that request a value of the type `value`.
  final class PropertyOfKey {
    let owner: Any.Type
    let value: Any.Type
    /// `nil` if the key is not read last, or the class has no property that can wait for the value.
    let waiting: AnyWaitingProperty?
    /// `nil` unless the property is weak or unowned, and can wait for the object of a conditional reference.
    let reference: (any ReferenceReceiver)?
    /// What waits for the object of a conditional reference if the property retains it, so that the object is read.
    let retained: AnyWaitingProperty?
    /// The property if it is weak and can have a conditional reference.
    let weak: StoredProperty?
    /// Whether a reference in the weak property counts as conditional.
    let isConditional: Bool
    /// Whether the property is read from memory, since its object is known before its properties are read.
    let isField: Bool
    /// Whether the class has the property, with the type of the value, so that initializers store the value in it.
    let isStored: Bool
    /// Whether the value itself can be empty, so that it need not be missing.
    let canBeEmpty: Bool

    init(
      _ owner: Any.Type,
      _ value: Any.Type,
      waiting: AnyWaitingProperty?,
      reference: (any ReferenceReceiver)? = nil,
      retained: AnyWaitingProperty? = nil,
      weak: StoredProperty? = nil,
      isConditional: Bool = false,
      isField: Bool = false,
      isStored: Bool = true
    ) {
      self.owner = owner
      self.value = value
      self.waiting = waiting
      self.reference = reference
      self.retained = retained
      self.weak = weak
      self.isConditional = isConditional
      self.isField = isField
      self.isStored = isStored
      canBeEmpty = value is any ValueThatCanBeEmpty.Type
    }

    /// Its rank among the properties of a cycle. A single object waits rather than a collection, and a collection rather
    /// than a field. An `unowned` and a weak property come last, since they do not retain their objects, which may be
    /// lost. 0 if it cannot wait.
    var preference: Int {
      guard let waiting else { return weak == nil ? 0 : 1 }
      if waiting.property.ownership == .unowned { return 2 }
      return isField ? 3 : RuntimeMetadata.wrappedType(of: waiting.property.type) is AnyClass ? 5 : 4
    }
  }

  /// A cycle in which no property waits, so it leads back to an object whose initializer is running. When the archive
  /// was written, a wrapper or a model may have closed the cycle.
  struct OpenCycle {
    let target: Int
    /// The property of the cycle that is to wait.
    var property: PropertyOfKey?
  }

  init(_ image: ArchiveImage) {
    // Most archives have no classes.
    keys =
      image.classes.isEmpty
      ? [] : Set(image.classes.lazy.flatMap { $0.keysReadLast }.map(ExactString.init))
    (haveKeysInArchive, areThere) = (false, false)
    begin(image)
  }

  private mutating func begin(_ image: ArchiveImage) {
    haveKeysInArchive = !keys.isEmpty && image.tables.classes.inArchive.contains { !$0.keysReadLast.isEmpty }
    haveConditionals = image.hasConditionals
    areThere = haveConditionals || haveKeysInArchive || image.tables.haveLazyValues
  }

  /// Makes these the properties of another archive of the image, which knows the same classes as before.
  mutating func startOver(_ image: ArchiveImage) {
    if !known.isEmpty || !superclasses.isEmpty || !replaced.isEmpty || !found.isEmpty {
      forgetValues()
      (found, cycle, throwsForValues) = ([:], nil, false)
    }
    begin(image)
  }

  /// The number of keys that some class may read last.
  var keyCount: Int { keys.count }

  /// Forgets what was decoded.
  mutating func forgetValues() {
    known = PairCache()
    superclasses = []
    replaced = [:]
  }

  /// Whether some class has properties that are read last, apart from conditional ones.
  var haveKeys: Bool { haveKeysInArchive || !found.isEmpty }

  /// Whether some class may read `key` last.
  func include(_ key: String) -> Bool { !keys.isEmpty && keys.contains(ExactString(string: key)) }

  func include(_ property: StoredProperty) -> Bool {
    found[ObjectIdentifier(property.owner)]?.contains(property.name) == true
  }

  /// Marks a property of the cycle that was met to be read last.
  ///
  /// - Returns: `false` if no cycle was met, or if none of its properties can wait.
  mutating func closeCycle() -> Bool {
    guard let cycle = cycle.take() else { return false }
    if let property = cycle.property?.waiting?.property ?? cycle.property?.weak {
      areThere = true
      if found[ObjectIdentifier(property.owner), default: []].insert(property.name).inserted { return true }
    }
    // Records of superclasses are distinguished from other values only if `areThere`, so try once more.
    if !areThere {
      areThere = true
      return true
    }
    // An initializer that catches errors may have read early what is read last.
    defer { throwsForValues = true }
    return (haveKeys || haveConditionals) && !throwsForValues
  }

  func isSuperclass(of number: Int, at offset: Int) -> Bool {
    // Those of the innermost object are last. Enclosing objects may have very many.
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
}
