/// What a property holds, as far as the coders have a way of their own for it.
enum FieldKind: UInt8 {
  case bool
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case float, double
  case string, strings
  /// Anything else: what the plan for its type does.
  case planned
  /// Only where a record is read: a value that belongs to no property.
  case skipped

  /// How a property is to be taken, and whether its type is that of the kind or an optional of it.
  static func of(_ property: StoredProperty) -> (kind: FieldKind, isOptional: Bool) {
    guard property.ownership == .strong else { return (.planned, false) }
    let id = ObjectIdentifier(property.type)
    if let kind = plain[id] { return (kind, false) }
    if let kind = optional[id] { return (kind, true) }
    return (property.type == [String].self ? .strings : .planned, false)
  }

  private static let plain: [ObjectIdentifier: FieldKind] = [
    ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(Int.self): .int,
    ObjectIdentifier(Int8.self): .int8, ObjectIdentifier(Int16.self): .int16,
    ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64,
    ObjectIdentifier(UInt.self): .uint, ObjectIdentifier(UInt8.self): .uint8,
    ObjectIdentifier(UInt16.self): .uint16, ObjectIdentifier(UInt32.self): .uint32,
    ObjectIdentifier(UInt64.self): .uint64, ObjectIdentifier(Float.self): .float,
    ObjectIdentifier(Double.self): .double, ObjectIdentifier(String.self): .string,
  ]

  private static let optional: [ObjectIdentifier: FieldKind] = [
    ObjectIdentifier(Bool?.self): .bool, ObjectIdentifier(Int?.self): .int,
    ObjectIdentifier(Int8?.self): .int8, ObjectIdentifier(Int16?.self): .int16,
    ObjectIdentifier(Int32?.self): .int32, ObjectIdentifier(Int64?.self): .int64,
    ObjectIdentifier(UInt?.self): .uint, ObjectIdentifier(UInt8?.self): .uint8,
    ObjectIdentifier(UInt16?.self): .uint16, ObjectIdentifier(UInt32?.self): .uint32,
    ObjectIdentifier(UInt64?.self): .uint64, ObjectIdentifier(Float?.self): .float,
    ObjectIdentifier(Double?.self): .double, ObjectIdentifier(String?.self): .string,
  ]
}
