/// The state of decoding one archive. Containers and decoders are small values that refer to it.
final class DecodingSession: DeepRecursion {
  @safe @exclusivity(unchecked) private(set) var image: ArchiveImage
  @safe @exclusivity(unchecked) private(set) var reader: ByteReader
  @safe @exclusivity(unchecked) var settings: DecodingSettings
  @safe @exclusivity(unchecked) var nesting = DecodingNesting()
  @safe @exclusivity(unchecked) var stack = RecursionStack()
  @safe @exclusivity(unchecked) var lookups = KeyLookups()
  @safe @exclusivity(unchecked) var types = DecodedTypes()
  @safe @exclusivity(unchecked) var graph = DecodedGraph()
  @safe @exclusivity(unchecked) var later: DecodedLater
  @safe @exclusivity(unchecked) var lazies = LazyValues()
  /// Gives threads their turn, since any thread may read lazy values.
  let turn = DecodingTurn()
  @safe @exclusivity(unchecked) var checks = DecodingChecks()

  @inline(never)
  init(
    _ image: ArchiveImage,
    userInfo: [CodingUserInfoKey: Any],
    limits: ArchiveLimits,
    hidesRootKey: Bool,
    knownClasses: [Any.Type]? = nil
  ) throws(ArchiveError) {
    self.image = image
    reader = image.reader
    settings = DecodingSettings(hidesRootKey: hidesRootKey, knownClasses: knownClasses)
    later = DecodedLater(readLast: PropertiesReadLast(image))
    try begin(userInfo: userInfo, limits: limits)
  }

  /// Changes the settings. Forgets the types found so far, since names may now stand for other types.
  @inline(never)
  func change(_ change: (inout DecodingSettings) -> Void) {
    turn.take {
      change(&settings)
      lazies.settingsCount += 1
      nesting.usualValueDepth = settings.limits.usualValueDepth
      checks.budget.allocationLimit = settings.limits.allocation(forArchiveOf: image.openedByteCount)
      forgetTypes()
    }
  }

  /// Changes the user info. No type depends on it.
  func change(userInfo: [CodingUserInfoKey: Any]) {
    turn.take {
      settings.userInfo = userInfo
      lazies.settingsCount += 1
    }
  }

  var topLevelDecoder: ValueDecoder { ValueDecoder(session: self, offset: lookups.topLevelOffset, depth: 0) }

  // MARK: Reuse

  /// Forgets everything that was decoded, but keeps what it knows of types and keys.
  func forgetArchive() {
    nesting.forgetArchive()
    graph.objects.removeAll()
    lookups.forgetArchive()
    later.forgetArchive()
    lazies.forgetArchive()
    checks.examined.removeAll()
    if !settings.userInfo.isEmpty { settings.userInfo = [:] }
    image.forgetBytes()
    reader = image.reader
  }

  /// Lets `open` make the image that of another archive, after ``forgetArchive()``.
  func reopen(_ open: (ArchiveImage) throws(ArchiveError) -> Void) throws(ArchiveError) {
    let (keyCount, classCount) = (image.keys.count, image.classes.count)
    try open(image)
    if image.keys.count > keyCount { types.keyTables.forEach { $0.forgetMissingKeys() } }
    guard image.classes.count > classCount else { return }
    let readLast = PropertiesReadLast(image)
    // Plans know which properties may wait.
    if readLast.keyCount > later.readLast.keyCount { forgetTypes() }
    later.readLast = readLast
  }

  /// Begins to read the archive of the image: the first one, or another after ``reopen(_:)``.
  func begin(userInfo: [CodingUserInfoKey: Any], limits: ArchiveLimits) throws(ArchiveError) {
    reader = image.reader
    if !userInfo.isEmpty { settings.userInfo = userInfo }
    settings.limits = limits
    nesting.usualValueDepth = limits.usualValueDepth
    checks.budget.startOver(limits, image)
    graph.objects.grow(to: image.directory.bodyCount)
    later.readLast.startOver(image)
    lookups.topLevelOffset = try image.topLevelContent
    lazies.areArchived = image.tables.haveLazyValues
  }

