/// A property whose value is read from an archive after everything else, so that it may refer back to the object that
/// it belongs to.
///
/// ```swift
/// final class Author: Codable { var posts: [Post] = [] }
/// final class Post: Codable {
///   @Deferred var author: Author
///   …
/// }
/// ```
///
/// It holds any `Codable` value strongly: an object, an optional, an array, a dictionary or a set. Deferred values
/// are read from a queue, not recursively, so chains through the property may have any length.
///
/// While a graph is being decoded, the property has no value. Code that needs it belongs in
/// ``ArchiveAwakening/awakeFromArchive()``. If anything compares or hashes the property earlier, as a set does with its
/// elements, or reads an optional one, which is then nil, the outermost decode throws.
///
/// If an initializer reads a property that is *not* optional, of its own or another object, the program stops: there is
/// no value to return, and a property cannot throw. The archive decides whether the value already exists. So if an
/// initializer needs the value, or if archives come from others, read it with ``get()``, which throws instead:
///
/// ```swift
/// let author = try post.$author.get()
/// ```
///
/// Other encoders and decoders, such as those for JSON, treat the property as a plain one.
@propertyWrapper
public struct Deferred<Value> {
  @usableFromInline
  enum Storage {
    case value(Value)
    case archived(DeferredBox<Value>)
  }

  // Programs inline the code that uses it: they know the type of the value, while the library has to look up metadata.
  @usableFromInline var storage: Storage

  /// Creates a property that has its value.
  @inlinable
  public init(wrappedValue: Value) {
    storage = .value(wrappedValue)
  }

  /// The property itself, for ``isDecoded`` and ``get()``.
  public var projectedValue: Deferred<Value> { self }

  /// Whether the property has its value: always, except while its archive is being decoded, or if that failed.
  public var isDecoded: Bool { valueIfDecoded != nil }

  /// The value, if it is already decoded.
  ///
  /// - Throws: ``ArchiveError`` with the code ``ArchiveError/Code/misuse`` if it is not. Decoding can continue: the
  ///   property has its value when the outermost decode returns.
  public func get() throws(ArchiveError) -> Value {
    if let value = valueIfDecoded { return value }
    throw .misuse(
      "A @Deferred property of the type \(Value.self) has no value yet. Read it in awakeFromArchive(), or when the "
        + "outermost decode has returned"
    )
  }

  /// The value.
  @inlinable
  public var wrappedValue: Value {
    get { if let value = valueIfDecoded { value } else { missingValue() } }
    // Not `storage = .value(newValue)`: the verifier of Swift 6.2 stops where the new value is known to be empty.
    set { self = Self(wrappedValue: newValue) }
  }

  /// Notes the use of a missing value. Returns nil if the value is optional, and otherwise ends the program.
  @usableFromInline
  func missingValue() -> Value {
    noteEarlyUse()
    if let type = Value.self as? any ExpressibleByNilLiteral.Type,
      let value = type.init(nilLiteral: ()) as? Value
    {
      return value
    }
    // There is nothing to return. The documentation warns initializers not to read the property.
    fatalError(
      "A @Deferred property of the type \(Value.self) was read while its archive was still being decoded, or "
        + "after decoding had failed. Read it in awakeFromArchive(), or with get(), which throws"
    )
  }

  /// Makes the outermost decode throw, since the value was used before it exists.
  fileprivate func noteEarlyUse() {
    if case .archived(let box) = storage { box.noteEarlyUse() }
  }

  @inlinable
  var valueIfDecoded: Value? {
    switch storage {
    case .value(let value): value
    case .archived(let box): box.value
    }
  }

  /// Calls `receive` with the value, which is a `Declared`, now or as soon as the value is decoded.
  func whenDecoded<Declared>(as type: Declared.Type, _ receive: @escaping (Declared) -> Void) {
    func pass(_ value: Value) { if let value = value as? Declared { receive(value) } }
    switch storage {
    case .value(let value): pass(value)
    case .archived(let box): box.whenDecoded(pass)
    }
  }
}

// In a separate extension, so that an optional property is nil by default while other properties need a value, and so
// that memberwise initializers take the value itself.
extension Deferred where Value: ExpressibleByNilLiteral {
  /// Creates a property that is nil.
  public init() {
    self.init(wrappedValue: nil)
  }
}

/// For other wrappers around this one: their property is then nil by default.
extension Deferred: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Creates a property that is nil.
  public init(nilLiteral: ()) {
    self.init(wrappedValue: nil)
  }
}

