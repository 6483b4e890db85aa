extension EncodingSession: ValueLayout {
  func slotCount(ofShape number: Int, at offset: Int) throws(ArchiveError) -> Int {
    guard number < tables.shapes.count else {
      throw .damaged("The number of a shape is out of range", at: offset)
    }
    return tables.shapes.keys(ofShape: number).count
  }

  func keyName(slot: Int, ofShape number: Int) -> String {
    tables.keys.names[tables.shapes.keys(ofShape: number)[slot]]
  }

  func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    try tables.strings.string(number, at: offset)
  }
}

/// Coding paths. The session does not keep them but reads them off the open frames and the finished bodies when they
/// are requested.
extension EncodingSession {
  /// The path of the value that is being encoded.
  var currentPath: [any CodingKey] {
    path(in: context, below: context.lower.count + 1)
  }

  /// The path of the value of the innermost frame, followed by `more`, for a context that keeps it. To find the path of
  /// an object takes a search, so that is left until the path is requested.
  func basePath(_ more: ArchiveCodingKey...) -> EncodingContext.BasePath {
    let count = context.lower.count
    let (object, outer): (Int, [any CodingKey])
    switch context.basePath {
    case .object(let number) where count <= longestPath: (object, outer) = (number, [])
    case .inObject(let number, let steps) where count + steps.count <= longestPath:
      (object, outer) = (number, steps)
    default:
      let path = path(in: context, below: count)
      let isLong = path.count > longestPath
      return .elements((isLong ? [ArchiveCodingKey.ellipsis] + path.suffix(longestPath) : path) + more)
    }
    bodies.paths.charge(steps: count)
    return .inObject(object, outer + (0..<count).compactMap { step(of: context[$0], in: context) } + more)
  }

  /// - Parameter count: the number of frames, from the outermost on, in the path.
  fileprivate func path(in context: EncodingContext, below count: Int) -> [any CodingKey] {
    let frames = max(0, count - longestPath)..<count
    var path: [any CodingKey] = [ArchiveCodingKey.ellipsis]
    if frames.lowerBound == 0 {
      switch context.basePath {
      case .elements(let elements): path = elements
      case .object(let number): path = self.path(ofObject: number)
      case .inObject(let number, let steps): path = self.path(ofObject: number) + steps
      }
    }
    for index in frames {
      if let step = step(of: context[index], in: context) { path.append(step) }
    }
    bodies.paths.charge(steps: frames.count)
    if context.isTopLevel, settings.hidesRootKey, frames.lowerBound == 0, !path.isEmpty { path.removeFirst() }
    return path
  }

  /// How many bytes there are so far, in the archive and in what is being written.
  private var byteCount: Int { bodies.assembly.byteCount + buffer.count }

  private var longestPath: Int { bodies.paths.longestPath(byteCount: byteCount) }

  /// The key or index of the current value in the container of `frame`, with the integer value of the program's own key.
  private func step(of frame: EncodingFrame, in context: EncodingContext) -> ArchiveCodingKey? {
    switch frame.kind {
    case .undecided, .single, .singleUsed:
      return nil
    case .record where frame.position == ShapeTrie.root:
      return nil
    case .record:
      let name = tables.keys.names[tables.shapes.lastKey(of: frame.position)]
      let key = types.keyTypes[Int(frame.tableNumber)]?.init(stringValue: name)
      return ArchiveCodingKey(stringValue: name, intValue: key?.intValue)
    case .walkedFields:
      return ArchiveCodingKey(stringValue: tables.keys.names[frame.position])
    case .unkeyed, .walkedElements:
      return frame.count > 0 ? ArchiveCodingKey(index: frame.count - 1) : nil
    case .map, .walkedMap:
      guard frame.count > 0 else { return nil }
      var cursor = frame.position
      let key = try? mapKey(at: &cursor, in: (context.waiting ?? buffer).reader())
      return key.map(ArchiveCodingKey.init)
    }
  }

  /// The path by which an object was first reached, or the last steps of that path.
  func path(ofObject number: Int) -> [any CodingKey] {
    var parts: [[PathElement]] = []
    var (number, count, isWhole) = (number, 0, true)
    let longest = longestPath
    while let referrer = bodies.graph.firstReferrer(of: number) {
      isWhole =
        count < longest
        && bodies.paths.allowsSearch(of: bodies.assembly.byteCount(ofBody: referrer), byteCount: byteCount)
      guard isWhole else { break }
      parts.append(steps(from: referrer, to: number))
      count += parts.last?.count ?? 0
      number = referrer
    }
    let steps = parts.reversed().joined().suffix(longest).map(ArchiveCodingKey.init)
    bodies.paths.charge(steps: steps.count)
    guard isWhole, steps.count == count else { return [ArchiveCodingKey.ellipsis] + steps }
    return (bodies.topLevelPaths.last { $0.firstNumber <= number }?.path ?? []) + steps
  }

  /// The path from a body to its first reference to the object `number`.
  func steps(from body: Int, to number: Int) -> [PathElement] {
    // While a body is written, the session's buffer holds the archive.
    let held = bodies.isInProgress ? bodies.waitingBytes ?? buffer : bodies.assembly.buffer
    guard let (reader, start) = bodies.assembly.reader(ofBody: body, in: held) else { return [] }
    var cursor = start
    _ = try? reader.varint(at: &cursor)
    let written = writtenNumber(number)
    return path(from: cursor, in: reader) { offset in
      guard let tag = try? reader.byte(at: offset), TagKind(tag) == .objectReference else { return false }
      return (try? reader.unsigned(at: offset + 1, byteCount: Int(tag & 3) + 1)) == UInt64(written)
    }
  }
}

extension ValueEncoder {
  /// The path of the value, wherever its frame is open; empty if it is closed.
  var codingPath: [any CodingKey] { place.map { session.path(in: $0.context, below: $0.index) } ?? [] }

  /// The frame of the value, wherever it is open.
  var openFrame: EncodingFrame? { place.map { $0.context[$0.index] } }

  @inline(never)
  private var place: (context: EncodingContext, index: Int)? {
    let context = session.context.has(frame) ? session.context : host?.detached
    return context.flatMap { context in context.index(of: frame).map { (context, $0) } }
  }
}
