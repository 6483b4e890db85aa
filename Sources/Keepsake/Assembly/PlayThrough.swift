/// What ``PlayThrough`` asks about the objects.
///
/// A *property* is twice the node of the trie of shapes at which the record of an object was when the reference was
/// written. For a record that was written from memory it is twice the number of the key, and 1. 0 stands for none.
protocol PlayThroughQuestions {
  /// Whether the object `number` is known to what it holds, so that this may refer back to it.
  func isKnownEarly(_ number: Int) -> Bool

  /// Whether that may be so of some objects and not of others.
  var knowsSomeEarly: Bool { get }

  /// Whether the object `number` is the content of a lazy value.
  func isLazy(_ number: Int) -> Bool

  /// The class of the object `number`, if some of its properties are read last; whatever the number means is left to
  /// ``isReadLast(_:by:)``.
  func classThatReadsLast(of number: Int) -> Int?

  /// Whether objects of the class `number` read `property` last.
  func isReadLast(_ property: Int, by number: Int) -> Bool

  /// Lets the property of one of `edges` be read last from now on, if that of any can be.
  ///
  /// - Parameter isTooDeep: whether it is for the depth alone.
  func readLast(oneOf edges: [ReferenceGraph.Edge], isTooDeep: Bool) -> Bool
}

/// Where a body is: not read, waiting to be read when everything else is, complete, or at a step of the path, which is the
/// number less one.
private enum State {
  static let absent: UInt32 = 0
  static let waiting = UInt32.max - 1
  static let complete = UInt32.max
}

/// How far the bodies from ``first`` on are; what was before them is complete. It is kept where it matters in which order
/// keys are read: then only what is a safe start counts as complete when the next value is played.
struct ReadingProgress {
  let first: Int
  fileprivate var states: [UInt32] = []
  /// Only where objects that are known early may be in cycles with others.
  fileprivate var starts: SafeStarts?

  init(first: Int) { self.first = first }

  fileprivate subscript(number: Int) -> UInt32 {
    get { number < first ? State.complete : states[number - first] }
    set { states[number - first] = newValue }
  }

  /// Adds the bodies up to `bodyCount`.
  mutating func expand(to bodyCount: Int, findsStarts: Bool) {
    let count = max(0, bodyCount - first + 1)
    while states.count < count { states.append(State.absent) }
    if findsStarts, starts == nil { starts = SafeStarts(first: first) }
    starts?.expand(to: count)
  }

  mutating func truncate(to bodyCount: Int) {
    let count = max(0, bodyCount - first + 1)
    if states.count > count { states.removeLast(states.count - count) }
    starts?.truncate(to: count)
  }

  fileprivate func isOpened(_ number: Int) -> Bool {
    let state = self[number]
    return state != State.absent && state != State.waiting
  }

  /// The step of the path at which the body `number` is.
  fileprivate func step(of number: Int) -> Int? {
    let state = self[number]
    return state == State.complete || !isOpened(number) ? nil : Int(state) - 1
  }

  fileprivate mutating func isToBeOpened(_ number: Int) -> Bool {
    !isOpened(number) && starts?.skips(number) != true
  }

  /// Notes a deferred reference to the body `number` in the one that was opened last.
  fileprivate mutating func `defer`(_ number: Int) {
    guard starts != nil else { return }
    let isRead = isOpened(number)
    starts?.defer(number, isRead: isRead)
  }

  /// Forgets what was read that is no safe start; all of it if `forgetsAll`.
  ///
  /// - Returns: whether there are cycles that may be readable from some of their objects only.
  mutating func end(forgetsAll: Bool) -> Bool {
    guard var starts else {
      if forgetsAll { forgetAll() }
      return false
    }
    let orderMatters = starts.orderMatters
    self.starts = nil
    starts.end { number, isSafe in
      let isComplete = !forgetsAll && (isSafe || !orderMatters)
      states[number - first] = isComplete ? State.complete : State.absent
    }
    self.starts = starts
    return orderMatters
  }

  /// Lets all bodies be read anew.
  fileprivate mutating func forgetAll() {
    starts?.end { _, _ in }
    starts?.forgetCycles()
    for index in states.indices { states[index] = State.absent }
  }
}

