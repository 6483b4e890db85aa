/// The content of a property, if the coders have a special way to code it.
enum FieldKind: UInt8 {
  case bool
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case float, double
  case string, strings
  /// Anything else, which the plan for its type codes.
  case planned
  /// Only for reading a record: a planned value that is read last, and a value without a property.
  case readLast, skipped

  /// Whether a value of the type, or of the type that an optional wraps, is one tag and its payload.
  var isPrimitive: Bool { rawValue < FieldKind.strings.rawValue }

  /// The kind of a property, and whether its type is an optional of the type of that kind.
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
