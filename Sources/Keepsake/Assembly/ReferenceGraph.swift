/// Which object's body refers to which objects: what a reader will meet, and in which order.
///
/// A reference is read when it is met, by the initializer whose body it is in, unless it is in a *deferred*
/// value, which is read when everything else has been. Conditional references are not here: they never make
/// anything be read.
struct ReferenceGraph {
  /// The references of all bodies, body after body. Each reference has how deep it is nested in its body, or in its
  /// deferred value; a group is what is in one deferred value.
  private(set) var bodies = ReferenceList()
  /// Where the references of each body begin, from body 1 on: the low half of the place.
  private let starts = OwnedArray<UInt32>()
  /// The first bodies at which the high half is 1, 2 and so on.
  private var highStarts: [Int] = []
  /// How deep the values of the body are nested that was begun last.
  private var bodyDepth = 0
  /// The references of the top level since its last value was complete.
  private(set) var topLevel = ReferenceList()
  /// Whether any body refers, not deferred, to itself or to an earlier one that refers to others. Without that there
  /// is no new cycle.
  private var refersBack = false
  /// More than the depth of anything that was not looked at yet.
  private var uncheckedDepth = 0
  /// Whether a cycle was met that some orders of reading can build and others cannot.
  private(set) var orderMatters = false
  /// With which bodies the next value need not be concerned, where that may depend on the order of reading.
  private var progress: ReadingProgress?
  /// The bodies with which the values of the top level begin, as far as they have any.
  private var keys: [UInt32] = []
  /// How much was played once more because of the order: the bytes of references, and one for each body.
  private(set) var replayedCount = 0
  /// So much is played once more in any case: a fraction of a second. Beyond, it has to be in proportion to the archive.
  private static let freeReplays = 1 << 22
  private static let replaysPerByte = 256
  /// For each number the first body that refers to it, as far as it was searched; 0 where none does. They do not fall.
  private var referrers: [UInt32] = []
  /// How many bodies were looked at for that.
  private var searchedBodyCount = 0

  struct Mark {
    fileprivate let bodies: ReferenceList.Mark
    fileprivate let starts: Int
    fileprivate let bodyDepth: Int
    fileprivate let keyCount: Int
    /// `nil` within a body, where nothing is added to the top level.
    fileprivate let topLevel: ReferenceList.Mark?
  }

  /// - Parameter inBody: whether a body is being written.
  @inline(__always)
  func mark(inBody: Bool) -> Mark {
    Mark(
      bodies: bodies.mark,
      starts: starts.count,
      bodyDepth: bodyDepth,
      keyCount: keys.count,
      topLevel: inBody ? nil : topLevel.mark
    )
  }

  mutating func truncate(to mark: Mark) {
    bodies.truncate(to: mark.bodies)
    bodyDepth = mark.bodyDepth
    if keys.count > mark.keyCount { keys.removeLast(keys.count - mark.keyCount) }
    starts.truncate(to: mark.starts)
    while let last = highStarts.last, last > bodyCount { highStarts.removeLast() }
    if orderMatters { progress?.truncate(to: mark.starts) } else { progress = nil }
    if searchedBodyCount > bodyCount {
      searchedBodyCount = bodyCount
      while let last = referrers.last, last == 0 || last > bodyCount { referrers.removeLast() }
    }
    if let mark = mark.topLevel { topLevel.truncate(to: mark) }
  }

  /// Forgets all references.
  mutating func removeAll() {
    bodies.removeBodies()
    topLevel.removeBodies()
    starts.truncate(to: 0)
    if !highStarts.isEmpty { highStarts = [] }
    if !referrers.isEmpty { referrers = [] }
    if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
    searchedBodyCount = 0
    (bodyDepth, uncheckedDepth) = (0, 0)
    (refersBack, orderMatters) = (false, false)
    if progress != nil { progress = nil }
    replayedCount = 0
  }

  @inline(__always)
  var bodyCount: Int { starts.count }

  // MARK: Recording

  /// What is recorded from now on belongs to the body after the last.
  @inline(__always)
  mutating func beginBody() {
    let start = bodies.byteCount
    starts.append(UInt32(truncatingIfNeeded: start))
    if start > Int(UInt32.max) { noteHighStart(start) }
    bodyDepth = 0
    bodies.beginBody(bodyCount)
  }

  @inline(never)
  private mutating func noteHighStart(_ start: Int) {
    while start >> 32 > highStarts.count { highStarts.append(bodyCount) }
  }

