// A metatype may be that of a subclass which only the running program knows: `let type: Animal.Type = Dog.self`. It is
// passed where `Value` is `Animal`. What is decoded is of the type that the metatype is.

/// `type` as what it is when the program runs; `declared` where it is not `Decodable`.
///
/// In a generic function the optimizer takes a metatype of `Value` that becomes an existential for `Value` itself. It knows
/// nothing about one that is looked up here.
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
  /// The value of `key` as `type`, where that may be a subclass of `Value`: the containers of the standard library pass on
  /// `Value` alone.
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

  /// As ``decode(runtime:forKey:)``; `nil` where there is no value, or nil.
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
