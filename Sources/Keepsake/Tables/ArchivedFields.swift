/// A `Codable` type that declares its fields, and so is archived and read about twice as fast as one whose coding the
/// compiler writes.
///
/// ```swift
/// struct Address: ArchivedFields {
///   var street = ""
///   var city = ""
///   var postalCode = 0
///
///   static let archivedFields: [ArchivedField<Address>] = [
///     .init("street", \.street), .init("city", \.city), .init("postalCode", \.postalCode),
///   ]
/// }
/// ```
///
/// In an archive a value is what it would be without the declaration: a record of the same keys. So archives that were
/// written before are read, and those that are written now are read by types of the same properties that only are
/// `Codable`. With other coders, such as `JSONEncoder`, the type is one keyed container with a value for each field.
///
/// A field for which there is no value keeps what `init()` gave it; values that no field has the name of are ignored. An
/// optional that is nil is left out, as synthesized code does, unless `init()` gives it a value: then the nil is written.
/// Nil where a field is no optional is an error.
///
/// Keepsake reads and writes the fields of structures in their memory and calls neither `encode(to:)` nor `init(from:)`;
/// so a type that has its own should not conform. Properties with observers, computed ones and those of classes work as
/// well, through their key paths, which takes longer. Of a property with a wrapper the storage is the field, so that the
/// wrapper has its say: `.init("author", \._author)`. Properties that are not declared are not archived.
///
/// A class that conforms must be final and have a `required init()`. It is coded as other classes are. Where its
/// instances are in rings, it is `SelfRegistering` as well, and then needs no other code for that.
public protocol ArchivedFields: Codable {
  /// Makes a value with the defaults of all fields.
  init()

  /// The fields, in the order in which they are written. No two have one name.
  ///
  /// The list is asked for once in a process; it is to be the same always.
  static var archivedFields: [ArchivedField<Self>] { get }
}

/// A field of a type that declares its fields: the key that it has in archives, and the property.
///
/// ```swift
/// static let archivedFields: [ArchivedField<Point>] = [.init("x", \.x), .init("y", \.y)]
/// ```
public struct ArchivedField<Root>: Sendable {
  /// The key of the field in archives.
  public var name: String { property.key.stringValue }

  let property: AnyFieldProperty<Root>

  /// A field that is archived under `name`.
  ///
  /// - Parameters:
  ///   - name: The key. It must differ from those of all other fields of the type.
  ///   - keyPath: The property.
  public init<Value: Codable>(_ name: String, _ keyPath: any WritableKeyPath<Root, Value> & Sendable) {
    property = FieldProperty(ModelKey(property: name), keyPath)
  }
}

/// A field without the type of its values. It is unchecked only because it has a subclass: all that both hold never
/// changes and can be sent.
class AnyFieldProperty<Root>: @unchecked Sendable {
  let key: ModelKey

  fileprivate init(_ key: ModelKey) {
    self.key = key
  }

  /// Lets `visitor` see what the type of the values is.
  func accept<Visitor: FieldVisitor>(_ visitor: Visitor) -> Visitor.Result? { nil }

  func isNil(in root: Root) -> Bool { false }

  func encode(_ root: Root, into container: inout KeyedEncodingContainer<ModelKey>, writingNil: Bool) throws {
  }

  func decode(into root: inout Root, from container: KeyedDecodingContainer<ModelKey>) throws {}
}

/// Who makes something of a field for which the type of its values must be known.
protocol FieldVisitor {
  associatedtype Result
  func visit<Root, Value: Codable>(_ keyPath: WritableKeyPath<Root, Value>, key: ModelKey) -> Result
}

private final class FieldProperty<Root, Value: Codable>: AnyFieldProperty<Root>, @unchecked Sendable {
  private let keyPath: any WritableKeyPath<Root, Value> & Sendable
  private let isOptional = Value.self is any OptionalValue.Type

  init(_ key: ModelKey, _ keyPath: any WritableKeyPath<Root, Value> & Sendable) {
    self.keyPath = keyPath
    super.init(key)
  }

  override func accept<Visitor: FieldVisitor>(_ visitor: Visitor) -> Visitor.Result? {
    visitor.visit(keyPath, key: key)
  }

  override func isNil(in root: Root) -> Bool {
    isOptional && (root[keyPath: keyPath] as? any OptionalValue)?.isNone == true
  }

  override func encode(
    _ root: Root,
    into container: inout KeyedEncodingContainer<ModelKey>,
    writingNil: Bool
  ) throws {
    if !isNil(in: root) {
      try container.encode(root[keyPath: keyPath], forKey: key)
    } else if writingNil {
      try container.encodeNil(forKey: key)
    }
  }

  override func decode(into root: inout Root, from container: KeyedDecodingContainer<ModelKey>) throws {
    guard container.contains(key) else { return }
    root[keyPath: keyPath] = try container.decode(Value.self, forKey: key)
  }
}
