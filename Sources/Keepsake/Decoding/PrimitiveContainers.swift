// The standard library asks for a method per primitive type. Here they are, once for each kind of container,
// all in terms of one generic method. Keyed containers spell theirs out: in an extension they would have to
// look up the metadata of the container's generic type at each call.

/// A single-value container that reads every primitive type in one way.
protocol PrimitiveSingleValueDecoding: SingleValueDecodingContainer {
  func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value
}

extension PrimitiveSingleValueDecoding {
  func decode(_ type: Bool.Type) throws -> Bool { try get(type) }
  func decode(_ type: String.Type) throws -> String { try get(type) }
  func decode(_ type: Double.Type) throws -> Double { try get(type) }
  func decode(_ type: Float.Type) throws -> Float { try get(type) }
  func decode(_ type: Int.Type) throws -> Int { try get(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try get(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try get(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try get(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try get(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try get(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try get(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try get(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try get(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try get(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try get(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try get(type) }
}

/// An unkeyed container that reads every primitive type in one way.
protocol PrimitiveUnkeyedDecoding: UnkeyedDecodingContainer {
  mutating func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value
}

extension PrimitiveUnkeyedDecoding {
  mutating func decode(_ type: Bool.Type) throws -> Bool { try get(type) }
  mutating func decode(_ type: String.Type) throws -> String { try get(type) }
  mutating func decode(_ type: Double.Type) throws -> Double { try get(type) }
  mutating func decode(_ type: Float.Type) throws -> Float { try get(type) }
  mutating func decode(_ type: Int.Type) throws -> Int { try get(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try get(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try get(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try get(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try get(type) }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try get(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try get(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try get(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try get(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try get(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try get(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try get(type) }
}
