/// All that one archive needs while it is encoded. Containers and encoders are small values that point here.
final class EncodingSession: DeepRecursion {
  @safe @exclusivity(unchecked) var context: EncodingContext
  /// The bytes of the active context. It is always this one object, so that reaching it costs no reference
  /// counting; what a context that waits has written is in a buffer of the context's own.
  let buffer = ByteBuffer()
  @safe @exclusivity(unchecked) var keys = KeyRegistry()
  @safe @exclusivity(unchecked) var shapes = ShapeTrie()
  @safe @exclusivity(unchecked) var strings = StringSharing()
  @safe @exclusivity(unchecked) var objects = ObjectRegistry()
  @safe @exclusivity(unchecked) var graph = ReferenceGraph()
  @safe @exclusivity(unchecked) var classes = ClassRegistry()
  @safe @exclusivity(unchecked) var conditionals = ConditionalRegistry()
  @safe @exclusivity(unchecked) var classProperties = ClassProperties()
  /// The class of the object whose body is being written if it has weak properties; -1 otherwise.
  @safe @exclusivity(unchecked) var classWithWeakProperties = -1
  /// The keys that are read last in the archive that this one is to answer a question about.
  var typesReadingLast: [ObjectIdentifier: [String]] = [:]
  @safe @exclusivity(unchecked) var assembly = ArchiveAssembly()
  @safe @exclusivity(unchecked) var plans = EncodingPlanCache()
  @safe @exclusivity(unchecked) private(set) var keyTables = TypeCache<EncodingKeyTable>()
  /// For each key table how long the head of the last container was, which is kept free for that of the next one; the
  /// first number is that of unkeyed containers.
  @safe @exclusivity(unchecked) var headByteCounts: [UInt8] = [1]
  /// The keys of the open maps that containers write, to find one that is written twice.
  @safe @exclusivity(unchecked) var mapKeys: [FrameID: Set<ExactString>] = [:]
  /// The plans by which the objects are encoded whose bodies are still to be written.
  @safe @exclusivity(unchecked) var pending = PendingObjects()
  @safe @exclusivity(unchecked) private(set) var lastFrameID: FrameID = 0
  /// The writes out of turn that may matter when a value throws, and why nothing can be written since one did.
  @safe @exclusivity(unchecked) var lateWrites: [LateWrite] = []
  @safe @exclusivity(unchecked) var lateWriteFailure: EncodingError?
  @safe @exclusivity(unchecked) var depth = 0
  /// At which depth it is looked next how deep values are nested.
  @safe @exclusivity(unchecked) var depthToLookAt = EncodingSession.depthStep
  @safe @exclusivity(unchecked) var stackGuard = StackGuard()
  @safe @exclusivity(unchecked) var spareStack: LargerStack?

  /// Whether a body is being written that others may refer to, so that its references count for cycles.
  @safe @exclusivity(unchecked) var bodyInProgress = false
  /// What ``depth`` was when that body, or the deferred value in it that is being written, was begun.
  @safe @exclusivity(unchecked) var depthBase = 0
  /// In how many deferred values the one being written is.
  @safe @exclusivity(unchecked) var deferralDepth = 0
  /// The top-level values so far: the first number that was free then, and the way to the value.
  @safe @exclusivity(unchecked) var topLevelPaths: [(firstNumber: Int, path: [any CodingKey])] = []

  /// Who may replace objects, and what it gave for them.
  @safe @exclusivity(unchecked) var observer: (any EncodingObserver)?
  @safe @exclusivity(unchecked) var replacements: [ObjectIdentifier: Replacement] = [:]
  /// The names that the program gave to types for this archive.
  var ownClassNames: [ObjectIdentifier: String] = [:]
  /// The numbers that the file has to which a save is added.
  @safe @exclusivity(unchecked) var saved: SavedNumbers? { didSet { isAdded = saved != nil } }
  @safe @exclusivity(unchecked) private(set) var isAdded = false
  /// Whether the archive is read by this process with the classes at hand (deep copy), not by their names.
  var classesAreKnown = false

  /// The key of the only value of an archive that has but one.
  static let rootKey = "root"

