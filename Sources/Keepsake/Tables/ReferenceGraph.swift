/// Which object's body refers to which objects: what a reader will meet, and in which order.
///
/// A *hard* reference is read when it is met, by the initializer whose body it is in. A *deferred* one is read
/// when everything else has been. Conditional references are not here: they never make anything be read.
struct ReferenceGraph {
  /// All references, body after body; the highest bit marks the deferred ones.
  private var targets: [UInt32] = []
  /// Where the references of each body begin, from body 1 on.
  private var starts: [Int] = []
  /// How deep the values of each body are nested.
  private var depths: [UInt32] = []
  /// The references of the top level since its last value was complete.
  private var topLevelTargets: [UInt32] = []
  /// Whether any body has a hard reference to itself or an earlier one. Without that there is no ring.
  private var refersBack = false
  /// The sum of the depths of the bodies that were not looked at yet.
  private var uncheckedDepth = 0

  private static let deferred: UInt32 = 1 << 31

  struct Mark {
    fileprivate let targets: Int
    fileprivate let starts: Int
    fileprivate let topLevelTargets: Int
  }

  var mark: Mark {
    Mark(targets: targets.count, starts: starts.count, topLevelTargets: topLevelTargets.count)
  }

  /// What is recorded from now on belongs to the body after the last.
  mutating func beginBody() {
    starts.append(targets.count)
    depths.append(0)
  }

  /// Records a reference in the body that was begun last.
  @inline(__always)
  mutating func addReference(to number: Int, isDeferred: Bool) {
    targets.append(UInt32(truncatingIfNeeded: number) | (isDeferred ? ReferenceGraph.deferred : 0))
    if number <= starts.count, !isDeferred { refersBack = true }
  }

  /// Records a reference that stands at the top level itself.
  mutating func addTopLevelReference(to number: Int, isDeferred: Bool) {
    topLevelTargets.append(UInt32(truncatingIfNeeded: number) | (isDeferred ? ReferenceGraph.deferred : 0))
  }

  /// Records how deep a value of the body that was begun last is nested.
  @inline(__always)
  mutating func noteDepth(_ depth: Int) {
    let last = depths.count - 1
    guard last >= 0, depth > Int(depths[last]) else { return }
    uncheckedDepth += depth - Int(depths[last])
    depths[last] = UInt32(truncatingIfNeeded: depth)
  }

  mutating func truncate(to mark: Mark) {
    targets.removeLast(targets.count - mark.targets)
    starts.removeLast(starts.count - mark.starts)
    depths.removeLast(depths.count - mark.starts)
    topLevelTargets.removeLast(max(0, topLevelTargets.count - mark.topLevelTargets))
  }

  private func references(of body: Int) -> Range<Int> {
    starts[body - 1]..<(body < starts.count ? starts[body] : targets.count)
  }

  /// For each number the first body that refers to it, 0 where only the top level does.
  ///
  /// Numbers are given out in the order in which objects are met, so that one walk finds them all.
  func firstReferrers() -> [Int] {
    var referrers: [Int] = []
    var body = 0
    for (place, target) in targets.enumerated() {
      while body < starts.count, starts[body] <= place { body += 1 }
      let number = Int(target & ~ReferenceGraph.deferred)
      while referrers.count <= number { referrers.append(0) }
      // What the top level reached first has a lower number than the body that is being written then.
      if referrers[number] == 0, number > body { referrers[number] = body }
    }
    return referrers
  }
}

extension ReferenceGraph {
  /// Why a reader could not build the objects again.
  enum Obstacle: Equatable {
    /// Each of these bodies has a hard reference to the next, and the last one to the first.
    case ring([Int])
    /// An initializer runs within another so many levels deep when the object of this number is built.
    case depth(Int, number: Int)
  }

  /// Plays through how a reader will build the objects of the top-level value that was written last: depth
  /// first, each body's references in their order, deferred ones when the rest is done (Design §3).
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
      topLevelTargets.removeAll(keepingCapacity: true)
    }
    guard refersBack || uncheckedDepth > maximumDepth, first <= starts.count else { return nil }
    var reading = Reading(first: first, count: starts.count)
    for target in valueBody.map({ [UInt32(truncatingIfNeeded: $0)] }) ?? topLevelTargets {
      if let obstacle = visit(target, &reading, maximumDepth, isKnownEarly) { return obstacle }
    }
    while let target = reading.deferred.popFirst() {
      let hard = target & ~ReferenceGraph.deferred
      if let obstacle = visit(hard, &reading, maximumDepth, isKnownEarly) { return obstacle }
    }
    return nil
  }

  /// What has been built so far, and what is to be built.
  private struct Reading {
    enum State: UInt8 { case absent, open, done }

    let first: Int
    var states: [State]
    var deferred = ArraySlice<UInt32>()

    init(first: Int, count: Int) {
      self.first = first
      states = Array(repeating: .absent, count: count - first + 1)
    }

    subscript(number: Int) -> State {
      get { number < first ? .done : states[number - first] }
      set { states[number - first] = newValue }
    }
  }

  private func visit(
    _ target: UInt32,
    _ reading: inout Reading,
    _ maximumDepth: Int,
    _ isKnownEarly: (Int) -> Bool
  ) -> Obstacle? {
    var path: [(body: Int, rest: Range<Int>)] = []
    var depth = 0
    func enter(_ number: Int, _ reading: inout Reading) {
      reading[number] = .open
      path.append((number, references(of: number)))
      depth += Int(depths[number - 1])
    }
    guard target & ReferenceGraph.deferred == 0 else {
      reading.deferred.append(target)
      return nil
    }
    guard reading[Int(target)] == .absent else { return nil }
    enter(Int(target), &reading)
    while let (body, rest) = path.last {
      guard depth <= maximumDepth else { return .depth(depth, number: body) }
      guard let next = rest.first else {
        reading[body] = .done
        depth -= Int(depths[body - 1])
        path.removeLast()
        continue
      }
      path[path.count - 1].rest = rest.dropFirst()
      guard targets[next] & ReferenceGraph.deferred == 0 else {
        reading.deferred.append(targets[next])
        continue
      }
      let number = Int(targets[next])
      switch reading[number] {
      case .done: break
      case .absent: enter(number, &reading)
      case .open:
        if !isKnownEarly(number) { return .ring(path.drop { $0.body != number }.map(\.body)) }
      }
    }
    return nil
  }
}
