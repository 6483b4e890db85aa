/// The references between the bodies of objects: what a reader will meet, and in which order.
///
/// The initializer that reads a body follows each reference when it meets it, except in a *deferred* value, which is
/// read after everything else. Conditional references are not recorded here, since they never cause anything to be
/// read.
struct ReferenceGraph {
  /// The references of all bodies, one body after another. Each has its depth in its body or deferred value; a group
  /// holds the references of one deferred value.
  private(set) var bodies = ReferenceList()
  /// Where the references of each body begin, from body 1 on: the low 32 bits of the offset.
  private let starts = OwnedArray<UInt32>()
  /// The first bodies at which the high 32 bits are 1, 2 and so on.
  private var highStarts: [Int] = []
  /// The depth of the deepest value so far in the body that was begun last.
  private var bodyDepth = 0
  /// The references of the top level since its last value was complete.
  private(set) var topLevel = ReferenceList()
  /// Whether any body has a reference, not deferred, to itself or to an earlier body that has references. Otherwise
  /// there is no new cycle.
  private var refersBack = false
  /// An upper bound of the depth of everything that has not been checked yet.
  private var uncheckedDepth = 0
  /// Whether there is a cycle that some orders of reading can build and others cannot.
  private(set) var orderMatters = false
  /// What the next value need not read again, if that may depend on the order of reading.
  private var progress: ReadingProgress?
  /// The bodies with which the values of the top level begin, if they have any.
  private var keys: [UInt32] = []
  /// How much was replayed because of the order: the bytes of references, and one for each body.
  private(set) var replayedCount = 0
  /// This much is replayed in any case, which takes a fraction of a second; more only in proportion to the archive.
  private static let freeReplays = 1 << 22
  private static let replaysPerByte = 256
  /// For each number, the first body found that refers to it, or 0 if there is none. These bodies ascend.
  private var referrers: [UInt32] = []
  /// How many bodies have been searched for ``referrers``.
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

  /// Begins the next body, to which everything recorded from now on belongs.
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

  /// Whether the complete body `number` has no references.
  @inline(__always)
  private func isLeaf(_ number: Int) -> Bool {
    number < bodyCount && number > 0 && starts[number] == starts[number - 1]
  }

  /// Records a reference of the top level itself.
  mutating func addTopLevelReference(to number: Int, depth: Int) {
    topLevel.append(number, depth: depth, property: ReferenceList.unknownProperty)
  }

  /// Records the depth of a value in the body that was begun last.
  mutating func noteDepth(_ depth: Int) {
    guard bodyCount > 0, depth > bodyDepth else { return }
    uncheckedDepth += depth - bodyDepth
    bodyDepth = depth
    bodies.append(bodyDepth: depth)
  }

  /// Begins a deferred value. Pass the result to ``endDeferred(_:inBody:)`` to end it.
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

  /// Calls `visit` with the number of each object to which the body `number` refers, and the property of the reference
  /// (``PlayThroughQuestions``).
  func forEachReference(of number: Int, _ visit: (_ target: Int, _ property: Int) -> Void) {
    forEach(references(of: number), bodies, visit)
  }

  /// The same for `references` of `list`.
  func forEach(_ references: ReferenceCursor, _ list: ReferenceList, _ visit: (Int, Int) -> Void) {
    forEachStep(references, list) { step in
      if case .reference(let number, _, let property) = step { visit(number, property) }
    }
  }

  /// Calls `visit` with each step of `references`, including those in groups, which may be nested very deep.
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

  /// The first body that refers to the object `number`, or `nil` if the top level reached it first. The bodies before
  /// the object's own are complete.
  ///
  /// Numbers are assigned in the order in which objects are met, so all calls together search each body only once.
  mutating func firstReferrer(of number: Int) -> Int? {
    guard searchedBodyCount < min(number - 1, bodyCount) else { return knownReferrer(of: number) }
    // Moved out of `self`, since the closure cannot change what is being read.
    var found = referrers
    referrers = []
    while searchedBodyCount < min(number - 1, bodyCount) {
      searchedBodyCount += 1
      let body = searchedBodyCount
      forEachReference(of: body) { target, _ in
        // An object with a lower number was reached before this body was begun.
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
  /// A reference that a reader follows: the body with the reference, and its property (``PlayThroughQuestions``).
  struct Edge: Equatable {
    let body: Int
    let property: Int
  }

  /// Why a reader could not rebuild the objects.
  enum Obstacle: Equatable {
    /// Each of these references leads to the body of the next, and the last one back to the body of the first, whose
    /// initializer is running.
    case cycle([Edge])
    /// Building the object `number` nests initializers this many levels deep.
    case depth(Int, number: Int)
    /// Replaying one value after another, because of the order of reading, took too much.
    case cost(number: Int)
  }

  /// Simulates how a reader builds the objects of the top-level value that was written last: depth first, the
  /// references of each body in order, deferred values at the end (Design §3).
  ///
  /// - Parameters:
  ///   - first: the first number that was assigned for the value; earlier ones have been checked.
  ///   - valueBody: the body of the value itself, if it has one.
  ///   - maximumDepth: the depth that readers accept.
  ///   - classes: answers questions about the objects.
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
    // Another property that is read last also changes how earlier values are read.
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
      // If no body has references, none matters.
      if bodies.byteCount > 0 { keys.append(UInt32(truncatingIfNeeded: valueBody)) }
    } else if topLevel.byteCount > 0 {
      noteObjectsOfKey()
    }
  }

  @inline(never)
  private mutating func noteObjectsOfKey() {
    var objects: [UInt32] = []
    forEach(ReferenceCursor(0..<topLevel.byteCount, body: 0), topLevel) { number, _ in
      objects.append(UInt32(truncatingIfNeeded: number))
    }
    keys += objects
  }

  /// Simulates how a reader builds a value of the top level: the one that was written last, or one with a body.
  ///
  /// - Parameter first: the first body that was not played for another value.
  /// - Returns: also whether another property is read last from now on in an archive where the order matters.
  private mutating func play(
    from first: Int,
    _ valueBody: Int?,
    _ maximumDepth: Int,
    _ classes: some PlayThroughQuestions
  ) -> (Obstacle?, isNewReadLast: Bool) {
    // Keys are read in any order. If that matters, what earlier values reached counts as not read, unless it can be
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
    // Releases the reference to the states, so that the reader does not copy them.
    known = ReadingProgress(first: first)
    let obstacle = reading.read()
    replayedCount += reading.replayedCount
    if reading.progress.end(forgetsAll: obstacle != nil) { orderMatters = true }
    if orderMatters || obstacle != nil { progress = reading.progress }
    return (obstacle, reading.hasStartedOver)
  }

  /// How much may be replayed.
  var mostReplayed: Int {
    ReferenceGraph.freeReplays + ReferenceGraph.replaysPerByte * (bodies.byteCount + bodyCount)
  }

  /// Plays each value from now on as if it were the first to be read. A reader can close some cycle although plain
  /// properties cannot, and other values may enter that cycle where it cannot be read.
  mutating func playOthersFromTheStart() { orderMatters = true }

  /// How deep the values of the body with `references` are nested, as far as that was recorded.
  func depth(of references: ReferenceCursor) -> Int {
    guard bodies.hasBodyDepths else { return 0 }
    var deepest = 0
    forEachStep(references, bodies) { step in
      if case .bodyDepth(let depth) = step { deepest = max(deepest, depth) }
    }
    return deepest
  }
}
