extension ArchiveImage {
  /// The place of the first value that differs in `other`, the archive of a copy: its path in an object, and the class
  /// of that; `nil` if all bodies are the same.
  ///
  /// Objects are numbered in the order of the references to them, so up to there they have the same numbers.
  func placeOfFirstDifference(from other: ArchiveImage) throws(ArchiveError) -> String? {
    for number in bodyNumbers.prefix(other.directory.bodyCount) {
      let own = try numberedBody(number, referredToAt: 0)
      let copy = try other.numberedBody(number, referredToAt: 0)
      let isSameClass = own.className == copy.className
      guard let path = isSameClass ? try own.value.pathToFirstDifference(from: copy.value) : ArchivePath([])
      else { continue }
      // The last steps, as of other findings.
      let last = ArchivePath(Array(path.elements.suffix(GraphComparison.mostSteps))).description
      let start = path.elements.count <= GraphComparison.mostSteps ? "" : last.hasPrefix("[") ? "…" : "…."
      return [last.isEmpty ? "the value" : start + last, own.className].compactMap(\.self)
        .joined(separator: " of ")
    }
    return nil
  }
}

extension ArchiveValue {
  /// The path to the first value in the same body that differs, if there is one.
  fileprivate func pathToFirstDifference(from other: ArchiveValue) throws(ArchiveError) -> ArchivePath? {
    var (walk, otherWalk) = (ArchiveWalk(self), ArchiveWalk(other))
    var labels: [PathElement?] = []
    while let step = try walk.next() {
      let otherStep = try otherWalk.next()
      if case .value(let own, let label) = step {
        labels.append(label)
        guard case .value(let copy, label)? = otherStep, try own.isSameWithoutMembers(as: copy) else {
          return ArchivePath(labels.compactMap(\.self))
        }
        if own.hasMembers { continue }
      } else if case .value? = otherStep {
        return ArchivePath(labels.compactMap(\.self))
      }
      labels.removeLast()
    }
    return nil
  }

  private func isSameWithoutMembers(as other: ArchiveValue) throws(ArchiveError) -> Bool {
    guard kind == other.kind, try typeName == other.typeName else { return false }
    if hasMembers { return true }
    return try reader.array(of: UInt8.self, count: byteCount, at: offset)
      == other.reader.array(of: UInt8.self, count: other.byteCount, at: other.offset)
  }
}
