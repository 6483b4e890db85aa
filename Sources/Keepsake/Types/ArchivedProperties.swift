internal import Synchronization

/// The properties of a type of ``ArchivedFields`` that are archived, and how. It is found once for each type.
final class ArchivedProperties: Sendable {
  struct Entry: Sendable {
    let property: StoredProperty
    let key: ModelKey
    /// The key that the property may have as well where nothing has ``key``: the same with or without the underscore of a
    /// wrapper's storage.
    let otherKey: ModelKey?
    let isOptional: Bool
    /// Whether nil is written, since `init()` gives the property a value that would be read in its place.
    let writesNil: Bool
    /// What a `let` holds, which is not read.
    let constant: (any ConstantValue)?
  }

  private let typeName: String
  let entries: [Entry]
  /// Whether nil leaves a property that is not optional as it is.
  let keepsDefaults: Bool
  let constants: [Entry]

  private init(_ type: any ArchivedFields.Type) throws(ArchiveError) {
    typeName = "\(type)"
    keepsDefaults = type is any DefaultKeeping.Type
    var defaults: DefaultValues?
    var entries: [Entry] = []
    for named in try PropertyNames.find(in: type) {
      let property = named.property
      let isOptional = property.type is any NilHolding.Type
      var (writesNil, constant) = (keepsDefaults, (any ConstantValue)?.none)
      if isOptional && !keepsDefaults || !property.isVariable {
        let known = defaults ?? DefaultValues(type)
        defaults = known
        writesNil = writesNil || isOptional && !known.isNil(property)
        if !property.isVariable { constant = try known.constant(property, named.label) }
      }
      entries.append(
        Entry(
          property: property,
          key: named.key,
          otherKey: named.otherKey,
          isOptional: isOptional,
          writesNil: writesNil,
          constant: constant
        )
      )
    }
    self.entries = entries
    constants = entries.filter { $0.constant != nil }
  }

  /// Throws if a `let` holds something else in `memory` than readers will give it.
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
  /// - Throws: when one cannot be archived, when two have one key, and when they cannot be found.
  static func of(_ type: Any.Type) throws(ArchiveError) -> ArchivedProperties {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return known }
    guard let type = type as? any ArchivedFields.Type else {
      throw .misuse("\(type) does not conform to ArchivedFields")
    }
    let found = try ArchivedProperties(type)
    // Another thread may have been quicker; both have found the same.
    known.withLock { $0[id] = found }
    return found
  }

  private static let known = Mutex<[ObjectIdentifier: ArchivedProperties]>([:])
}

/// What `init()` gives the properties of a type.
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

  func constant(_ property: StoredProperty, _ label: String) throws(ArchiveError) -> any ConstantValue {
    func make<Value: Equatable>(_ type: Value.Type) -> (any ConstantValue)? {
      read(type, property.offset).map { EquatableConstant(value: $0) }
    }
    if property.ownership == .strong, let type = property.type as? any Equatable.Type,
      let constant = make(type)
    {
      return constant
    }
    throw .misuse(
      "\(label) is a let, which a reader cannot assign. So it must have the value that init() gives it, but "
        + "\(property.type) is not Equatable, so this cannot be checked. Make it a var, or leave it out with archivedKeys"
    )
  }

  /// The property at `offset`, which is of `type`.
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
  /// Whether the property at `offset`, which is of this type, holds it.
  func isHeld(in memory: PropertyMemory, at offset: Int) -> Bool
}

/// It is unchecked since a type that is compared need not be one that can be sent; what is compared never changes.
private struct EquatableConstant<Value: Equatable>: ConstantValue, @unchecked Sendable {
  let value: Value

  func isHeld(in memory: PropertyMemory, at offset: Int) -> Bool {
    memory.withValue(Value.self, at: offset) { $0 == value }
  }
}
