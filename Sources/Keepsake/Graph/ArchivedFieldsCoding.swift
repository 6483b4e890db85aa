/// How a type that declares its fields is coded where the library does not read and write its memory: by other coders,
/// as a class, and where an archive has something else than a record.
extension ArchivedFields {
  /// Decodes the fields for which there is a value; the others have their defaults.
  ///
  /// ```swift
  /// let address = try JSONDecoder().decode(Address.self, from: json)
  /// ```
  ///
  /// - Throws: `DecodingError` when a value is not of the type of its field, or two fields have one name; and what an
  ///   `init(from:)` throws.
  public init(from decoder: any Decoder) throws {
    self.init()
    if Self.self is AnyObject.Type, let object = self as? any SelfRegistering { decoder.register(object) }
    let container = try decoder.container(keyedBy: ModelKey.self)
    do {
      for entry in try FieldList<Self>.shared().entries {
        try entry.property.decode(into: &self, from: container)
      }
    } catch let error as ArchiveError {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error)
      )
    }
  }

  /// Encodes the fields in the order of their declaration, without those that are nil.
  ///
  /// ```swift
  /// let json = try JSONEncoder().encode(address)
  /// ```
  ///
  /// - Throws: `EncodingError` when two fields have one name; and what an `encode(to:)` throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ModelKey.self)
    do {
      for entry in try FieldList<Self>.shared().entries {
        try entry.property.encode(self, into: &container, writingNil: entry.writesNil)
      }
    } catch let error as ArchiveError {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: error.message, underlyingError: error)
      )
    }
  }
}
