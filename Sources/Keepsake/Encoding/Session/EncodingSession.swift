/// The state of one archive while it is encoded. Containers and encoders are small values that refer to it.
final class EncodingSession: DeepRecursion {
  /// The key of the value in an archive that has only one.
  static let rootKey = "root"

  @safe @exclusivity(unchecked) var settings: EncodingSettings
  @safe @exclusivity(unchecked) var context: EncodingContext
  /// The context of the top level while bodies are written, otherwise that of bodies. Neither is ever copied.
  @safe @exclusivity(unchecked) var otherContext = EncodingContext(
    top: EncodingFrame(id: 0, start: 0),
    basePath: .elements([])
  )
  /// The bytes of the active context. It is always this one object, so that access costs no reference counting; a
  /// waiting context has its bytes in a buffer of its own.
  let buffer = ByteBuffer()
  @safe @exclusivity(unchecked) var nesting = EncodingNesting()
  @safe @exclusivity(unchecked) var stack = RecursionStack()
  @safe @exclusivity(unchecked) var tables = EncodedTables()
  @safe @exclusivity(unchecked) var bodies = EncodedBodies()
  @safe @exclusivity(unchecked) var types = EncodedTypes()
  @safe @exclusivity(unchecked) var observation = EncodingObservation()
  @safe @exclusivity(unchecked) var ordering = ContentQuestions()
  @safe @exclusivity(unchecked) var outcome = EncodingOutcome()

  init(userInfo: [CodingUserInfoKey: Any], hidesRootKey: Bool) {
    settings = EncodingSettings(userInfo: userInfo, hidesRootKey: hidesRootKey)
    context = EncodingContext(top: EncodingFrame(id: 0, start: 1), basePath: .elements([]), isTopLevel: true)
    // The top level is a body like any other, so it begins with a class number: none.
    buffer.append(0)
  }

  // MARK: Reuse

  /// Forgets everything that was encoded, but keeps what is known about types: their plans, the numbers of their keys,
  /// the nodes of their shapes. Call it when the archive is complete.
  func forgetArchive() {
    buffer.truncate(to: 1)
    context.startOver(EncodingFrame(id: 0, start: 1), .elements([]))
    otherContext.startOver(EncodingFrame(id: 0, start: 0), .elements([]))
    // Class properties are by class number.
    if !tables.classes.entries.isEmpty { types.classProperties = ClassProperties() }
    tables.forgetArchive()
    bodies.forgetArchive()
    if !outcome.lateWrites.isEmpty { outcome.lateWrites = [] }
    settings.forgetArchive()
    nesting = EncodingNesting()
  }

  /// Begins another archive, after ``forgetArchive()``.
  func begin(userInfo: [CodingUserInfoKey: Any]) {
    if !userInfo.isEmpty { settings.userInfo = userInfo }
    (outcome.isFinished, outcome.isClosed) = (false, false)
  }

  // MARK: Frames

  /// Opens a frame for a value that begins here.
  @inline(__always)
  func push() throws {
    nesting.depth += 1
    if nesting.depth >= nesting.depthToLookAt { try checkDepth() }
    context.lower.push(context.top)
    context.top = EncodingFrame(id: nesting.makeFrameID(), start: buffer.count)
  }

  private func checkDepth() throws {
    let levels = nesting.depth - nesting.base
    guard levels <= settings.limits.maximumValueDepth else {
      nesting.depth -= 1
      throw nestedTooDeep
    }
    if bodies.isInProgress { bodies.graph.noteDepth(levels) }
    nesting.depthToLookAt =
      nesting.depth + min(EncodingNesting.depthStep, settings.limits.maximumValueDepth + 1 - levels)
  }

  /// The number of the body that is being written; 0 at the top level.
  var currentBody: Int { bodies.isInProgress ? bodies.graph.bodyCount : 0 }

  var nestedTooDeep: EncodingError {
    misuse(
      "Values are nested more than \(settings.limits.maximumValueDepth) deep, which is what readers accept by default",
      code: .limitExceeded
    )
  }

