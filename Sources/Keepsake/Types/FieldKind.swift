/// What a property holds, as far as the coders have a way of their own for it.
enum FieldKind: UInt8 {
  case bool
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case float, double
  case string, strings
  /// Anything else: what the plan for its type does.
  case planned
  /// Only where a record is read: such a value that may wait, and one that belongs to no property.
  case readLast, skipped

  /// Whether it is a type that is one tag and its payload, or an optional of one.
  var isPrimitive: Bool { rawValue < FieldKind.strings.rawValue }

  /// How a property is to be taken, and whether its type is that of the kind or an optional of it.
  static func of(_ property: StoredProperty) -> (kind: FieldKind, isOptional: Bool) {
    guard property.ownership == .strong else { return (.planned, false) }
    return known[ObjectIdentifier(property.type)] ?? (.planned, false)
  }

  private static let known: [ObjectIdentifier: (kind: FieldKind, isOptional: Bool)] = {
    var known: [ObjectIdentifier: (kind: FieldKind, isOptional: Bool)] = [:]
    func add<Value>(_ type: Value.Type, _ kind: FieldKind) {
      known[ObjectIdentifier(type)] = (kind, false)
      known[ObjectIdentifier(Value?.self)] = (kind, true)
    }
    let plain: [(any Sendable.Type, FieldKind)] = [
      (Bool.self, .bool), (Int.self, .int), (Int8.self, .int8), (Int16.self, .int16), (Int32.self, .int32),
      (Int64.self, .int64), (UInt.self, .uint), (UInt8.self, .uint8), (UInt16.self, .uint16),
      (UInt32.self, .uint32), (UInt64.self, .uint64), (Float.self, .float), (Double.self, .double),
      (String.self, .string),
    ]
    for (type, kind) in plain { add(type, kind) }
    known[ObjectIdentifier([String].self)] = (.strings, false)
    return known
  }()
}
