/// What ``PlayThrough`` asks about the objects.
///
/// A *property* is twice the node of the trie of shapes that the record of an object had reached when the reference was
/// written. For a record written from memory, it is twice the number of the key, plus 1. 0 stands for none.
protocol PlayThroughQuestions {
  /// Whether the object `number` is known early: before its contents are read, so that these can refer back to it.
  func isKnownEarly(_ number: Int) -> Bool

  /// Whether some objects may be known early and others not.
  var knowsSomeEarly: Bool { get }

  /// Whether the object `number` is the content of a lazy value.
  func isLazy(_ number: Int) -> Bool

  /// The class of the object `number`, if some of its properties are read last. Only ``isReadLast(_:by:)`` interprets
  /// this number.
  func classThatReadsLast(of number: Int) -> Int?

  /// Whether objects of the class `number`, such as that of `edge`, read its property last.
  func isReadLast(_ edge: ReferenceGraph.Edge, by number: Int) -> Bool

  /// Makes the property of one of `edges` read last from now on, if any of them can be.
  func readLast(oneOf edges: [ReferenceGraph.Edge]) -> Bool
}

/// The state of a body: not read, waiting until everything else has been read, complete, or on the path, as the index
/// of its step plus one.
private enum State {
  static let absent: UInt32 = 0
  static let waiting = UInt32.max - 1
  static let complete = UInt32.max
}

/// The states of the bodies from ``first`` on; earlier bodies are complete. They are kept if the order in which keys
/// are read matters: then only safe starts count as complete when the next value is played.
struct ReadingProgress {
  let first: Int
  fileprivate var states: [UInt32] = []
  /// Present only if objects that are known early may be in cycles with others.
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

  /// The index of the step of the path that reads the body `number`, if there is one.
  fileprivate func step(of number: Int) -> Int? {
    let state = self[number]
    return state == State.complete || !isOpened(number) ? nil : Int(state) - 1
  }

  fileprivate mutating func isToBeOpened(_ number: Int) -> Bool {
    !isOpened(number) && starts?.skips(number) != true
  }

  /// Records a deferred reference to the body `number` in the body that was opened last.
  fileprivate mutating func `defer`(_ number: Int) {
    guard starts != nil else { return }
    let isRead = isOpened(number)
    starts?.defer(number, isRead: isRead)
  }

  /// Forgets what was read, except safe starts if the order matters; forgets all of it if `forgetsAll`.
  ///
  /// - Returns: whether there are cycles that may be readable from only some of their objects.
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

  /// Marks all bodies as not read.
  fileprivate mutating func forgetAll() {
    starts?.end { _, _ in }
    starts?.forgetCycles()
    for index in states.indices { states[index] = State.absent }
  }
}

/// Simulates a reader, as far as it matters which objects it has built.
///
/// At a cycle, or too great a depth, it makes a property on its path read last and continues with the object of that
/// property. Complete bodies that it read within the property stay complete: a complete object refers only to complete
/// ones, in whatever order the reader reaches them. That does not hold if some objects are known early, since complete
/// objects may refer to those. Then the reader starts over.
struct PlayThrough<Questions: PlayThroughQuestions>: ~Copyable {
  /// Consecutive references of the top level, a body or a deferred value, and how deep they are nested.
  private struct Step {
    /// The body whose initializer is running; 0 for the top level and deferred values.
    var body = 0
    var rest: ReferenceCursor
    var depth = 0
    /// How deep the deepest value of the body is nested.
    var innermostDepth = 0
    var isTopLevel = false
    /// The property of the current reference, and whether it is read last.
    var property = ReferenceList.unknownProperty
    var isReadLast = false
    /// The class of the object if it reads properties last.
    var classThatReadsLast: Int?

    var edge: ReferenceGraph.Edge { ReferenceGraph.Edge(body: body, property: property) }
  }

  /// What is read after everything else: a group of references, or an object in a property that is read last.
  private enum DeferredValue {
    case group(Int, body: Int, isTopLevel: Bool)
    case object(Int)
  }