  /// Closes the innermost frame and what is still open in it.
  @inline(__always)
  func pop() {
    closeTop()
    dropTop()
  }

  /// Removes the innermost frame without writing anything.
  @inline(__always)
  func dropTop() {
    nesting.depth -= 1
    if let below = context.lower.pop() { context.top = below }
  }

  /// Closes the frame `id` and all frames within it.
  @inline(__always)
  func pop(to id: FrameID) throws {
    while context.top.id != id { try settleNested() }
    pop()
  }

  /// Completes the bytes of the innermost frame.
  @inline(__always)
  func closeTop() {
    switch context.top.kind {
    case .undecided, .single: buffer.append(Tag.empty)
    case .record:
      fillHead(
        at: context.top.start,
        kept: context.top.headByteCount,
        context.top.tableNumber,
        node: context.top.position
      )
    case .map: closeMap()
    case .unkeyed: closeArray()
    case .singleUsed, .walkedElements, .walkedMap, .walkedFields: break
    }
  }

  @inline(never)
  private func closeMap() {
    if !tables.mapKeys.isEmpty {
      if tables.mapKeys[context.top.id]?.replacedCount ?? 0 > 0 { removeReplacedValues() }
      tables.mapKeys[context.top.id] = nil
    }
    closeTop(Tag.map, context.top.count)
  }

  @inline(never)
  private func closeArray() {
    let count = context.top.count
    if count <= Tag.longestShortArray {
      closeTop(Tag.shortArray + UInt8(count))
    } else {
      closeTop(Tag.array, count)
    }
  }

  private func closeTop(_ tag: UInt8, _ number: Int? = nil) {
    let top = context.top
    fillHead(at: top.start, kept: top.headByteCount, top.tableNumber, tag, number)
  }

  /// The largest number of bytes that are reserved for the head of a container, since they are written as one word.
  static let longestHead = 8

  /// Reserves as many bytes as the head of the last container of the table had, and returns their number.
  @inline(__always)
  func keepHead(_ table: UInt32) -> Int {
    let byteCount = Int(types.headByteCounts[Int(table)])
    buffer.append(word: 0, byteCount: byteCount)
    return byteCount
  }

  /// Fills the `kept` bytes that are reserved at `start` with the head of a record whose shape ends at `node`.
  @inline(__always)
  func fillHead(at start: Int, kept: Int, _ table: UInt32, node: Int) {
    let shape = tables.shapes.number(of: node)
    if shape <= Tag.lastShortShape {
      fillHead(at: start, kept: kept, table, Tag.shortRecord &+ UInt8(truncatingIfNeeded: shape))
    } else {
      fillHead(at: start, kept: kept, table, Tag.record, shape)
    }
  }

  @inline(__always)
  private func fillHead(at start: Int, kept: Int, _ table: UInt32, _ tag: UInt8, _ number: Int? = nil) {
    let change = buffer.setHead(at: start, kept: kept, tag, varint: number)
    if change != 0 { noteHead(at: start, byteCount: kept + change, table, movedBy: change) }
  }

  /// Notes that a head is longer or shorter than the bytes reserved for it. The next container of the table is likely to
  /// have one as long.
  private func noteHead(at start: Int, byteCount: Int, _ table: UInt32, movedBy change: Int) {
    if !context.splices.isEmpty { moveSplices(from: start + 1, by: change) }
    types.headByteCounts[Int(table)] = UInt8(truncatingIfNeeded: min(byteCount, EncodingSession.longestHead))
  }

  func moveSplices(from offset: Int, by change: Int) {
    for index in context.splices.indices where context.splices[index].offset >= offset {
      context.splices[index].offset += change
    }
  }

  // MARK: Keys

  @inline(__always)
  func keyTable<Key: CodingKey>(_ type: Key.Type) -> Unretained<EncodingKeyTable> {
    types.keyTables.unretained(for: Key.self) {
      let isDynamic = Key.isDynamic && Key.self != ModelKey.self
      let number = types.addHead(byteCount: isDynamic ? 2 : 1)
      types.keyTypes[Int(number)] = type
      return EncodingKeyTable(isDynamic: isDynamic, number: number)
    }
  }

