/// Finds the archived stored properties of a type, and their keys (see ``ArchivedFields``).
struct PropertyNames {
  private let type: any ArchivedFields.Type
  private let list: [StoredProperty]
  /// The given keys, first those of the type itself, then those of its superclasses.
  private let given: [(owner: Any.Type, keys: [String: String?])]
  /// The keys so far, and the property of each.
  private var owners: [String: StoredProperty] = [:]

  /// The archived properties of `type`, in the order of writing.
  static func find(in type: any ArchivedFields.Type) throws(ArchiveError) -> [ArchivedProperties.Entry] {
    var names = try PropertyNames(type)
    return try names.find()
  }

  private init(_ type: any ArchivedFields.Type) throws(ArchiveError) {
    guard let list = StoredProperty.all(of: type) else {
      throw .misuse(
        "The properties of \(type) cannot be found: it is not a structure or class, or was built without reflection "
          + "metadata (-disable-reflection-metadata), which ArchivedFields and ArchivedModel need"
      )
    }
    self.type = type
    self.list = list
    var given: [(owner: Any.Type, keys: [String: String?])] = []
    var next: Any.Type? = type
    while let current = next {
      if let fields = RuntimeMetadata.fieldsType(current) {
        given.append((current, fields.archivedKeys))
      } else if current is any Encodable.Type {
        throw PropertyNames.inheritedCoding(of: current, type)
      }
      next = RuntimeTypes.superclass(of: current)
    }
    self.given = given
    try checkGivenNames()
  }

  /// The error that `type` has fields, and inherits the coding of `superclass`, which knows nothing of them.
  static func inheritedCoding(of superclass: Any.Type, _ type: Any.Type) -> ArchiveError {
    .misuse(
      "\(superclass), a superclass of \(type), implements its own coding. Let \(superclass) conform to ArchivedFields "
        + "instead"
    )
  }

  private mutating func find() throws(ArchiveError) -> [ArchivedProperties.Entry] {
    var found: [ArchivedProperties.Entry] = []
    for property in list {
      // Storage that the compiler and macros add: for lazy properties, actors and observation.
      guard !property.name.hasPrefix("$"), !property.name.hasPrefix("_$") else { continue }
      let name = plainName(of: property)
      let givenKey = givenKey(of: property, name)
      // It may be given as nil.
      guard let wanted = givenKey ?? name else { continue }
      let label = "\(property.owner).\(name)"
      guard try isArchivable(property, label) else { continue }
      let key = try key(of: property, wanted, isGiven: givenKey != nil)
      let others = givenKey == nil ? otherKeys(of: property, name, key) : []
      found.append(
        ArchivedProperties.Entry(
          property: property,
          label: label,
          key: ModelKey(stringValue: key),
          otherKeys: others.map { ModelKey(stringValue: $0) }
        )
      )
    }
    return found
  }

  // MARK: Names

  /// The name that the program uses, without the underscore of the storage of a wrapper or an observed property.
  ///
  /// No record says whether a property is such storage. It counts as storage if it has an underscore, and its class is
  /// observed, or its type stores a `wrappedValue` or is a structure of a module that may have wrappers.
  private func plainName(of property: StoredProperty) -> String {
    let name = String(property.name.dropFirst())
    func hasSibling(_ name: String) -> Bool {
      list.contains { $0.name == name && $0.owner == property.owner }
    }
    guard property.hasUnderscore, !name.isEmpty, !hasSibling(name),
      hasSibling("_$observationRegistrar") || mayWrap(property.type)
    else { return property.name }
    return name
  }

  private func mayWrap(_ type: Any.Type) -> Bool {
    guard let properties = StoredProperty.all(of: type) else { return false }
    if properties.contains(where: { $0.name == "wrappedValue" }) { return true }
    return !(type is AnyClass)
      && !["Swift", "Foundation", "__C"].contains(RuntimeTypes.name(of: type).prefix { $0 != "." })
  }

