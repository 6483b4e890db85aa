extension EncodingSession {
  /// A point to which a session can be taken back when an `encode(to:)` throws and its caller continues.
  struct Mark {
    fileprivate let byteCount: Int
    fileprivate let top: EncodingFrame
    fileprivate let lowerCount: Int
    fileprivate let depth: Int
    fileprivate let objectCount: Int
    fileprivate let pendingEnd: Int
    fileprivate let shapeCount: Int
    fileprivate let strings: StringSharing.Mark
    fileprivate let classChangeCount: Int
    fileprivate let graph: ReferenceGraph.Mark
    fileprivate let conditionals: ConditionalRegistry.Mark
    fileprivate let lastFrameID: FrameID
  }

  @inline(__always)
  var mark: Mark {
    Mark(
      byteCount: buffer.count,
      top: context.top,
      lowerCount: context.lower.count,
      depth: nesting.depth,
      objectCount: bodies.objects.count,
      pendingEnd: bodies.pending.end,
      shapeCount: tables.shapes.count,
      strings: tables.strings.mark,
      classChangeCount: tables.classes.changeCount,
      graph: bodies.graph.mark(inBody: bodies.isInProgress),
      conditionals: tables.conditionals?.mark ?? ConditionalRegistry.Mark(),
      lastFrameID: nesting.lastFrameID
    )
  }

  /// Forgets bytes, numbers and pending objects since `mark`.
  func truncate(to mark: Mark) {
    // This releases objects, and code of the program in their `deinit` may know the archiver.
    whileClosed { forget(since: mark) }
    if !outcome.lateWrites.isEmpty { checkLateWrites(since: mark.lastFrameID) }
  }

  private func forget(since mark: Mark) {
    buffer.truncate(to: mark.byteCount)
    context.truncate(to: mark)
    nesting.depth = mark.depth
    nesting.depthToLookAt = nesting.depth + 1
    bodies.objects.truncate(to: mark.objectCount)
    while let last = bodies.topLevelPaths.last, last.firstNumber > mark.objectCount {
      bodies.topLevelPaths.removeLast()
    }
    bodies.pending.truncate(to: mark.pendingEnd)
    if tables.shapes.count > mark.shapeCount || tables.classes.changeCount > mark.classChangeCount {
      types.classProperties.forgetNumbers()
    }
    tables.shapes.truncate(to: mark.shapeCount)
    tables.strings.truncate(to: mark.strings)
    tables.classes.truncate(to: mark.classChangeCount)
    bodies.graph.truncate(to: mark.graph)
    tables.conditionals?.truncate(to: mark.conditionals)
    if ordering.order != nil { truncateOrder(to: mark.lastFrameID) }
  }
}

extension EncodingContext {
  fileprivate mutating func truncate(to mark: EncodingSession.Mark) {
    top = mark.top
    lower.truncate(to: mark.lowerCount)
    while let last = nested.last, last.frame > mark.lastFrameID { nested.removeLast() }
    var kept = splices.count
    while kept > 0, splices[kept - 1].offset >= mark.byteCount { kept -= 1 }
    NestedContainer.abandon(splices[kept...])
    splices.removeSubrange(kept...)
    leavePropertyLevel()
  }
}

/// If a value that throws has written into detached containers outside of it, its bytes there stay, while the numbers
/// in them are taken back. So nothing more is written until all of that has been taken back.
extension EncodingSession {
  /// Records that `nested` is about to be written.
  func noteWrite(into nested: NestedContainer) {
    // An earlier write no longer matters if its container is the same or newer.
    while let last = outcome.lateWrites.last, last.frame >= nested.frame { outcome.lateWrites.removeLast() }
    outcome.lateWrites.append((nesting.makeFrameID(), nested.frame))
  }

  /// Checks whether a container older than the frame `mark` was written since then. All else has been taken back.
  private func checkLateWrites(since mark: FrameID) {
    // The writes are in the order of their times, and the first of the later ones is into the oldest container.
    let first = outcome.lateWrites.partitioningIndex { $0.time > mark }
    let isLost = first < outcome.lateWrites.count && outcome.lateWrites[first].frame <= mark
    if isLost == (outcome.lateWriteFailure != nil) { return }
    let message =
      "A value wrote to an outer container and then threw, but its caller continued. The archiver cannot remove what "
      + "the value wrote there. Let the caller write to that container, or throw as well"
    outcome.lateWriteFailure = isLost ? misuse(message) : nil
    outcome.isClosed = isLost
  }
}
