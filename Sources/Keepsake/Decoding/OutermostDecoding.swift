/// What happens around the decoding of a whole graph: deferred values, conditional references, awakening.
extension DecodingSession {
  /// Decodes a value that is in no other, with all that it reaches.
  ///
  /// When that fails, nothing that was decoded meanwhile is kept: its deferred values would be missing.
  @inline(never)
  func decodeOutermost<Value: Decodable>(_ type: Value.Type, at place: inout Int, _ depth: Int) throws
    -> Value
  {
    let conditionalCount = conditional.count
    isActive = true
    stackGuard.checkThread()
    do {
      let value = try decodeInside(type, at: &place, depth)
      while let next = deferred.next() { try next.decode(self) }
      try resolveConditionals()
      isActive = false
      decodedNumbers.removeAll(keepingCapacity: true)
      for object in exchange(&awakening, with: []) { object.awakeFromArchive() }
      return value
    } catch {
      isActive = false
      inProgress = []
      deferred = DeferredQueue()
      conditional.removeLast(max(0, conditional.count - conditionalCount))
      awakening = []
      for number in decodedNumbers {
        objects.set(Int(number), nil, origin: objects.origin(Int(number)))
      }
      decodedNumbers = []
      throw error
    }
  }

  /// Gives the conditional references their objects. Those whose objects nothing has asked for yet wait on.
  private func resolveConditionals() throws {
    guard !conditional.isEmpty else { return }
    var waiting: [AnyWeakBox] = []
    for box in conditional where try !box.resolve(in: self) { waiting.append(box) }
    conditional = waiting
  }

  /// Makes the frames those of a value that is decoded by itself, wherever it stands; paths are then searched.
  func detachFrames() {
    prepareFrame(0, for: -1)
  }
}