/// A reader at its work, as far as it matters which objects it has built.
///
/// Where it meets a cycle, or too great a depth, it lets a property on its path be read last, and continues with the
/// object whose property that is. What was read within that property and is complete stays so: a complete object refers
/// to complete ones only, in whatever order the reader comes to them. That does not hold where some objects are known
/// early, since complete ones may refer to those. Then the reader starts over.
struct PlayThrough<Questions: PlayThroughQuestions> {
  /// Some references in a row, of the top level, a body or a deferred value, and how deep they are nested.
  private struct Step {
    /// The body whose initializer is running; 0 for the top level and deferred values.
    var body = 0
    var rest: ReferenceCursor
    var depth = 0
    /// How deep the deepest value of the body is nested.
    var innermostDepth = 0
    var isTopLevel = false
    /// The property of the reference that is being followed, and whether it is read last.
    var property = ReferenceList.unknownProperty
    var isReadLast = false
    /// The class of the object if it reads properties last.
    var classThatReadsLast: Int?
  }

  /// What is read when everything else is: a group of references, or an object in a property that is read last.
  private enum DeferredValue {
    case group(Int, body: Int, isTopLevel: Bool)
    case object(Int)
  }

  private let graph: ReferenceGraph
  /// The body of the value, where it has one of its own.
  private let valueBody: Int?
  private let maximumDepth: Int
  private let classes: Questions
  var progress: ReadingProgress
  private var path: [Step] = []
  private let deferred = OwnedArray<DeferredValue>()
  /// How many of the deferred values were read.
  private var deferredReadCount = 0
  /// Where the order of reading may matter, the lazy values that were met: the rest is read without them.
  private var lazyValues: [Int] = []
  private var lazyReadCount = 0
  /// The first body that was not played earlier, and how much was played of those before it: the bytes of references, and
  /// one for each body.
  private let firstNew: Int
  private(set) var replayedCount = 0
  /// Whether a property is read last from now on that was not when the value was begun.
  private(set) var hasStartedOver = false
  private let mostReplayed: Int

  init(
    _ graph: ReferenceGraph,
    first: Int,
    _ valueBody: Int?,
    _ progress: ReadingProgress,
    mostReplayed: Int,
    _ maximumDepth: Int,
    _ classes: Questions
  ) {
    self.graph = graph
    firstNew = first
    self.mostReplayed = mostReplayed
    self.valueBody = valueBody
    self.progress = progress
    self.maximumDepth = maximumDepth
    self.classes = classes
  }

  /// Reads the value.
  mutating func read() -> ReferenceGraph.Obstacle? {
    let obstacle = readAll()
    // Otherwise nothing waits any more.
    if obstacle != nil || progress.starts != nil { forgetWaiting() }
    return obstacle
  }

  /// Lets what was not read after all wait again when the next value is played.
  private mutating func forgetWaiting() {
    for index in 0..<deferred.count {
      if case .object(let number) = deferred[index], progress[number] == State.waiting {
        progress[number] = State.absent
      }
    }
  }

  private mutating func readAll() -> ReferenceGraph.Obstacle? {
    begin()
    if let obstacle = finishPath() { return obstacle }
    while let next = nextDeferred() {
      switch next {
      case .group(let offset, let body, let isTopLevel):
        let group = ReferenceCursor(isTopLevel ? graph.topLevel : graph.bodies, groupAt: offset, body: body)
        if let lazyValue = lazyValue(in: group, isTopLevel) {
          lazyValues.append(lazyValue)
        } else {
          path.append(Step(rest: group, isTopLevel: isTopLevel))
        }
      case .object(let number):
        if progress.isToBeOpened(number) { open(number, depth: 1) }
      }
      if let obstacle = finishPath() { return obstacle }
    }
    return nil
  }

  /// What is to be read now that nothing else is.
  private mutating func nextDeferred() -> DeferredValue? {
    if deferredReadCount < deferred.count {
      deferredReadCount += 1
      return deferred[deferredReadCount - 1]
    }
    guard lazyReadCount < lazyValues.count else { return nil }
    lazyReadCount += 1
    return .object(lazyValues[lazyReadCount - 1])
  }

  /// The lazy value to which `group` refers, if it does: a reader need not read it, so the order may matter.
  private func lazyValue(in group: ReferenceCursor, _ isTopLevel: Bool) -> Int? {
    guard progress.starts != nil else { return nil }
    var group = group
    while let next = group.next(isTopLevel ? graph.topLevel : graph.bodies) {
      if case .reference(let target, _, _) = next { return classes.isLazy(target) ? target : nil }
    }
    return nil
  }

  private mutating func begin() {
    if let valueBody {
      if progress.isToBeOpened(valueBody) { open(valueBody, depth: 0) }
      return
    }
    path.append(Step(rest: ReferenceCursor(0..<graph.topLevel.byteCount, body: 0), isTopLevel: true))
  }

