extension ArchiveImage {
  /// The place of the first value that differs in `other`, the archive of a copy: its path in an object, and the class
  /// of that; `nil` if all bodies are the same, or are up to a container whose keys or elements have another
  /// order.
  ///
  /// Objects are numbered in the order of the references to them, so up to there they have the same numbers.
  func placeOfFirstDifference(from other: ArchiveImage) throws(ArchiveError) -> String? {
    for number in bodyNumbers.prefix(other.directory.bodyCount) {
      let own = try numberedBody(number)
      let copy = try other.numberedBody(number)
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

private enum Difference {
  case none
  /// A container has the same keys or elements in another order, as that of an `encode(to:)` that iterates over a
  /// dictionary or a set.
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
          return try difference(labels, in: containers)
        }
        if label != otherLabel, let last = containers.last, try Set(last.own.keys) == Set(last.copy.keys) {
          return .order
        }
        guard label == otherLabel, try own.isSameWithoutMembers(as: copy) else {
          return try difference(labels, in: containers + [(own, copy)])
        }
        if own.hasMembers {
          containers.append((own, copy))
          continue
        }
      } else if case .value? = otherStep {
        return try difference(labels, in: containers)
      } else {
        containers.removeLast()
      }
      labels.removeLast()
    }
    return .none
  }

  /// The difference at the end of the path `labels`, which leads through `containers`.
  private func difference(
    _ labels: [PathElement?],
    in containers: [(own: ArchiveValue, copy: ArchiveValue)]
  ) throws(ArchiveError) -> Difference {
    for (own, copy) in containers where own.kind == .array || own.kind == .numbers {
      if try own.sortedContents() == copy.sortedContents() { return .order }
    }
    return .value(labels.compactMap(\.self))
  }

  /// The values in this one, whatever their order.
  private func sortedContents() throws(ArchiveError) -> [String] {
    var contents: [String] = []
    var walk = ArchiveWalk(self)
    while let step = try walk.next() {
      guard case .value(let value, let label) = step else { continue }
      let key = if case .index? = label { "" } else { label?.keyText ?? "" }
      let start = value.kind.rawValue + " " + key + " "
      switch value.kind {
      case .string: contents.append(start + (try value.stringValue ?? ""))
      case .numbers:
        for number in try value.numbers?.texts ?? [] { contents.append(start + number) }
      case _ where value.hasMembers: contents.append(start)
      default:
        let bytes = try value.reader.array(of: UInt8.self, count: value.byteCount, at: value.offset)
        contents.append(start + bytes.description)
      }
    }
    return contents.ordered(by: <)
  }

  private func isSameWithoutMembers(as other: ArchiveValue) throws(ArchiveError) -> Bool {
    guard kind == other.kind, try typeName == other.typeName else { return false }
    if hasMembers { return true }
    // Different texts may have the same number in the string tables of the two archives.
    if kind == .string, try stringValue.map(ExactString.init) != other.stringValue.map(ExactString.init) {
      return false
    }
    return try reader.array(of: UInt8.self, count: byteCount, at: offset)
      == other.reader.array(of: UInt8.self, count: other.byteCount, at: other.offset)
  }
}
