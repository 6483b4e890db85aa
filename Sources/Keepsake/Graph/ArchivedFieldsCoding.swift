/// The coding of ``ArchivedFields`` types by `encode(to:)` and `init(from:)`: always for classes; for structures with
/// other coders, and if an archive has something other than a record.
extension ArchivedFields {
  /// Decodes the properties that have a value; the others keep their defaults.
  ///
  /// ```swift
  /// let address = try JSONDecoder().decode(Address.self, from: json)
  /// ```
  public init(from decoder: any Decoder) throws {
    self.init()
    if Self.self is AnyClass {
      try decodeProperties(ofObject: self as AnyObject, from: decoder)
    } else {
      try withMutablePropertyMemory(of: &self) { memory in
        try decodeProperties(of: Self.self, into: memory, from: decoder, decoder.placeInArchive)
      }
    }
  }

  /// Encodes the properties in the order of their declaration, without those that are nil.
  ///
  /// ```swift
  /// let json = try JSONEncoder().encode(address)
  /// ```
  public func encode(to encoder: any Encoder) throws {
    if Self.self is AnyClass { return try encodeProperties(ofObject: self as AnyObject, to: encoder) }
    try withPropertyMemory(of: self) { memory in try encodeProperties(of: Self.self, in: memory, to: encoder)
    }
  }
}

// MARK: - Decoding

/// Reads the properties of `object`, and registers it first, so that they can refer to it.
func decodeProperties(ofObject object: AnyObject, from decoder: any Decoder) throws {
  let place = decoder.placeInArchive
  if let place { place.session.use { $0.register(object, from: place.offset) } }
  try withMutablePropertyMemory(ofObject: object) { memory in
    try decodeProperties(of: type(of: object), into: memory, from: decoder, place)
  }
}

/// - Parameter place: the place of the decoder in an archive; `nil` for other decoders.
@inline(__always)
private func decodeProperties(
  of type: Any.Type,
  into memory: MutablePropertyMemory,
  from decoder: any Decoder,
  _ place: ArchivePlace?
) throws {
  do {
    if let place, try place.session.use({ try $0.readFields(memory, of: type, at: place) }) { return }
    try decodeProperties(of: type, into: memory, byContainerOf: decoder)
  } catch { throw decodingError(error, decoder) }
}

// Not inlined, so that objects within objects take less of the stack.

@inline(never)
private func decodeProperties(
  of type: Any.Type,
  into memory: MutablePropertyMemory,
  byContainerOf decoder: any Decoder
) throws {
  try decoder.refuseCopy()
  let properties = try ArchivedProperties.of(type)
  let reader = PropertyDecoder(
    container: try decoder.container(keyedBy: ModelKey.self),
    memory: memory,
    keepsDefaults: properties.keepsDefaults
  )
  for entry in properties.entries where entry.constant == nil { try reader.decode(entry) }
}

@inline(never)
private func decodingError(_ error: any Error, _ decoder: any Decoder) -> any Error {
  guard let error = error as? ArchiveError else { return error }
  return DecodingError.dataCorrupted(error.decodingContext(decoder.codingPath))
}

/// Reads properties one by one from any decoder.
private struct PropertyDecoder {
  let container: KeyedDecodingContainer<ModelKey>
  let memory: MutablePropertyMemory
  let keepsDefaults: Bool

  func decode(_ entry: ArchivedProperties.Entry) throws {
    var key = entry.key
    if !entry.otherKeys.isEmpty, !container.contains(key) {
      key = entry.otherKeys.first(where: container.contains) ?? key
    }
    switch entry.property.ownership {
    case .strong:
      if let type = entry.property.type as? any Decodable.Type { try decodeValue(type, key, entry) }
    case .weak, .unowned, .unmanaged:
      if let type = entry.property.target as? DecodableClass {
        try decodeReference(type, key, entry.property)
      }
    }
  }

  private func decodeValue<Value: Decodable>(
    _ type: Value.Type,
    _ key: ModelKey,
    _ entry: ArchivedProperties.Entry
  ) throws {
    // A missing value may be due to a damaged archive. `contains` cannot report that; this call throws.
    guard container.contains(key) else {
      _ = try container.decodeIfPresent(type, forKey: key)
      return
    }
    do {
      memory.store(type, try container.decode(type, forKey: key), at: entry.property.offset)
    } catch  where isMismatch(error) && keepsDefaults {
      // Nil for a property that is not optional. The type decodes first, since it may have a nil of its own.
      guard try container.decodeNil(forKey: key) else { throw error }
    }
  }

  private func decodeReference<Target: Decodable & AnyObject>(
    _ type: Target.Type,
    _ key: ModelKey,
    _ property: StoredProperty
  ) throws {
    if property.ownership == .weak {
      let reference = try container.decodeIfPresent(WeakReference<Target>.self, forKey: key)
      if let owner = memory.object { reference?.box?.whenFound(for: owner, property) }
    } else if let target = try container.decodeIfPresent(type, forKey: key) {
      memory.store(unowned: target, property)
    }
  }
}

// MARK: - Encoding

func encodeProperties(ofObject object: AnyObject, to encoder: any Encoder) throws {
  try withPropertyMemory(ofObject: object) { memory in
    try encodeProperties(of: type(of: object), in: memory, to: encoder)
  }
}

private func encodeProperties(of type: Any.Type, in memory: PropertyMemory, to encoder: any Encoder) throws {
  if try !encoder.writeFields(memory, of: type) {
    try encodeProperties(of: type, in: memory, byContainerOf: encoder)
  }
}

// Not inlined, so that only this function looks up the metadata of the container.
@inline(never)
private func encodeProperties(
  of type: Any.Type,
  in memory: PropertyMemory,
  byContainerOf encoder: any Encoder
) throws {
  var container = encoder.container(keyedBy: ModelKey.self)
  do {
    try encoder.refuseCopy()
    let properties = try ArchivedProperties.of(type)
    try properties.checkConstants(in: memory)
    for entry in properties.entries { try encode(entry, in: memory, into: &container) }
  } catch let error as ArchiveError {
    throw EncodingError.invalid(type, error, encoder.codingPath)
  }
}

private func encode(
  _ entry: ArchivedProperties.Entry,
  in memory: PropertyMemory,
  into container: inout KeyedEncodingContainer<ModelKey>
) throws {
  func encode<Value: Encodable>(_ value: Value) throws {
    if !entry.isOptional || (value as? any NilHolding)?.holdsNil != true {
      try container.encode(value, forKey: entry.key)
    } else if entry.writesNil {
      try container.encodeNil(forKey: entry.key)
    } else {
      // Nothing in most containers. That of a database empties a column, as for synthesized code.
      try container.encodeIfPresent(Value?.none, forKey: entry.key)
    }
  }
  func encodeValue<Value: Encodable>(_ type: Value.Type) throws {
    try encode(memory.withValue(type, at: entry.property.offset) { copy $0 })
  }
  func encodeReference<Target: Encodable & AnyObject>(_ type: Target.Type) throws {
    func object<Field: ReferenceField<Target>>(_ field: Field.Type) -> Target? {
      memory.withValue(field, at: entry.property.offset) { $0.object }
    }
    if entry.property.ownership == .weak {
      try encode(object(Weak<Target>.self).map { WeakReference(wrappedValue: $0) })
    } else {
      try encode(object(UnownedField<Target>.self))
    }
  }
  if entry.property.ownership == .strong, let type = entry.property.type as? any Encodable.Type {
    try encodeValue(type)
  } else if let type = entry.property.target as? EncodableClass {
    try encodeReference(type)
  }
}