  private mutating func open(_ number: Int, depth: Int) {
    let references = graph.references(of: number)
    let innermost = depth + graph.depth(of: references)
    path.append(
      Step(
        body: number,
        rest: references,
        depth: depth,
        innermostDepth: innermost,
        classThatReadsLast: classes.classThatReadsLast(of: number)
      )
    )
    progress[number] = UInt32(truncatingIfNeeded: path.count)
    progress.starts?.open(number)
    if number < firstNew { replayedCount += references.byteCount + 1 }
  }

  private mutating func finishPath() -> ReferenceGraph.Obstacle? {
    while let step = path.last {
      if step.innermostDepth > maximumDepth {
        if shorten(from: 0, isTooDeep: true) { continue }
        return .depth(step.innermostDepth, number: step.body)
      }
      if replayedCount > mostReplayed { return .cost(number: step.body) }
      if let obstacle = follow(step) { return obstacle }
    }
    return nil
  }

  /// Follows the references of `step`, the last one of the path, up to its end or to a body that is not complete.
  private mutating func follow(_ step: Step) -> ReferenceGraph.Obstacle? {
    var step = step
    let list = step.isTopLevel ? graph.topLevel : graph.bodies
    while let next = step.rest.next(list) {
      switch next {
      case .bodyDepth: break
      case .group(let offset):
        deferred.append(.group(offset, body: step.rest.body, isTopLevel: step.isTopLevel))
        // With those in it, so that a group in a group, which is read later, is not noted again.
        if progress.starts != nil, step.body > 0 { noteDeferred(offset, step.body) }
      case .reference(let target, let depth, let property):
        if property != step.property {
          step.property = property
          step.isReadLast = step.classThatReadsLast.map { classes.isReadLast(property, by: $0) } ?? false
        }
        if step.isReadLast {
          wait(for: target)
        } else if progress.isToBeOpened(target) {
          path[path.count - 1] = step
          open(target, depth: step.depth + depth)
          return nil
        } else if let start = progress.step(of: target), !classes.isKnownEarly(target) {
          path[path.count - 1] = step
          return shorten(from: start, isTooDeep: false) ? nil : .cycle(edges(from: start))
        } else {
          progress.starts?.refer(to: target)
        }
      }
    }
    path.removeLast()
    if step.body > 0 {
      progress[step.body] = State.complete
      // A copy, as both are parts of this.
      let classes = classes
      progress.starts?.complete(classes)
    }
    return nil
  }

  /// Has the body `target` read when everything else is.
  private mutating func wait(for target: Int) {
    progress.defer(target)
    let state = progress[target]
    if state == State.complete || state == State.waiting { return }
    if state == State.absent { progress[target] = State.waiting }
    // One on the path, too: it may be taken from there before it is complete.
    deferred.append(.object(target))
  }

  private mutating func noteDeferred(_ group: Int, _ body: Int) {
    let references = ReferenceCursor(graph.bodies, groupAt: group, body: body)
    graph.forEach(references, graph.bodies) { progress.defer($0) }
  }

  // MARK: Cycles

  private func edges(from start: Int) -> [ReferenceGraph.Edge] {
    path[start...].map { ReferenceGraph.Edge(body: $0.body, property: $0.property) }
  }

  /// Lets a property of a step from `start` on be read last, and goes back to the first step that follows such a
  /// property now.
  ///
  /// - Returns: whether there is one.
  private mutating func shorten(from start: Int, isTooDeep: Bool) -> Bool {
    guard classes.readLast(oneOf: edges(from: start), isTooDeep: isTooDeep) else { return false }
    if progress.starts != nil {
      startOver()
      return true
    }
    for index in path.indices where path[index].body > 0 {
      path[index].classThatReadsLast = classes.classThatReadsLast(of: path[index].body)
      guard let number = path[index].classThatReadsLast, classes.isReadLast(path[index].property, by: number)
      else { continue }
      // The step is begun anew, so that its references are met again, this one among them.
      let step = path[index]
      for later in path[index...] { progress[later.body] = State.absent }
      path.removeLast(path.count - index)
      open(step.body, depth: step.depth)
      break
    }
    return true
  }

  private mutating func startOver() {
    hasStartedOver = true
    progress.forgetAll()
    path = []
    deferred.truncate(to: 0)
    deferredReadCount = 0
    (lazyValues, lazyReadCount) = ([], 0)
    begin()
  }
}
