/// Which object's body refers to which objects: what a reader will meet, and in which order.
///
/// A reference is read when it is met, by the initializer whose body it is in, unless it is in a *deferred*
/// value, which is read when everything else has been. Conditional references are not here: they never make
/// anything be read.
struct ReferenceGraph {
  /// References in the order of writing. An entry with the highest bit set is not one, but says how many of the
  /// entries behind it are in one deferred value.
  fileprivate struct List {
    var targets: [UInt32] = []
    /// How deep each reference is nested in its body, or in its deferred value.
    var depths: [UInt32] = []

    mutating func append(_ target: UInt32, depth: Int) {
      targets.append(target)
      depths.append(UInt32(truncatingIfNeeded: depth))
    }

    mutating func truncate(to count: Int) {
      targets.removeLast(max(0, targets.count - count))
      depths.removeLast(max(0, depths.count - count))
    }
  }

  fileprivate static let groupMark: UInt32 = 1 << 31

  /// The references of all bodies, body after body.
  fileprivate var bodies = List()
  /// Where the references of each body begin, from body 1 on.
  fileprivate var starts: [Int] = []
  /// How deep the values of each body are nested.
  fileprivate var bodyDepths: [UInt32] = []
  /// The references of the top level since its last value was complete.
  fileprivate var topLevel = List()
  /// Whether any body refers, not deferred, to itself or an earlier one. Without that there is no new ring.
  fileprivate var refersBack = false
  /// More than the depth of anything that was not looked at yet.
  fileprivate var uncheckedDepth = 0
  /// Whether a ring was met that some orders of reading can build and others cannot.
  fileprivate var orderMatters = false

  struct Mark {
    fileprivate let references: Int
    fileprivate let bodies: Int
    fileprivate let topLevel: Int
  }

  var mark: Mark {
    Mark(references: bodies.targets.count, bodies: starts.count, topLevel: topLevel.targets.count)
  }

  mutating func truncate(to mark: Mark) {
    bodies.truncate(to: mark.references)
    starts.removeLast(starts.count - mark.bodies)
    bodyDepths.removeLast(bodyDepths.count - mark.bodies)
    topLevel.truncate(to: mark.topLevel)
  }

  // MARK: Recording

  /// What is recorded from now on belongs to the body after the last.
  mutating func beginBody() {
    starts.append(bodies.targets.count)
    bodyDepths.append(0)
  }

  /// Records a reference, nested `depth` deep in the body that was begun last or in its deferred value.
  @inline(__always)
  mutating func addReference(to number: Int, depth: Int, isDeferred: Bool) {
    bodies.append(UInt32(truncatingIfNeeded: number), depth: depth)
    uncheckedDepth &+= depth
    if number <= starts.count, !isDeferred { refersBack = true }
  }

  /// Records a reference that stands at the top level itself.
  mutating func addTopLevelReference(to number: Int, depth: Int) {
    topLevel.append(UInt32(truncatingIfNeeded: number), depth: depth)
  }

  /// Records how deep a value of the body that was begun last is nested.
  mutating func noteDepth(_ depth: Int) {
    let last = bodyDepths.count - 1
    guard last >= 0, depth > Int(bodyDepths[last]) else { return }
    uncheckedDepth += depth - Int(bodyDepths[last])
    bodyDepths[last] = UInt32(truncatingIfNeeded: depth)
  }

  /// Begins a deferred value; what is returned ends it.
  mutating func beginDeferred(inBody: Bool) -> Int {
    if inBody {
      bodies.append(ReferenceGraph.groupMark, depth: 0)
    } else {
      topLevel.append(ReferenceGraph.groupMark, depth: 0)
    }
    return (inBody ? bodies : topLevel).targets.count
  }

  mutating func endDeferred(_ first: Int, inBody: Bool) {
    if inBody { bodies.closeGroup(first) } else { topLevel.closeGroup(first) }
  }

  /// From now on each value is played through as if it were the first to be read.
  mutating func playOthersFromTheStart() { orderMatters = true }

  // MARK: Who refers to what

  fileprivate func references(of body: Int) -> Range<Int> {
    starts[body - 1]..<(body < starts.count ? starts[body] : bodies.targets.count)
  }

  /// For each number the first body that refers to it, from the body `first` on; 0 where none does.
  ///
  /// Numbers are given out in the order in which objects are met, so that one walk finds them all.
  func firstReferrers(from first: Int = 1) -> [Int] {
    guard first >= 1, first <= starts.count else { return [] }
    var referrers: [Int] = []
    var body = first - 1
    for place in starts[first - 1]..<bodies.targets.count {
      let target = bodies.targets[place]
      guard target & ReferenceGraph.groupMark == 0 else { continue }
      while body < starts.count, starts[body] <= place { body += 1 }
      let number = Int(target)
      while referrers.count <= number { referrers.append(0) }
      // What the top level reached first has a lower number than the body that is being written then.
      if referrers[number] == 0, number > body { referrers[number] = body }
    }
    return referrers
  }
}

extension ReferenceGraph.List {
  fileprivate mutating func closeGroup(_ first: Int) {
    guard first >= 1, first <= targets.count else { return }
    if targets.count == first {
      truncate(to: first - 1)
    } else {
      targets[first - 1] = ReferenceGraph.groupMark | UInt32(truncatingIfNeeded: targets.count - first)
    }
  }
}

