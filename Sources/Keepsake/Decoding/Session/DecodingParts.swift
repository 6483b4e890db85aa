// The parts of a decoding session. Only the files that extend the session for a part's subject change it. Nobody can
// copy a part (`~Copyable`), so its state has one owner.

/// What the caller allows and knows.
struct DecodingSettings: ~Copyable {
  var userInfo: [CodingUserInfoKey: Any] = [:]
  var limits = ArchiveLimits()
  /// Whether coding paths begin below the root key, as in other top-level decoders.
  var hidesRootKey: Bool
  /// The types in the class table by number, if this process has just made the archive (deep copy).
  let knownClasses: [Any.Type]?
  /// The types that an archive may name.
  var classPolicy = ArchiveClassPolicy.byName
  /// The types that replace types that are not found.
  var placeholders: [any ArchivePlaceholder.Type] = []
  /// The types that the program set for names in this archive.
  var ownClasses: [String: Any.Type] = [:]
  /// Replaces objects, and knows classes that are not found otherwise.
  var observer: DecodingObserver?
  /// Whether values are decoded only to find out if they can be: nothing closes cycles, no object awakens.
  var isRehearsal = false
  /// Makes the value that is being decoded with a configuration.
  var makeConfigured: ((ValueDecoder) throws -> Any)?
}

/// The nesting of the values that are being decoded.
struct DecodingNesting: ~Copyable {
  /// The frames of the values that are being decoded, by depth.
  var frames: [DecodingFrame] = [DecodingFrame()]
  /// The value that was read last: its offset, the number of unread values in it, and the offset of the first of these.
  var latest = (offset: -1, rest: 0, cursor: -1)
  /// The depth of the object whose values are being decoded.
  var base = 0
  /// The value that is being decoded apart from its container, and its path, once requested.
  var detached: (offset: Int, way: DecodingWay?) = (-1, nil)
  /// The number of levels in one object from which on the session measures how deep values nest.
  var usualValueDepth = 0

  /// Notes that the value at `offset` was read and ends at `end`.
  @inline(__always)
  mutating func complete(_ offset: Int, _ end: Int) { latest = (offset, 0, end) }

  mutating func forgetArchive() {
    // A value of the next archive may begin at the same offset, at the same depth.
    for depth in frames.indices { frames[depth] = DecodingFrame() }
    latest = (-1, 0, -1)
    (base, detached) = (0, (-1, nil))
  }
}

/// Finds keys and the values of the top level.
struct KeyLookups: ~Copyable {
  /// The offset of the value of the top-level container.
  var topLevelOffset = 0
  /// The slots of the keys in each large shape in which a key was searched for, by the start of the shape in the shape
  /// table.
  var shapeSlots = NumberedCache<SlotTable>()
  /// The results of the latest searches for keys in shapes.
  var recentSlots: [RecentSlot] = []
  /// Where the values of the top level are, once one was requested out of order.
  var topLevelIndex: KeyIndex?
  /// Where the bodies of values of the top level end, by the slots of the values.
  var topLevelEnds = NumberedCache<Int>()
  /// Cached facts about values that were passed over.
  var skipped = SkippedValues()

  mutating func forgetArchive() {
    if topLevelIndex != nil { topLevelIndex = nil }
    topLevelEnds.removeAll()
    if skipped.byteCount > 0 { skipped = SkippedValues() }
  }
}

/// The slot of a key in the shape that begins at `first` in the shape table; `nil` if the shape does not have the key.
struct RecentSlot {
  static let mostKept = 256

  var first = -1
  var key = -1
  var slot: Int?
}

/// Cached facts about the types that were decoded.
struct DecodedTypes: ~Copyable {
  var plans = DecodingPlanCache()
  /// Caches that were still in use when the session forgot them, until the outermost decode returns.
  var earlierPlans: [DecodingPlanCache] = []
  var keyTables = TypeCache<DecodingKeyTable>()
  /// The keyed containers that the session keeps to use again.
  var kept = KeptContainers<DecodingKeyTable>()
  /// The messages about values of other types, by the requested type and the kind of the value.
  var mismatchTexts: [Int: String] = [:]
}

/// The decoded objects, and the references to them.
struct DecodedGraph: ~Copyable {
  var objects = ObjectStore()
  /// The objects and typed values whose initializers are running, innermost last.
  var inProgress: [TypedValueInProgress] = []
  /// The value of the innermost object, up to the end of its body, if it was not walked yet; otherwise empty.
  var unwalked = 0..<0
  /// Whether an object became known before its initializer returned, since the outermost value began.
  var haveEarly = false
  /// The objects that were decoded since the outermost value began.
  var decodedNumbers: [UInt32] = []
  /// The conditional references that were read since the outermost value began.
  var conditional: [WaitingReference] = []
  /// The conditional references to objects that nothing has requested yet, by the numbers of the objects.
  var waiting: [Int: [WaitingReference]] = [:]
  /// These numbers, and those of objects that were requested since, in the order in which references began to wait.
  private(set) var waitingNumbers: [Int] = []