  /// The key given to `property`: an inner nil if the property is not archived, an outer nil if none was given.
  private func givenKey(of property: StoredProperty, _ name: String) -> String?? {
    for (owner, keys) in given {
      if let key = keys[name] ?? keys[property.name] { return .some(key) }
      if owner == property.owner { break }
    }
    return nil
  }

  private func checkGivenNames() throws(ArchiveError) {
    let names = Set(list.flatMap { [$0.name, plainName(of: $0)] })
    for name in given.flatMap(\.keys.keys) where !names.contains(name) && !isLazy(name) {
      throw .misuse("archivedKeys of \(type) names \"\(name)\", which is not a stored property")
    }
  }

  private func isLazy(_ name: String) -> Bool { list.contains { $0.isLazy && $0.name.hasSuffix("_" + name) } }

  // MARK: Keys

  private mutating func key(
    of property: StoredProperty,
    _ wanted: String,
    isGiven: Bool
  ) throws(ArchiveError) -> String {
    var key = wanted
    // Classes of a chain may each have a private property of the same name. The one nearest to the base keeps the key.
    while !isGiven, let other = owners[key], other.owner != property.owner {
      key = qualified(key, by: String(describing: property.owner).prefix { $0 != "<" })
    }
    if let other = owners.updateValue(property, forKey: key) {
      throw .misuse(
        "\(other.owner).\(other.name) and \(property.owner).\(property.name) are both archived under the key "
          + "\"\(key)\". Give one of them another with archivedKeys"
      )
    }
    return key
  }

  private func qualified(_ key: String, by className: Substring) -> String { "\(className).\(key)" }

  /// The keys that a property with `key` may have in older archives.
  private func otherKeys(of property: StoredProperty, _ name: String, _ key: String) -> [String] {
    var others: [String] = []
    // Only a property with an underscore may have had a key with it or without.
    if property.hasUnderscore {
      let other = name.hasPrefix("_") ? String(name.dropFirst()) : "_" + name
      if !list.contains(where: { $0.name == other && $0.offset != property.offset }) { others.append(other) }
    }
    // The class may have been renamed since.
    if key != name {
      for className in Array(RuntimeTypes.declaredNames(of: property.owner)).ordered(by: <) {
        others += className.split(separator: ".").suffix(1).map { qualified(name, by: $0) }
      }
    }
    return others
  }

  // MARK: Types

  /// Whether `property` is archived: a `let` whose type is not `Codable` is not.
  private func isArchivable(_ property: StoredProperty, _ label: String) throws(ArchiveError) -> Bool {
    switch property.ownership {
    case .strong:
      if FieldKind.of(property).kind != .planned || property.type is any Codable.Type { return true }
      guard property.isVariable else { return false }
      if property.type == Void.self {
        // The runtime gives this type for one that cannot be copied.
        throw notArchivable(label, "has no value, or one that cannot be copied. Make the property a let")
      }
      throw notArchivable(
        label,
        "is of type \(property.type), which is not Codable. Make the type Codable, mark the property @Polymorphic if "
          + "that is a protocol"
      )
    case .weak, .unowned:
      if property.target is AnyClass, property.target is any Codable.Type {
        guard property.ownership == .weak, !(type is AnyClass) else { return true }
        throw notArchivable(label, "is weak in a structure. Mark it @WeakReference instead")
      }
      guard property.isVariable else { return false }
      throw notArchivable(
        label,
        "refers to \(property.target), which is not a Codable class. Make it one"
      )
    case .unmanaged:
      throw notArchivable(label, "is unowned(unsafe). Make it weak or unowned")
    }
  }

  private func notArchivable(_ label: String, _ reason: String) -> ArchiveError {
    ArchiveError.misuse(
      "\(label) cannot be archived: it \(reason), or leave the property out with archivedKeys"
    )
  }
}
