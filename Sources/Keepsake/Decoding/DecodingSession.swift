/// All that one archive needs while it is decoded. Containers and decoders are small values that point here.
final class DecodingSession: DeepRecursion {
  @safe @exclusivity(unchecked) private(set) var image: ArchiveImage
  @safe @exclusivity(unchecked) private(set) var reader: ByteReader
  @safe @exclusivity(unchecked) var userInfo: [CodingUserInfoKey: Any]
  @safe @exclusivity(unchecked) var limits: ArchiveLimits {
    didSet {
      usualValueDepth = min(limits.maximumValueDepth, DecodingSession.usualDepth)
      budget.allocationLimit = limits.allocation(forArchiveOf: image.openedByteCount)
    }
  }
  /// Whether coding paths begin below the root key, as those of other top-level decoders do.
  @safe @exclusivity(unchecked) var hidesRootKey: Bool
  /// The types in the class table by number, where the archive was made in this process just now (deep copy).
  let knownClasses: [Any.Type]?
  /// Which types an archive may name.
  var classPolicy = ArchiveClassPolicy.byName { didSet { forgetTypes() } }
  /// What stands for types that are not found.
  var placeholders: [any ArchivePlaceholder.Type] = [] { didSet { forgetTypes() } }
  /// The types that the program gave for names in this archive.
  var ownClasses: [String: Any.Type] = [:] { didSet { forgetTypes() } }
  /// Who may replace objects, and knows classes that nobody else does.
  @safe @exclusivity(unchecked) var observer: (any DecodingObserver)?

  /// The frames of the values that are being decoded, by depth.
  @safe @exclusivity(unchecked) var frames: [DecodingFrame] = [DecodingFrame()]
  /// The value that was read to its end last, and that end.
  @safe @exclusivity(unchecked) var completed = (start: -1, end: -1)
  @safe @exclusivity(unchecked) var objects: ObjectStore
  @safe @exclusivity(unchecked) var plans = DecodingPlanCache()
  @safe @exclusivity(unchecked) private var keyTables = TypeCache<DecodingKeyTable>()
  @safe @exclusivity(unchecked) var stackGuard = StackGuard()
  @safe @exclusivity(unchecked) var spareStack: LargerStack?
  /// How deep the object is whose values are being decoded.
  @safe @exclusivity(unchecked) var depthBase = 0
  /// The value that is being decoded by itself, and the way to it, once somebody asked for that.
  var detached: (offset: Int, way: DecodingWay?) = (-1, nil)

  /// Whose turn it is: lazy values are read by any thread.
  let turn = DecodingTurn()
  /// The lazy values that somebody holds, by the numbers of their bodies.
  @safe @exclusivity(unchecked) var lazyContents: [Int: WeakLazyContent] = [:]
  @safe @exclusivity(unchecked) var lazyFaults = LazyFaults()
  /// The numbers of the objects and lazy values that came since somebody asked for these.
  @safe @exclusivity(unchecked) var newNumbers: [UInt32] = []

  /// Whether a value is being decoded, so that what is asked for now is inside of it.
  @safe @exclusivity(unchecked) var isActive = false
  /// The objects and typed values whose initializers are running, innermost last.
  @safe @exclusivity(unchecked) var inProgress: [TypedValueInProgress] = []
  /// What is to be decoded when everything else has been.
  @safe @exclusivity(unchecked) var deferred = DeferredQueue()
  @safe @exclusivity(unchecked) private(set) var earlyUses = EarlyUses()
  @safe @exclusivity(unchecked) var readLast: PropertiesReadLast
  /// What calls met that cannot throw.
  @safe @exclusivity(unchecked) var failure = RememberedFailure()
  /// How the value is made that is being decoded with a configuration.
  @safe @exclusivity(unchecked) var makeConfigured: ((ValueDecoder) throws -> Any)?
  /// The conditional references that were met since the outermost value was begun.
  @safe @exclusivity(unchecked) var conditional: [WaitingReference] = []
  /// The objects that are to be told when the graph is complete.
  @safe @exclusivity(unchecked) var awakening: [any ArchiveAwakening] = []
  /// Which objects those are, where an observer may give one several times.
  @safe @exclusivity(unchecked) var awakened: Set<ObjectIdentifier> = []
  /// The objects that were decoded since the outermost value was begun.
  @safe @exclusivity(unchecked) var decodedNumbers: [UInt32] = []
  /// The conditional references whose objects nothing has asked for yet, by the numbers of those.
  @safe @exclusivity(unchecked) var waiting: [Int: [WaitingReference]] = [:]
  /// Whether the values are decoded only to see whether they can be: nothing closes cycles, nothing awakes.
  var isRehearsal = false
  /// The deferred values of a rehearsal, which are let go of at its end: nobody else would break their cycles.
  var rehearsed: [AnyDeferredValue] = []
  /// What the process-wide names of types were when the plans were made.
  @safe @exclusivity(unchecked) var namesGeneration = -1

