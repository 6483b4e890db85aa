#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Files by URL, wherever a path is accepted. If a URL names no file on this computer, the error is an ArchiveError.

extension URL {
  /// The path, without percent-encoding; throws an error with `code` if the URL names no file on this computer.
  func filePath(_ code: ArchiveError.Code) throws(ArchiveError) -> String {
    let host = host(percentEncoded: false) ?? ""
    guard isFileURL, host.isEmpty || host == "localhost" else {
      throw ArchiveError(code, "this is not the URL of a file on this computer", path: absoluteString)
    }
    return absoluteURL.path(percentEncoded: false)
  }
}

extension KeyedArchiver {
  /// Writes the archive to the file at `url`, as ``write(toFile:)`` does.
  public func write(to url: URL) throws {
    try write(toFile: url.filePath(.unwritableFile))
  }

  /// Archives `rootObject` and all that it reaches to the file at `url`, as
  /// ``archive(rootObject:toFile:outputFormatting:userInfo:)`` does.
  ///
  /// ```swift
  /// try KeyedArchiver.archive(rootObject: library, to: libraryURL)
  /// ```
  public static func archive<Root: Encodable>(
    rootObject: Root,
    to url: URL,
    outputFormatting: ArchiveFormatting = [],
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws {
    try archive(
      rootObject: rootObject,
      toFile: url.filePath(.unwritableFile),
      outputFormatting: outputFormatting,
      userInfo: userInfo
    )
  }

  /// Replaces the file at `path` by `data`, as durably as ``write(toFile:)``: an archive from
  /// ``archivedData(withRootObject:outputFormatting:userInfo:)`` or ``encodedData``, or any other bytes.
  ///
  /// - Throws: ``ArchiveError`` with the path and the system's reason.
  public static func write(_ data: Data, toFile path: String) throws(ArchiveError) {
    let file = try DurableFile(replacing: path)
    try file.append(data.bytes)
    try file.commit()
  }

  /// Replaces the file at `url` by `data`, as ``write(_:toFile:)`` does.
  public static func write(_ data: Data, to url: URL) throws(ArchiveError) {
    try write(data, toFile: url.filePath(.unwritableFile))
  }
}

extension KeyedUnarchiver {
  /// Opens the archive in the file at `url`, as ``init(forReadingFile:verification:limits:)`` does.
  public convenience init(
    forReading url: URL,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws {
    try self.init(forReadingFile: url.filePath(.unreadableFile), verification: verification, limits: limits)
  }

  /// Decodes the root object of the archive in the file at `url`, as
  /// ``unarchive(_:fromFile:verification:limits:classPolicy:userInfo:)`` does.
  ///
  /// ```swift
  /// let library = try KeyedUnarchiver.unarchive(Library.self, from: libraryURL)
  /// ```
  public static func unarchive<Root: Decodable>(
    _ type: Root.Type,
    from url: URL,
    verification: ArchiveVerification = .everything,
    limits: ArchiveLimits = ArchiveLimits(),
    classPolicy: ArchiveClassPolicy = .byName,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Root {
    let data = try mapArchiveFile(url.filePath(.unreadableFile))
    return try withSession(data, verification, limits, classPolicy, userInfo) { try $0.decodeRoot(type) }
  }
}

extension ArchiveValue {
  /// Opens the archive in the file at `url`, as ``init(forReadingFile:verification:limits:)`` does.
  public init(
    forReading url: URL,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    try self.init(forReadingFile: url.filePath(.unreadableFile), verification: verification, limits: limits)
  }
}

extension ArchiveEditor {
  /// Opens the archive in the file at `url`, as ``init(forReadingFile:limits:)`` does.
  public init(forReading url: URL, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
    try self.init(forReadingFile: url.filePath(.unreadableFile), limits: limits)
  }

  /// Replaces the file at `url` by the archive with the changes, as ``write(toFile:)`` does.
  public func write(to url: URL) throws(ArchiveError) {
    try write(toFile: url.filePath(.unwritableFile))
  }
}

extension ArchiveError: LocalizedError {
  /// The path, the message and the byte offset on one line, as in `localizedDescription`.
  public var errorDescription: String? { explanation }
}
