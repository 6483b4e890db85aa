internal import Synchronization

/// A stored property of a structure or a class, as the compiler has written it down for reflection.
struct StoredProperty: Sendable {
  /// How a property holds what it refers to.
  enum Ownership: Sendable {
    /// It keeps the object, or holds a value that is no reference.
    case strong
    case weak
    /// `unowned`: reading it ends the program when the object is gone.
    case unowned
    /// `unowned(unsafe)`: nothing says whether the object is still there.
    case unmanaged
  }

  /// The name of the storage: `_title` for a property `title` with a wrapper.
  let name: String
  /// The declared type. That of a weak property is an optional.
  let type: Any.Type
  /// The type, without being optional.
  let target: Any.Type
  /// Where it is: from the start of the value, or from the address of the object.
  let offset: Int
  /// Whether it is a `var`.
  let isVariable: Bool
  let ownership: Ownership
  /// The type that declares it: of a class, the one of the chain.
  let owner: Any.Type

  /// Whether it is the storage of a `lazy` property, which has no value until its first use.
  var isLazy: Bool { name.hasPrefix("$__lazy_storage_$_") }
}

/// The stored properties of types, each found once in a process.
struct StoredProperties: Sendable {
  /// The properties, those of superclasses first, each class in the order of its declaration.
  let list: [StoredProperty]
  /// Whether one of them is weak.
  let hasWeakOnes: Bool

  private init(_ list: [StoredProperty]) {
    self.list = list
    hasWeakOnes = list.contains { $0.ownership == .weak }
  }

  /// The stored properties of `type`, private ones and those of superclasses included.
  ///
  /// - Returns: `nil` if it is neither a structure nor a class of Swift, and if the program has no records of the fields,
  ///   as it was built with `-disable-reflection-metadata`.
  static func of(_ type: Any.Type) -> StoredProperties? {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return known }
    let found = RuntimeMetadata.storedProperties(of: type).map(StoredProperties.init)
    // Two threads may find the same.
    known.withLock { $0[id] = .some(found) }
    return found
  }

  private static let known = Mutex<[ObjectIdentifier: StoredProperties?]>([:])
}