  /// Records a reference in `property`, nested `depth` deep in the body that was begun last or in its deferred value.
  @inline(__always)
  mutating func addReference(to number: Int, depth: Int, property: Int, isDeferred: Bool) {
    bodies.append(number, depth: depth, property: property)
    uncheckedDepth &+= depth
    if number <= bodyCount, !refersBack, !isDeferred { refersBack = !isLeaf(number) }
  }

  /// Whether the body `number`, which is complete, refers to nothing.
  @inline(__always)
  private func isLeaf(_ number: Int) -> Bool {
    number < bodyCount && number > 0 && starts[number] == starts[number - 1]
  }

  /// Records a reference that stands at the top level itself.
  mutating func addTopLevelReference(to number: Int, depth: Int) {
    topLevel.append(number, depth: depth, property: ReferenceList.unknownProperty)
  }

  /// Records how deep a value of the body that was begun last is nested.
  mutating func noteDepth(_ depth: Int) {
    guard bodyCount > 0, depth > bodyDepth else { return }
    uncheckedDepth += depth - bodyDepth
    bodyDepth = depth
    bodies.append(bodyDepth: depth)
  }

  /// Begins a deferred value; what is returned ends it.
  mutating func beginDeferred(inBody: Bool) -> ReferenceList.OpenGroup {
    inBody ? bodies.beginGroup() : topLevel.beginGroup()
  }

  mutating func endDeferred(_ group: ReferenceList.OpenGroup, inBody: Bool) {
    if inBody { bodies.end(group) } else { topLevel.end(group) }
  }

  // MARK: Who refers to what

  @inline(__always)
  private func start(of body: Int) -> Int {
    guard body <= bodyCount else { return bodies.byteCount }
    let low = Int(starts[body - 1])
    return highStarts.isEmpty ? low : low | highStarts.prefix { $0 <= body }.count << 32
  }

  /// The references of the body `number`.
  @inline(__always)
  func references(of number: Int) -> ReferenceCursor {
    ReferenceCursor(start(of: number)..<start(of: number + 1), body: number)
  }

  /// Calls `visit` with the number of each object that the body `number` refers to.
  func forEachReference(of number: Int, _ visit: (Int) -> Void) {
    forEach(references(of: number), bodies, visit)
  }

  /// The same with the property of each reference (``PlayThroughQuestions``).
  func forEachReference(of number: Int, withProperty visit: (_ target: Int, _ property: Int) -> Void) {
    forEachStep(references(of: number), bodies) { step in
      if case .reference(let number, _, let property) = step { visit(number, property) }
    }
  }

  func forEach(_ references: ReferenceCursor, _ list: ReferenceList, _ visit: (Int) -> Void) {
    forEachStep(references, list) { step in
      if case .reference(let number, _, _) = step { visit(number) }
    }
  }

  /// Calls `visit` with what stands at `references` of the list and in the groups there, which may be nested very deep.
  private func forEachStep(
    _ references: ReferenceCursor,
    _ list: ReferenceList,
    _ visit: (ReferenceCursor.Step) -> Void
  ) {
    var current = references
    var outer: [ReferenceCursor] = []
    while true {
      guard let step = current.next(list) else {
        guard let last = outer.popLast() else { return }
        current = last
        continue
      }
      if case .group(let offset) = step {
        outer.append(current)
        current = ReferenceCursor(list, groupAt: offset, body: current.body)
      } else {
        visit(step)
      }
    }
  }

  /// The first body that refers to the object `number`; `nil` where the top level reached it first. The bodies before its
  /// own are complete.
  ///
  /// Numbers are given out in the order in which objects are met. So each body is looked at once, however often this is called.
  mutating func firstReferrer(of number: Int) -> Int? {
    guard searchedBodyCount < min(number - 1, bodyCount) else { return knownReferrer(of: number) }
    // Not in place: the closure would change what is being read.
    var found = referrers
    referrers = []
    while searchedBodyCount < min(number - 1, bodyCount) {
      searchedBodyCount += 1
      let body = searchedBodyCount
      forEachReference(of: body) { target in
        // What the top level reached first has a lower number than the body that is being written then.
        guard target > body else { return }
        while found.count <= target { found.append(0) }
        if found[target] == 0 { found[target] = UInt32(truncatingIfNeeded: body) }
      }
    }
    referrers = found
    return knownReferrer(of: number)
  }

  private func knownReferrer(of number: Int) -> Int? {
    number < referrers.count && referrers[number] > 0 ? Int(referrers[number]) : nil
  }
}

// MARK: - What a reader will do

extension ReferenceGraph {
  /// A reference that a reader follows: the body that it is in, and the property (``PlayThroughQuestions``).
  struct Edge: Equatable {
    let body: Int
    let property: Int
  }

