extension ArchivePlaceholder {
  /// Takes what stands in the archive.
  ///
  /// - Throws: `DecodingError` with another decoder than that of an archive, or when the content is damaged.
  public init(from decoder: any Decoder) throws {
    self.init(try UnknownValue(from: decoder))
  }

  /// Writes it back, under the name that it had.
  ///
  /// - Throws: `EncodingError` with another encoder than that of an archive; what the objects throw that it refers to.
  public func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

extension UnknownValue: Codable {
  /// Takes what stands in the archive where the decoder is.
  ///
  /// - Throws: `DecodingError` with another decoder than that of an archive, or when the content is damaged.
  public init(from decoder: any Decoder) throws {
    guard let archive = decoder as? ValueDecoder, let entries = archive.session.entries(at: archive) else {
      throw DecodingError.dataCorrupted(
        ArchiveError.misuse("A placeholder reads from archives, where the name of its type stands")
          .decodingContext(decoder.codingPath)
      )
    }
    self.init(entries: entries, stored: try UnknownContent(from: decoder))
  }

  /// Writes the content back.
  ///
  /// - Throws: `EncodingError` with another encoder than that of an archive; what the objects throw that it refers to.
  public func encode(to encoder: any Encoder) throws {
    guard encoder.writesArchive else {
      let problem = "A placeholder for \(typeName) can only be written to an archive"
      throw EncodingError.invalid(self, .misuse(problem), encoder.codingPath)
    }
    try stored.encode(to: encoder)
  }
}

extension UnknownValue: ArchivePlaceholder {
  /// The same.
  public init(_ content: UnknownValue) { self = content }
  /// Itself.
  public var content: UnknownValue { self }
}
