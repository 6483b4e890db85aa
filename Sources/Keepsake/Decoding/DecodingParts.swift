// The parts of a decoding session. Each is changed by the files that extend the session for its subject.

/// What the caller allows and knows.
struct DecodingSettings {
  var userInfo: [CodingUserInfoKey: Any]
  var limits: ArchiveLimits
  /// Whether coding paths begin below the root key, as those of other top-level encoders do.
  var hidesRootKey: Bool
  /// The types in the class table by number, where the archive was made in this process just now (deep copy).
  let knownClasses: [Any.Type]?
  /// Which types an archive may name.
  var classPolicy = ArchiveClassPolicy.byName
  /// What stands for types that are not found.
  var placeholders: [any ArchivePlaceholder.Type] = []
  /// The types that the program gave for names in this archive.
  var ownClasses: [String: Any.Type] = [:]
  /// Replaces objects, and knows classes that are not found otherwise.
  var observer: (any DecodingObserver)?
  /// Whether the values are decoded only to see whether they can be: nothing closes cycles, nothing awakes.
  var isRehearsal = false
  /// How the value is made that is being decoded with a configuration.
  var makeConfigured: ((ValueDecoder) throws -> Any)?
}

/// Which values are being decoded, in each other.
struct DecodingNesting {
  /// The frames of the values that are being decoded, by depth.
  var frames: [DecodingFrame] = [DecodingFrame()]
  /// The value that was read last: where it begins, how many of the values in it were not read, and where these are.
  var latest = (offset: -1, rest: 0, cursor: -1)
  /// How deep the object is whose values are being decoded.
  var base = 0
  /// The value that is being decoded by itself, and its path, once that was requested.
  var detached: (offset: Int, way: DecodingWay?) = (-1, nil)
  /// From how many levels on, in one object, it is looked at how deep values are nested.
  var usualValueDepth: Int

  init(_ limits: ArchiveLimits) {
    usualValueDepth = DecodingNesting.usualValueDepth(limits)
  }

  static func usualValueDepth(_ limits: ArchiveLimits) -> Int {
    min(limits.maximumValueDepth, ArchiveLimits.usualValueDepth)
  }

  /// Notes that the value at `offset`, which ends at `end`, was read.
  @inline(__always)
  mutating func complete(_ offset: Int, _ end: Int) { latest = (offset, 0, end) }

  mutating func forgetArchive() {
    // A value of the next archive may begin where one of this did, at the same depth.
    for depth in frames.indices { frames[depth] = DecodingFrame() }
    latest = (-1, 0, -1)
    (base, detached) = (0, (-1, nil))
  }
}

/// Where keys and the values of the top level are.
struct KeyLookups {
  /// Where the value of the top-level container begins.
  var topLevelOffset: Int
  /// The numbers of the keys in the archive, once one was requested.
  var keyNumbers: [ExactString: Int]?
  /// By which hashes keys are found in any order.
  let keyHash = KeyHash()
  /// The slots of the keys of those large shapes in which some were looked for, by where each begins in the shape
  /// table.
  var shapeSlots = NumberedCache<SlotTable>()
  /// The keys of any shapes that were looked for last.
  var recentSlots: [RecentSlot] = []
  /// Where the values of the top level are, once one was requested out of order.
  var topLevelIndex: KeyIndex?
  /// Where the bodies end that values of the top level are in, by the slots of these.
  var topLevelEnds = NumberedCache<Int>()
  /// What was found out about values that were passed over.
  var skipped = SkippedValues()

