#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import Synchronization

/// Sessions of small archives that are done with, as ``SpareEncodingSessions`` for the other direction.
///
/// What a session knows of types goes by the numbers of the keys, shapes and classes in its archive. So it is used again
/// for archives whose tables are the same, byte for byte, as those of messages of one kind are.
enum SpareDecodingSessions {
  /// So many kinds of archives can be read in turns, or in parallel, without making new sessions each time.
  private static let mostSpares = 16
  private static let spares = Mutex<[SpareCoder<DecodingSession>]>([])

  /// A session for one archive: one that is used again, or a new one.
  static func open(
    _ data: Data,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    userInfo: [CodingUserInfoKey: Any]
  ) throws(ArchiveError) -> DecodingSession {
    var spare: DecodingSession?
    do throws(ArchiveError) {
      let image = try ArchiveImage(
        data: data,
        verification: verification,
        limits: limits,
        findTables: { bytes in
          spare = take(bytes)
          return spare?.image.tables
        }
      )
      guard let spare, spare.image.tables === image.tables else {
        spare?.dropSpares()
        return try DecodingSession(image, userInfo: userInfo, limits: limits, hidesRootKey: true)
      }
      try spare.begin(image, userInfo: userInfo, limits: limits)
      return spare
    } catch {
      spare?.dropSpares()
      throw error
    }
  }

  /// The session of the archive whose tables had these bytes, if there is one. The newest ones are looked at first.
  private static func take(_ bytes: RawSpan) -> DecodingSession? {
    let hash = KeyHash.unseeded.of(bytes)
    return spares.withLock { spares in
      guard let index = spares.lastIndex(where: { $0.coder.image.tables.areRead(from: bytes, hash) }) else {
        return nil
      }
      return spares.remove(at: index).take()
    }
  }

  /// Takes back a session that has read its archive, unless somebody has kept a decoder or a container of it.
  static func giveBack(_ session: consuming DecodingSession) {
    guard let spare = SpareCoder(session) else { return }
    let oldest = spares.withLock { spares in
      spares.append(spare)
      return spares.count > mostSpares ? spares.removeFirst() : nil
    }
    oldest?.drop()
  }
}

extension DecodingSession: ReusableCoder {
  /// Of larger archives, or of those with more objects, what was found out is worth less than the memory that it takes.
  private static let mostKeptBytes = 1 << 16
  private static let mostKeptObjects = 1 << 9
  private static let mostKeptFrames = 1 << 6

  /// Whether its settings are those that others have, and it has not become too large.
  var canBeReused: Bool {
    image.source == nil && image.saved == nil && reader.count <= DecodingSession.mostKeptBytes
      && image.directory.bodyCount <= DecodingSession.mostKeptObjects && image.tables.canBeShared
      && nesting.frames.count <= DecodingSession.mostKeptFrames && settings.observer == nil
      && settings.classPolicy == .byName
      && checks.failure.error == nil && graph.waiting.isEmpty
  }
}