  @safe @exclusivity(unchecked) private(set) var sortsKeys: Bool
  @safe @exclusivity(unchecked) var userInfo: [CodingUserInfoKey: Any]
  /// The limits of the readers that the archive is for.
  let limits = ArchiveLimits()
  /// Whether coding paths begin below the root key, as those of other top-level encoders do.
  let hidesRootKey: Bool
  @safe @exclusivity(unchecked) private(set) var isFinished = false
  /// Whether nothing may be written now: the archive is finished, or somebody is being asked (``whileClosed(_:)``).
  @safe @exclusivity(unchecked) var isClosed = false
  /// Whether a value of the type can be read from an archive that was made for this question.
  @safe @exclusivity(unchecked) var rehearse: ((any Decodable.Type, EncodingSession) -> Bool)?
  /// Why the archive cannot be completed.
  @safe @exclusivity(unchecked) var failure: (any Error)?
  /// How many bodies are written, in an archive that is only made to ask something of it: how elements of a set
  /// compare, whether a cycle can be read. Whether it can be read is not asked of that one again.
  var bodyLimit: Int?
  /// Whether keyed containers are kept to be used again.
  @safe @exclusivity(unchecked) private(set) var keepsSpares = true
  /// In how many sets the value is that this session is asked for the content of; 0 in that of an archive.
  var contentDepth = 0
  var contentQuestion = ContentQuestion()
  /// The order of the elements of sets, once one was asked for.
  @safe @exclusivity(unchecked) var contentOrder: ContentOrder?

  init(sortsKeys: Bool, userInfo: [CodingUserInfoKey: Any], hidesRootKey: Bool) {
    self.sortsKeys = sortsKeys
    self.userInfo = userInfo
    self.hidesRootKey = hidesRootKey
    context = EncodingContext(top: EncodingFrame(id: 0, start: 1), basePath: .elements([]), isTopLevel: true)
    // The top level is a body like any other: first the class number, which is none.
    buffer.append(0)
  }

  // MARK: Reuse

  /// Forgets all that was encoded, and keeps what was found out about types: their plans, the numbers of their keys, the
  /// nodes of their shapes. To be called when the archive is complete.
  func forgetArchive() {
    buffer.truncate(to: 1)
    context = EncodingContext(
      top: EncodingFrame(id: 0, start: 1),
      lower: context.lower.emptied,
      basePath: .elements([]),
      isTopLevel: true
    )
    shapes.truncate(to: 0)
    strings.removeAll()
    objects.truncate(to: 0)
    graph.removeAll()
    if !classes.entries.isEmpty {
      classes = ClassRegistry()
      classProperties = ClassProperties()
      typesReadingLast = [:]
    }
    if conditionals.isInUse { conditionals = ConditionalRegistry() }
    assembly.startOver()
    pending.removeAll()
    if !mapKeys.isEmpty { mapKeys = [:] }
    lateWrites = []
    topLevelPaths = []
    userInfo = [:]
    rehearse = nil
    lastFrameID = 0
    classWithWeakProperties = -1
    (depth, depthBase, depthToLookAt) = (0, 0, EncodingSession.depthStep)
  }

  /// Makes it the session of another archive, after ``forgetArchive()``.
  func begin(sortsKeys: Bool, userInfo: [CodingUserInfoKey: Any]) {
    self.sortsKeys = sortsKeys
    self.userInfo = userInfo
    isFinished = false
    isClosed = false
  }

  // MARK: Frames

  func makeFrameID() -> FrameID {
    lastFrameID &+= 1
    return lastFrameID
  }

  /// Opens a frame for a value that begins here.
  @inline(__always)
  func push() throws {
    depth += 1
    if depth >= depthToLookAt { try checkDepth() }
    context.lower.push(context.top)
    lastFrameID &+= 1
    context.top = EncodingFrame(id: lastFrameID, start: buffer.count)
  }

  /// So many levels may go by before it is noted again how deep a body is.
  static let depthStep = 8

