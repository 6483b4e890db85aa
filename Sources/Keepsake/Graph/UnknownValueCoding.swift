extension ArchivePlaceholder {
  /// Keeps the content of the archive.
  public init(from decoder: any Decoder) throws {
    self.init(try UnknownValue(from: decoder))
  }

  /// Writes the content back under its archived name.
  public func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

extension UnknownValue: Codable {
  /// Keeps the content at the place of the decoder.
  public init(from decoder: any Decoder) throws {
    let archive = try decoder.inArchive()
    guard let entries = archive.session.entries(at: archive) else { throw decoder.namesNoType }
    self.init(entries: entries, stored: try UnknownContent(from: decoder))
  }

  /// Writes the content back.
  public func encode(to encoder: any Encoder) throws {
    guard encoder.writesArchive else {
      let problem = "A placeholder for \(typeName) can only be written to an archive"
      throw EncodingError.invalid(self, .misuse(problem), encoder.codingPath)
    }
    try stored.encode(to: encoder)
  }
}

extension UnknownValue: ArchivePlaceholder {
  /// Returns `content` itself.
  public init(_ content: UnknownValue) { self = content }
  /// The value itself.
  public var content: UnknownValue { self }
}
