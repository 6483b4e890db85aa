/// A point to which a session can be taken back when an `encode(to:)` throws and its caller goes on.
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
      depth: depth,
      objectCount: objects.count,
      pending: pending.mark,
      shapeCount: shapes.count,
      strings: strings.mark,
      classes: classes.mark,
      graph: graph.mark(inBody: bodyInProgress),
      conditionals: conditionals.mark,
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
    depth = checkpoint.depth
    depthToLookAt = depth + 1
    objects.truncate(to: checkpoint.objectCount)
    pending.truncate(to: checkpoint.pending)
    if shapes.count > checkpoint.shapeCount || classes.isChanged(since: checkpoint.classes) {
      classProperties.forgetNumbers()
    }
    shapes.truncate(to: checkpoint.shapeCount)
    strings.truncate(to: checkpoint.strings)
    classes.truncate(to: checkpoint.classes)
    graph.truncate(to: checkpoint.graph)
    conditionals.truncate(to: checkpoint.conditionals)
    if !lateWrites.isEmpty { checkLateWrites(since: checkpoint.lastFrameID) }
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
    while let last = lateWrites.last, last.frame >= nested.frame { lateWrites.removeLast() }
    lateWrites.append(LateWrite(time: makeFrameID(), frame: nested.frame))
  }

  /// Looks whether a container that is older than `checkpoint` was written since then. All else has been taken back.
  private func checkLateWrites(since checkpoint: FrameID) {
    // The first of the later writes is that into the oldest container.
    let first = lateWrites.first { $0.time > checkpoint }
    let isLost = first.map { $0.frame <= checkpoint } ?? false
    if isLost == (lateWriteFailure != nil) { return }
    lateWriteFailure = isLost ? wroteElsewhere : nil
    isClosed = isLost
  }

  private var wroteElsewhere: EncodingError {
    misuse(
      "A value wrote into a container outside of itself and then threw, and its caller went on. What it wrote there cannot "
        + "be taken back with the rest of it. Let the caller write into that container, or throw, too"
    )
  }
}
