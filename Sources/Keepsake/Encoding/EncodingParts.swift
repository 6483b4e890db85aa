// The parts of an encoding session. Each is changed by the files that extend the session for its subject.

/// What an archive is to be like, and who asks for it.
struct EncodingSettings {
  var sortsKeys: Bool
  var userInfo: [CodingUserInfoKey: Any]
  /// Whether coding paths begin below the root key, as those of other top-level encoders do.
  let hidesRootKey: Bool
  /// The limits of the readers that the archive is for.
  let limits = ArchiveLimits()
  /// The names that the program gave to types for this archive.
  var ownClassNames: [ObjectIdentifier: String] = [:]
  /// Whether the archive is read by this process with the classes at hand (deep copy), not by their names.
  var classesAreKnown = false
  /// Whether a value of the type can be read from an archive that was made for this question.
  var rehearse: ((any Decodable.Type, EncodingSession) -> Bool)?
  /// How many bodies are written, in an archive that is only made to ask something of it: how elements of a set
  /// compare, whether a cycle can be read. Whether it can be read is not asked of that one again.
  var bodyLimit: Int?
  /// The keys that are read last in the archive that this one is to answer a question about.
  var typesReadingLast: [ObjectIdentifier: [String]] = [:]

  init(sortsKeys: Bool, userInfo: [CodingUserInfoKey: Any], hidesRootKey: Bool) {
    self.sortsKeys = sortsKeys
    self.userInfo = userInfo
    self.hidesRootKey = hidesRootKey
  }

  mutating func forgetArchive() {
    if !userInfo.isEmpty { userInfo = [:] }
    if !typesReadingLast.isEmpty { typesReadingLast = [:] }
  }
}

/// How deep values are nested.
struct EncodingNesting {
  /// So many levels may go by before it is noted again how deep a body is.
  static let depthStep = 8

  var depth = 0
  /// What ``depth`` was when the body, or the deferred value in it that is being written, was begun.
  var base = 0
  /// At which depth the levels are counted next.
  var depthToLookAt = EncodingNesting.depthStep
  /// In how many deferred values the one being written is.
  var deferralDepth = 0
  private(set) var lastFrameID: FrameID = 0

  @inline(__always)
  mutating func makeFrameID() -> FrameID {
    lastFrameID &+= 1
    return lastFrameID
  }
}

/// The tables of the archive (Format §5).
struct EncodedTables: WrittenTables {
  var keys = KeyRegistry()
  var shapes = ShapeTrie()
  var strings = StringSharing()
  let knowsSmallTexts = SmallText.isKnown
  var classes = ClassRegistry()
  /// As soon as a reference is conditional.
  var conditionals: ConditionalRegistry?
  /// The keys of the open maps that containers write, to find one that is written twice.
  var mapKeys: [FrameID: Set<ExactString>] = [:]
  var classEntries: [ClassEntry] { classes.entries }

  /// Keeps the numbers of keys, and the nodes of shapes.
  mutating func forgetArchive() {
    shapes.truncate(to: 0)
    strings.removeAll()
    if !classes.entries.isEmpty { classes = ClassRegistry() }
    if conditionals != nil { conditionals = nil }
    if !mapKeys.isEmpty { mapKeys = [:] }
  }
}

/// The objects of the archive, and their bodies.
struct EncodedBodies {
  var objects = ObjectRegistry()
  /// The plans by which the objects are encoded whose bodies are still to be written.
  var pending = PendingObjects()
  var graph = ReferenceGraph()
  var assembly = ArchiveAssembly()
  /// Whether a body is being written that others may refer to, so that its references count for cycles.
  var isInProgress = false
  /// The class of the object whose body is being written if it has weak properties; -1 otherwise.
  var classWithWeakProperties = -1
  /// The top-level values so far: the first number that was free then, and the way to the value.
  var topLevelPaths: [(firstNumber: Int, path: [any CodingKey])] = []
  var paths = PathCosts()
  /// How many bytes were archived to see whether a value with a cycle can be read.
  var rehearsedByteCount = 0
  /// What weak references have led to since lazy values were read for the archive, which may not be there yet.
  var awaited: [AnyObject] = []
  /// The numbers that the file has to which a save is added.
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
  }
}

/// What is known of the types that were encoded. It outlives the archive.
struct EncodedTypes {
  var plans = EncodingPlanCache()
  var classProperties = ClassProperties()
  var keyTables = TypeCache<EncodingKeyTable>()
  /// For each key table, and each type whose fields are written, how long the head of the last record was, which is kept
  /// free for that of the next one; the first number is that of unkeyed containers.
  let headByteCounts: OwnedArray<UInt8> = {
    let counts = OwnedArray<UInt8>()
    counts.append(1)
    return counts
  }()
  /// The keyed containers that are kept to be used again.
  var kept = KeptContainers<EncodingKeyTable>()

  /// The number under which is noted how long heads are; `byteCount` of the first.
  func addHead(byteCount: UInt8) -> UInt32 {
    headByteCounts.append(byteCount)
    return UInt32(truncatingIfNeeded: headByteCounts.count - 1)
  }
}

/// Replaces objects, and what it replaced them by.
struct EncodingObservation {
  var observer: (any EncodingObserver)?
  var replacements: [ObjectIdentifier: Replacement] = [:]
}

/// What is asked about the order of the elements of sets.
struct ContentQuestions {
  /// How many sets the value is in whose content this session compares; 0 in the session of an archive.
  var depth = 0
  var question = ContentQuestion()
  /// The order of the elements of sets, once one was requested.
  var order: ContentOrder?
}

/// What has become of the archive.
struct EncodingOutcome {
  var isFinished = false
  /// Whether nothing may be written now: the archive is finished, or somebody is being asked
  /// (``EncodingSession/whileClosed(_:)``).
  var isClosed = false
  /// Why the archive cannot be completed.
  var failure: (any Error)?
  /// The writes out of turn that may matter when a value throws, and why nothing can be written since one did.
  var lateWrites: [EncodingSession.LateWrite] = []
  // As EncodingError, whose size only the program that runs knows, it would make looking at the flags above slower.
  var lateWriteFailure: (any Error)?
}