  private let graph: ReferenceGraph
  /// The body of the value, if it has one of its own.
  private let valueBody: Int?
  private let maximumDepth: Int
  private let classes: Questions
  var progress: ReadingProgress
  private var path: [Step] = []
  private let deferred = OwnedArray<DeferredValue>()
  /// How many of the deferred values have been read.
  private var deferredReadCount = 0
  /// The lazy values met so far, if the order of reading may matter: everything else is read before them.
  private var lazyValues: [Int] = []
  private var lazyReadCount = 0
  /// The first body that was not played earlier, and how much of the bodies before it was played: the bytes of
  /// references, and one for each body.
  private let firstNew: Int
  private(set) var replayedCount = 0
  /// Whether the reader started over because another property is read last from now on.
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
    // Otherwise nothing waits.
    if obstacle != nil || progress.starts != nil { forgetWaiting() }
    return obstacle
  }

  /// Marks what still waits as not read, so that it can wait again when the next value is played.
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

  /// The next deferred or lazy value, when nothing else is left to read.
  private mutating func nextDeferred() -> DeferredValue? {
    if deferredReadCount < deferred.count {
      deferredReadCount += 1
      return deferred[deferredReadCount - 1]
    }
    guard lazyReadCount < lazyValues.count else { return nil }
    lazyReadCount += 1
    return .object(lazyValues[lazyReadCount - 1])
  }

  /// The lazy value to which `group` refers, if any. A reader need not read it, so the order may matter.
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
        if shorten(from: 0) { continue }
        return .depth(step.innermostDepth, number: step.body)
      }
      if replayedCount > mostReplayed { return .cost(number: step.body) }
      if let obstacle = follow(step) { return obstacle }
    }
    return nil
  }

  /// Follows the references of `step`, the last one of the path, to its end or to a body that is not complete.
  private mutating func follow(_ step: Step) -> ReferenceGraph.Obstacle? {
    var step = step
    let list = step.isTopLevel ? graph.topLevel : graph.bodies
    while let next = step.rest.next(list) {
      switch next {
      case .bodyDepth: break
      case .group(let offset):
        deferred.append(.group(offset, body: step.rest.body, isTopLevel: step.isTopLevel))
        // Includes nested groups: these are read later, but not recorded again then.
        if progress.starts != nil, step.body > 0 { noteDeferred(offset, step.body) }
      case .reference(let target, let depth, let property):
        if property != step.property {
          step.property = property
          step.isReadLast = step.classThatReadsLast.map { classes.isReadLast(step.edge, by: $0) } ?? false
        }
        if step.isReadLast {
          wait(for: target)
        } else if progress.isToBeOpened(target) {
          path[path.count - 1] = step
          open(target, depth: step.depth + depth)
          return nil
        } else if let start = progress.step(of: target), !classes.isKnownEarly(target) {
          path[path.count - 1] = step
          return shorten(from: start) ? nil : .cycle(edges(from: start))
        } else {
          progress.starts?.refer(to: target)
        }
      }
    }
    path.removeLast()
    if step.body > 0 {
      progress[step.body] = State.complete
      // A copy, since `classes` and `progress` are both parts of `self`.
      let classes = classes
      progress.starts?.complete(classes)
    }
    return nil
  }

  /// Lets the body `target` wait until everything else has been read.
  private mutating func wait(for target: Int) {
    progress.defer(target)
    let state = progress[target]
    if state == State.complete || state == State.waiting { return }
    if state == State.absent { progress[target] = State.waiting }
    // A body on the path waits, too: it may be removed from the path before it is complete.
    deferred.append(.object(target))
  }

  private mutating func noteDeferred(_ group: Int, _ body: Int) {
    let references = ReferenceCursor(graph.bodies, groupAt: group, body: body)
    graph.forEach(references, graph.bodies) { target, _ in progress.defer(target) }
  }

  // MARK: Cycles

  private func edges(from start: Int) -> [ReferenceGraph.Edge] {
    path[start...].map(\.edge)
  }

  /// Makes a property of a step from `start` on read last, and goes back to the first step that now follows such a
  /// property.
  ///
  /// - Returns: whether a property can be read last.
  private mutating func shorten(from start: Int) -> Bool {
    guard classes.readLast(oneOf: edges(from: start)) else { return false }
    if progress.starts != nil {
      startOver()
      return true
    }
    for index in path.indices where path[index].body > 0 {
      path[index].classThatReadsLast = classes.classThatReadsLast(of: path[index].body)
      guard let number = path[index].classThatReadsLast, classes.isReadLast(path[index].edge, by: number)
      else { continue }
      // Begins the step again, so that it meets its references again, including this one.
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
