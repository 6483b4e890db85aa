/// Values without the name of a type where no type is declared: those of NSKeyedArchiver, in its file or converted, and
/// those that a property without `@Polymorphic` archived. The kind of a value gives its type; the class name of an
/// object gives the type of the object (Design §9).
extension DecodingSession {
  /// The value at `cursor`, which moves past it, as the Swift type of its kind; `nil` for a structure or enumeration,
  /// which would lose its type.
  func decodeUntyped<Expected>(
    at cursor: inout Int,
    behind expected: Expected.Type,
    _ depth: Int
  ) throws -> Any? {
    if try isNil(at: cursor), let nothing = Any?.none as Any as? Expected {
      cursor += 1
      return nothing
    }
    let content = try contentOfReference(at: cursor)
    switch TagKind(try reader.byte(at: content)) {
    // The types that a program would use.
    case .integer, .smallInteger: return try decodeByPlan(Int.self, at: &cursor, depth)
    case .array, .shortArray, .packedArray:
      return try decodeByPlan([Untyped<Expected>].self, at: &cursor, depth).map { $0.value }
    case .record, .shortRecord:
      guard image.source != nil else { return nil }
      fallthrough
    case .map, .empty:
      return try decodeByPlan([String: Untyped<Expected>].self, at: &cursor, depth).mapValues { $0.value }
    case let kind:
      return try scalarType(of: kind, at: content).map { try decodeByPlan($0, at: &cursor, depth) }
    }
  }
}

/// An element of a collection whose elements may have different types.
private struct Untyped<Expected>: Decodable {
  let value: Expected

  init(from decoder: any Decoder) throws {
    if let number = decoder.packedNumber, let number = number as? Expected {
      value = number
    } else {
      value = try decoder.inArchive().decodeTypedValue(as: Expected.self)
    }
  }
}
