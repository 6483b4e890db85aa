/// What ``PlayThrough`` asks about the objects.
///
/// A *property* is twice the node of the trie of shapes at which the record of an object was when the reference was
/// written. For a record that was written from memory it is twice the number of the key, and 1. 0 stands for none.
protocol PlayThroughQuestions {
  /// Whether the object `number` is known to what it holds, so that this may refer back to it.
  func isKnownEarly(_ number: Int) -> Bool

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

/// Where a body is: not read, complete, or at a step of the path, which is the number less one.
private enum State {
  static let absent: UInt32 = 0
  static let complete = UInt32.max
}

/// A reader at its work, as far as it matters which objects it has built.
///
/// Where it meets a cycle, or too great a depth, it lets a property on its path be read last, and continues with the
/// object whose property that is. What was read within that property and is complete stays so: a complete object refers
/// to complete ones only, in whatever order the reader comes to them.
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
    /// The property of the reference that is being followed.
    var property = ReferenceList.unknownProperty
    /// The class of the object if it reads properties last.
    var classThatReadsLast: Int?
  }

  /// What is read when everything else is: a group of references, or an object in a property that is read last.
  private enum DeferredValue {
    case group(Int, body: Int, isTopLevel: Bool)
    case object(Int)
  }

  private let graph: ReferenceGraph
  private let bodies: ReferenceList
  private let topLevel: ReferenceList
  private let first: Int
  private let maximumDepth: Int
  private let classes: Questions
  private var states: [UInt32]
  private var path: [Step] = []
  private var deferred = ChunkedArray<DeferredValue>()
  /// For each step of the path, as far as that was asked: how many up to it are of objects that are not known early.
  private var strangers: [Int] = []
  /// Whether a cycle was met that can be read from one of its objects and not from another.
  private(set) var orderMatters = false

  init(_ graph: ReferenceGraph, first: Int, _ maximumDepth: Int, _ classes: Questions) {
    self.graph = graph
    self.first = first
    self.maximumDepth = maximumDepth
    self.classes = classes
    bodies = graph.bodies
    topLevel = graph.topLevel
    states = Array(repeating: State.absent, count: max(0, graph.bodyCount - first + 1))
  }

  private subscript(number: Int) -> UInt32 {
    get { number < first ? State.complete : states[number - first] }
    set { states[number - first] = newValue }
  }

  /// Reads the value that has a body of its own.
  mutating func read(_ body: Int) -> ReferenceGraph.Obstacle? {
    open(body, depth: 0)
    return readAll()
  }

  /// Reads a value that stands at the top level itself.
  mutating func readTopLevel() -> ReferenceGraph.Obstacle? {
    path.append(Step(rest: ReferenceCursor(0..<topLevel.byteCount, body: 0), isTopLevel: true))
    return readAll()
  }

  private mutating func readAll() -> ReferenceGraph.Obstacle? {
    if let obstacle = finishPath() { return obstacle }
    var next = 0
    while next < deferred.count {
      switch deferred[next] {
      case .group(let offset, let body, let isTopLevel):
        let group = ReferenceCursor(isTopLevel ? topLevel : bodies, groupAt: offset, body: body)
        path.append(Step(rest: group, isTopLevel: isTopLevel))
      case .object(let number):
        if self[number] == State.absent { open(number, depth: 1) }
      }
      next += 1
      if let obstacle = finishPath() { return obstacle }
    }
    return nil
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
    self[number] = UInt32(truncatingIfNeeded: path.count)
  }

  private mutating func finishPath() -> ReferenceGraph.Obstacle? {
    while !path.isEmpty {
      let last = path.count - 1
      if path[last].innermostDepth > maximumDepth {
        if shorten(from: 0, isTooDeep: true) { continue }
        return .depth(path[last].innermostDepth, number: path[last].body)
      }
      let isTopLevel = path[last].isTopLevel
      switch isTopLevel ? path[last].rest.next(topLevel) : path[last].rest.next(bodies) {
      case nil:
        if path[last].body > 0 { self[path[last].body] = State.complete }
        dropSteps(from: last)
      case .bodyDepth?: break
      case .group(let offset)?:
        deferred.append(.group(offset, body: path[last].rest.body, isTopLevel: isTopLevel))
      case .reference(let target, let depth, let property)?:
        path[last].property = property
        if let number = path[last].classThatReadsLast, classes.isReadLast(property, by: number) {
          deferred.append(.object(target))
        } else if let obstacle = follow(target, depth: path[last].depth + depth) {
          return obstacle
        }
      }
    }
    return nil
  }

  private mutating func follow(_ target: Int, depth: Int) -> ReferenceGraph.Obstacle? {
    switch self[target] {
    case State.complete: break
    case State.absent: open(target, depth: depth)
    case let state:
      let start = Int(state) - 1
      guard classes.isKnownEarly(target) else {
        return shorten(from: start, isTooDeep: false) ? nil : .cycle(edges(from: start))
      }
      // Entered elsewhere, the cycle would be met first at an object that is not known early.
      if !orderMatters { orderMatters = hasStrangers(from: start) }
    }
    return nil
  }

  private mutating func dropSteps(from index: Int) {
    path.removeLast(path.count - index)
    if strangers.count > index { strangers.removeLast(strangers.count - index) }
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
    for index in path.indices where path[index].body > 0 {
      path[index].classThatReadsLast = classes.classThatReadsLast(of: path[index].body)
      guard let number = path[index].classThatReadsLast, classes.isReadLast(path[index].property, by: number)
      else { continue }
      // The step is begun anew, so that its references are met again, this one among them.
      let step = path[index]
      for later in path[index...] { self[later.body] = State.absent }
      dropSteps(from: index)
      open(step.body, depth: step.depth)
      break
    }
    return true
  }

  /// Whether an object of the path from the step `start` on is not known early.
  private mutating func hasStrangers(from start: Int) -> Bool {
    for step in path[strangers.count...] {
      let isStranger = step.body > 0 && !classes.isKnownEarly(step.body)
      strangers.append((strangers.last ?? 0) + (isStranger ? 1 : 0))
    }
    return (strangers.last ?? 0) > (start > 0 ? strangers[start - 1] : 0)
  }
}
