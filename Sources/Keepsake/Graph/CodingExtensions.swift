// What @Deferred and @WeakReference do, for those who write their coding by hand.

extension KeyedDecodingContainer {
  /// Decodes an object as `type`, which may be known only when the program runs: with `let type: Animal.Type = Dog.self`
  /// it is a `Dog`, where the method of the standard library makes an `Animal`.
  @inlinable
  public func decode<Value: Decodable & AnyObject>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(runtime: type, forKey: key)
  }

  /// Decodes an object as `type`, which may be known only when the program runs; `nil` where there is none.
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
  /// try container.decodeDeferred(Author.self, forKey: .author) { [unowned self] in self.author = $0 }
  /// ```
  ///
  /// The decoder calls `assign` once: at once if the value exists already or the decoder is not Keepsake's, otherwise
  /// before the outermost decode returns. It does not call it if the initializer throws.
  ///
  /// - Throws: `DecodingError` when there is no value of that key. What is wrong with the value itself is thrown by
  ///   the outermost decode, with the path of the value.
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

/// What is decoded as a ``Deferred`` of a type that may be known only when the program runs.
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
  /// A plain `encode` writes the same. But if the value closes a cycle, the archiver then has to find out whether it
  /// is read deferred: it archives and reads the root object once more, in memory.
  public mutating func encodeDeferred<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encode(Deferred(wrappedValue: value), forKey: key)
  }

  /// Encodes a reference to `object` under `key` if something else archives the object, earlier or later.
  ///
  /// It is read with `decodeIfPresent`, or, where it may close a cycle, with
  /// `decodeDeferredIfPresent(_:forKey:_:)` or as a ``WeakReference``; it is nil where the object was not
  /// archived. Nothing is written for nil. An encoder that is not Keepsake's writes nil for an optional, and for
  /// an object that is none does what the standard library says: it encodes the object.
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
  /// Call it in the initializer with `self`, once all stored properties have values. With another decoder than
  /// Keepsake's it does nothing.
  public func register(_ object: some SelfRegistering) {
    guard let place = placeInArchive else { return }
    place.session.use { $0.register(object, from: place.offset) }
  }

  /// The version that `type`, the class being decoded or one of its superclasses, had when the archive was
  /// written: its ``ArchivableClass/archiveVersion`` then.
  ///
  /// It is 0 where the archive states none: when the class was not yet in the chain, and for a structure or an
  /// enumeration that did not stand behind a protocol. With another decoder than Keepsake's, which records no
  /// versions, it is the type's present one.
  public func archivedVersion(of type: Any.Type) -> Int {
    guard let place = placeInArchive else { return ClassNames.declaredVersion(of: type) }
    return place.session.use { $0.archivedVersion(of: type, at: place.offset) }
  }
}
