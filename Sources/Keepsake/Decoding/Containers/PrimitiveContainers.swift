// The standard library requires a method for each primitive type. One generic method satisfies all requirements except
// those for the widest integers, which have default implementations that throw.

/// A single-value container that reads all primitive types in the same way.
protocol PrimitiveSingleValueDecoding: SingleValueDecodingContainer {
  func decode<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value
}

extension PrimitiveSingleValueDecoding {
  func decode(_ type: Int128.Type) throws -> Int128 { try decodePrimitive() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decodePrimitive() }
  private func decodePrimitive<Value: ReadablePrimitive>() throws -> Value { try decode(Value.self) }
}

/// An unkeyed container that reads all primitive types in the same way.
protocol PrimitiveUnkeyedDecoding: UnkeyedDecodingContainer {
  mutating func decode<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value
}

extension PrimitiveUnkeyedDecoding {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodePrimitive() }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodePrimitive() }
  private mutating func decodePrimitive<Value: ReadablePrimitive>() throws -> Value { try decode(Value.self) }
}