  private func checkDepth() throws {
    let levels = depth - depthBase
    guard levels <= limits.maximumValueDepth else {
      depth -= 1
      throw nestedTooDeep
    }
    if bodyInProgress { graph.noteDepth(levels) }
    depthToLookAt = depth + min(EncodingSession.depthStep, limits.maximumValueDepth + 1 - levels)
  }

  /// The number of the body that is being written; 0 at the top level.
  var currentBody: Int { bodyInProgress ? graph.bodyCount : 0 }

  var nestedTooDeep: EncodingError {
    misuse(
      "Values are nested more than \(limits.maximumValueDepth) deep, which is what readers accept by default",
      code: .limitExceeded
    )
  }

  /// Closes the innermost frame and what is still open in it.
  @inline(__always)
  func pop() throws {
    closeTop()
    dropTop()
  }

  /// Takes the innermost frame away without a further write.
  @inline(__always)
  func dropTop() {
    depth -= 1
    if let below = context.lower.pop() { context.top = below }
  }

  /// Closes the frame of `id` and all above it.
  @inline(__always)
  func pop(to id: FrameID) throws {
    while context.top.id != id { try settleNested() }
    try pop()
  }

  /// Completes the bytes of the innermost frame.
  @inline(__always)
  func closeTop() {
    switch context.top.kind {
    case .undecided, .single: buffer.append(Tag.empty)
    case .record: closeRecord()
    case .map: closeMap()
    case .unkeyed: closeArray()
    case .singleUsed, .walkedElements, .walkedMap, .walkedFields: break
    }
  }

  @inline(__always)
  private func closeRecord() {
    let number = shapes.number(of: context.top.place)
    noteHead(
      movedBy: setRecordHead(at: context.top.start, kept: context.top.headByteCount, shape: number)
    )
  }

  private func closeMap() {
    mapKeys[context.top.id] = nil
    let (start, kept) = (context.top.start, context.top.headByteCount)
    noteHead(movedBy: setHead(at: start, kept: kept, Tag.map, context.top.count))
  }

  private func closeArray() {
    let (start, kept, count) = (context.top.start, context.top.headByteCount, context.top.count)
    if count <= Tag.longestShortArray {
      noteHead(movedBy: setHead(at: start, kept: kept, Tag.shortArray + UInt8(count)))
    } else {
      noteHead(movedBy: setHead(at: start, kept: kept, Tag.array, count))
    }
  }

  /// The next container of the type is likely to have a head as long as that of this one.
  @inline(__always)
  private func noteHead(movedBy change: Int) {
    guard change != 0 else { return }
    headByteCounts[Int(context.top.tableNumber)] = UInt8(
      truncatingIfNeeded: context.top.headByteCount + change
    )
  }

  /// Fills the place of `kept` bytes that was kept free at `start` for the head of a record.
  ///
  /// - Returns: by how many bytes what is behind has moved, as the head turned out longer or shorter.
  @inline(__always)
  func setRecordHead(at start: Int, kept: Int, shape: Int) -> Int {
    if shape <= Tag.lastShortShape {
      return setHead(at: start, kept: kept, Tag.shortRecord &+ UInt8(truncatingIfNeeded: shape))
    }
    return setHead(at: start, kept: kept, Tag.record, shape)
  }

  @inline(__always)
  private func setHead(at start: Int, kept: Int, _ tag: UInt8, _ number: Int? = nil) -> Int {
    let change = buffer.setHead(at: start, kept: kept, tag, varint: number)
    if change != 0, !context.splices.isEmpty { moveSplices(from: start + 1, by: change) }
    return change
  }

  func moveSplices(from offset: Int, by change: Int) {
    for index in context.splices.indices where context.splices[index].offset >= offset {
      context.splices[index].offset += change
    }
  }

  // MARK: Keys

  @inline(__always)
  func keyTable<Key: CodingKey>(_ type: Key.Type) -> EncodingKeyTable {
    keyTables.entry(for: Key.self) {
      let isDynamic = MemoryLayout<Key>.size > 1 && !(type is any RecordKey.Type)
      headByteCounts.append(isDynamic ? 2 : 1)
      return EncodingKeyTable(type, isDynamic: isDynamic, number: headByteCounts.count - 1)
    }
  }