  private lazy var keyNumbers = DecodingSession.numbers(of: image.keys)

  /// By which hashes keys are found in any order.
  let keyHash = KeyHash()
  /// The slots of the keys of those large shapes in which some were looked for, by where each begins in the shape
  /// table.
  @safe @exclusivity(unchecked) var shapeSlots = NumberedCache<SlotTable>()
  /// Where the values of the top level are, once one was asked for out of order.
  @safe @exclusivity(unchecked) var topLevelIndex: KeyIndex?
  /// Where the bodies end that values of the top level are in, by the slots of these.
  @safe @exclusivity(unchecked) var topLevelEnds = NumberedCache<Int>()
  /// What was found out about values that were passed over.
  @safe @exclusivity(unchecked) var skipped = SkippedValues()

  /// How often, on the average, the bytes of an archive may be decoded again as values because the type asked
  /// for is no class.
  static let mostReadings = 64
  /// So many bytes are added to those of the archive, so that small ones are not held to be dangerous.
  static let freeReadings = 1 << 12
  /// What a reading costs beside the bytes of the body, in bytes.
  static let readingByteCount = 64
  /// How many bytes of deferred values may be passed over in any case.
  static let freePassing = 256 << 20
  /// What decoding has cost.
  @safe @exclusivity(unchecked) var budget: DecodingBudget
  /// From how many levels on, in one object, it is looked at how deep values are nested.
  @safe @exclusivity(unchecked) var usualValueDepth: Int
  /// The values at unusual depth that were looked at.
  @safe @exclusivity(unchecked) var examined = ExaminedValues()
  /// Whether keyed containers are kept to be used again.
  @safe @exclusivity(unchecked) private(set) var keepsSpares = true

  /// Where the value of the top-level container begins.
  @safe @exclusivity(unchecked) private(set) var topLevelOffset: Int

  init(
    _ image: ArchiveImage,
    userInfo: [CodingUserInfoKey: Any],
    limits: ArchiveLimits,
    hidesRootKey: Bool,
    knownClasses: [Any.Type]? = nil
  ) throws(ArchiveError) {
    self.image = image
    reader = image.reader
    self.userInfo = userInfo
    self.limits = limits
    budget = DecodingBudget(limits, image)
    usualValueDepth = min(limits.maximumValueDepth, DecodingSession.usualDepth)
    self.hidesRootKey = hidesRootKey
    self.knownClasses = knownClasses
    objects = ObjectStore(count: image.directory.bodyCount)
    readLast = PropertiesReadLast(image)
    topLevelOffset = try image.topLevelContent
  }

  var topLevelDecoder: ValueDecoder { ValueDecoder(session: self, offset: topLevelOffset, depth: 0) }

  // MARK: Reuse

  /// Forgets all that was decoded, and keeps what was found out about types and keys.
  func forgetArchive() {
    // A value of the next archive may begin where one of this did, at the same depth.
    for depth in frames.indices { frames[depth] = DecodingFrame() }
    completed = (-1, -1)
    objects.removeAll()
    (depthBase, detached) = (0, (-1, nil))
    // Whoever kept a deferred value may still use it.
    if !isKnownUniquelyReferenced(&earlyUses) { earlyUses = EarlyUses() }
    if !lazyContents.isEmpty { (lazyContents, newNumbers) = ([:], []) }
    topLevelIndex = nil
    topLevelEnds = NumberedCache()
    skipped = SkippedValues()
    examined = ExaminedValues()
    userInfo = [:]
    image.forgetBytes()
    reader = image.reader
  }

  /// Notes that the value at `place` is needed. As it is not there, the outermost decode will throw.
  func noteEarlyUse(at place: Int) { earlyUses.note(at: place) }

  /// Makes it the session of another archive, of which the tables are the same, after ``forgetArchive()``.
  func begin(
    _ image: ArchiveImage,
    userInfo: [CodingUserInfoKey: Any],
    limits: ArchiveLimits
  ) throws(ArchiveError) {
    self.image = image
    reader = image.reader
    self.userInfo = userInfo
    self.limits = limits
    budget = DecodingBudget(limits, image)
    objects.grow(to: image.directory.bodyCount)
    readLast = PropertiesReadLast(image)
    topLevelOffset = try image.topLevelContent
  }

