#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Coding values with a configuration, as `JSONEncoder` and `JSONDecoder` do. The methods throw the same errors as those
// without a configuration.

extension KeyedArchiver {
  /// Encodes `value` with `configuration` under `key`, as ``encode(_:forKey:)`` does.
  public func encode<Value: EncodableWithConfiguration>(
    _ value: Value,
    forKey key: String,
    configuration: Value.EncodingConfiguration
  ) throws {
    try encode(EncodedWithConfiguration(value: value, configuration: configuration), forKey: key)
  }

  /// Encodes `value` under `key` with the configuration of `provider`, as ``encode(_:forKey:)`` does.
  public func encode<Value: EncodableWithConfiguration, Provider: EncodingConfigurationProviding>(
    _ value: Value,
    forKey key: String,
    configuration provider: Provider.Type
  ) throws where Provider.EncodingConfiguration == Value.EncodingConfiguration {
    try encode(value, forKey: key, configuration: provider.encodingConfiguration)
  }
}

extension KeyedUnarchiver {
  /// Decodes the value under `key` with `configuration`.
  public func decode<Value: DecodableWithConfiguration>(
    _ type: Value.Type,
    forKey key: String,
    configuration: Value.DecodingConfiguration
  ) throws -> Value {
    try valueDecoder.session.withConfiguration(type, configuration) {
      try decode(DecodedWithConfiguration<Value>.self, forKey: key).value
    }
  }

  /// Decodes the value under `key` with the configuration of `provider`.
  public func decode<Value: DecodableWithConfiguration, Provider: DecodingConfigurationProviding>(
    _ type: Value.Type,
    forKey key: String,
    configuration provider: Provider.Type
  ) throws -> Value where Provider.DecodingConfiguration == Value.DecodingConfiguration {
    try decode(type, forKey: key, configuration: provider.decodingConfiguration)
  }

  /// Decodes the value under `key` with `configuration`; `nil` for a missing key and for an archived nil.
  public func decodeIfPresent<Value: DecodableWithConfiguration>(
    _ type: Value.Type,
    forKey key: String,
    configuration: Value.DecodingConfiguration
  ) throws -> Value? {
    try valueDecoder.session.withConfiguration(type, configuration) {
      try decodeIfPresent(DecodedWithConfiguration<Value>.self, forKey: key)?.value
    }
  }

  /// Decodes the value under `key` with the configuration of `provider`; `nil` for a missing key and for an archived
  /// nil.
  public func decodeIfPresent<Value: DecodableWithConfiguration, Provider: DecodingConfigurationProviding>(
    _ type: Value.Type,
    forKey key: String,
    configuration provider: Provider.Type
  ) throws -> Value? where Provider.DecodingConfiguration == Value.DecodingConfiguration {
    try decodeIfPresent(type, forKey: key, configuration: provider.decodingConfiguration)
  }
}

extension DecodingSession {
  /// Calls `decode`, in which a `DecodedWithConfiguration` gets a `type` that is made with `configuration`.
  fileprivate func withConfiguration<Value: DecodableWithConfiguration, Result>(
    _ type: Value.Type,
    _ configuration: Value.DecodingConfiguration,
    _ decode: () throws -> Result
  ) throws -> Result {
    let outer = settings.makeConfigured
    settings.makeConfigured = { try type.init(from: $0, configuration: configuration) }
    defer { settings.makeConfigured = outer }
    return try decode()
  }
}

extension ArchiveEncoder {
  /// Returns the archive of `value`, encoded with `configuration`, and all that it reaches.
  public func encode<Value: EncodableWithConfiguration>(
    _ value: Value,
    configuration: Value.EncodingConfiguration
  ) throws -> Data {
    try encode(EncodedWithConfiguration(value: value, configuration: configuration))
  }

  /// Returns the archive of `value`, encoded with the configuration of `provider`, and all that it reaches.
  public func encode<Value: EncodableWithConfiguration, Provider: EncodingConfigurationProviding>(
    _ value: Value,
    configuration provider: Provider.Type
  ) throws -> Data where Provider.EncodingConfiguration == Value.EncodingConfiguration {
    try encode(value, configuration: provider.encodingConfiguration)
  }
}

extension ArchiveDecoder {
  /// Decodes the root object of the archive in `data` with `configuration`.
  public func decode<Value: DecodableWithConfiguration>(
    _ type: Value.Type,
    from data: Data,
    configuration: Value.DecodingConfiguration
  ) throws -> Value {
    try withSession(data) { session in
      try session.withConfiguration(type, configuration) {
        try session.decodeRoot(DecodedWithConfiguration<Value>.self).value
      }
    }
  }

  /// Decodes the root object of the archive in `data` with the configuration of `provider`.
  public func decode<Value: DecodableWithConfiguration, Provider: DecodingConfigurationProviding>(
    _ type: Value.Type,
    from data: Data,
    configuration provider: Provider.Type
  ) throws -> Value where Provider.DecodingConfiguration == Value.DecodingConfiguration {
    try decode(type, from: data, configuration: provider.decodingConfiguration)
  }
}

private struct EncodedWithConfiguration<Value: EncodableWithConfiguration>: Encodable {
  let value: Value
  let configuration: Value.EncodingConfiguration

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder, configuration: configuration) }
}

/// A value that the session makes, with its configuration.
private struct DecodedWithConfiguration<Value: DecodableWithConfiguration>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? ValueDecoder,
      let value = try decoder.session.settings.makeConfigured?(decoder) as? Value
    else {
      throw ArchiveError.misuse("\(Value.self) is decoded with a configuration")
    }
    self.value = value
  }
}