// MARK: - What a reader will do

extension ReferenceGraph {
  /// Why a reader could not build the objects again.
  enum Obstacle: Equatable {
    /// Each of these bodies refers to the next, and the last one to the first, whose initializer is running.
    case ring([Int])
    /// An initializer runs within others so many levels deep when the object of this number is built.
    case depth(Int, number: Int)
  }

  /// Plays through how a reader will build the objects of the top-level value that was written last: depth
  /// first, each body's references in their order, deferred values when the rest is done (Design §3).
  ///
  /// - Parameters:
  ///   - first: the first number that was given out for the value; those before were looked at earlier.
  ///   - valueBody: the body of the value itself, when it has one.
  ///   - maximumDepth: how deep a reader goes.
  ///   - isKnownEarly: whether an object is known to its children, so that they may refer back to it.
  mutating func findObstacle(
    from first: Int,
    valueBody: Int?,
    maximumDepth: Int,
    isKnownEarly: (Int) -> Bool
  ) -> Obstacle? {
    defer {
      refersBack = false
      uncheckedDepth = 0
      topLevel.truncate(to: 0)
    }
    guard refersBack || orderMatters || uncheckedDepth > maximumDepth else { return nil }
    // Keys are read in any order. Where that matters, what earlier values reached counts as not read yet.
    var reading = Reading(self, first: orderMatters ? 1 : first, maximumDepth)
    defer { orderMatters = orderMatters || reading.orderMatters }
    if let valueBody { return reading.read(valueBody, isKnownEarly) }
    return reading.read(topLevel.targets.indices, isKnownEarly)
  }
}

/// A reader at its work, as far as it matters which objects it has built.
private struct Reading {
  enum State: UInt8 { case absent, open, done }

  /// Some references in a row, of the top level, a body or a deferred value, and how deep they are.
  private struct Step {
    /// The body whose initializer is running; 0 for the top level and deferred values.
    var body = 0
    var rest: Range<Int>
    var depth = 0
    var isTopLevel = false
  }

  private let graph: ReferenceGraph
  private let first: Int
  private let maximumDepth: Int
  private var states: [State]
  private var path: [Step] = []
  private var deferred: [Step] = []
  private(set) var orderMatters = false

  init(_ graph: ReferenceGraph, first: Int, _ maximumDepth: Int) {
    self.graph = graph
    self.first = first
    self.maximumDepth = maximumDepth
    states = Array(repeating: .absent, count: max(0, graph.starts.count - first + 1))
  }

  private subscript(number: Int) -> State {
    get { number < first ? .done : states[number - first] }
    set { states[number - first] = newValue }
  }

  /// Reads the value that has a body of its own.
  mutating func read(_ body: Int, _ isKnownEarly: (Int) -> Bool) -> ReferenceGraph.Obstacle? {
    open(body, depth: 0)
    return readAll(isKnownEarly)
  }

  /// Reads a value that stands at the top level itself.
  mutating func read(_ topLevel: Range<Int>, _ isKnownEarly: (Int) -> Bool) -> ReferenceGraph.Obstacle? {
    path.append(Step(rest: topLevel, isTopLevel: true))
    return readAll(isKnownEarly)
  }

  private mutating func readAll(_ isKnownEarly: (Int) -> Bool) -> ReferenceGraph.Obstacle? {
    if let obstacle = finishPath(isKnownEarly) { return obstacle }
    var next = 0
    while next < deferred.count {
      path.append(deferred[next])
      next += 1
      if let obstacle = finishPath(isKnownEarly) { return obstacle }
    }
    return nil
  }

  private mutating func open(_ number: Int, depth: Int) {
    self[number] = .open
    path.append(Step(body: number, rest: graph.references(of: number), depth: depth))
  }

  private mutating func finishPath(_ isKnownEarly: (Int) -> Bool) -> ReferenceGraph.Obstacle? {
    while let step = path.last {
      if step.body > 0 {
        let depth = step.depth + Int(graph.bodyDepths[step.body - 1])
        guard depth <= maximumDepth else { return .depth(depth, number: step.body) }
      }
      guard let next = step.rest.first else {
        if step.body > 0 { self[step.body] = .done }
        path.removeLast()
        continue
      }
      let target = step.isTopLevel ? graph.topLevel.targets[next] : graph.bodies.targets[next]
      guard target & ReferenceGraph.groupMark == 0 else {
        let group = (next + 1)..<(next + 1 + Int(target & ~ReferenceGraph.groupMark))
        deferred.append(Step(rest: group, isTopLevel: step.isTopLevel))
        path[path.count - 1].rest = group.upperBound..<step.rest.upperBound
        continue
      }
      path[path.count - 1].rest = step.rest.dropFirst()
      switch self[Int(target)] {
      case .done: break
      case .absent:
        let depth = step.isTopLevel ? graph.topLevel.depths[next] : graph.bodies.depths[next]
        open(Int(target), depth: step.depth + Int(depth))
      case .open:
        let ring = path.map(\.body).drop { $0 != Int(target) }
        guard isKnownEarly(Int(target)) else { return .ring(Array(ring)) }
        // Entered elsewhere, the ring would be met first at an object that is not known early.
        if !orderMatters { orderMatters = !ring.allSatisfy(isKnownEarly) }
      }
    }
    return nil
  }
}
