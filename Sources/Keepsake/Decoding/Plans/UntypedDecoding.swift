/// Values in an archive translated from NSKeyedArchiver where no type is declared. The kind of a value gives its type;
/// the class name of an object, which every object in such a file has, gives the type of the object (Design §9).
extension DecodingSession {
  /// The value at `cursor`, which moves past it, as the Swift type of its kind; `nil` in an archive of our own, where a
  /// value behind a protocol names its type.
  func decodeUntyped<Expected>(
    at cursor: inout Int,
    behind expected: Expected.Type,
    _ depth: Int
  ) throws -> Any? {
    guard image.source != nil else { return nil }
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
    case .map, .record, .shortRecord, .empty:
      return try decodeByPlan([String: Untyped<Expected>].self, at: &cursor, depth).mapValues { $0.value }
    case let kind:
      return try scalarType(of: kind, at: content).map { try decodeByPlan($0, at: &cursor, depth) }
    }
  }

  /// Whether the reference at `offset` leads to an array, a dictionary or data that several values share, in an archive
  /// translated from NSKeyedArchiver.
  func isSharedValue(at offset: Int) throws -> Bool {
    guard let source = image.source, let number = try referencedBody(at: offset) else { return false }
    return source.isValue(ofClass: image.classes[try image.objectBody(number, at: offset).classNumber].name)
  }
}

/// An element of a collection whose elements may have different types.
private struct Untyped<Expected>: Decodable {
  let value: Expected

  init(from decoder: any Decoder) throws {
    value = try decoder.inArchive().decodeTypedValue(as: Expected.self)
  }
}
