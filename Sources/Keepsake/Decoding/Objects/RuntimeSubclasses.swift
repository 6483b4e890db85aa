// A metatype may be that of a subclass that is known only at run time: `let type: Animal.Type = Dog.self`, passed where
// `Value` is `Animal`. The decoded value has the type of the metatype.

/// The type that `type` is at run time; `declared` if that is not `Decodable`.
///
/// In a generic function, the optimizer replaces a metatype of `Value` that becomes an existential by `Value` itself.
/// It knows nothing about a metatype that is looked up here.
@inline(never)
@usableFromInline
func runtimeType(_ type: Any.Type, orElse declared: any Decodable.Type) -> any Decodable.Type {
  type as? any Decodable.Type ?? declared
}

extension DecodingSession {
  /// Decodes a value of `type`, which is a subclass of `Value`.
  @inline(never)
  func decode<Value: Decodable>(subclass type: Value.Type, at cursor: inout Int, _ depth: Int) throws -> Value
  {
    func decodeSubclass<Subclass: Decodable>(_ type: Subclass.Type) throws -> any Decodable {
      try decodeInside(Subclass.self, at: &cursor, depth)
    }
    let start = cursor
    guard let value = try decodeSubclass(runtimeType(type, orElse: Value.self)) as? Value else {
      throw mismatch(type, start, path(toValueAt: start, in: depth))
    }
    return value
  }
}

extension KeyedDecodingContainer {
  /// The value of `key` as `type`, which may be a subclass of `Value`: the containers of the standard library pass on
  /// only `Value`.
  @inlinable
  func decode<Value: Decodable>(runtime type: Value.Type, forKey key: Key) throws -> Value {
    func decodeSubclass<Subclass: Decodable>(_ type: Subclass.Type) throws -> any Decodable {
      try decode(Subclass.self, forKey: key)
    }
    if ObjectIdentifier(type) != ObjectIdentifier(Value.self),
      let value = try decodeSubclass(runtimeType(type, orElse: Value.self)) as? Value
    {
      return value
    }
    return try decode(Value.self, forKey: key)
  }

  /// As ``decode(runtime:forKey:)``; `nil` if there is no value, or nil.
  @inlinable
  func decodeIfPresent<Value: Decodable>(runtime type: Value.Type, forKey key: Key) throws -> Value? {
    func decodeSubclass<Subclass: Decodable>(_ type: Subclass.Type) throws -> (any Decodable)? {
      try decodeIfPresent(Subclass.self, forKey: key)
    }
    guard ObjectIdentifier(type) != ObjectIdentifier(Value.self) else {
      return try decodeIfPresent(Value.self, forKey: key)
    }
    return try decodeSubclass(runtimeType(type, orElse: Value.self)) as? Value
  }
}