  mutating func wait(_ reference: WaitingReference) {
    if waiting[reference.number] == nil { waitingNumbers.append(reference.number) }
    waiting[reference.number, default: []].append(reference)
  }
}

/// The work that remains when the outermost value has been read.
struct DecodedLater: ~Copyable {
  /// Whether a value is being decoded, so that values that are requested now are part of it.
  var isActive = false
  /// The values to decode after everything else.
  var deferred = DeferredQueue()
  var earlyUses = EarlyUses()
  var readLast: PropertiesReadLast
  var caught = CaughtErrors()
  var failed = FailedValues()
  var hashed = NotedHashes()
  /// The objects to awaken when the graph is complete.
  var awakening: [any ArchiveAwakening] = []
  /// The deferred values of a rehearsal. They are released at its end, since nothing else would break their cycles.
  var rehearsed: [AnyDeferredValue] = []

  mutating func forgetArchive() {
    // Whoever kept a deferred value may still use them.
    if !isKnownUniquelyReferenced(&earlyUses) { earlyUses = EarlyUses() }
    caught.forgetAll()
  }
}

/// The objects and lazy values that a session has read since they were last listed, with their numbers. The session
/// does not retain them, and may be gone before they are listed.
final class NewObjects {
  private(set) weak var session: DecodingSession?
  var list: [(number: Int, object: AnyObject)] = []
  /// The lazy values in the list that are new since it was last empty.
  private var lazyValues: Set<ObjectIdentifier> = []

  init(of session: DecodingSession) {
    self.session = session
    session.lazies.newObjects = self
  }

  /// Whether there are any, when no thread is reading them.
  var areThere: Bool { session?.turn.take { !list.isEmpty } ?? !list.isEmpty }

  func add(_ value: AnyLazyContent, _ number: Int) {
    list.append((number, value))
    lazyValues.insert(ObjectIdentifier(value))
  }

  func contains(_ value: AnyLazyContent) -> Bool { lazyValues.contains(ObjectIdentifier(value)) }

  /// Empties the list and returns it in the order of the numbers.
  func takeList() -> [(number: Int, object: AnyObject)] {
    lazyValues = []
    return exchange(&list, with: []).ordered { $0.number < $1.number }
  }
}

/// The lazy values of an archive.
struct LazyValues: ~Copyable {
  /// Whether the archive has lazy values with a body.
  var areArchived = false
  /// The lazy values that the program holds, by the numbers of their bodies.
  var contents: [Int: Weak<AnyLazyContent>] = [:]
  /// Lazy values without a body, because their properties were not lazy when they were archived.
  private(set) var inline: [Weak<AnyLazyContent>] = []
  var faults = LazyFaults()
  /// How often the settings have changed. A value that could not be read before may be readable then.
  var settingsCount = 0
  /// Collects what the session reads, for a document.
  weak var newObjects: NewObjects?
  /// How many lazy values could not be read when all were tried because objects refer back to others.
  var unreadableCount = 0
  /// Whether objects are being read because weak references wait for them.
  var areAwaited = false
  /// The numbers of the objects that the session retains although they may hold lazy values.
  var retained: [UInt32] = []

  mutating func forgetArchive() {
    if !contents.isEmpty { contents = [:] }
    if !inline.isEmpty { inline = [] }
    if !retained.isEmpty { retained = [] }
    unreadableCount = 0
  }

  /// Adds a lazy value without a body. Before the array grows, removes those that nobody holds any more.
  mutating func add(inline content: Weak<AnyLazyContent>) {
    if inline.count == inline.capacity {
      inline.removeAll { $0.object == nil }
      if inline.count > inline.capacity / 2 { inline.reserveCapacity(2 * inline.capacity) }
    }
    inline.append(content)
  }

  /// Whether the program holds lazy values that were not read.
  var areUnread: Bool {
    contents.values.contains { $0.object?.isArchived == true }
      || inline.contains { $0.object?.isArchived == true }
  }
}

/// What decoding has cost, and the errors found.
struct DecodingChecks: ~Copyable {
  /// How often, on average, the bytes of an archive may be decoded again, as values because the requested type is not a
  /// class.
  static let mostReadings = 64
  /// Added to the bytes of the archive, so that small archives do not count as dangerous.
  static let freeReadings = 1 << 12
  /// The cost of a reading besides the bytes of the body, in bytes.
  static let readingByteCount = 64
  /// How many bytes of deferred values may be passed over in any archive.
  static let freePassing = 256 << 20

  var budget = DecodingBudget()
  /// The values at unusual depth whose nesting was checked.
  var examined = ExaminedValues()
  /// The first error of a call that cannot throw.
  var failure: (any Error)?
}
