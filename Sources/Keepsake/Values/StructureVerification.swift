/// The result of verifying a whole archive.
package struct ArchiveSummary: Sendable {
  package var objectCount = 0
  package var valueCount = 0
  /// For each entry of the class table, the number of objects of exactly that class.
  package var objectCounts: [Int] = []
  /// The number of references to each body, without conditional ones; entry 0 is the top level.
  package var referenceCounts: [Int] = []
}

extension ArchiveImage {
  /// Checks every body and every value in it once: tags, extents, texts, references, keys. Reports to `progress` now
  /// and then the offset up to which everything is sound, and at last the end of the top level.
  @discardableResult
  package func verifyStructure(
    progress: (_ offset: Int) -> Void = { _ in }
  ) throws(ArchiveError) -> ArchiveSummary {
    var summary = ArchiveSummary()
    summary.referenceCounts = Array(repeating: 0, count: directory.bodyCount + 1)
    summary.objectCounts = Array(repeating: 0, count: classes.count)
    try checkTables()
    try verifyConditionals()
    // Includes strings that nothing refers to.
    for number in 0..<stringCount {
      _ = try string(number, at: directory.strings.range.lowerBound)
    }
    var end = directory.bodies.lowerBound
    for number in bodyNumbers {
      let body = try numberedBody(number, referredToAt: directory.offsets.range.lowerBound)
      // Reading its group of the offset table has checked that the body begins where the one before ends.
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

  /// Checks that every entry of the conditional table leads to an object, even if no reference names the entry.
  private func verifyConditionals() throws(ArchiveError) {
    var cursor = directory.conditionals.range.lowerBound
    for index in try conditionals.indices {
      // The offsets of entries that a save changed are not kept.
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
      // Checks what the walk does not. `verifyConditionals` has already checked the conditional table.
      switch value.kind {
      case .string: _ = try value.string
      case .decimal: _ = try value.decimal
      case .url: _ = try value.urlParts
      case .conditional: _ = try value.bodyNumber
      default: break
      }
      // Reads the number once: the bytes of a mapped file may change before a second time.
      if value.kind != .conditional, let number = try value.target?.number {
        summary.referenceCounts[number] += 1
      }
    }
  }
}
