/// The content of an archived value of unknown type: everything that has to be written back.
indirect enum UnknownContent: Codable {
  case none
  /// A value that encoded nothing.
  case empty
  /// A present optional that would read as nil.
  case some(UnknownContent)
  case scalar(any Codable)
  case array([UnknownContent])
  case record([(key: ModelKey, value: UnknownContent)])
  case map([(key: ArchiveCodingKey, value: UnknownContent)])
  /// A value behind a protocol, or a referenced object.
  case typed(Deferred<TypedReference>)
  case lazy(Lazy<UnknownContent?>)
  case conditional(WeakBox)

  init(from decoder: any Decoder) throws {
    let decoder = try decoder.inArchive()
    let session = decoder.session
    let value = try decoder.singleValueContainer()
    switch TagKind(try session.reader.byte(at: decoder.offset)) {
    case .none: self = .none
    case .empty: self = .empty
    case .some:
      self = try value.decode(UnknownContent?.self).map { .some($0) } ?? .none
    case .array, .shortArray: self = .array(try value.decode([UnknownContent].self))
    case .record, .shortRecord: self = .record(try UnknownContent.members(of: decoder))
    case .map: self = .map(try UnknownContent.members(of: decoder))
    case .objectReference where try session.lazyBody(at: decoder.offset) != nil:
      self = .lazy(try value.decode(Lazy<UnknownContent?>.self))
    case .typed, .objectReference: self = .typed(try value.decode(Deferred<TypedReference>.self))
    case .conditionalReference:
      var cursor = decoder.offset
      self = try session.decodeConditional(AnyObject.self, at: &cursor).map { .conditional($0) } ?? .none
    case let kind:
      guard let type = try session.scalarType(of: kind, at: decoder.offset) else {
        throw session.mismatch(UnknownContent.self, decoder.offset, decoder.codingPath)
      }
      self = .scalar(try value.decode(type))
    }
  }

  private static func members<Key: CodingKey>(
    of decoder: ValueDecoder
  ) throws -> [(key: Key, value: UnknownContent)] {
    let container = try decoder.container(keyedBy: Key.self)
    return try container.allKeys.map { ($0, try container.decode(UnknownContent.self, forKey: $0)) }
  }

  func encode(to encoder: any Encoder) throws {
    func encode(_ value: some Encodable) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
    func encode<Key: CodingKey>(_ members: [(key: Key, value: UnknownContent)]) throws {
      var container = encoder.container(keyedBy: Key.self)
      for (key, value) in members { try container.encode(value, forKey: key) }
    }
    func encode(referenceTo object: some Encodable & AnyObject) throws {
      try encode(ConditionalReference(object: object))
    }
    switch self {
    case .empty: break
    case .some(let content): try encode(Optional(content))
    case .scalar(let value): try encode(value)
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .record(let members): try encode(members)
    case .map(let members): try encode(members)
    case .typed(let value): try encode(value)
    case .lazy(let value): try encode(value)
    case .conditional(let box):
      if let object = box.object as? any Encodable & AnyObject { return try encode(referenceTo: object) }
      fallthrough
    case .none:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }
}

/// A value behind a protocol, or an object, in a value of unknown type: of the named type, or a placeholder.
struct TypedReference {
  fileprivate let value: any Codable
  /// Whether the name of the type decided which type was built.
  fileprivate let isPolymorphic: Bool
}

extension TypedReference: Codable, NativelyEncodable, NativelyDecodable {
  init(from decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode(TypedReference.self)
  }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  static func makeEncodingPlan() -> AnyEncodingPlan { TypedReferenceEncodingPlan() }
  static func makeDecodingPlan() -> AnyDecodingPlan { TypedReferenceDecodingPlan() }
}

private final class TypedReferenceEncodingPlan: EncodingPlan<TypedReference> {
  override func encode(_ value: TypedReference, _ session: EncodingSession) throws {
    if value.isPolymorphic {
      return try session.encode(TypedValue(value: value.value, declared: Any.self))
    }
    func encode<Value: Encodable>(_ value: Value) throws { try session.encode(value) }
    try encode(value.value)
  }
}

private final class TypedReferenceDecodingPlan: DecodingPlan<TypedReference> {
  override func decode(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> TypedReference {
    let (value, isPolymorphic) = try session.decodeNamed(at: &cursor, depth)
    guard let value = value as? any Codable else { throw ReadingFault.mismatch(cursor) }
    return TypedReference(value: value, isPolymorphic: isPolymorphic)
  }
}
