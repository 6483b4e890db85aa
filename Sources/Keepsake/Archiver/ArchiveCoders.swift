#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Combine)
  public import Combine
#endif

/// A drop-in replacement for `JSONEncoder`: the same call returns an archive.
///
/// ```swift
/// let data = try ArchiveEncoder().encode(library)
/// ```
///
/// The archive is the one of ``KeyedArchiver/archivedData(withRootObject:outputFormatting:userInfo:)``, so either
/// reader opens it.
public struct ArchiveEncoder: Sendable {
  /// How the archive is written.
  public var outputFormatting: ArchiveFormatting = []
  /// The user info of the encoders that the values get.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder with the default settings.
  public init() {}

  /// Returns the archive of `value` and all that it reaches.
  ///
  /// - Throws: `EncodingError`, and errors of an `encode(to:)`.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    try KeyedArchiver.archivedData(
      withRootObject: value,
      outputFormatting: outputFormatting,
      // Usually empty, which needs no conversion to another type of dictionary.
      userInfo: userInfo.isEmpty ? [:] : userInfo as [CodingUserInfoKey: Any]
    )
  }
}

/// A drop-in replacement for `JSONDecoder`: the same call reads an archive.
///
/// ```swift
/// let library = try ArchiveDecoder().decode(Library.self, from: data)
/// ```
public struct ArchiveDecoder: Sendable {
  /// Which parts of the archive the decoder compares with their checksums.
  public var verification = ArchiveVerification.everything
  /// Limits on what an archive may demand.
  public var limits = ArchiveLimits()
  /// Whether the decoder also reads files that NSKeyedArchiver wrote, if ``limits`` allow that as well. False by
  /// default, since a decoder that replaces a `JSONDecoder` often reads archives from strangers, in one format.
  public var readsNSKeyedArchives = false
  /// Which classes an archive may name.
  public var classPolicy = ArchiveClassPolicy.byName
  /// The user info of the decoders that the values get.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder with the default settings.
  public init() {}

  /// Decodes the root object of the archive in `data`.
  ///
  /// - Throws: `DecodingError`, whose underlying error, except for a missing key, is an ``ArchiveError``; and errors of
  ///   an `init(from:)`.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try withSession(data) { try $0.decodeRoot(type) }
  }

  @inline(__always)
  func withSession<Value>(_ data: Data, _ decode: (DecodingSession) throws -> Value) throws -> Value {
    var limits = limits
    limits.readsNSKeyedArchives = limits.readsNSKeyedArchives && readsNSKeyedArchives
    let userInfo = userInfo.isEmpty ? [:] : userInfo as [CodingUserInfoKey: Any]
    return try KeyedUnarchiver.withSession(data, verification, limits, classPolicy, userInfo, decode)
  }
}

#if canImport(Combine)
  extension ArchiveEncoder: TopLevelEncoder {}
  extension ArchiveDecoder: TopLevelDecoder {}
#endif
