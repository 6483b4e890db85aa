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
      graph: graph.mark,
      conditionals: conditionals.mark
    )
  }

  /// Forgets bytes, numbers and pending objects since `checkpoint`.
  func roll(back checkpoint: EncodingCheckpoint) {
    buffer.truncate(to: checkpoint.byteCount)
    context.top = checkpoint.top
    context.lower.truncate(to: checkpoint.lowerCount)
    context.nested.removeLast(max(0, context.nested.count - checkpoint.nestedCount))
    context.splices.removeLast(max(0, context.splices.count - checkpoint.spliceCount))
    context.propertyLevel = min(context.propertyLevel, max(1, context.lower.count))
    depth = checkpoint.depth
    objects.truncate(to: checkpoint.objectCount)
    pending.truncate(to: checkpoint.pending)
    shapes.truncate(to: checkpoint.shapeCount)
    strings.truncate(to: checkpoint.strings)
    classes.truncate(to: checkpoint.classes)
    graph.truncate(to: checkpoint.graph)
    conditionals.truncate(to: checkpoint.conditionals)
  }
}
