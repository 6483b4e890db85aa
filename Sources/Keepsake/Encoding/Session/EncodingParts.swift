// The parts of an encoding session. The files that extend the session for the subject of a part change that part.
// Nobody can copy a part (`~Copyable`), so its state has one owner.

/// How an archive is written, and for whom.
struct EncodingSettings {
  var sortsKeys = false
  var userInfo: [CodingUserInfoKey: Any]
  /// Whether coding paths begin below the root key, as those of other top-level encoders do.
  let hidesRootKey: Bool
  /// The limits of the readers that the archive is for.
  let limits = ArchiveLimits()
  /// The names that the program gave to types for this archive.
  var ownClassNames: [ObjectIdentifier: String] = [:]
  /// Whether this process reads the archive with the classes at hand (deep copy), not by their names.
  var classesAreKnown = false
  /// Whether a value of the type can be read from an archive that was made to find that out.
  var rehearse: ((any Decodable.Type, EncodingSession) -> Bool)?
  /// How many bodies are written, in an archive made only to answer a question: how elements of a set compare, or
  /// whether a cycle can be read. Such an archive is not itself checked for being readable.
  var bodyLimit: Int?
  /// The keys that are read last in the archive about which this one answers a question.
  var typesReadingLast: [ObjectIdentifier: [String]] = [:]

  mutating func forgetArchive() {
    if !userInfo.isEmpty { userInfo = [:] }
    if !typesReadingLast.isEmpty { typesReadingLast = [:] }
  }
}

/// How deep values are nested.
struct EncodingNesting {
  /// How many levels may pass before the depth of a body is recorded again.
  static let depthStep = 8

  var depth = 0
  /// The value of ``depth`` when the body, or the deferred value in it that is being written, was begun.
  var base = 0
  /// The depth at which the levels are checked next.
  var depthToLookAt = EncodingNesting.depthStep
  /// How many deferred values enclose the one being written.
  var deferralDepth = 0
  private(set) var lastFrameID: FrameID = 0

  @inline(__always)
  mutating func makeFrameID() -> FrameID {
    lastFrameID &+= 1
    return lastFrameID
  }
}

/// The tables of the archive (Format §5).
struct EncodedTables: ~Copyable {
  var keys = KeyRegistry()
  var shapes = ShapeTrie()
  var strings = StringSharing()
  let knowsSmallTexts = SmallText.isKnown
  var classes = ClassRegistry()
  /// Present once a reference is conditional.
  var conditionals: ConditionalRegistry?
  /// The keys of open maps that containers write, to detect a key that is written twice.
  var mapKeys: [FrameID: OpenMap] = [:]

  struct OpenMap {
    /// Where the latest value of each key begins, with its key, from the start of the frame.
    private(set) var offsets = [ExactString: Int](minimumCapacity: 12)
    /// How many values of the map were replaced by later ones, but are still in the buffer.
    private(set) var replacedCount = 0

    /// Notes that a value of `key` begins at `offset`.
    ///
    /// - Returns: whether the map already has one, which counts until ``replace(_:with:)``.
    mutating func begin(_ key: ExactString, at offset: Int) -> Bool {
      guard let present = offsets.updateValue(offset, forKey: key) else { return false }
      offsets[key] = present
      return true
    }

    mutating func replace(_ key: ExactString, with offset: Int) {
      offsets[key] = offset
      replacedCount += 1
    }

    mutating func forget(_ key: ExactString) { offsets[key] = nil }
  }

  /// Forgets the archive, but keeps the numbers of keys and the nodes of shapes.
  mutating func forgetArchive() {
    shapes.truncate(to: 0)
    strings.removeAll()
    if !classes.entries.isEmpty { classes.removeAll() }
    if conditionals != nil { conditionals = nil }
    if !mapKeys.isEmpty { mapKeys = [:] }
  }
}

