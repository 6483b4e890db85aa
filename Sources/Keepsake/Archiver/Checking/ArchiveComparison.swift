extension ArchiveImage {
  /// The place of the first value that differs in `other`, the archive of a copy: its path in an object, and the class
  /// of that; `nil` if all bodies are the same, or are up to a container whose keys have another order.
  ///
  /// Objects are numbered in the order of the references to them, so up to there they have the same numbers.
  func placeOfFirstDifference(from other: ArchiveImage) throws(ArchiveError) -> String? {
    for number in bodyNumbers.prefix(other.directory.bodyCount) {
      let own = try numberedBody(number, referredToAt: 0)
      let copy = try other.numberedBody(number, referredToAt: 0)
      let isSameClass = own.className == copy.className
      let path: ArchivePath
      switch isSameClass ? try own.value.firstDifference(from: copy.value) : .value([]) {
      case .none: continue
      case .order: return nil
      case .value(let elements): path = ArchivePath(elements)
      }
      // The last steps, as of other findings.
      let last = ArchivePath(Array(path.elements.suffix(GraphComparison.mostSteps))).description
      let start = path.elements.count <= GraphComparison.mostSteps ? "" : last.hasPrefix("[") ? "…" : "…."
      return [last.isEmpty ? "the value" : start + last, own.className].compactMap(\.self)
        .joined(separator: " of ")
    }
    return nil
  }
}

/// How two values differ.
private enum Difference {
  case none
  /// A container has the same keys in another order, as that of an `encode(to:)` that iterates over a dictionary.
  case order
  /// The value at this path.
  case value([PathElement])
}

extension ArchiveValue {
  /// The first difference in the same body.
  fileprivate func firstDifference(from other: ArchiveValue) throws(ArchiveError) -> Difference {
    var (walk, otherWalk) = (ArchiveWalk(self), ArchiveWalk(other))
    var labels: [PathElement?] = []
    var containers: [(own: ArchiveValue, copy: ArchiveValue)] = []
    while let step = try walk.next() {
      let otherStep = try otherWalk.next()
      if case .value(let own, let label) = step {
        labels.append(label)
        guard case .value(let copy, let otherLabel)? = otherStep else {
          return .value(labels.compactMap(\.self))
        }
        if label != otherLabel, let last = containers.last, try Set(last.own.keys) == Set(last.copy.keys) {
          return .order
        }
        guard label == otherLabel, try own.isSameWithoutMembers(as: copy) else {
          return .value(labels.compactMap(\.self))
        }
        if own.hasMembers {
          containers.append((own, copy))
          continue
        }
      } else if case .value? = otherStep {
        return .value(labels.compactMap(\.self))
      } else {
        containers.removeLast()
      }
      labels.removeLast()
    }
    return .none
  }

  private func isSameWithoutMembers(as other: ArchiveValue) throws(ArchiveError) -> Bool {
    guard kind == other.kind, try typeName == other.typeName else { return false }
    if hasMembers { return true }
    return try reader.array(of: UInt8.self, count: byteCount, at: offset)
      == other.reader.array(of: UInt8.self, count: other.byteCount, at: other.offset)
  }
}
