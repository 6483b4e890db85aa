/// Coding paths: read off the open frames where those tell, found again in the bytes where a decoder was
/// kept.
extension DecodingSession {
  /// How many steps of a path are given, from its end, where values are nested deeper: an error at each of very
  /// many levels must not cost all the levels above it.
  private static let longestPath = 256
  /// How many are given once very many paths were asked for.
  private static let shortPath = 8

  private var longestPath: Int {
    budget.allowsLongPaths(byteCount: reader.count) ? DecodingSession.longestPath : DecodingSession.shortPath
  }

  /// The path of the value at `offset`, whose frame is or would be at `depth`.
  func path(to offset: Int, depth: Int) -> [any CodingKey] {
    guard depth < frames.count, frames[depth].offset == offset, framesAgree(upTo: depth) else {
      return searchedPath(to: offset)
    }
    return visible(elements(above: depth), from: depth)
  }

  /// The path of the value at `offset` that is the current one of the container whose frame is at `depth`.
  func path(toValueAt offset: Int, in depth: Int) -> [any CodingKey] {
    guard depth < frames.count, framesAgree(upTo: depth) else { return searchedPath(to: offset) }
    // A single value begins where its container does, which then is no step of the path.
    let own = frames[depth].offset == offset ? nil : element(of: frames[depth])
    return visible(elements(above: depth) + (own.map { [$0] } ?? []), from: depth)
  }

  /// The frame of which a path begins that ends at `depth`.
  private func firstFrame(_ depth: Int) -> Int { max(0, depth - longestPath) }

  /// The steps that the frames above `depth` stand for, those of single-value containers left out.
  private func elements(above depth: Int) -> [PathElement] {
    budget.chargePath(min(depth, longestPath))
    return frames[firstFrame(depth)..<depth].compactMap { $0.child == $0.offset ? nil : element(of: $0) }
  }

  private func framesAgree(upTo depth: Int) -> Bool {
    guard frames[0].offset == topLevelOffset || frames[0].offset < 0 && detached.offset >= 0 else {
      return false
    }
    return (firstFrame(depth)..<depth).allSatisfy { frames[$0].child == frames[$0 + 1].offset }
  }

  /// The path for the caller: `path`, which ends at `depth`, behind what the frames do not show.
  private func visible(_ path: [PathElement], from depth: Int) -> [any CodingKey] {
    if firstFrame(depth) > 0 { return [ArchiveCodingKey(stringValue: "…")] + path.map(ArchiveCodingKey.init) }
    return visible(frames[0].offset < 0 ? detachedPath + path : path)
  }

  private func visible(_ path: [PathElement]) -> [any CodingKey] {
    path.dropFirst(hidesRootKey ? 1 : 0).map(ArchiveCodingKey.init)
  }

  /// The path of the value that is decoded by itself.
  private var detachedPath: [PathElement] {
    if let path = detached.path { return path }
    let path = searchedElements(to: detached.offset)
    detached.path = path
    return path
  }

  /// The key or index of the value that is being decoded in `frame`.
  func element(of frame: DecodingFrame) -> PathElement? {
    switch frame.kind {
    case .unparsed: return nil
    case .record:
      guard frame.currentSlot < frame.count else { return nil }
      return .key(image.keys[image.shapeKey(frame.firstSlot + frame.currentSlot)])
    case .elements: return .index(frame.currentSlot)
    case .map, .entries:
      guard frame.currentSlot < frame.count else { return nil }
      var place = frame.currentKey
      return try? image.mapKey(at: &place, in: reader)
    }
  }

  /// The path of the value at `offset`, by a search of its body and of those by which that was reached.
  func searchedPath(to offset: Int) -> [any CodingKey] {
    guard budget.allowsSearch(byteCount: reader.count) else { return [ArchiveCodingKey(stringValue: "…")] }
    return visible(searchedElements(to: offset))
  }

  private func searchedElements(to offset: Int) -> [PathElement] {
    var steps: [[PathElement]] = []
    var target = offset
    var seen: Set<Int> = []
    while seen.insert(target).inserted {
      let wanted = target
      var search = PathSearch(image, reader) { $0 == wanted }
      guard let number = image.bodyNumber(containing: wanted) else {
        steps.append(search.search(from: topLevelOffset) ?? [])
        break
      }
      guard let body = try? image.body(number, at: wanted) else { break }
      var place = body.lowerBound
      _ = try? image.classNumber(at: &place)
      steps.append(search.search(from: place) ?? [])
      target = objects.origin(number)
      if target < 0 { break }
    }
    return Array(steps.reversed().joined())
  }
}
