/// A property whose type is a protocol, or a collection of values behind one: `any Shape`, `(any Shape)?`,
/// `[any Shape]`, `[String: any Shape]`, at any depth.
///
/// ```swift
/// protocol Shape: Codable { var area: Double { get } }
///
/// struct Drawing: Codable {
///   @Polymorphic var shapes: [any Shape] = []
/// }
/// ```
///
/// The archive has the name of each value's type. The reader finds the type as it finds a subclass: by registration, by
/// the names of ``ArchivableClass``, or by the runtime's name. It checks that the type conforms to the protocol before
/// it calls an initializer. Shared objects stay shared.
///
/// The wrapper is `Codable` whatever its type is. Encoding throws if a value is not `Codable`.
///
/// With `Any`, a collection may mix `Codable` values, `[Any]`, `[String: Any]` and nil. In NSKeyedArchiver archives,
/// which declare no types, the kind of each value and the class of each object determine the type
/// (<doc:MigratingFromNSKeyedArchiver>).
///
/// Other encoders, such as those for JSON, write each value as `{"type": name, "value": …}`, and other decoders read
/// that.
@propertyWrapper
public struct Polymorphic<Value> {
  /// The value.
  public var wrappedValue: Value

  /// Creates a property with its value.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// Wraps a value that is not a property, such as a root object, to archive it with the name of its type:
  /// `archivedData(withRootObject: Polymorphic(shapes))`.
  public init(_ value: Value) {
    wrappedValue = value
  }
}

// In a separate extension, for the reasons that Deferred gives.
extension Polymorphic where Value: ExpressibleByNilLiteral {
  /// Creates a property that is nil.
  public init() {
    self.init(wrappedValue: nil)
  }
}

/// For other wrappers around this one: their property is then nil by default.
extension Polymorphic: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Creates a property that is nil.
  public init(nilLiteral: ()) {
    self.init(wrappedValue: nil)
  }
}

/// In a cycle, such a property can wait as one without the wrapper can.
extension Polymorphic: ValueThatCanBeEmpty where Value: ValueThatCanBeEmpty {
  static var empty: Polymorphic { Polymorphic(wrappedValue: .empty) }
  var isEmptyForNow: Bool { wrappedValue.isEmptyForNow }
}

extension Polymorphic: Equatable where Value: Equatable {}
extension Polymorphic: Hashable where Value: Hashable {}
extension Polymorphic: Sendable where Value: Sendable {}

// MARK: Coding

extension Polymorphic: Codable, NativelyEncodable, NativelyDecodable {
  static func makeEncodingPlan() -> AnyEncodingPlan {
    // If the observer replaces an object by nil, that is the nil of the optional around it.
    PolymorphicEncodingPlan<Value>(canBeNil: RuntimeMetadata.isOptional(Value.self))
  }
  static func makeDecodingPlan() -> AnyDecodingPlan { PolymorphicDecodingPlan<Value>() }

  /// Encodes the value, or each value of a collection, with the name of its type.
  public func encode(to encoder: any Encoder) throws {
    // The declared type decides, not the type of the value behind the protocol.
    if Value.self is any PolymorphicCollection.Type,
      let collection = wrappedValue as? any PolymorphicCollection
    {
      return try collection.encodeElements(to: encoder)
    }
    guard let value = wrappedValue as? any Encodable ?? mixed(wrappedValue) else {
      let type = type(of: wrappedValue as Any)
      // Unlike the cast above, one of the type finds a conformance that is isolated to another actor.
      let problem =
        type is any Encodable.Type
        ? "\(type) is Encodable only on its global actor. Encode it there" : "\(type) is not Encodable"
      throw EncodingError.invalid(wrappedValue, .misuse(problem), encoder.codingPath)
    }
    guard encoder.writesArchive else {
      do { try encoder.refuseCopy() } catch { throw EncodingError.invalid(value, error, encoder.codingPath) }
      let (kind, name) = (type(of: value), ClassNames.name(of: type(of: value)))
      // A name that the program gives is one that it knows how to read.
      guard !RuntimeTypes.isAddressed(name),
        ClassNames.name(setFor: kind) != nil || !ClassNames.types(foundBy: name).isEmpty
      else {
        let problem = EncodingSession.unfindableName(kind, name)
        throw EncodingError.invalid(value, ArchiveError(.unresolvableClass, problem), encoder.codingPath)
      }
      var container = encoder.container(keyedBy: TypedValueKeys.self)
      try container.encode(name, forKey: .type)
      return try value.encode(to: container.superEncoder(forKey: .value))
    }
    var container = encoder.singleValueContainer()
    try container.encode(TypedValue(value: value, declared: Value.self))
  }

  /// Decodes the value, or each value of a collection, as its archived type.
  public init(from decoder: any Decoder) throws {
    if let collection = Value.self as? any PolymorphicCollection.Type,
      let value = try collection.init(elementsFrom: decoder) as? Value
    {
      wrappedValue = value
      return
    }
    if let decoder = decoder as? ValueDecoder, decoder.session.later.isActive {
      wrappedValue = try decoder.decodeTypedValue(as: Value.self)
      return
    }
    if let number = decoder.packedNumber, let number = number as? Value {
      wrappedValue = number
      return
    }
    if decoder.placeInArchive != nil {
      // The top level, or a decoder that was kept: each value decoded there is a graph of its own.
      self = try decoder.singleValueContainer().decode(Self.self)
      return
    }
    let container = try decoder.container(keyedBy: TypedValueKeys.self)
    let name = try container.decode(String.self, forKey: .type)
    let types = ClassNames.types(foundBy: name).filter { RuntimeTypes.conforms($0, to: Value.self) != false }
    guard types.count == 1, let type = types.first as? any Decodable.Type,
      let value = shown(try type.init(from: container.superDecoder(forKey: .value))) as? Value
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .type,
        in: container,
        debugDescription: "\(name) is not the name of a type that is a \(Value.self)"
      )
    }
    wrappedValue = value
  }
}

