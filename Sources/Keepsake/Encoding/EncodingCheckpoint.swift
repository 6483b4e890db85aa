/// A point to which a session can be taken back when an `encode(to:)` throws and its caller continues.
struct EncodingCheckpoint {
  fileprivate let byteCount: Int
  fileprivate let top: EncodingFrame
  fileprivate let lowerCount: Int
  fileprivate let nestedCount: Int
  fileprivate let spliceCount: Int
  fileprivate let depth: Int
  fileprivate let objectCount: Int
  fileprivate let pending: PendingObjects.Mark
  fileprivate let shapeCount: Int
  fileprivate let strings: StringSharing.Mark
  fileprivate let classes: ClassRegistry.Mark
  fileprivate let graph: ReferenceGraph.Mark
  fileprivate let conditionals: ConditionalRegistry.Mark
  fileprivate let lastFrameID: FrameID
}

extension EncodingSession {
  @inline(__always)
  func checkpoint() -> EncodingCheckpoint {
    EncodingCheckpoint(
      byteCount: buffer.count,
      top: context.top,
      lowerCount: context.lower.count,
      nestedCount: context.nested.count,
      spliceCount: context.splices.count,
      depth: nesting.depth,
      objectCount: bodies.objects.count,
      pending: bodies.pending.mark,
      shapeCount: tables.shapes.count,
      strings: tables.strings.mark,
      classes: tables.classes.mark,
      graph: bodies.graph.mark(inBody: bodies.isInProgress),
      conditionals: tables.conditionals.mark,
      lastFrameID: lastFrameID
    )
  }

  /// Forgets bytes, numbers and pending objects since `checkpoint`.
  func roll(back checkpoint: EncodingCheckpoint) {
    buffer.truncate(to: checkpoint.byteCount)
    context.top = checkpoint.top
    context.lower.truncate(to: checkpoint.lowerCount)
    context.nested.removeLast(max(0, context.nested.count - checkpoint.nestedCount))
    NestedContainer.abandon(context.splices.dropFirst(checkpoint.spliceCount))
    context.splices.removeLast(max(0, context.splices.count - checkpoint.spliceCount))
    context.propertyLevel = min(context.propertyLevel, max(1, context.lower.count))
    nesting.depth = checkpoint.depth
    nesting.depthToLookAt = nesting.depth + 1
    bodies.objects.truncate(to: checkpoint.objectCount)
    bodies.pending.truncate(to: checkpoint.pending)
    if tables.shapes.count > checkpoint.shapeCount || tables.classes.isChanged(since: checkpoint.classes) {
      types.classProperties.forgetNumbers()
    }
    tables.shapes.truncate(to: checkpoint.shapeCount)
    tables.strings.truncate(to: checkpoint.strings)
    tables.classes.truncate(to: checkpoint.classes)
    bodies.graph.truncate(to: checkpoint.graph)
    tables.conditionals.truncate(to: checkpoint.conditionals)
    if !outcome.lateWrites.isEmpty { checkLateWrites(since: checkpoint.lastFrameID) }
  }
}

/// What a value writes into containers outside of itself, which were detached, stays when the value throws, while the
/// numbers are taken back that are in it. So nothing more is written then, until all of it was taken back.
extension EncodingSession {
  /// A write into a nested container out of turn: when it was, told by the frames that there were, and the container.
  struct LateWrite {
    fileprivate let time: FrameID
    fileprivate let frame: FrameID
  }

  /// Notes that `nested` is about to be written.
  func noteWrite(into nested: NestedContainer) {
    // Of two writes only the later one matters if its container is not the newer one.
    while let last = outcome.lateWrites.last, last.frame >= nested.frame { outcome.lateWrites.removeLast() }
    outcome.lateWrites.append(LateWrite(time: makeFrameID(), frame: nested.frame))
  }

  /// Looks whether a container that is older than `checkpoint` was written since then. All else has been taken back.
  private func checkLateWrites(since checkpoint: FrameID) {
    // The first of the later writes is that into the oldest container.
    let first = outcome.lateWrites.first { $0.time > checkpoint }
    let isLost = first.map { $0.frame <= checkpoint } ?? false
    if isLost == (outcome.lateWriteFailure != nil) { return }
    outcome.lateWriteFailure = isLost ? wroteElsewhere : nil
    outcome.isClosed = isLost
  }

  private var wroteElsewhere: EncodingError {
    misuse(
      "A value wrote into a container outside of itself and then threw, and its caller continued. What it wrote there "
        + "cannot be removed. Let the caller write into that container, or throw as well"
    )
  }
}
