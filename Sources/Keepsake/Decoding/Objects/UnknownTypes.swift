#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Types that the program does not have (``ArchivePlaceholder``).
extension DecodingSession {
  /// The class table entries of the type of the value or object at `decoder`, and of its superclasses; `nil` if the
  /// archive does not name the type.
  func entries(at decoder: ValueDecoder) -> [ClassEntry]? {
    typeInProgress(at: decoder.offset).map { image.classes.chain(of: $0.entry).map { image.classes[$0] } }
  }

  /// Reads the typed value or object at `cursor`, and moves past it, as the type that the archive names, otherwise as
  /// a placeholder.
  ///
  /// - Returns: the value, and whether its name decides its type.
  func decodeNamed(
    at cursor: inout Int,
    _ depth: Int
  ) throws -> (value: any Decodable, isPolymorphic: Bool) {
    let start = cursor
    guard try isReference(at: start) else {
      guard try reader.byte(at: start) == Tag.typed else { throw ReadingFault.mismatch(start) }
      return (try decodeTypedContent(at: &cursor, behind: Any.self, depth, orElse: UnknownValue.self), true)
    }
    let (number, entry) = try referencedObject(at: start)
    let known = graph.objects.object(number).flatMap { Swift.type(of: $0) as? any Decodable.Type }
    let named = known ?? (try? type(ofEntry: entry, behind: Any.self, start, depth))
    let built = named.flatMap { $0 is AnyClass ? $0 : nil } ?? UnknownObject.self
    return (try decodeByPlan(built, at: &cursor, depth), image.classes[entry].isPolymorphic)
  }

  /// The type whose values an archive stores in the kind at `offset`; `nil` for kinds that have members.
  func scalarType(of kind: TagKind, at offset: Int) throws -> (any Codable.Type)? {
    switch kind {
    case .bool: Bool.self
    case .integer, .smallInteger: Int64.self
    case .uint64: UInt64.self
    case .int128: Int128.self
    case .uint128: UInt128.self
    case .float32: Float.self
    case .float64: Double.self
    case .string, .shortString, .stringReference: String.self
    case .date: Date.self
    case .uuid: UUID.self
    case .decimal: Decimal.self
    case .url: URL.self
    case .bytes: Data.self
    case .packedArray:
      switch try image.packedArray(at: offset, in: reader).element {
      case .bool: [Bool].self
      case .signed: [Int64].self
      case .unsigned: [UInt64].self
      case .float32: [Float].self
      case .float64: [Double].self
      }
    default: nil
    }
  }
}
