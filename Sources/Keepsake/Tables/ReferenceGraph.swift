/// Which object's body refers to which objects: what finds a cycle that no initializer could read back.
struct ReferenceGraph {
  /// All references, body after body.
  private var targets: [UInt32] = []
  /// Where the references of each body begin, from body 1 on.
  private var starts: [Int] = []
  /// Whether any body refers to itself or an earlier one. Without that there is no cycle.
  private var refersBack = false

  struct Mark {
    fileprivate let targets: Int
    fileprivate let starts: Int
  }

  var mark: Mark { Mark(targets: targets.count, starts: starts.count) }

  /// What is recorded from now on belongs to the body after the last.
  mutating func beginBody() { starts.append(targets.count) }

  @inline(__always)
  mutating func addReference(to number: Int) {
    targets.append(UInt32(truncatingIfNeeded: number))
    if number <= starts.count { refersBack = true }
  }

  mutating func truncate(to mark: Mark) {
    targets.removeLast(targets.count - mark.targets)
    starts.removeLast(starts.count - mark.starts)
  }

  private func references(of body: Int) -> Range<Int> {
    starts[body - 1]..<(body < starts.count ? starts[body] : targets.count)
  }

  /// The first body that refers to `number`, or `nil` when only the top level does.
  func firstReferrer(of number: Int) -> Int? {
    guard let place = targets.firstIndex(of: UInt32(truncatingIfNeeded: number)) else { return nil }
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= place { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low
  }

  /// The bodies of a ring of references among those from `first` on, if there is one.
  ///
  /// Bodies before `first` need no look: they refer only to each other.
  mutating func findCycle(from first: Int) -> [Int]? {
    guard refersBack, first <= starts.count else { return nil }
    defer { refersBack = false }
    let (unseen, open, done): (UInt8, UInt8, UInt8) = (0, 1, 2)
    var states = [UInt8](repeating: unseen, count: starts.count - first + 1)
    var path: [(body: Int, rest: Range<Int>)] = []
    for start in first...starts.count where states[start - first] == unseen {
      path.append((start, references(of: start)))
      states[start - first] = open
      while let (body, rest) = path.last {
        guard let next = rest.first else {
          states[body - first] = done
          path.removeLast()
          continue
        }
        path[path.count - 1].rest = rest.dropFirst()
        let target = Int(targets[next])
        guard target >= first else { continue }
        if states[target - first] == open {
          return path.drop { $0.body != target }.map(\.body)
        }
        if states[target - first] == unseen {
          states[target - first] = open
          path.append((target, references(of: target)))
        }
      }
    }
    return nil
  }
}