  /// Lets go of the containers that are kept to be used again, which hold the session. To be called when nobody
  /// encodes any more.
  func dropSpares() {
    keepsSpares = false
    keyTables.forEach { $0.dropSpares() }
    contentOrder?.end()
    contentOrder = nil
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

  // MARK: Finishing

  /// Completes the archive. Afterwards ``archive`` holds it and nothing more can be encoded.
  func finish() throws {
    if isFinished, let failure { throw failure }
    guard !isFinished else { return }
    try checkIdle()
    try drainLeftovers()
    // Before anything is closed: this may throw, and the caller may mend it and try again.
    let conditionalBodies = try conditionalBodies { objects.knownNumber(of: $0) }
    while context.top.id != 0 { try settleNested() }
    do {
      closeTop()
      try flattenSplices(from: 0)
    } catch {
      failure = error
      throw error
    }
    isFinished = true
    isClosed = true
    do {
      try assembly.finish(
        topLevel: buffer,
        shapes: &shapes,
        keyNames: keys.names,
        classes: classes.entries,
        strings: strings,
        conditionals: conditionalBodies
      )
    } catch {
      failure = error
      throw error
    }
  }

  var archive: ByteBuffer { assembly.buffer }
}

/// For one type of key, the number of each key, by the bit pattern of keys of at most one byte.
final class EncodingKeyTable {
  /// Whether the keys are more than the cases of an enumeration, so that they are written inline.
  let isDynamic: Bool
  private let keyType: any CodingKey.Type
  /// Its place in ``EncodingSession/headByteCounts``.
  let number: UInt32
  @safe @exclusivity(unchecked) private var numbers: [Int]
  /// The number of each property of models, by the number that its key has in this process.
  @safe @exclusivity(unchecked) private var propertyNumbers = NumberedCache<Int>()
  @safe @exclusivity(unchecked) private var spares = SpareContainers<EncodingPlace>()

  init(_ keyType: any CodingKey.Type, isDynamic: Bool, number: Int) {
    self.keyType = keyType
    self.isDynamic = isDynamic
    self.number = UInt32(truncatingIfNeeded: number)
    numbers = isDynamic ? [] : Array(repeating: -1, count: 256)
  }

  /// A keyed container for the value of `frame`: one that is not in use any more, or a new one.
  @inline(__always)
  func container<Key: CodingKey>(
    _ session: EncodingSession,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    // Whether a nested container is still in use is asked of its reference count; no spare one may hold it.
    guard nested == nil, let spare = spares.spare(KeyedEncodingContainer<Key>.self) else {
      return newContainer(session, frame, nested)
    }
    spare.place.frame = frame
    return spare.take()
  }

  // A call, so that the metadata of the container is looked up only here.
  @inline(never)
  private func newContainer<Key: CodingKey>(
    _ session: EncodingSession,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    let place = EncodingPlace(session, self, frame, nested)
    let container = KeyedEncodingContainer(KeyedValueEncoder<Key>(place))
    if nested == nil, session.keepsSpares { spares.keep(container, place) }
    return container
  }

  func dropSpares() { spares = SpareContainers() }

  func forgetArchiveInSpares() -> Int? { spares.forgetArchive() }

  /// The names of the stored properties that the key `name` may stand for.
  func propertyNames(ofKey name: String) -> [String] { keyType.propertyNames(ofKey: name) }

  @inline(__always)
  func number<Key: CodingKey>(of key: Key, in session: EncodingSession) -> Int {
    guard let bits = bitPattern(of: key), bits < numbers.count else {
      return number(ofLarge: key, in: session)
    }
    let known = numbers[bits]
    if known >= 0 { return known }
    let number = session.keys.number(for: key.stringValue)
    numbers[bits] = number
    return number
  }

  @inline(never)
  private func number<Key: CodingKey>(ofLarge key: Key, in session: EncodingSession) -> Int {
    guard let key = key as? ModelKey, key.number >= 0 else {
      return session.keys.number(for: key.stringValue)
    }
    if let known = propertyNumbers[key.number] { return known }
    let number = session.keys.number(for: key.stringValue)
    propertyNumbers[key.number] = number
    return number
  }
}
