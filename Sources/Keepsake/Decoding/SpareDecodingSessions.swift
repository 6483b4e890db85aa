#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sessions of small archives that are done with, as ``SpareEncodingSessions`` for the other direction.
///
/// What a session knows of types goes by the numbers of the keys, shapes and classes in its archive. So it is used again
/// for archives whose tables are the same, byte for byte, as those of messages of one kind are.
enum SpareDecodingSessions {
  private static let spares = SpareCoders<DecodingSession>()

  /// A session for one archive: one that is used again, or a new one.
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

  /// A session that was used before, for an archive of the short form whose tables it knows. It reads a copy, in memory that
  /// it has. `nil` also where anything is wrong with the archive, which is found once more then.
  private static func reopen(
    _ archive: ByteReader,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    _ userInfo: [CodingUserInfoKey: Any]
  ) -> DecodingSession? {
    guard let flags = try? Header.flags(archive), flags.contains(.short),
      archive.count <= DecodingSession.mostKeptBytes,
      let directory = try? ShortForm.directory(archive, flags),
      let session = try? archive.withBytes(ArchiveTables.range(in: directory), { take($0, directory) })
    else { return nil }
    do throws(ArchiveError) {
      try session.image.reopen(archive, flags, directory, verification, limits)
      if verification == .everything { try session.image.checkBodies() }
      try session.begin(userInfo: userInfo, limits: limits)
      return session
    } catch {
      giveBack(session)
      return nil
    }
  }

  /// The session of an archive whose tables had these bytes and those parts, if there is one.
  private static func take(_ bytes: RawSpan, _ directory: ArchiveDirectory) -> DecodingSession? {
    let hash = KeyHash.unseeded.of(bytes)
    return spares.take(hash) { $0.image.tables.all.areRead(from: bytes, hash, directory) }
  }

  /// Takes back a session that has read its archive, unless a decoder or a container of it is still held.
  static func giveBack(_ session: consuming DecodingSession) {
    let hash = session.image.tables.all.hash
    spares.giveBack(session, hash)
  }
}

extension DecodingSession: ReusableCoder {
  var waitingContainerCount: Int {
    get { types.kept.waitingCount }
    set { types.kept.waitingCount = newValue }
  }

  func forgetArchiveInSpares() -> Int? { types.kept.forgetArchive() }

  /// Of larger archives, what was found out is worth less than the memory that it takes.
  static let mostKeptBytes = 1 << 16
  private static let mostKeptFrames = 1 << 6

  /// Whether its archive has the short form, its settings are those that others have, and it has not become too large.
  var canBeReused: Bool {
    image.source == nil && image.directory.isShort && reader.count <= DecodingSession.mostKeptBytes
      && image.tables.all.canBeShared
      && nesting.frames.count <= DecodingSession.mostKeptFrames && settings.observer == nil
      && settings.classPolicy == .byName
      && checks.failure == nil && graph.waiting.isEmpty
  }
}
