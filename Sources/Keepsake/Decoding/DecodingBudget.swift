/// What decoding may cost: memory that is taken, objects that are built, counts that user code makes room by
/// (``ArchiveLimits``, Design §4).
///
/// Each charge comes before what it is for, so that nothing out of proportion is ever begun.
struct DecodingBudget {
  /// Structures as large as this are charged each time that one is decoded; smaller ones are part of what they are in.
  static let largeValue = 128
  /// What an object takes beside its fields: its head, what the allocator adds, and its entry in the table of objects.
  static let objectOverhead = 64
  /// What a deferred value takes until it is decoded.
  static let deferredOverhead = 128
  /// What is read once more from the body of an object takes memory that nothing else charges, such as short strings;
  /// this many bytes for each.
  static let rereadFactor = 4
  /// Containers with at most so many elements may say so without being looked at.
  static let smallCount = 16
  /// So many elements may be told in any case.
  static let freeCount = 1 << 16

  /// How many bytes of memory may be taken.
  var allocationLimit: Int
  /// What was charged so far.
  var costs = DecodingCosts()
  /// What each outermost value was charged: to decode it again is the program's wish, and not the archive's.
  private var costsOfValues: [Int: DecodingCosts] = [:]
  /// How many objects were built.
  fileprivate var objectCount = 0
  /// How many elements unkeyed containers said that they have.
  fileprivate var toldCount = 0
  /// The containers whose elements were found to be there, once very many were told.
  fileprivate var countedContainers: Set<Int> = []
  /// The containers whose keys were charged since the outermost value was begun.
  fileprivate var containersOfKeys: Set<Int> = []

  var paths = PathCosts()

  init(_ limits: ArchiveLimits, _ image: ArchiveImage) {
    allocationLimit = limits.allocation(forArchiveOf: image.openedByteCount)
    // The translation of an NSKeyedArchiver archive is in memory already.
    costs.allocated = image.translatedByteCount
  }

  /// Makes it that of another archive, in the memory that it has.
  mutating func startOver(_ limits: ArchiveLimits, _ image: ArchiveImage) {
    allocationLimit = limits.allocation(forArchiveOf: image.openedByteCount)
    costs = DecodingCosts()
    costs.allocated = image.translatedByteCount
    if !costsOfValues.isEmpty { costsOfValues.removeAll(keepingCapacity: costsOfValues.count < 8) }
    (objectCount, toldCount, paths) = (0, 0, PathCosts())
    if !countedContainers.isEmpty { countedContainers = [] }
    if !containersOfKeys.isEmpty { containersOfKeys = [] }
  }

  // MARK: Memory

  /// What was charged when an outermost value was begun.
  struct Start {
    fileprivate let costs: DecodingCosts
    fileprivate let objectCount: Int
  }

  /// Begins to charge the outermost value at `offset`; returns what must be given to ``end(_:at:isDecoded:)``.
  mutating func begin(at offset: Int) -> Start {
    if !containersOfKeys.isEmpty { containersOfKeys = [] }
    if !costsOfValues.isEmpty, let earlier = costsOfValues.removeValue(forKey: offset) { costs -= earlier }
    return Start(costs: costs, objectCount: objectCount)
  }

  /// Ends to charge the outermost value at `offset`. The memory of what could not be decoded was released; the time stays spent.
  mutating func end(_ start: Start, at offset: Int, isDecoded: Bool) {
    if !isDecoded { release(start) }
    guard costs != start.costs else { return }
    var own = costs
    own -= start.costs
    costsOfValues[offset] = own
  }

  /// Gives back the memory that was charged since `start`.
  mutating func release(_ start: Start) {
    costs.allocated = start.costs.allocated
    objectCount = start.objectCount
  }
}

/// What was charged.
struct DecodingCosts: Equatable {
  /// Bytes of memory.
  var allocated = 0
  /// Bytes of bodies that were decoded: of objects once, of those that are read as values each time.
  var readByteCount = 0
  /// Bytes of deferred values that were passed over.
  var passedOverByteCount = 0

  static func -= (costs: inout DecodingCosts, other: DecodingCosts) {
    costs.allocated -= other.allocated
    costs.readByteCount -= other.readByteCount
    costs.passedOverByteCount -= other.passedOverByteCount
  }
}

extension DecodingSession {
  /// Charges `byteCount` bytes of memory for what stands at `offset`.
  @inline(__always)
  func charge(_ byteCount: Int, at offset: Int?) throws(ArchiveError) {
    let sum = checks.budget.costs.allocated.addingSaturating(byteCount)
    guard sum <= checks.budget.allocationLimit else { throw outOfMemory(offset) }
    // What is read outside of any value is given to the program one by one.
    if later.isActive { checks.budget.costs.allocated = sum }
  }

  /// Charges a value that is requested from a container; `path` leads to it.
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

  /// Charges a collection of `count` elements, which take `stride` bytes each.
  @inline(__always)
  func charge(_ count: Int, elementsOf stride: Int, at offset: Int) throws(ArchiveError) {
    guard count <= settings.limits.maximumElementCount else {
      throw settings.limits.tooManyElements(count, offset)
    }
    try charge(count.multipliedSaturating(by: stride), at: offset)
  }

  /// Charges the keys of the container at `offset`, once: a program may ask for them at each step.
  func charge(keysOf offset: Int, count: Int, at cursor: Int) throws(ArchiveError) {
    guard !checks.budget.containersOfKeys.contains(offset) else { return }
    try charge(count, elementsOf: MemoryLayout<PathElement>.stride * 2, at: cursor)
    if later.isActive, count > 0 { checks.budget.containersOfKeys.insert(offset) }
  }

  /// Charges an object, which takes `byteCount` bytes.
  @inline(__always)
  func charge(objectOf byteCount: Int, at offset: Int) throws(ArchiveError) {
    checks.budget.objectCount &+= 1
    guard checks.budget.objectCount <= settings.limits.maximumObjectCount else {
      throw settings.limits.tooManyObjects(offset)
    }
    try charge(byteCount &+ DecodingBudget.objectOverhead, at: offset)
  }

  /// Charges a string of `byteCount` bytes.
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

  /// Counts the bytes of a string that is about to be hashed or parsed: a long one may be shared by very many.
  func countLong(_ string: String, at offset: Int) throws(ArchiveError) {
    let byteCount = string.utf8.count
    guard byteCount > Tag.longestShortString else { return }
    try checkLength(ofString: byteCount, at: offset)
    try countReading(byteCount, at: offset)
  }

  /// Counts the bytes of the key of a map at `offset`, if it is a long one of the string table.
  func countSharedKey(at offset: Int) throws(ArchiveError) {
    guard try reader.byte(at: offset) & 0xFC == Tag.stringReference else { return }
    let byteCount = try image.stringRange(reader.referencedNumber(at: offset), at: offset).count
    if byteCount > Tag.longestShortString { try countReading(byteCount, at: offset) }
  }

  // MARK: Counts

  /// How many elements user code may make room for: `count`, of the unkeyed container at `offset`, whose elements begin
  /// at `payload`; `nil` when they are not there.
  ///
  /// The elements of honest archives are all different values, so the counts of all containers add up to no more than
  /// there are bytes. When more was told, some said too much, or are read again: from then on it is counted.
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
