extension DecodingSession {
  /// A point to which the session returns when an `init(from:)` throws and its caller continues.
  struct Mark {
    fileprivate var decoded = 0
    fileprivate var deferred = 0
    fileprivate var conditional = 0
    fileprivate var awakening = 0
    fileprivate var hashed = 0
  }

  @inline(__always)
  var mark: Mark {
    Mark(
      decoded: graph.decodedNumbers.count,
      deferred: later.deferred.count,
      conditional: graph.conditional.count,
      awakening: later.awakening.count,
      hashed: later.hashed.count
    )
  }

  /// Forgets the objects that were decoded since `mark`, and the work that remained to be done for them.
  @inline(never)
  func truncate(to mark: Mark) {
    let numbers = graph.decodedNumbers.takeSuffix(from: mark.decoded).map(Int.init)
    let awakening = later.awakening.takeSuffix(from: mark.awakening)
    // Released at the end: code of the program in a `deinit` may decode something else.
    let released =
      (
        numbers.map(graph.objects.object), awakening, graph.conditional.takeSuffix(from: mark.conditional),
        later.deferred.takeSuffix(from: mark.deferred), later.hashed.takeSuffix(from: mark.hashed)
      )
    for number in numbers { graph.objects.set(number, nil, origin: graph.objects.origin(number)) }
    extendLifetime(released)
  }
}

extension Array {
  /// Removes the elements from `count` on, and returns them.
  mutating func takeSuffix(from count: Int) -> [Element] {
    guard count < self.count else { return [] }
    let suffix = Array(self[count...])
    removeSubrange(count...)
    return suffix
  }
}
