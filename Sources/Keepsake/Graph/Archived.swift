/// A property of an ``ArchivedModel`` that is archived, under its own name or another key.
///
/// ```swift
/// class User: ArchivedModel {
///   @Archived var name = ""
///   @Archived("mates") var friends: [User] = []
///   @Archived var boss: User?
/// }
/// ```
///
/// The property needs a default: it is what the property has when the archive has no value for it. Where several
/// wrappers are on a property, `@Archived` is the first, and the others are `Codable`. Properties of other types than
/// models are not found, though they keep their value.
@propertyWrapper
public struct Archived<Value: Codable> {
  // Shared by the copies of the wrapper, among them the one that a mirror of the model gives.
  @usableFromInline let box: ArchivedBox<Value>

  /// A property that is archived under its own name.
  @inlinable
  public init(wrappedValue: Value) {
    box = ArchivedBox(wrappedValue)
  }

  /// A property that is archived under `key`. The key is to be the same for all instances of a class.
  public init(wrappedValue: Value, _ key: String) {
    box = RenamedArchivedBox(wrappedValue, key)
  }

  /// A property that is archived under its own name, and is nil by default.
  @inlinable
  public init() where Value: ExpressibleByNilLiteral {
    self.init(wrappedValue: nil)
  }

  /// A property that is archived under `key`, and is nil by default.
  public init(_ key: String) where Value: ExpressibleByNilLiteral {
    self.init(wrappedValue: nil, key)
  }

  /// The value of the property.
  @inlinable
  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
    // Without this, a change of an array in place would be a change of a copy.
    nonmutating _modify { yield &box.value }
  }
}

/// What tells an ``Archived`` property from others without knowing what it holds.
protocol ArchivedProperty {
  var storage: AnyArchivedBox { get }
}

extension Archived: ArchivedProperty {
  var storage: AnyArchivedBox { box }
}

/// Where the value of an ``Archived`` property is.
@usableFromInline
class AnyArchivedBox {
  @usableFromInline
  init() {}

  /// The key that was given, or `nil` where the name of the property is the key.
  var key: String? { nil }

  /// Whether nil is a value of the property.
  var isOptional: Bool { false }

  func encode(_ key: ModelKey, into container: inout KeyedEncodingContainer<ModelKey>) throws {}

  func decode(_ slot: ModelSlot, from container: KeyedDecodingContainer<ModelKey>) throws {}
}

@usableFromInline
class ArchivedBox<Value: Codable>: AnyArchivedBox {
  @usableFromInline final var value: Value

  @usableFromInline
  init(_ value: Value) {
    self.value = value
  }

  override var isOptional: Bool { Value.self is any OptionalValue.Type }

  override func encode(_ key: ModelKey, into container: inout KeyedEncodingContainer<ModelKey>) throws {
    try container.encode(value, forKey: key)
  }

  override func decode(_ slot: ModelSlot, from container: KeyedDecodingContainer<ModelKey>) throws {
    if slot.isOptional {
      if container.contains(slot.key) { value = try container.decode(Value.self, forKey: slot.key) }
      return
    }
    if let found = try container.decodeIfPresent(Value.self, forKey: slot.key) {
      value = found
      return
    }
    guard container.contains(slot.key) else { return }
    // A type may have a nil of its own, such as that of JSON. For any other the default stays.
    do {
      value = try container.decode(Value.self, forKey: slot.key)
    } catch DecodingError.valueNotFound, DecodingError.typeMismatch {}
  }
}

private final class RenamedArchivedBox<Value: Codable>: ArchivedBox<Value> {
  private let givenKey: String

  init(_ value: Value, _ key: String) {
    givenKey = key
    super.init(value)
  }

  override var key: String? { givenKey }
}