  /// Continues with `image`, in which a save was added to what the session has read of.
  func continueReading(_ image: ArchiveImage) {
    self.image = image
    reader = image.reader
    objects.grow(to: image.directory.bodyCount)
    readLast = PropertiesReadLast(image)
    keyNumbers = DecodingSession.numbers(of: image.keys)
    // They know which keys and classes there were not; their containers hold the session.
    keyTables.forEach { $0.dropSpares() }
    keyTables = TypeCache()
    forgetTypes()
  }

  private static func numbers(of keys: [String]) -> [ExactString: Int] {
    Dictionary(
      keys.enumerated().map { (ExactString(string: $0.element), $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  // MARK: Depth

  /// Begins to decode the value at `offset`, one deeper than the container at `depth` that it is in.
  @inline(__always)
  func descend(to offset: Int, from depth: Int) throws {
    if isUnusuallyDeep(below: depth) { try checkNesting(of: offset, in: depth) }
    prepareFrame(depth + 1, for: offset)
    frames[depth].child = offset
  }

  /// Whether it has to be looked at whether a value in the container at `depth` is too deep.
  @inline(__always)
  func isUnusuallyDeep(below depth: Int) -> Bool {
    depth &- depthBase >= usualValueDepth || depth >= limits.maximumDepth
  }

  /// Gives the frame at `depth` to the value at `offset`.
  @inline(__always)
  func prepareFrame(_ depth: Int, for offset: Int) {
    while depth >= frames.count { frames.append(DecodingFrame()) }
    frames[depth].offset = offset
    frames[depth].kind = .unparsed
    frames[depth].child = -1
  }

  /// Gives the frame at `depth` to the value at `offset` unless that has it.
  @inline(__always)
  func claimFrame(_ depth: Int, for offset: Int) {
    if depth >= frames.count || frames[depth].offset != offset { prepareFrame(depth, for: offset) }
  }

  // MARK: Keys

  @inline(__always)
  func keyTable<Key: CodingKey>(_ type: Key.Type) -> DecodingKeyTable {
    // By the type that the containers are of, and not by `type`, which may be a subclass.
    keyTables.entry(for: Key.self) { DecodingKeyTable(Key.self) }
  }

  /// Lets go of the containers that are kept to be used again, which hold the session. To be called when the
  /// unarchiver goes.
  func dropSpares() {
    keepsSpares = false
    keyTables.forEach { $0.dropSpares() }
  }

  /// Runs `decode`, and keeps containers meanwhile even if there is nobody who lets go of them later.
  @inline(__always)
  func keepingSpares<Value>(_ decode: () throws -> Value) rethrows -> Value {
    let keptSpares = keepsSpares
    keepsSpares = true
    defer { if !keptSpares { dropSpares() } }
    return try decode()
  }

  /// Makes the containers that are kept ready for another archive; returns how many there are, or `nil` when somebody
  /// else holds one.
  func forgetArchiveInSpares() -> Int? {
    var count: Int? = 0
    keyTables.forEach { table in
      count = table.forgetArchiveInSpares().flatMap { spares in count.map { $0 + spares } }
    }
    return count
  }

  /// The number of the key of that name in the archive, or -1 when no record has it.
  func keyNumber(_ name: String) -> Int { keyNumbers[ExactString(string: name)] ?? -1 }

  // MARK: Extent of values

  /// The end of the keyed container at `offset` if it was read to its end by the frame at `depth`, as those nested in
  /// others are. Without that, each level of nested containers would be walked once more for each one around it.
  private func knownEnd(at offset: Int, depth: Int) -> Int? {
    guard depth < frames.count, frames[depth].offset == offset, frames[depth].kind.isKeyed,
      !frames[depth].isElsewhere, frames[depth].nextSlot == frames[depth].count
    else { return nil }
    return frames[depth].nextPlace
  }

  /// The end of the value at `offset`, of which some may have been read by the frame at `depth`.
  @inline(__always)
  func end(ofDecoded offset: Int, depth: Int) throws(ArchiveError) -> Int {
    if frames[depth].offset == offset, frames[depth].kind.isKeyed, !frames[depth].isElsewhere,
      frames[depth].nextSlot <= frames[depth].count
    {
      return frames[depth].nextSlot == frames[depth].count
        ? frames[depth].nextPlace : try end(ofPartlyRead: depth)
    }
    if completed.start == offset { return completed.end }
    return try end(ofValueAt: offset)
  }

  /// The end of the keyed container whose frame is at `depth`, past the values that were not asked for.
  private func end(ofPartlyRead depth: Int) throws(ArchiveError) -> Int {
    let frame = frames[depth]
    if frame.indexed.offset == frame.offset { return frame.indexed.end }
    var place = frame.nextPlace
    for _ in frame.nextSlot..<frame.count {
      if frame.kind == .map { place = try end(ofValueAt: place) }
      if let end = knownEnd(at: place, depth: depth + 1) {
        place = end
      } else {
        place = try end(ofValueAt: place)
      }
    }
    return place
  }
}

/// For one type of key, the number of each key in the archive, by the bit pattern of keys of at most one
/// byte.
final class DecodingKeyTable {
  private static let unknown = -2

  let keyType: any CodingKey.Type
  @safe @exclusivity(unchecked) private var numbers: [Int]
  /// The number of each property of models, by the number that its key has in this process.
  @safe @exclusivity(unchecked) private var propertyNumbers = NumberedCache<Int>()
  @safe @exclusivity(unchecked) private var spares = SpareContainers<DecodingPlace>()
  /// Under which other names values may be when one is missing.
  @safe @exclusivity(unchecked) var otherNames = ObservableKeyNames.unknown
  /// Whether keys may have numbers, which coding paths show. Of cases that is found out when they are first asked for.
  @safe @exclusivity(unchecked) private(set) var mayHaveNumbers: Bool

  init<Key: CodingKey>(_ type: Key.Type) {
    keyType = type
    let isDynamic = MemoryLayout<Key>.size > 1
    mayHaveNumbers = isDynamic
    numbers = isDynamic ? [] : Array(repeating: DecodingKeyTable.unknown, count: 256)
  }

  /// A keyed container for the value at `offset`: one that is not in use any more, or a new one.
  @inline(__always)
  func container<Key: CodingKey>(
    _ session: DecodingSession,
    _ offset: Int,
    _ depth: Int
  ) -> KeyedDecodingContainer<Key> {
    guard let spare = spares.spare(KeyedDecodingContainer<Key>.self) else {
      return newContainer(session, offset, depth)
    }
    spare.place.move(to: offset, depth)
    return spare.take()
  }

  // A call, so that the metadata of the container is looked up only here.
  @inline(never)
  private func newContainer<Key: CodingKey>(
    _ session: DecodingSession,
    _ offset: Int,
    _ depth: Int
  ) -> KeyedDecodingContainer<Key> {
    let place = DecodingPlace(session, self, offset, depth)
    let container = KeyedDecodingContainer(KeyedValueDecoder<Key>(place))
    if session.keepsSpares { spares.keep(container, place) }
    return container
  }

  func dropSpares() { spares = SpareContainers() }

  func forgetArchiveInSpares() -> Int? { spares.forgetArchive() }

  /// The number of `key`, or -1 when no record of the archive has it. It is asked for in the frame at `depth`.
  @inline(__always)
  func number<Key: CodingKey>(of key: Key, in session: DecodingSession, _ depth: Int) -> Int {
    guard let bits = bitPattern(of: key), bits < numbers.count else {
      return number(ofLarge: key, in: session)
    }
    let known = numbers[bits]
    return known != DecodingKeyTable.unknown ? known : number(ofNew: key, bits, in: session, depth)
  }

  @inline(never)
  private func number<Key: CodingKey>(
    ofNew key: Key,
    _ bits: Int,
    in session: DecodingSession,
    _ depth: Int
  ) -> Int {
    if key.intValue != nil { mayHaveNumbers = true }
    noteKeyType(session, depth)
    let number = session.keyNumber(key.stringValue)
    numbers[bits] = number
    return number
  }

  /// Lets coding paths show the numbers of the keys that are asked for in the frame at `depth`.
  @inline(__always)
  func noteKeyType(_ session: DecodingSession, _ depth: Int) {
    if mayHaveNumbers { session.frames[depth].keyType = keyType }
  }

  @inline(never)
  private func number<Key: CodingKey>(ofLarge key: Key, in session: DecodingSession) -> Int {
    guard let key = key as? ModelKey, key.number >= 0 else { return session.keyNumber(key.stringValue) }
    if let known = propertyNumbers[key.number] { return known }
    let number = session.keyNumber(key.stringValue)
    propertyNumbers[key.number] = number
    return number
  }
}
