/// Sessions of small archives that are done with. A program that archives many small values uses each again, with what it
/// has found out about their types: to find that out takes ten times as long as to write a small value.
enum SpareEncodingSessions {
  private static let spares = SpareCoders<EncodingSession>()

  /// A session for one archive: one that is used again, or a new one.
  static func take(sortsKeys: Bool, userInfo: [CodingUserInfoKey: Any]) -> EncodingSession {
    guard let session = spares.take() else {
      return EncodingSession(sortsKeys: sortsKeys, userInfo: userInfo, hidesRootKey: true)
    }
    session.begin(sortsKeys: sortsKeys, userInfo: userInfo)
    return session
  }

  /// Takes back a session whose archive is complete, unless an encoder or a container of it is still held.
  static func giveBack(_ session: consuming EncodingSession) { spares.giveBack(session) }
}

extension EncodingSession: ReusableCoder {
  var waitingContainerCount: Int {
    get { types.kept.waitingCount }
    set { types.kept.waitingCount = newValue }
  }

  func forgetArchiveInSpares() -> Int? { types.kept.forgetArchive() }

  /// More memory than this is given back when an archive is complete.
  private static let mostKeptBytes = 1 << 16
  /// With more objects, keys or strings than this, to forget them takes longer than to make a new session.
  private static let mostKeptEntries = 1 << 10

  /// Whether it is complete, has no settings that others would not have, and has not become too large.
  var canBeReused: Bool {
    outcome.isFinished && outcome.failure == nil && outcome.lateWriteFailure == nil && !replacesObjects
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
