internal import Synchronization

/// The archived properties of a type with ``ArchivedFields``, and how to archive them. Found once for each type.
final class ArchivedProperties: Sendable {
  struct Entry: Sendable {
    let property: StoredProperty
    /// Type and name, for errors.
    let label: String
    let key: ModelKey
    /// The keys that the property may have in older archives if nothing has ``key``: with or without the underscore of
    /// a wrapper's storage, or with an earlier name of its class.
    let otherKeys: [ModelKey]
    /// Whether nil is written. If it were not, readers would keep the value that `init()` gives the property.
    fileprivate(set) var writesNil = false
    /// The value of a `let`, which readers do not assign.
    fileprivate(set) var constant: (any ConstantValue)?

    /// Whether the value may be nil, which is left out or written as nil.
    var isOptional: Bool {
      if RuntimeMetadata.isOptional(property.type) { return true }
      guard RuntimeMetadata.mayConform(property.type, to: (any NilHolding).self) else { return false }
      return (property.type as? any NilHolding.Type).map { !writesNil || !$0.writesItsOwnNil } ?? false
    }
  }

  private let typeName: String
  let entries: [Entry]
  /// Whether nil leaves a property that is not optional unchanged.
  let keepsDefaults: Bool
  let constants: [Entry]

  private init(_ type: any ArchivedFields.Type) throws(ArchiveError) {
    typeName = "\(type)"
    keepsDefaults =
      RuntimeMetadata.mayConform(type, to: (any DefaultKeeping).self) && type is any DefaultKeeping.Type
    lazy var defaults = DefaultValues(type)
    var entries = try PropertyNames.find(in: type)
    for (index, entry) in entries.enumerated() {
      entries[index].writesNil = keepsDefaults || entry.isOptional && !defaults.isNil(entry.property)
      if !entry.property.isVariable { entries[index].constant = try defaults.constant(entry) }
    }
    self.entries = entries
    constants = entries.filter { $0.constant != nil }
  }

  /// Throws if a `let` in `memory` has another value than readers will give it.
  func checkConstants(in memory: PropertyMemory) throws(ArchiveError) {
    for entry in constants where entry.constant?.isHeld(in: memory, at: entry.property.offset) == false {
      throw .misuse(
        "\(typeName).\(entry.property.name) is a let, which a reader cannot assign, but has another value than "
          + "\(typeName)() gives it. Make it a var, or leave it out with archivedKeys"
      )
    }
  }

  // MARK: Known types

  /// The properties of `type`.
  ///
  /// - Throws: If a property cannot be archived, two have the same key, or the properties cannot be found.
  static func of(_ type: Any.Type) throws(ArchiveError) -> ArchivedProperties {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return known }
    guard let type = RuntimeMetadata.fieldsType(type) else {
      throw .misuse("\(type) does not conform to ArchivedFields")
    }
    let found = try ArchivedProperties(type)
    // Another thread may have been faster. Both have found the same.
    known.withLock { $0[id] = found }
    return found
  }

  private static let known = Mutex<[ObjectIdentifier: ArchivedProperties]>([:])
}

/// The values that `init()` gives the properties of a type.
private struct DefaultValues {
  private let value: any ArchivedFields

  init(_ type: any ArchivedFields.Type) {
    value = type.init()
  }

  func isNil(_ property: StoredProperty) -> Bool {
    func isNil<Value>(_ type: Value.Type) -> Bool {
      read(type, property.offset).map { ($0 as? any NilHolding)?.holdsNil == true } ?? false
    }
    return property.ownership != .strong || _openExistential(property.type, do: isNil)
  }

  func constant(_ entry: ArchivedProperties.Entry) throws(ArchiveError) -> any ConstantValue {
    let property = entry.property
    func make<Value: Equatable>(_ type: Value.Type) -> (any ConstantValue)? {
      read(type, property.offset).map { EquatableConstant(value: $0) }
    }
    if property.ownership == .strong, let type = property.type as? any Equatable.Type,
      let constant = make(type)
    {
      return constant
    }
    throw .misuse(
      "\(entry.label) is a let, which a reader cannot assign. So it must have the value that init() gives it, but "
        + "\(property.type) is not Equatable, so this cannot be checked. Make it a var, or leave it out with archivedKeys"
    )
  }

  /// The value of the property at `offset`, which is of `type`.
  private func read<Value>(_ type: Value.Type, _ offset: Int) -> Value? {
    func read<Root: ArchivedFields>(_ root: Root) -> Value {
      guard Root.self is AnyClass else {
        return withPropertyMemory(of: root) { $0.withValue(type, at: offset) { copy $0 } }
      }
      return withPropertyMemory(ofObject: root as AnyObject) { $0.withValue(type, at: offset) { copy $0 } }
    }
    return read(value)
  }
}

/// The value of a `let` as `init()` gives it.
protocol ConstantValue: Sendable {
  /// Whether the property at `offset`, which is of this type, has this value.
  func isHeld(in memory: PropertyMemory, at offset: Int) -> Bool
}

/// Unchecked, since an equatable type need not be sendable. The value never changes.
private struct EquatableConstant<Value: Equatable>: ConstantValue, @unchecked Sendable {
  let value: Value

  func isHeld(in memory: PropertyMemory, at offset: Int) -> Bool {
    memory.withValue(Value.self, at: offset) { $0 == value }
  }
}
