/// Limits what decoding may cost: memory, objects, and the counts by which user code reserves space (``ArchiveLimits``,
/// Design §4).
///
/// The session charges each cost before it arises, so nothing out of proportion ever begins.
struct DecodingBudget {
  /// Each decoded structure of at least this size is charged; smaller ones are part of what contains them.
  static let largeValue = 128
  /// The bytes of an object besides its fields: its header, the allocator's overhead, its entry in the object table.
  static let objectOverhead = 64
  /// The bytes of a collection besides its elements. In an array of arrays, each may take one byte of the archive and
  /// takes 8 in the outer array: with more than 56, the default limit would refuse arrays that a program has written.
  static let collectionOverhead = 48
  /// The bytes of a URL besides its text: its object, and where Foundation keeps the parts of the text.
  static let urlOverhead = 256
  /// The bytes of a deferred value until it is decoded.
  static let deferredOverhead = 128
  /// The bytes of a lazy value until it is read.
  static let lazyOverhead = 192
  /// The charge for each byte that is read again from the body of an object, for memory that nothing else charges, such
  /// as that of short strings.
  static let rereadFactor = 4
  /// The session trusts the counts of containers with at most this many elements.
  static let smallCount = 16
  /// Added to the bytes of the archive in the limit for reported elements.
  static let freeCount = 1 << 16

  /// About as many bytes as an error takes whose coding path has `stepCount` steps.
  static func byteCount(ofErrorWith stepCount: Int) -> Int { 1_024 &+ stepCount &* 128 }

  /// How many bytes decoding may allocate.
  var allocationLimit = 0
  /// The costs so far.
  var costs = DecodingCosts()
  /// The costs of the last outermost value, and those of each one before it. If one is decoded again, that is due to the
  /// program, not to the archive.
  private var lastValue: (offset: Int, costs: DecodingCosts)?
  private var costsOfValues: [Int: DecodingCosts] = [:]
  fileprivate var objectCount = 0
  /// How many elements the unkeyed containers have reported.
  fileprivate var toldCount = 0
  /// The containers whose elements were verified, after the reports exceeded the limit.
  fileprivate var countedContainers: Set<Int> = []
  /// The containers whose keys were charged since the outermost value began.
  fileprivate var containersOfKeys: Set<Int> = []

  var paths = PathCosts()

  /// Makes this the budget of another archive, and reuses its memory.
  mutating func startOver(_ limits: ArchiveLimits, _ image: ArchiveImage) {
    allocationLimit = limits.allocation(forArchiveOf: image.openedByteCount)
    // The translation of an NSKeyedArchiver archive is already in memory.
    costs = DecodingCosts(allocated: image.translatedByteCount)
    lastValue = nil
    if !costsOfValues.isEmpty { costsOfValues = [:] }
    (objectCount, toldCount, paths) = (0, 0, PathCosts())
    if !countedContainers.isEmpty { countedContainers = [] }
    if !containersOfKeys.isEmpty { containersOfKeys = [] }
  }

  // MARK: Memory

  /// The costs when an outermost value began.
  struct Start {
    fileprivate let costs: DecodingCosts
    fileprivate let objectCount: Int
  }

  /// Begins to charge the outermost value at `offset`. Pass the result to ``end(_:at:isDecoded:)``.
  mutating func begin(at offset: Int) -> Start {
    if !containersOfKeys.isEmpty { containersOfKeys = [] }
    if let earlier = removeCosts(ofValueAt: offset) { costs -= earlier }
    return Start(costs: costs, objectCount: objectCount)
  }

  /// Stops charging the outermost value at `offset`. If decoding failed, its memory is refunded, not its time.
  mutating func end(_ start: Start, at offset: Int, isDecoded: Bool) {
    if !isDecoded { release(start) }
    guard costs != start.costs else { return }
    if let lastValue { costsOfValues[lastValue.offset] = lastValue.costs }
    lastValue = (offset, costs)
    lastValue?.costs -= start.costs
  }

  /// Keeps what the outermost value at `offset` has cost, even if it is decoded again.
  mutating func keepCosts(ofValueAt offset: Int) { _ = removeCosts(ofValueAt: offset) }

  private mutating func removeCosts(ofValueAt offset: Int) -> DecodingCosts? {
    guard let lastValue, lastValue.offset == offset else {
      return costsOfValues.isEmpty ? nil : costsOfValues.removeValue(forKey: offset)
    }
    self.lastValue = nil
    return lastValue.costs
  }

  /// Refunds the memory that was charged since `start`, except `kept` bytes.
  mutating func release(_ start: Start, except kept: Int = 0) {
    costs.allocated = start.costs.allocated.addingSaturating(kept)
    objectCount = start.objectCount
  }
}

/// The costs that were charged.
struct DecodingCosts: Equatable {
  /// Bytes of memory.
  var allocated = 0
  /// Bytes of decoded bodies and long strings. An object counts once, a body that is read as a value counts each time.
  var readByteCount = 0
  /// Bytes of deferred values that the decoder passed over.
  var passedOverByteCount = 0

  static func -= (costs: inout DecodingCosts, other: DecodingCosts) {
    costs.allocated -= other.allocated
    costs.readByteCount -= other.readByteCount
    costs.passedOverByteCount -= other.passedOverByteCount
  }
}