  /// Why a reader could not build the objects again.
  enum Obstacle: Equatable {
    /// Each of these references leads to the body of the next, and the last one to that of the first, whose initializer
    /// is running.
    case cycle([Edge])
    /// An initializer runs within others so many levels deep when the object of this number is built.
    case depth(Int, number: Int)
    /// Too much was read again, for one value after the other, because of the order of reading.
    case cost(number: Int)
  }

  /// Plays through how a reader will build the objects of the top-level value that was written last: depth
  /// first, each body's references in their order, deferred values when the rest is done (Design §3).
  ///
  /// - Parameters:
  ///   - first: the first number that was given out for the value; those before were looked at earlier.
  ///   - valueBody: the body of the value itself, when it has one.
  ///   - maximumDepth: how deep a reader goes.
  ///   - classes: who knows the objects.
  mutating func findObstacle(
    from first: Int,
    valueBody: Int?,
    maximumDepth: Int,
    _ classes: some PlayThroughQuestions
  ) -> Obstacle? {
    defer {
      refersBack = false
      uncheckedDepth = 0
      topLevel.removeAll()
    }
    noteKey(valueBody)
    guard refersBack || orderMatters || uncheckedDepth > maximumDepth else { return nil }
    var (obstacle, isNewReadLast) = play(from: first, valueBody, maximumDepth, classes)
    // A property that is read last from now on changes what earlier values are read like, too.
    var next = isNewReadLast ? 0 : keys.count
    while obstacle == nil, orderMatters, next < keys.count {
      let key = Int(keys[next])
      next += 1
      guard let progress, key >= progress.first else { continue }
      (obstacle, isNewReadLast) = play(from: bodyCount + 1, key, maximumDepth, classes)
      if isNewReadLast { next = 0 }
    }
    return obstacle
  }

  @inline(__always)
  private mutating func noteKey(_ valueBody: Int?) {
    if let valueBody {
      // Where no body has a reference, none is of interest.
      if bodies.byteCount > 0 { keys.append(UInt32(truncatingIfNeeded: valueBody)) }
    } else if topLevel.byteCount > 0 {
      noteObjectsOfKey()
    }
  }

  @inline(never)
  private mutating func noteObjectsOfKey() {
    var objects: [UInt32] = []
    forEach(ReferenceCursor(0..<topLevel.byteCount, body: 0), topLevel) { number in
      objects.append(UInt32(truncatingIfNeeded: number))
    }
    keys += objects
  }

  /// Plays through how a reader builds a value of the top level: that which was written last, or one with a body.
  ///
  /// - Parameter first: the first body that was not played for another value.
  /// - Returns: also whether a property is read last from now on in an archive where the order matters.
  private mutating func play(
    from first: Int,
    _ valueBody: Int?,
    _ maximumDepth: Int,
    _ classes: some PlayThroughQuestions
  ) -> (Obstacle?, isNewReadLast: Bool) {
    // Keys are read in any order. Where that matters, what earlier values reached counts as not read yet, unless it can be
    // read from there in any case.
    var known = progress ?? ReadingProgress(first: first)
    progress = nil
    known.expand(to: bodyCount, findsStarts: orderMatters || classes.knowsSomeEarly)
    var reading = PlayThrough(
      self,
      first: first,
      valueBody,
      known,
      mostReplayed: mostReplayed - replayedCount,
      maximumDepth,
      classes
    )
    // So that it is not copied.
    known = ReadingProgress(first: first)
    let obstacle = reading.read()
    replayedCount += reading.replayedCount
    if reading.progress.end(forgetsAll: obstacle != nil) { orderMatters = true }
    if orderMatters || obstacle != nil { progress = reading.progress }
    return (obstacle, reading.hasStartedOver)
  }

  /// How much may be played once more.
  var mostReplayed: Int {
    ReferenceGraph.freeReplays + ReferenceGraph.replaysPerByte * (bodies.byteCount + bodyCount)
  }

  /// Where a cycle is that a reader can close although plain properties could not, other values may enter it where it cannot
  /// be read. So from now on each is played through as if it were the first to be read.
  mutating func playOthersFromTheStart() { orderMatters = true }

  /// How deep the values are nested that `references` is of, as far as that was noted.
  func depth(of references: ReferenceCursor) -> Int {
    guard bodies.hasBodyDepths else { return 0 }
    var deepest = 0
    forEachStep(references, bodies) { step in
      if case .bodyDepth(let depth) = step { deepest = max(deepest, depth) }
    }
    return deepest
  }
}
