/// What a careful look at a whole archive found.
package struct ArchiveSummary: Sendable {
  package var objectCount = 0
  package var valueCount = 0
  /// For each entry of the class table how many objects are of that class itself.
  package var objectCounts: [Int] = []
  /// How many references there are to each body, conditional ones not counted; entry 0 is the top level.
  package var referenceCounts: [Int] = []
}

extension ArchiveImage {
  /// Looks at every body and every value in it, each once: tags, extents, texts, references, keys. Now and then it tells
  /// `progress` the offset up to which everything is sound; the last is the end of the top level.
  @discardableResult
  package func verifyStructure(
    progress: (_ offset: Int) -> Void = { _ in }
  ) throws(ArchiveError) -> ArchiveSummary {
    var summary = ArchiveSummary()
    summary.referenceCounts = Array(repeating: 0, count: directory.bodyCount + 1)
    summary.objectCounts = Array(repeating: 0, count: classes.count)
    try checkTables()
    try verifyConditionals()
    // Those too to which nothing refers.
    for number in 0..<stringCount {
      _ = try string(number, at: directory.strings.range.lowerBound)
    }
    var end = directory.bodies.lowerBound
    for number in bodyNumbers {
      let body = try numberedBody(number, referredToAt: directory.offsets.range.lowerBound)
      // That it begins where the one before ends was found with its group of the offset table.
      if body.byteRange.upperBound <= extent.firstEnd { end = body.byteRange.upperBound }
      if let classNumber = body.classNumber {
        summary.objectCount += 1
        summary.objectCounts[classNumber] += 1
      }
      try verify(body.value, &summary, progress)
    }
    guard saved != nil || end == directory.bodies.upperBound else {
      throw .damaged("There are unused bytes between the bodies and the top level", at: end)
    }
    try verify(topLevelValue, &summary, progress)
    progress(directory.topLevel.upperBound)
    return summary
  }

  /// Every entry of the conditional table leads to an object, also one that no reference names.
  private func verifyConditionals() throws(ArchiveError) {
    var cursor = directory.conditionals.range.lowerBound
    for index in try conditionals.indices {
      // Of what a save has changed, the place is not kept.
      let entryOffset = saved == nil ? cursor : directory.conditionals.range.lowerBound
      if saved == nil { _ = try reader.varint(at: &cursor) }
      guard let number = try conditionalTarget(index, at: entryOffset) else { continue }
      guard try numberedBody(number, referredToAt: entryOffset).classNumber != nil else {
        throw .damaged("The conditional table refers to a value instead of an object", at: entryOffset)
      }
    }
  }

  private func verify(
    _ root: ArchiveValue,
    _ summary: inout ArchiveSummary,
    _ progress: (Int) -> Void
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(root)
    while let step = try walk.next() {
      guard case .value(let value, _) = step else { continue }
      summary.valueCount += 1
      if summary.valueCount & 0x3FFF == 0 { progress(value.offset) }
      // What the walk does not look at. The table of conditional references was looked at before.
      switch value.kind {
      case .string: _ = try value.string
      case .decimal: _ = try value.decimal
      case .url: _ = try value.urlParts
      case .conditional: _ = try value.bodyNumber
      default: break
      }
      // The number is read once: in a mapped file it may be another one the next time.
      if value.kind != .conditional, let number = try value.target?.number {
        summary.referenceCounts[number] += 1
      }
    }
    try walk.checkEnd()
  }
}
