/// The result of verifying a whole archive.
package struct ArchiveSummary: Sendable {
  package var valueCount = 0
  /// For each entry of the class table, the number of objects of exactly that class.
  package var objectCounts: [Int] = []
  package var objectCount: Int { objectCounts.reduce(0, +) }
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
      if let classNumber = body.classNumber { summary.objectCounts[classNumber] += 1 }
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

  /// Checks a value and all in it. Counts references if `summary` has an entry for each body.
  @inline(never)
  private func verify(
    _ root: ArchiveValue,
    _ summary: inout ArchiveSummary,
    _ progress: (Int) -> Void = { _ in }
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
      if value.kind != .conditional, let number = try value.target?.number,
        summary.referenceCounts.indices.contains(number)
      {
        summary.referenceCounts[number] += 1
      }
    }
  }

  // MARK: Earlier saves

  /// Checks each save except the newest as ``verifyStructure(progress:)`` checks that, if the checksums have been compared.
  ///
  /// - Returns: the first save with a fault; `nil` if there is none.
  package func faultInEarlierSaves() -> (number: Int, error: ArchiveError)? {
    var before: ArchiveImage?
    for save in saves {
      do throws(ArchiveError) {
        let part = reader.limited(to: save.range.lowerBound)
        let image =
          if let before { try ArchiveImage(before, andSavesIn: part) } else {
            try ArchiveImage(part, verification: .disabled, limits: limits)
          }
        if try before.map(image.checkNewestSave(since:)) != true { try image.verifyStructure() }
        before = image
      } catch {
        return (save.number - 1, error)
      }
    }
    return nil
  }

  /// Checks what the newest save has. Returns false if that is not enough, although the rest was checked in `before`.
  private func checkNewestSave(since before: ArchiveImage) throws(ArchiveError) -> Bool {
    guard let save = saves.last, save.classes.range.isEmpty else { return false }
    var summary = ArchiveSummary()
    for number in (0..<stringCount).dropFirst(before.stringCount) {
      _ = try string(number, at: save.strings.range.lowerBound)
    }
    let countBefore = before.directory.bodyCount
    for (number, range) in try save.readBodies(reader, countBefore: countBefore) {
      let body = try numberedBody(number, referredToAt: range.lowerBound)
      if number <= countBefore {
        let old = try before.numberedBody(number, referredToAt: range.lowerBound)
        // References distinguish objects from values.
        if (old.classNumber == nil) != (body.classNumber == nil) { return false }
      }
      try verify(body.value, &summary)
    }
    if save.conditionals.count > 0 { try verifyConditionals() }
    try verify(topLevelValue, &summary)
    return true
  }
}
