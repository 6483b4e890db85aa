/// Sessions of small archives that are complete. A program that archives many small values uses them again, with what
/// they know about types: learning that takes ten times as long as writing a small value.
enum SpareEncodingSessions {
  private static let spares = SpareCoders<EncodingSession>()

  /// A session for one archive: a used one or a new one.
  static func take(userInfo: [CodingUserInfoKey: Any]) -> EncodingSession {
    guard let session = spares.take() else {
      return EncodingSession(userInfo: userInfo, hidesRootKey: true)
    }
    session.begin(userInfo: userInfo)
    return session
  }

  /// Takes back a session whose archive is complete, unless one of its encoders or containers is still held.
  static func giveBack(_ session: consuming EncodingSession) { spares.giveBack(session) }
}

extension EncodingSession: ReusableCoder {
  var waitingContainerCount: Int { types.kept.idleCount }
  func forgetArchiveInSpares() -> Int? { types.kept.forgetArchive() }

  /// A session with a larger buffer is not used again, so that its memory is given back.
  private static let mostKeptBytes = 1 << 16
  /// With more objects, keys or nodes of shapes, forgetting them takes longer than making a new session.
  private static let mostKeptEntries = 1 << 10

  /// Whether the archive is complete, and the session has no special settings and has not become too large.
  var canBeReused: Bool {
    outcome.isFinished && outcome.failure == nil && outcome.lateWriteFailure == nil && !replacesObjects
      && observation.declarations.isEmpty
      && settings.bodyLimit == nil
      && ordering.order == nil && ordering.depth == 0 && settings.ownClassNames.isEmpty
      && !settings.classesAreKnown
      && buffer.capacity <= EncodingSession.mostKeptBytes
      && bodies.assembly.buffer.capacity <= EncodingSession.mostKeptBytes
      && bodies.objects.count <= EncodingSession.mostKeptEntries
      && tables.keys.names.count <= EncodingSession.mostKeptEntries
      && tables.shapes.nodeCount <= EncodingSession.mostKeptEntries
  }
}