/// Whether the values of a type are themselves behind a protocol, and not in a collection.
private func isBehindProtocol(_ type: Any.Type) -> Bool { !(type is any PolymorphicCollection.Type) }

private final class PolymorphicEncodingPlan<Value>: EncodingPlan<Polymorphic<Value>> {
  private let isSingle = isBehindProtocol(Value.self)

  override func encode(_ value: Polymorphic<Value>, _ session: EncodingSession) throws {
    guard isSingle, session.stack.bounds.hasRoom(), let typed = value.wrappedValue as? any Encodable else {
      return try session.encodePlainly(value)
    }
    // As if the value had used a single-value container.
    try session.push()
    session.context.top.kind = .singleUsed
    do { try session.encodeTyped(typed, Value.self) } catch { throw session.naming(typed, error) }
    session.dropTop()
  }
}

private final class PolymorphicDecodingPlan<Value>: DecodingPlan<Polymorphic<Value>> {
  private let isSingle = isBehindProtocol(Value.self)

  override func decode(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> Polymorphic<Value> {
    guard isSingle, session.later.isActive, session.stack.bounds.hasRoom() else {
      return try session.decodePlainly(Polymorphic<Value>.self, at: &cursor, depth)
    }
    try session.descend(to: cursor, from: depth)
    let decoder = ValueDecoder(session: session, offset: cursor, depth: depth + 1)
    let value = try decoder.decodeTypedValue(as: Value.self)
    cursor = try session.end(ofDecoded: cursor, depth: depth + 1)
    return Polymorphic(wrappedValue: value)
  }
}

private enum TypedValueKeys: String, CodingKey { case type, value }

extension Polymorphic: NilHolding {
  // An optional behind a protocol that is not optional counts as a value.
  var holdsNil: Bool {
    RuntimeMetadata.isOptional(Value.self) && (wrappedValue as? any NilHolding)?.holdsNil == true
  }
}

extension KeyedEncodingContainer {
  /// Encodes an optional behind a protocol as a plain one: nothing if it is nil.
  public mutating func encode<Wrapped>(_ value: Polymorphic<Wrapped?>, forKey key: Key) throws {
    try encodeIfPresent(value.wrappedValue == nil ? .none : Optional(value), forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional behind a protocol as a plain one: nil if the key is missing.
  public func decode<Wrapped>(
    _ type: Polymorphic<Wrapped?>.Type,
    forKey key: Key
  ) throws -> Polymorphic<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Polymorphic(wrappedValue: nil)
  }
}

// MARK: Collections

/// A type that is not behind a protocol itself, but whose elements are.
private protocol PolymorphicCollection {
  func encodeElements(to encoder: any Encoder) throws
  init(elementsFrom decoder: any Decoder) throws
}

extension Optional: PolymorphicCollection {
  fileprivate func encodeElements(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(map { Polymorphic<Wrapped>(wrappedValue: $0) })
  }

  fileprivate init(elementsFrom decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode(Polymorphic<Wrapped>?.self)?.wrappedValue
  }
}

extension Array: PolymorphicCollection {
  fileprivate func encodeElements(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(map { Polymorphic<Element>(wrappedValue: $0) })
  }

  fileprivate init(elementsFrom decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode([Polymorphic<Element>].self).map { $0.wrappedValue }
  }
}

extension Dictionary: PolymorphicCollection {
  fileprivate func encodeElements(to encoder: any Encoder) throws {
    guard let type = Key.self as? any (Codable & Hashable).Type else {
      let problem = "The keys of a dictionary, of the type \(Key.self), are not Codable"
      throw EncodingError.invalid(self, .misuse(problem), encoder.codingPath)
    }
    func encode<CodableKey: Codable & Hashable>(_ type: CodableKey.Type) throws {
      // `CodableKey` is `Key`, with the constraint to be Codable.
      let dictionary = mapValues { Polymorphic(wrappedValue: $0) } as? [CodableKey: Polymorphic<Value>]
      var container = encoder.singleValueContainer()
      try container.encode(dictionary ?? [:])
    }
    try encode(type)
  }

  fileprivate init(elementsFrom decoder: any Decoder) throws {
    guard let type = Key.self as? any (Codable & Hashable).Type else {
      throw DecodingError.typeMismatch(
        Self.self,
        .init(codingPath: decoder.codingPath, debugDescription: "\(Key.self) is not Codable")
      )
    }
    func decode<CodableKey: Codable & Hashable>(_ type: CodableKey.Type) throws -> [Key: Value] {
      let dictionary = try decoder.singleValueContainer().decode([CodableKey: Polymorphic<Value>].self)
      return dictionary.mapValues { $0.wrappedValue } as? [Key: Value] ?? [:]
    }
    self = try decode(type)
  }
}
