/// Finds the objects with which a reader can begin, whatever it has read before.
///
/// Readers choose the order of keys. A cycle in which some objects are known early and others are not may be readable
/// from only some of its objects, so it matters where a reader enters it. From a safe start, everything it leads to can
/// be read in any case, and a later key need not look beyond it. Safe starts are found while ``PlayThrough`` reads, by
/// Tarjan's algorithm, which finds the objects that lead to each other:
///
/// - A cycle is safe if all its objects are known early and what it leads to is safe.
/// - In a mixed cycle, an object that is not known early is no safe start. One that is known early is, if only one
///   object of the cycle refers to each object that is not: every path back to that object leads through this one.
/// - A deferred reference must lead to a safe start, or to something that has been read before it in any case.
struct SafeStarts {
  /// How far an object is: not in this reading; opened, as the object of this number, from 1 on; or complete, with all
  /// that leads back to it, as the first number that must have been opened to make it a safe start.
  private enum Order {
    static let absent: UInt32 = 0
    static let never: UInt32 = 0
    static let always: UInt32 = 1 << 30 - 1
    static let isComplete: UInt32 = 1 << 30
    /// Several objects of the cycle refer to it.
    static let isShared: UInt32 = 1 << 31
  }

  /// An object on the path.
  private struct Step {
    let order: UInt32
    /// How many objects were open before it.
    let openCount: Int
    /// The first object to which a path leads from here.
    var lowest: UInt32
    /// The first object that must have been opened, so that deferred references lead to what has been read.
    var needed = Order.always
  }

  private let first: Int
  private var orders: [UInt32] = []
  /// For each object, the number of its mixed cycle, from 1 on, or 0, and whether a reader can enter the cycle there.
  private var cycles: [(number: UInt32, canEnter: Bool)] = []
  private enum Use { case none, entered, read }
  /// What this reading did with each mixed cycle, and the cycles with which it did anything.
  private var uses: [Use] = [.none]
  private var usedCycles: [Int] = []
  /// The objects in the order of opening, each with the one from which it was reached first.
  private var opened: [(number: Int, source: UInt32)] = []
  /// The objects from which paths may lead back to the path.
  private var open: [Int] = []
  private var path: [Step] = []
  /// Whether there is a mixed cycle.
  private(set) var orderMatters = false

  init(first: Int) { self.first = first }

  mutating func expand(to count: Int) {
    while orders.count < count {
      orders.append(Order.absent)
      cycles.append((0, false))
    }
  }

  mutating func truncate(to count: Int) {
    guard orders.count > count else { return }
    orders.removeLast(orders.count - count)
    cycles.removeLast(cycles.count - count)
  }

  /// Whether to skip an unopened object: its mixed cycle can be entered there, or was entered where it can be.
  mutating func skips(_ number: Int) -> Bool {
    let (cycle, canEnter) = cycles[number - first]
    guard cycle > 0 else { return false }
    if uses[Int(cycle)] == .none {
      uses[Int(cycle)] = canEnter ? .read : .entered
      usedCycles.append(Int(cycle))
    }
    return uses[Int(cycle)] == .read
  }

  mutating func open(_ number: Int) {
    opened.append((number, path.last?.order ?? 0))
    let order = UInt32(truncatingIfNeeded: opened.count)
    orders[number - first] = order
    path.append(Step(order: order, openCount: open.count, lowest: order))
    open.append(number)
  }

  /// Records a reference from the end of the path to an object that was opened before or is skipped.
  mutating func refer(to number: Int) {
    guard let last = path.indices.last, number >= first else { return }
    let order = orders[number - first]
    if order & Order.isComplete != 0 {
      path[last].needed = min(path[last].needed, order & Order.always)
    } else if order == Order.absent {
      let (cycle, canEnter) = cycles[number - first]
      if cycle > 0, !canEnter { path[last].needed = Order.never }
    } else {
      let (position, source) = (order & Order.always, path[last].order)
      path[last].lowest = min(path[last].lowest, position)
      if opened[Int(position) - 1].source != source { orders[number - first] |= Order.isShared }
    }
  }

  /// Records a deferred reference of the object at the end of the path.
  ///
  /// - Parameter isRead: whether the target was opened before.
  mutating func `defer`(_ number: Int, isRead: Bool) {
    guard let last = path.indices.last, number >= first else { return }
    let order = orders[number - first]
    if order == Order.absent {
      if !isRead, !cycles[number - first].canEnter { path[last].needed = Order.never }
    } else {
      path[last].needed = min(path[last].needed, order & Order.always)
    }
  }

  /// Completes the object at the end of the path.
  mutating func complete(_ classes: some PlayThroughQuestions) {
    guard let step = path.popLast() else { return }
    var needed = step.needed
    if step.lowest == step.order { needed = completeCycle(step, classes) }
    guard let last = path.indices.last else { return }
    path[last].needed = min(path[last].needed, needed)
    // A lower object is still open.
    if step.lowest < step.order { path[last].lowest = min(path[last].lowest, step.lowest) }
  }

  /// - Returns: what must have been opened to read `step`, at which the cycle was entered.
  private mutating func completeCycle(_ step: Step, _ classes: some PlayThroughQuestions) -> UInt32 {
    let needed = step.needed < step.order ? step.needed : Order.always
    let cycle = open[step.openCount...]
    let strangers = cycle.count > 1 ? cycle.filter { !classes.isKnownEarly($0) } : []
    let isShared = strangers.contains { orders[$0 - first] & Order.isShared != 0 }
    for number in cycle.dropFirst() {
      orders[number - first] = Order.isComplete | (isShared ? Order.never : needed)
    }
    for number in strangers { orders[number - first] = Order.isComplete | Order.never }
    // The cycle was just read from here.
    orders[cycle[step.openCount] - first] = Order.isComplete | needed
    if !strangers.isEmpty, cycles[strangers[0] - first].number == 0 {
      for number in cycle { cycles[number - first].number = UInt32(truncatingIfNeeded: uses.count) }
      uses.append(.none)
      orderMatters = true
    }
    open.removeLast(cycle.count)
    return needed
  }

  /// Ends the reading.
  ///
  /// - Parameter visit: is called with each object that was opened, and whether a reader can begin with it.
  mutating func end(_ visit: (Int, Bool) -> Void) {
    for (number, _) in opened {
      let isSafe = orders[number - first] == Order.isComplete | Order.always
      orders[number - first] = Order.absent
      if cycles[number - first].number == 0 {
        visit(number, isSafe)
      } else {
        // The object is opened nevertheless if the cycle was entered elsewhere.
        visit(number, false)
        if isSafe { cycles[number - first].canEnter = true }
      }
    }
    for cycle in usedCycles { uses[cycle] = .none }
    opened.removeAll(keepingCapacity: true)
    usedCycles.removeAll(keepingCapacity: true)
    open = []
    path = []
  }

  /// Forgets the cycles, since some references have become deferred.
  mutating func forgetCycles() {
    for index in cycles.indices { cycles[index] = (0, false) }
    uses = [.none]
  }
}
