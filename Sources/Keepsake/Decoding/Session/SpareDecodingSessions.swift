#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sessions of small archives that are no longer in use, like ``SpareEncodingSessions`` in the other direction.
///
/// What a session knows about types refers to the numbers of keys, shapes and classes, which remain the same in all
/// archives that it reads (``ArchiveTables``).
enum SpareDecodingSessions {
  private static let spares = SpareCoders<DecodingSession>()

  /// A session for one archive, used again or new.
  // Not inlined, since the functions that take a session are generic: each of them would have a copy.
  @inline(never)
  static func open(
    _ data: Data,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    userInfo: [CodingUserInfoKey: Any]
  ) throws(ArchiveError) -> DecodingSession {
    if data.count <= limits.maximumByteCount,
      let session = ByteReader.reading(data, { reopen($0, verification, limits, userInfo) })
    {
      return session
    }
    let image = try ArchiveImage(data: data, verification: verification, limits: limits)
    return try DecodingSession(image, userInfo: userInfo, limits: limits, hidesRootKey: true)
  }

  /// A spare session for an archive of the short form. It reads a copy, in memory that it already has. Returns `nil` also
  /// if anything is wrong with the archive; opening it again then finds the error.
  private static func reopen(
    _ archive: ByteReader,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    _ userInfo: [CodingUserInfoKey: Any]
  ) -> DecodingSession? {
    guard let flags = try? Header.flags(archive), flags.contains(.short),
      archive.count <= DecodingSession.mostKeptBytes,
      let directory = try? ShortForm.directory(archive, flags),
      ArchiveTables.canBeShared(directory), let session = spares.take()
    else { return nil }
    do throws(ArchiveError) {
      try session.reopen { (image) throws(ArchiveError) in
        try image.reopen(archive, flags, directory, verification, limits)
      }
      if verification == .everything { try session.image.checkBodies() }
      try session.begin(userInfo: userInfo, limits: limits)
      return session
    } catch {
      giveBack(session)
      return nil
    }
  }

  /// Takes back a session that has read its archive, unless somebody still holds a decoder or container of it.
  static func giveBack(_ session: consuming DecodingSession) { spares.giveBack(session) }
}

extension DecodingSession: ReusableCoder {
  var waitingContainerCount: Int { types.kept.idleCount }
  func forgetArchiveInSpares() -> Int? { types.kept.forgetArchive() }

  /// For larger archives, what a session knows is not worth the memory it takes.
  static let mostKeptBytes = 1 << 16
  private static let mostKeptFrames = 1 << 6
  private static let mostKeysReadLast = 1 << 8

  /// Whether the archive has the short form, and the session has the usual settings and has not become too large.
  var canBeReused: Bool {
    image.source == nil && image.directory.isShort && reader.count <= DecodingSession.mostKeptBytes
      && image.tables.canBeShared && nesting.frames.count <= DecodingSession.mostKeptFrames
      && settings.observer == nil && checks.failure == nil && graph.waitingNumbers.isEmpty
      && later.readLast.keyCount <= DecodingSession.mostKeysReadLast
  }
}
