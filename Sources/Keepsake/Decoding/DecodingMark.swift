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
    for number in graph.decodedNumbers.dropFirst(mark.decoded) {
      graph.objects.set(Int(number), nil, origin: graph.objects.origin(Int(number)))
    }
    graph.decodedNumbers.removeLast(max(0, graph.decodedNumbers.count - mark.decoded))
    later.deferred.truncate(to: mark.deferred)
    later.hashed.truncate(to: mark.hashed)
    graph.conditional.removeLast(max(0, graph.conditional.count - mark.conditional))
    for object in later.awakening.dropFirst(mark.awakening) {
      later.awakened.remove(ObjectIdentifier(object))
    }
    later.awakening.removeLast(max(0, later.awakening.count - mark.awakening))
  }
}
