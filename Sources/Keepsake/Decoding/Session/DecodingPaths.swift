/// Coding paths. The session reads them off the open frames, or searches the bytes if a decoder was kept and the frames
/// do not agree.
extension DecodingSession {
  /// The longest map key in a path, in bytes, once very many steps were charged.
  private static let shortKey = 256

  private var longestPath: Int { checks.budget.paths.longestPath(byteCount: reader.count) }

  /// The path of the value at `offset`, whose frame is, or would be, at `depth`.
  func path(to offset: Int, depth: Int) -> [any CodingKey] {
    let first = max(0, depth - longestPath)
    guard depth < nesting.frames.count, nesting.frames[depth].offset == offset, framesAgree(first..<depth)
    else {
      return searchedPath(to: offset)
    }
    return visible(way(along: first..<depth))
  }

  /// The path of the current value, at `offset`, of the container whose frame is at `depth`.
  func path(toValueAt offset: Int, in depth: Int) -> [any CodingKey] {
    let first = max(0, depth - longestPath)
    guard depth < nesting.frames.count, framesAgree(first..<depth) else { return searchedPath(to: offset) }
    var way = way(along: first..<depth)
    // A single-value container and its value have the same offset, and the container is no step of the path.
    if nesting.frames[depth].offset != offset, let own = step(of: nesting.frames[depth]) {
      way.steps.append(own)
    }
    return visible(way)
  }

  private func framesAgree(_ depths: Range<Int>) -> Bool {
    guard
      nesting.frames[0].offset == lookups.topLevelOffset
        || nesting.frames[0].offset < 0 && nesting.detached.offset >= 0
    else {
      return false
    }
    return depths.allSatisfy { nesting.frames[$0].child == nesting.frames[$0 + 1].offset }
  }

  /// The way along the frames at `depths`, without those of single-value containers, after the way that frames do not
  /// show.
  private func way(along depths: Range<Int>) -> DecodingWay {
    var way = DecodingWay(isWhole: depths.lowerBound == 0)
    if way.isWhole, nesting.frames[0].offset < 0 { way = detachedWay }
    checks.budget.paths.charge(steps: way.steps.count + depths.count)
    // And one step for a caller to add.
    way.steps.reserveCapacity(way.steps.count + depths.count + 1)
    for depth in depths where nesting.frames[depth].child != nesting.frames[depth].offset {
      if let step = step(of: nesting.frames[depth]) { way.steps.append(step) }
    }
    return way
  }

  /// The path for the caller.
  private func visible(_ way: consuming DecodingWay) -> [any CodingKey] {
    guard way.isWhole else { return [ArchiveCodingKey.ellipsis] + way.steps }
    if settings.hidesRootKey, !way.steps.isEmpty { way.steps.removeFirst() }
    return way.steps
  }

  /// The way to the value that is being decoded apart from its container.
  private var detachedWay: DecodingWay {
    if let way = nesting.detached.way { return way }
    let way = searchedWay(to: nesting.detached.offset)
    nesting.detached.way = way
    return way
  }

  /// The key or index of the value that is being decoded in `frame`, with the integer value of the program's own key.
  private func step(of frame: DecodingFrame) -> ArchiveCodingKey? {
    switch frame.kind {
    case .unparsed: return nil
    case .elements: return ArchiveCodingKey(index: frame.currentSlot)
    case .keyed, .planned: break
    }
    guard frame.currentSlot < frame.head.count else { return nil }
    guard !frame.head.isRecord else {
      let name = image.keys[image.shapeKey(frame.head.firstSlot + frame.currentSlot)]
      return ArchiveCodingKey(stringValue: name, intValue: frame.keyType?.init(stringValue: name)?.intValue)
    }
    var cursor = frame.currentOffset
    // Each path has a copy of the key.
    let byteCount = ((try? image.end(ofValueAt: cursor, in: reader)) ?? cursor) - cursor
    guard
      byteCount <= DecodingSession.shortKey || checks.budget.paths.allowsLongPaths(byteCount: reader.count)
    else { return .ellipsis }
    checks.budget.paths.charge(steps: byteCount / 4)
    guard let key = try? image.mapKey(at: &cursor, in: reader) else { return nil }
    guard let number = frame.currentIntValue else { return ArchiveCodingKey(key) }
    return ArchiveCodingKey(stringValue: key.keyText, intValue: number)
  }

  /// The path of the value at `offset`, by a search in its body and in those that lead to that body.
  func searchedPath(to offset: Int) -> [any CodingKey] {
    let way = searchedWay(to: offset)
    checks.budget.paths.charge(steps: way.steps.count)
    return visible(way)
  }

  private func searchedWay(to offset: Int) -> DecodingWay {
    var parts: [[PathElement]] = []
    var count = 0
    var isWhole = true
    var target = offset
    var seen: Set<Int> = []
    while target >= 0, seen.insert(target).inserted {
      let number = image.bodyNumber(containing: target)
      guard let body = number.map({ try? image.body($0, at: target) }) ?? image.directory.topLevel else {
        break
      }
      guard count < longestPath, checks.budget.paths.allowsSearch(of: body.count, byteCount: reader.count)
      else {
        isWhole = false
        break
      }
      var cursor = body.lowerBound
      _ = try? image.classNumber(at: &cursor)
      let wanted = target
      let part = image.path(from: cursor, in: reader) { $0 == wanted }
      parts.append(part)
      count += part.count
      target = number.map { graph.objects.origin($0) } ?? -1
    }
    let steps = parts.reversed().joined().suffix(longestPath).map(ArchiveCodingKey.init)
    return DecodingWay(steps: steps, isWhole: isWhole && steps.count == count)
  }
}

/// The steps of a coding path: if it is whole, all from the top level on; otherwise the last ones.
struct DecodingWay {
  var steps: [any CodingKey] = []
  var isWhole: Bool
}