extension DecodingSession {
  /// Charges `byteCount` bytes of memory for the value at `offset`.
  @inline(__always)
  func charge(_ byteCount: Int, at offset: Int?) throws(ArchiveError) {
    let sum = checks.budget.costs.allocated.addingSaturating(byteCount)
    guard sum <= checks.budget.allocationLimit else { throw outOfMemory(offset) }
    // Outside of an outermost decode the program gets values one by one, so their costs do not add up.
    if later.isActive { checks.budget.costs.allocated = sum }
  }

  /// Charges a value that user code requests from a container; `path` leads to it.
  @inline(__always)
  func charge<Value>(
    valueOf type: Value.Type,
    at offset: Int?,
    _ path: @autoclosure () -> [any CodingKey]
  ) throws {
    do throws(ArchiveError) {
      try charge(MemoryLayout<Value>.stride, at: offset)
    } catch {
      throw corrupted(error, path())
    }
  }

  @inline(__always)
  func checkElementCount(_ count: Int, at offset: Int) throws(ArchiveError) {
    guard count <= settings.limits.maximumElementCount else {
      throw settings.limits.tooManyElements(count, offset)
    }
  }

  /// Charges a collection of `count` elements of `stride` bytes each.
  @inline(__always)
  func charge(_ count: Int, elementsOf stride: Int, at offset: Int) throws(ArchiveError) {
    try checkElementCount(count, at: offset)
    let overhead = count > 0 ? DecodingBudget.collectionOverhead : 0
    try charge(count.multipliedSaturating(by: stride).addingSaturating(overhead), at: offset)
  }

  /// Charges the keys of the container at `offset` once, since a program may request them at each step.
  func charge(keysOf offset: Int, count: Int, at cursor: Int) throws(ArchiveError) {
    guard !checks.budget.containersOfKeys.contains(offset) else { return }
    try checkElementCount(count, at: cursor)
    try charge(count.multipliedSaturating(by: MemoryLayout<PathElement>.stride * 2), at: cursor)
    if later.isActive, count > 0 { checks.budget.containersOfKeys.insert(offset) }
  }

  @inline(__always)
  func charge(objectOf byteCount: Int, at offset: Int) throws(ArchiveError) {
    checks.budget.objectCount &+= 1
    guard checks.budget.objectCount <= settings.limits.maximumObjectCount else {
      throw settings.limits.tooManyObjects(offset)
    }
    try charge(byteCount &+ DecodingBudget.objectOverhead, at: offset)
  }

  @inline(__always)
  func charge(stringOf byteCount: Int, at offset: Int) throws(ArchiveError) {
    try checkLength(ofString: byteCount, at: offset)
    try charge(byteCount, at: offset)
  }

  @inline(__always)
  func checkLength(ofString byteCount: Int, at offset: Int) throws(ArchiveError) {
    guard byteCount <= settings.limits.maximumStringByteCount else {
      throw settings.limits.tooLong(byteCount, offset)
    }
  }

  /// Counts the bytes of a string before it is hashed or parsed, since many references may share a long one.
  func countLong(_ string: String, at offset: Int) throws(ArchiveError) {
    let byteCount = string.utf8.count
    guard byteCount > Tag.longestShortString else { return }
    try checkLength(ofString: byteCount, at: offset)
    try countReading(byteCount, at: offset)
  }

  /// Counts the bytes of the map key at `offset` if it is a long string of the string table.
  func countSharedKey(at offset: Int) throws(ArchiveError) {
    guard try reader.byte(at: offset) & 0xFC == Tag.stringReference else { return }
    let byteCount = try image.stringRange(reader.referencedNumber(at: offset), at: offset).count
    if byteCount > Tag.longestShortString { try countReading(byteCount, at: offset) }
  }

  // MARK: Counts

  /// The `count` that the unkeyed container at `offset`, whose elements begin at `payload`, may report to user code;
  /// `nil` if it has fewer elements.
  ///
  /// In a valid archive all elements are distinct values, so the counts of all containers add up to at most the bytes
  /// of the archive. If the sum is much larger, some are false or reported again, and the session counts from then on.
  func toldCount(_ count: Int, of offset: Int, payload: Int) -> Int? {
    guard count > DecodingBudget.smallCount else { return count }
    checks.budget.toldCount = checks.budget.toldCount.addingSaturating(count)
    guard checks.budget.toldCount / 2 > reader.count + DecodingBudget.freeCount,
      !checks.budget.countedContainers.contains(offset)
    else { return count }
    var cursor = payload
    do throws(ArchiveError) {
      for _ in 0..<count { cursor = try end(ofValueAt: cursor) }
    } catch {
      remember(corrupted(error, searchedPath(to: offset)))
      return nil
    }
    checks.budget.countedContainers.insert(offset)
    return count
  }

  // MARK: Errors

  @inline(never)
  private func outOfMemory(_ offset: Int?) -> ArchiveError {
    ArchiveError.limitExceeded(
      "The values would take more than \(checks.budget.allocationLimit) bytes of memory, out of proportion to the archive; "
        + "ArchiveLimits.maximumAllocation can allow more",
      at: offset
    )
  }
}
