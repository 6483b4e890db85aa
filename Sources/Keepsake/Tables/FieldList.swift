internal import Synchronization

/// The fields that a type declares, checked. It is made once for each type.
final class FieldList<Root: ArchivedFields>: Sendable {
  struct Entry: Sendable {
    let property: AnyFieldProperty<Root>
    /// Whether nil is written, since `init()` gives the field a value that would be read in its place.
    let writesNil: Bool
  }

  let entries: [Entry]

  private init() throws(ArchiveError) {
    let defaults = Root()
    var names: Set<ExactString> = []
    var entries: [Entry] = []
    for field in Root.archivedFields {
      guard names.insert(ExactString(string: field.name)).inserted else {
        throw ArchiveError(.misuse, "\(Root.self) declares two fields of the name \"\(field.name)\"")
      }
      entries.append(Entry(property: field.property, writesNil: !field.property.isNil(in: defaults)))
    }
    self.entries = entries
  }

  /// The list of `Root`.
  ///
  /// - Throws: when two fields have one name.
  static func shared() throws(ArchiveError) -> FieldList {
    let id = ObjectIdentifier(Root.self)
    // What is stored for a type is always the list of that type.
    if let known = knownLists.withLock({ $0[id] }) { return knownDowncast(known, to: FieldList.self) }
    let list = try FieldList()
    // Another thread may have been quicker. Its list stays: what is let go of here may run code of the program, by its
    // key paths and defaults, and must not do so within the lock.
    let first = knownLists.withLock { lists in
      if let known = lists[id] { return known }
      lists[id] = list
      return list
    }
    return knownDowncast(first, to: FieldList.self)
  }
}

private let knownLists = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

/// What a field holds, as far as the coders have a way of their own for it.
enum FieldKind: UInt8 {
  case bool
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case float, double
  case string, strings
  /// Anything else: what the plan for its type does.
  case planned
  /// Only where a record is read: a value that belongs to no field.
  case skipped

  /// How `type` is to be taken, and whether that is the type or an optional of it.
  static func of(_ type: Any.Type) -> (kind: FieldKind, isOptional: Bool) {
    if let kind = plain[ObjectIdentifier(type)] { return (kind, false) }
    if let kind = optional[ObjectIdentifier(type)] { return (kind, true) }
    return (type == [String].self ? .strings : .planned, false)
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