  /// Continues with `image`, which adds a save to the image that the session has read.
  func continueReading(_ image: ArchiveImage) {
    self.image = image
    reader = image.reader
    graph.objects.grow(to: image.directory.bodyCount)
    later.readLast = PropertiesReadLast(image)
    // Key tables and plans know which keys and classes did not exist. Kept containers retain the session.
    types.kept.removeAll()
    types.keyTables = TypeCache()
    forgetTypes()
  }

  // MARK: Depth

  /// Begins to decode the value at `offset`, one level below its container at `depth`.
  @inline(__always)
  func descend(to offset: Int, from depth: Int) throws {
    if isUnusuallyDeep(below: depth) { try checkNesting(of: offset, in: depth) }
    prepareFrame(depth &+ 1, for: offset)
    nesting.frames[depth].child = offset
  }

  /// Whether the session must check that a value in the container at `depth` is not nested too deep.
  @inline(__always)
  func isUnusuallyDeep(below depth: Int) -> Bool {
    depth &- nesting.base >= nesting.usualValueDepth || depth >= settings.limits.maximumDepth
  }

  /// Gives the frame at `depth` to the value at `offset`.
  @inline(__always)
  func prepareFrame(_ depth: Int, for offset: Int) {
    if depth >= nesting.frames.count { addFrames(upTo: depth) }
    nesting.frames[depth].begin(at: offset)
  }

  /// Ensures that there is a frame at `depth`.
  @inline(never)
  func addFrames(upTo depth: Int) {
    while depth >= nesting.frames.count { nesting.frames.append(DecodingFrame()) }
  }

  /// Gives the frame at `depth` to the value at `offset` unless the value has it.
  @inline(__always)
  func claimFrame(_ depth: Int, for offset: Int) {
    if depth >= nesting.frames.count || nesting.frames[depth].offset != offset {
      prepareFrame(depth, for: offset)
    }
  }

  // MARK: Keys

  @inline(__always)
  func keyTable<Key: CodingKey>(_ type: Key.Type) -> Unretained<DecodingKeyTable> {
    // The key is the type of the containers and not `type`, which may be a subclass.
    types.keyTables.unretained(for: Key.self) { DecodingKeyTable(Key.self) }
  }

  /// Releases what retains the session: the containers that are kept to be used again, and objects with lazy values. Call
  /// this when the session is no longer needed.
  func dropSpares() {
    types.kept.isKeeping = false
    types.kept.removeAll()
    if !lazies.retained.isEmpty { graph.objects.letGo(exchange(&lazies.retained, with: [])) }
  }

  /// Runs `decode` and keeps containers until it returns, even if nobody would release them later.
  @inline(__always)
  func keepingSpares<Value>(_ decode: () throws -> Value) rethrows -> Value {
    let keptSpares = types.kept.isKeeping
    types.kept.isKeeping = true
    defer { if !keptSpares { dropSpares() } }
    return try decode()
  }

  /// The number of the key `name`; -1 if no record of the archive or an earlier one has it.
  func keyNumber(_ name: String) -> Int {
    image.tables.keys.existingNumber(for: name) ?? -1
  }

  // MARK: Extent of values

  /// The end of the value at `offset`. The container whose frame is at `depth` may have read a part of it.
  @inline(__always)
  func end(ofDecoded offset: Int, depth: Int) throws(ArchiveError) -> Int {
    nesting.latest.offset == offset && nesting.latest.rest == 0
      ? nesting.latest.cursor : try end(ofPartlyRead: offset, depth)
  }

  /// The end of the value at `offset`, past the values in it that were not requested. It does not walk again what was
  /// read: each enclosing container would walk the nested ones once more.
  @inline(never)
  private func end(ofPartlyRead offset: Int, _ depth: Int) throws(ArchiveError) -> Int {
    try walkUnwalked()
    let frame = nesting.frames[depth]
    var (start, rest, cursor) = nesting.latest
    if start != offset {
      guard frame.isKeyed(at: offset), !frame.head.isElsewhere else { return try end(ofValueAt: offset) }
      rest = (frame.head.count &- frame.currentSlot) &<< (frame.head.isRecord ? 0 : 1)
      cursor = frame.currentOffset
    }
    while rest > 0 {
      let isRead = cursor == nesting.latest.offset && nesting.latest.rest == 0
      cursor = isRead ? nesting.latest.cursor : try end(ofValueAt: cursor)
      rest &-= 1
    }
    return cursor
  }
}