  /// Releases the containers kept for reuse, which hold the session. Call it when nobody encodes any more.
  func dropSpares() {
    types.kept.isKeeping = false
    types.kept.removeAll()
    if ordering.depth == 0 { ordering.order?.end() }
    ordering.order = nil
  }

  // MARK: Finishing

  /// Completes the archive. Afterwards ``archive`` holds it and nothing more can be encoded.
  func finish() throws {
    if outcome.isFinished, let failure = outcome.failure { throw failure }
    guard !outcome.isFinished else { return }
    try checkIdle()
    try drainLeftovers()
    // This comes before anything is closed: if it throws, the caller can correct the cause and try again.
    let conditionalBodies = try conditionalBodies { $0 }
    do {
      try closeTopLevel()
      outcome.isFinished = true
      try bodies.assembly.finish(
        topLevel: buffer,
        keys: &tables.keys,
        shapes: &tables.shapes,
        classes: tables.classes.entries,
        strings: &tables.strings,
        conditionals: conditionalBodies
      )
    } catch {
      outcome.failure = error
      throw error
    }
  }

  /// Completes the bytes of the top level, to which nothing can be added any more.
  @inline(__always)
  func closeTopLevel() throws {
    while context.top.id != 0 { try settleNested() }
    closeTop()
    try flattenSplices(from: 0)
    outcome.isClosed = true
  }

  var archive: ByteBuffer { bodies.assembly.buffer }
}

/// The number of each key of one key type, by the bit pattern of the cases of an enumeration of at most one byte.
final class EncodingKeyTable: SpareKeeper {
  /// Whether the keys are more than the cases of an enumeration, so that they are written inline.
  let isDynamic: Bool
  /// Its index in ``EncodedTypes/headByteCounts``.
  let number: UInt32
  @safe @exclusivity(unchecked) private var numbers: [Int]
  @safe @exclusivity(unchecked) var spares = SpareContainers<EncodingContainerState>()

  init(isDynamic: Bool, number: UInt32) {
    self.isDynamic = isDynamic
    self.number = number
    numbers = isDynamic ? [] : Array(repeating: -1, count: 256)
  }

  /// A keyed container for the value of `frame`: one that is no longer in use, or a new one.
  @inline(__always)
  func container<Key: CodingKey>(
    _ session: EncodingSession,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    guard let spare = spares.unretained(KeyedEncodingContainer<Key>.self) else {
      return newContainer(session, frame, nested)
    }
    return spare.use { spare in
      spare.state.frame = frame
      if let nested {
        spare.state.nested = nested
        nested.spare = spare
      } else if spare.state.nested != nil {
        spare.state.nested = nil
      }
      return spare.take()
    }
  }

  // A call, so that the metadata of the container is looked up only here.
  @inline(never)
  private func newContainer<Key: CodingKey>(
    _ session: EncodingSession,
    _ frame: FrameID,
    _ nested: NestedContainer?
  ) -> KeyedEncodingContainer<Key> {
    let state = EncodingContainerState(session, self, frame, nested)
    let container = KeyedEncodingContainer(KeyedValueEncoder<Key>(state))
    guard session.types.kept.isKeeping else { return container }
    let isFirst = spares.isEmpty
    let spare = spares.keep(container, state)
    if isFirst, spare != nil { session.types.kept.append(self) }
    nested?.spare = spare
    return container
  }

  @inline(__always)
  func number<Key: CodingKey>(of key: Key, in session: EncodingSession) -> Int {
    guard let bits = bitPattern(of: key), bits < numbers.count else {
      return session.tables.keys.number(for: key.stringValue)
    }
    let known = numbers[bits]
    if known >= 0 { return known }
    let number = session.tables.keys.number(for: key.stringValue)
    numbers[bits] = number
    return number
  }
}
