/// What is said when objects are related so that no reader could build them again.
extension EncodingSession {
  func unreadable(_ obstacle: ReferenceGraph.Obstacle) -> EncodingError {
    switch obstacle {
    case .ring(let bodies): unreadable(ring: bodies)
    case .depth(let depth, let number): tooDeep(depth, number)
    }
  }

  private func unreadable(ring: [Int]) -> EncodingError {
    let first = ring.first ?? 0
    let message =
      "Objects refer to each other in a ring that no initializer could read back: \(describe(ring)). "
      + "Mark one of these properties @Deferred, or @WeakReference if it does not own the object; or make "
      + "\(className(first)), which is met again, an ArchivedModel or SelfRegistering. "
      + "What an initializer reads with decodeDeferred is encoded with encodeDeferred"
    return unreadable(message, .cycle, first)
  }

  private func tooDeep(_ depth: Int, _ number: Int) -> EncodingError {
    unreadable(
      "Objects and values are nested \(depth) deep, more than the \(limits.maximumDepth) that readers accept by "
        + "default. Mark a property of the chain @Deferred: what is deferred does not count",
      .limitExceeded,
      number
    )
  }

  /// How many steps of a coding path are given, from its end, where the graph may be as deep as can be.
  private static let longestPath = 100

  private func unreadable(_ message: String, _ code: ArchiveError.Code, _ number: Int) -> EncodingError {
    EncodingError.invalidValue(
      objects.object(number) as Any,
      .init(
        codingPath: Array(path(ofObject: number).suffix(EncodingSession.longestPath)),
        debugDescription: message,
        underlyingError: ArchiveError(code, message)
      )
    )
  }

  /// The way around a ring: the coding path of each object in it, with its class. Of a long ring only the
  /// beginning and the end.
  private func describe(_ ring: [Int]) -> String {
    let shown = 12
    var path = path(ofObject: ring.first ?? 0)
    var stations = [station(path, ring.first ?? 0)]
    for (index, number) in ring.enumerated() {
      let next = ring[(index + 1) % ring.count]
      path += steps(from: number, to: next).map(ArchiveCodingKey.init)
      if index < shown || index >= ring.count - 2 {
        stations.append(station(path, next) + (next == ring.first ? " again" : ""))
      } else if index == shown {
        stations.append("… \(ring.count - shown - 2) more …")
      }
    }
    return stations.joined(separator: " → ")
  }

  private func station(_ path: [any CodingKey], _ number: Int) -> String {
    "\(spelled(path)) (\(className(number)))"
  }

  private func className(_ number: Int) -> String {
    objects.object(number).map { String(describing: type(of: $0)) } ?? "the class"
  }

  /// A coding path as one would write it: `library.books[3].author`. Of a long one only the end.
  private func spelled(_ path: [any CodingKey]) -> String {
    let shown = 12
    var text = path.count > shown ? "…" : ""
    for key in path.suffix(shown) {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return text.isEmpty ? "the root" : text
  }
}