/// The objects of the archive, and their bodies.
struct EncodedBodies: ~Copyable {
  var objects = ObjectRegistry()
  /// The plans for the objects whose bodies are still to be written.
  var pending = PendingObjects()
  var graph = ReferenceGraph()
  var assembly = ArchiveAssembly()
  /// Whether a body is being written that others may refer to, so that its references count for cycles.
  var isInProgress = false
  /// The bytes of the archive, while the session's buffer has those of a detached container of a body.
  var waitingBytes: ByteBuffer?
  /// The class of the object whose body is being written if it has weak properties; -1 otherwise.
  var classWithWeakProperties = -1
  /// For each top-level value so far, the first number that was free and the path of the value.
  var topLevelPaths: [(firstNumber: Int, path: [any CodingKey])] = []
  var paths = PathCosts()
  /// How many bytes were archived to find out whether values with cycles can be read.
  var rehearsedByteCount = 0
  /// What weak references have led to since lazy values were read for the archive, which may not have it yet.
  var awaited: [AnyObject] = []
  /// The sessions that have read these values.
  var followed: [ObjectIdentifier: Followed] = [:]

  /// A session that has read lazy values for the archive.
  final class Followed {
    let session: AnyObject
    /// How many of its weak references were followed.
    var count = 0
    /// The offsets of the lazy values.
    var offsets: Set<Int> = []

    init(_ session: AnyObject) { self.session = session }
  }

  /// The numbers in the file to which a save is added.
  var saved: SavedNumbers? { didSet { isAdded = saved != nil } }
  private(set) var isAdded = false

  mutating func forgetArchive() {
    objects.truncate(to: 0)
    pending.removeAll()
    graph.removeAll()
    assembly.startOver()
    classWithWeakProperties = -1
    topLevelPaths.removeAll(keepingCapacity: true)
    (paths, rehearsedByteCount) = (PathCosts(), 0)
    if !awaited.isEmpty { awaited = [] }
    if !followed.isEmpty { followed = [:] }
  }
}

/// Cached facts about the types that were encoded. They outlive the archive.
struct EncodedTypes: ~Copyable {
  var plans = EncodingPlanCache()
  var classProperties = ClassProperties()
  var keyTables = TypeCache<EncodingKeyTable>()
  /// The types of the keys, by the numbers of the tables.
  var keyTypes = NumberedCache<any CodingKey.Type>()
  /// What the class table says of classes, for later archives.
  var classFacts = KnownClassFacts()
  /// For each key table, and each type whose fields are written, the length of the last record's head, which is
  /// reserved for the head of the next. The first length is that of unkeyed containers.
  let headByteCounts: OwnedArray<UInt8> = {
    let counts = OwnedArray<UInt8>()
    counts.append(1)
    return counts
  }()
  /// The keyed containers kept for reuse.
  var kept = KeptContainers<EncodingKeyTable>()
  /// A nested container that has ended, kept for reuse.
  var spareNested: NestedContainer?

  /// Adds the length of a head, `byteCount` at first, and returns its index.
  func addHead(byteCount: UInt8) -> UInt32 {
    headByteCounts.append(byteCount)
    return UInt32(truncatingIfNeeded: headByteCounts.count - 1)
  }
}

/// The observer, and the objects that it replaced.
struct EncodingObservation: ~Copyable {
  var observer: EncodingObserver?
  /// What the observer returned for each object. Both are retained, so that no other object gets their addresses.
  var replacements: [ObjectIdentifier: (original: AnyObject, object: AnyObject?)] = [:]
  /// The lowest class that conditional references declare for each object that may be replaced. The object is retained.
  var declarations: [ObjectIdentifier: (object: AnyObject, declared: AnyClass)] = [:]
}

/// What is asked about the order of the elements of sets.
struct ContentQuestions: ~Copyable {
  /// How many sets enclose the value whose content this session compares; 0 in the session of an archive.
  var depth = 0
  /// The sets in the value whose content is asked for: the part of each once it is complete, the first part that it
  /// added, and when it began.
  var sets: [(part: Int?, first: Int, time: FrameID)] = []
  /// The content of that value.
  var answer: ContentOrder.Part?
  /// The order of the elements of sets, once one was requested.
  var order: ContentOrder?
}

/// Whether the archive is finished, closed or has failed.
struct EncodingOutcome: ~Copyable {
  var isFinished = false
  /// Whether nothing may be written now: the archive is finished, or the program is being asked something
  /// (``EncodingSession/whileClosed(_:)``).
  var isClosed = false
  /// Why the archive cannot be completed.
  var failure: (any Error)?
  /// The writes out of turn that may matter if a value throws: their times, as the last frame identifiers, and the
  /// containers; and why one that did prevents further writing.
  var lateWrites: [(time: FrameID, frame: FrameID)] = []
  // Not an EncodingError, whose size is known only at run time: that would slow access to the flags above.
  var lateWriteFailure: (any Error)?
}
