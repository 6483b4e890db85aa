// What @Deferred and @WeakReference do, for hand-written coding.

extension KeyedDecodingContainer {
  /// Decodes an object as `type`, which may be known only at run time: with `let type: Animal.Type = Dog.self` the
  /// result is a `Dog`, while the method of the standard library returns an `Animal`.
  @inlinable
  public func decode<Value: Decodable & AnyObject>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(runtime: type, forKey: key)
  }

  /// Decodes an object as `type`, which may be known only at run time; `nil` for a missing key and for nil.
  @inlinable
  public func decodeIfPresent<Value: Decodable & AnyObject>(
    _ type: Value.Type,
    forKey key: Key
  ) throws -> Value? {
    try decodeIfPresent(runtime: type, forKey: key)
  }

  /// Decodes the value of `key` after everything else, and passes it to `assign`.
  ///
  /// This closes a cycle in hand-written coding: the value may refer back to the object whose initializer runs.
  ///
  /// ```swift
  /// try container.decodeDeferred(Author.self, forKey: .author) { [weak self] in self?.author = $0 }
  /// ```
  ///
  /// The decoder calls `assign` once: at once if the value exists already or the decoder is not Keepsake's, otherwise
  /// before the outermost decode returns. It does not call `assign` if the initializer throws.
  ///
  /// - Throws: `DecodingError` if there is no value for that key. The outermost decode throws errors of the value
  ///   itself, with the path of the value.
  public func decodeDeferred<Value: Decodable>(
    _ type: Value.Type,
    forKey key: Key,
    _ assign: @escaping (Value) -> Void
  ) throws {
    try decode(deferred(type), forKey: key).whenDecoded(as: Value.self, assign)
  }

  /// Decodes the value of `key` as ``decodeDeferred(_:forKey:_:)`` does, if there is one that is not nil.
  public func decodeDeferredIfPresent<Value: Decodable>(
    _ type: Value.Type,
    forKey key: Key,
    _ assign: @escaping (Value) -> Void
  ) throws {
    try decodeIfPresent(deferred(type), forKey: key)?.whenDecoded(as: Value.self, assign)
  }
}

extension UnkeyedDecodingContainer {
  /// Decodes the next element after everything else, and passes it to `assign`; see the method of keyed containers.
  public mutating func decodeDeferred<Value: Decodable>(
    _ type: Value.Type,
    _ assign: @escaping (Value) -> Void
  ) throws {
    try decode(deferred(type)).whenDecoded(as: Value.self, assign)
  }
}

/// A ``Deferred`` of a type that may be known only at run time.
private protocol DeferredDecodable: Decodable {
  func whenDecoded<Declared>(as type: Declared.Type, _ receive: @escaping (Declared) -> Void)
}
extension Deferred: DeferredDecodable where Value: Decodable {}

private func deferred<Value: Decodable>(_ type: Value.Type) -> any DeferredDecodable.Type {
  func deferred<Known: Decodable>(_ type: Known.Type) -> any DeferredDecodable.Type { Deferred<Known>.self }
  guard ObjectIdentifier(type) != ObjectIdentifier(Value.self) else { return Deferred<Value>.self }
  return deferred(runtimeType(type, orElse: Value.self))
}

extension KeyedEncodingContainer {
  /// Encodes `value` under `key`, for a reader that uses `decodeDeferred(_:forKey:_:)`.
  ///
  /// A plain `encode` writes the same. But if the value closes a cycle, the archiver then has to find out whether a
  /// reader decodes it deferred: it archives and reads the root object once more, in memory.
  public mutating func encodeDeferred<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encode(Deferred(wrappedValue: value), forKey: key)
  }

  /// Encodes a reference to `object` under `key` if something else archives the object, earlier or later.
  ///
  /// Read it with `decodeIfPresent`, or, where it may close a cycle, with `decodeDeferredIfPresent(_:forKey:_:)` or as
  /// a ``WeakReference``; it is nil if the object was not archived. The archiver writes nothing for nil. Other encoders
  /// write nil for an optional. If `object` is not optional, they encode the object, as the standard library specifies.
  public mutating func encodeConditional<Object: AnyObject & Encodable>(
    _ object: Object?,
    forKey key: Key
  ) throws {
    guard let object else { return }
    try encode(ConditionalReference(object: object), forKey: key)
  }
}

extension UnkeyedEncodingContainer {
  /// Encodes `value`, to be read with `decodeDeferred(_:_:)`; see the method of keyed containers.
  public mutating func encodeDeferred<Value: Encodable>(_ value: Value) throws {
    try encode(Deferred(wrappedValue: value))
  }

  /// Encodes a reference to `object` if something else archives the object, nil otherwise; see the method of
  /// keyed containers.
  public mutating func encodeConditional<Object: AnyObject & Encodable>(_ object: Object?) throws {
    try encode(ConditionalReference(object: object))
  }
}

extension Decoder {
  /// Registers `object`, so that the objects it holds can refer back to it while its initializer still runs.
  ///
  /// Call this in the initializer with `self`, once all stored properties have values. With decoders other than
  /// Keepsake's, it does nothing.
  public func register(_ object: some SelfRegistering) {
    guard let place = placeInArchive else { return }
    place.session.use { $0.register(object, from: place.offset) }
  }

  /// The version that `type`, the class being decoded or one of its superclasses, had when the archive was
  /// written: its ``ArchivableClass/archiveVersion`` then.
  ///
  /// It is 0 if the archive states none: if the class was not yet in the inheritance chain, and for a structure or an
  /// enumeration that was not behind a protocol. With decoders other than Keepsake's, it is the current version of the
  /// type.
  public func archivedVersion(of type: Any.Type) -> Int {
    guard let place = placeInArchive else { return ClassNames.declaredVersion(of: type) }
    return place.session.use { $0.archivedVersion(of: type, at: place.offset) }
  }
}
