internal import Synchronization

/// A stored property of a structure or a class, from the compiler's records for reflection.
struct StoredProperty: Sendable {
  /// How a property holds what it refers to.
  enum Ownership: Sendable {
    /// It retains the object, or holds a value that is not a reference.
    case strong
    case weak
    /// `unowned`: reading it ends the program if the object is gone.
    case unowned
    /// `unowned(unsafe)`: nothing shows whether the object still exists.
    case unmanaged
  }

  /// The name of the storage: `_title` for a property `title` with a wrapper.
  let name: String
  /// The declared type. That of a weak property is an optional.
  let type: Any.Type
  /// The type, or the wrapped type if it is optional.
  let target: Any.Type
  /// The distance from the start of the value, or from the address of the object.
  let offset: Int
  /// Whether it is a `var`.
  let isVariable: Bool
  let ownership: Ownership
  /// The type that declares it: for a class, one of the chain of superclasses.
  let owner: Any.Type

  /// Whether a reader can assign it after everything else, and it can be empty until then.
  var canWait: Bool {
    isVariable && (ownership == .strong || ownership == .unowned)
      && RuntimeMetadata.mayConform(type, to: (any ValueThatCanBeEmpty).self)
      && type is any ValueThatCanBeEmpty.Type
  }

  /// The same for a property of an object that exists before its properties are read: it may also keep its default.
  var canWaitAsField: Bool {
    canWait || isVariable && ownership == .strong && type is any Decodable.Type
  }

  /// The name for an error message: that of the property, not of its storage.
  var shownName: String { hasUnderscore ? String(name.dropFirst()) : name }

  /// Whether the name begins as that of the storage of a property with a wrapper.
  var hasUnderscore: Bool { name.hasPrefix("_") }

  /// Whether it is the storage of a `lazy` property, which has no value until its first use.
  var isLazy: Bool { name.hasPrefix("$__lazy_storage_$_") }
}

extension StoredProperty {
  /// The stored properties of `type`, in the order of declaration, those of superclasses first, private ones included.
  /// Each type is examined once in a process.
  ///
  /// - Returns: `nil` if it is neither a structure nor a Swift class, or if the program has no records of the fields,
  ///   as it was built with `-disable-reflection-metadata`.
  static func all(of type: Any.Type) -> [StoredProperty]? {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return known }
    let found = RuntimeMetadata.storedProperties(of: type)
    // Two threads may find the same properties.
    known.withLock { $0[id] = .some(found) }
    return found
  }

  private static let known = Mutex<[ObjectIdentifier: [StoredProperty]?]>([:])
}