extension Deferred: NilHolding {
  // Synthesized code writes the nil of a wrapper within.
  var holdsNil: Bool {
    guard RuntimeMetadata.isOptional(Value.self), let value = valueIfDecoded else { return false }
    return (value as? any NilHolding)?.holdsNil ?? false
  }
}

// MARK: Coding

extension Deferred: Encodable, NativelyEncodable where Value: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { DeferredEncodingPlan<Value>() }

  /// Encodes the value without the wrapper.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(decodedValue(encoder.codingPath))
  }

  fileprivate func decodedValue(_ path: @autoclosure () -> [any CodingKey]) throws -> Value {
    if let value = valueIfDecoded { return value }
    let message = "A @Deferred property was encoded while its archive was still being decoded"
    throw EncodingError.invalid(self, ArchiveError.misuse(message), path())
  }
}

private final class DeferredEncodingPlan<Value: Encodable>: EncodingPlan<Deferred<Value>> {
  override func encode(_ value: Deferred<Value>, _ session: EncodingSession) throws {
    try session.encodeDeferred { try session.write(value.decodedValue(session.currentPath)) }
  }
}

extension Deferred: Decodable, NativelyDecodable where Value: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { DeferredDecodingPlan<Value>() }

  /// Decodes the value: from an archive after everything else, from other decoders at once.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // The container of an archive uses the decoding plan of the type.
    self =
      decoder.placeInArchive != nil
      ? try container.decode(Deferred<Value>.self) : Deferred(wrappedValue: try container.decode(Value.self))
  }

  fileprivate init(_ box: DeferredBox<Value>) {
    storage = .archived(box)
  }
}

private final class DeferredDecodingPlan<Value: Decodable>: DecodingPlan<Deferred<Value>> {
  /// The type of the boxes, looked up only once.
  private let boxes = DeferredBox<Value>.self

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Deferred<
    Value
  > {
    let start = cursor
    // Nil and existing objects are read now, since no initializer has to run.
    if try session.isDecoded(at: start) || session.isLazyNil(at: start) {
      return Deferred(wrappedValue: try session.decodeInside(Value.self, at: &cursor, depth))
    }
    try session.passOverDeferred(at: &cursor, MemoryLayout<Value>.stride)
    let box = boxes.init(at: start, session.later.earlyUses)
    session.later.deferred.append(.init(value: box, offset: start))
    return Deferred(box)
  }
}

extension KeyedEncodingContainer {
  /// Encodes a deferred optional as a plain one: nothing if it is nil.
  public mutating func encode<Wrapped: Encodable>(_ value: Deferred<Wrapped?>, forKey key: Key) throws {
    let isNil = if case .some(.none) = value.valueIfDecoded { true } else { false }
    try encodeIfPresent(isNil ? .none : Optional(value), forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a deferred optional as a plain one: nil if the key is missing.
  public func decode<Wrapped: Decodable>(
    _ type: Deferred<Wrapped?>.Type,
    forKey key: Key
  ) throws -> Deferred<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Deferred(wrappedValue: nil)
  }

  /// Decodes a deferred optional behind a protocol as a plain one: nil if the key is missing.
  public func decode<Wrapped>(
    _ type: Deferred<Polymorphic<Wrapped?>>.Type,
    forKey key: Key
  ) throws -> Deferred<Polymorphic<Wrapped?>> {
    try decodeIfPresent(type, forKey: key) ?? Deferred(wrappedValue: nil)
  }
}

// MARK: Other conformances

extension Deferred: Equatable where Value: Equatable {
  /// Compares the values. If one is not decoded yet, the outermost decode throws.
  public static func == (left: Deferred, right: Deferred) -> Bool {
    if let value = left.valueIfDecoded, let other = right.valueIfDecoded { return value == other }
    left.noteEarlyUse()
    right.noteEarlyUse()
    guard case .archived(let box) = left.storage, case .archived(let other) = right.storage else {
      return false
    }
    return box === other
  }
}

extension Deferred: Hashable where Value: Hashable {
  /// Hashes the value. If it is not decoded yet, the outermost decode throws.
  public func hash(into hasher: inout Hasher) {
    guard let value = valueIfDecoded else { return noteEarlyUse() }
    hasher.combine(value)
  }
}

/// The box of a value changes once, before the outermost decode returns. Other threads see it before or after that.
extension Deferred: @unchecked Sendable where Value: Sendable {}