  /// The number of the key of that name, or -1 when no record has it.
  mutating func number(of name: String, in image: ArchiveImage) -> Int {
    if keyNumbers == nil {
      keyNumbers = Dictionary(
        image.keys.enumerated().map { (ExactString(string: $0.element), $0.offset) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    return keyNumbers?[ExactString(string: name)] ?? -1
  }

  mutating func forgetArchive() {
    if topLevelIndex != nil { topLevelIndex = nil }
    topLevelEnds.removeAll()
    if skipped.byteCount > 0 { skipped = SkippedValues() }
  }
}

/// Which slot a key has in the shape that begins at `first` in the shape table; `nil` if it has none.
struct RecentSlot {
  static let mostKept = 256

  var first = -1
  var key = -1
  var slot: Int?
}

/// What is known of the types that were decoded.
struct DecodedTypes {
  var plans = DecodingPlanCache()
  /// Those that were in use when they were to be forgotten.
  var earlierPlans: [DecodingPlanCache] = []
  var keyTables = TypeCache<DecodingKeyTable>()
  /// What the process-wide names of types were when the plans were made.
  var namesGeneration = -1
  /// The keyed containers that are kept to be used again.
  var kept = KeptContainers<DecodingKeyTable>()
}

/// The objects that were decoded, and the references to them.
struct DecodedGraph {
  var objects: ObjectStore
  /// The objects and typed values whose initializers are running, innermost last.
  var inProgress: [TypedValueInProgress] = []
  /// The value of the innermost object, up to the end of its body, if that was not walked yet; otherwise empty.
  var unwalked = 0..<0
  /// Whether an object was there before its initializer returned, since the outermost value was begun.
  var haveEarly = false
  /// The objects that were decoded since the outermost value was begun.
  var decodedNumbers: [UInt32] = []
  /// The conditional references that were met since the outermost value was begun.
  var conditional: [WaitingReference] = []
  /// The conditional references whose objects were not requested yet, by the numbers of these.
  var waiting: [Int: [WaitingReference]] = [:]
}

/// What is done when the outermost value has been read.
struct DecodedLater {
  /// Whether a value is being decoded, so that what is requested now is inside of it.
  var isActive = false
  /// What is to be decoded when everything else has been.
  var deferred = DeferredQueue()
  var earlyUses = EarlyUses()
  var readLast: PropertiesReadLast
  /// The objects that are to be told when the graph is complete.
  var awakening: [any ArchiveAwakening] = []
  /// Which objects those are, where an observer may give one several times.
  var awakened: Set<ObjectIdentifier> = []
  /// The deferred values of a rehearsal, which are released at its end: nothing else would break their cycles.
  var rehearsed: [AnyDeferredValue] = []

  mutating func forgetArchive() {
    // Whoever kept a deferred value may still use it.
    if !isKnownUniquelyReferenced(&earlyUses) { earlyUses = EarlyUses() }
  }
}

/// The objects and lazy values that a session has read since they were listed last, with their numbers. They are kept here,
/// since the session does not keep them and may itself be gone.
final class NewObjects {
  var list: [(number: Int, object: AnyObject)] = []
}

/// The lazy values of an archive.
struct LazyValues {
  /// Whether the archive has any with a body.
  var areArchived = false
  /// Those that are held, by the numbers of their bodies.
  var contents: [Int: WeakLazyContent] = [:]
  /// Those that have no body, since their properties were not lazy when they were archived.
  private(set) var inline: [WeakLazyContent] = []
  var faults = LazyFaults()
  /// Collects what is read, for a document.
  weak var newObjects: NewObjects?
  /// How many could not be read when all were tried because objects refer back to others.
  var unreadableCount = 0
  /// What was read because weak references waited for it.
  var awaited: [(number: Int, object: WeakObject, references: [WaitingReference])] = []

  mutating func forgetArchive() {
    if !contents.isEmpty { (contents, unreadableCount, awaited) = ([:], 0, []) }
    if !inline.isEmpty { (inline, awaited) = ([], []) }
  }

  /// Adds one that has no body, and drops those that nobody holds any more before the array grows.
  mutating func add(inline content: WeakLazyContent) {
    if inline.count == inline.capacity {
      inline.removeAll { $0.content == nil }
      if inline.count > inline.capacity / 2 { inline.reserveCapacity(2 * inline.capacity) }
    }
    inline.append(content)
  }

  /// Whether some that are held were not read.
  var areUnread: Bool {
    contents.values.contains { $0.content?.isArchived == true }
      || inline.contains { $0.content?.isArchived == true }
  }
}

/// What decoding has cost, and what was found wrong.
struct DecodingChecks {
  /// How often, on the average, the bytes of an archive may be decoded again as values because the type asked
  /// for is no class.
  static let mostReadings = 64
  /// So many bytes are added to those of the archive, so that small ones are not held to be dangerous.
  static let freeReadings = 1 << 12
  /// What a reading costs beside the bytes of the body, in bytes.
  static let readingByteCount = 64
  /// How many bytes of deferred values may be passed over in any case.
  static let freePassing = 256 << 20

  var budget: DecodingBudget
  /// The values at unusual depth that were looked at.
  var examined = ExaminedValues()
  /// What calls met that cannot throw.
  var failure: (any Error)?
}
