/// Measures how deep the values nest that are still to be decoded, before they take the stack.
///
/// A level of nesting takes a byte in an archive, but hundreds on the stack. So if values nest deeper than nearly all
/// values do, a walk that takes no stack checks what is still to come: that it is not deeper than the limit, and that
/// each level has the parts that it announces.
extension DecodingSession {
  /// Throws if the value at `offset`, in the container at `depth`, is nested too deep to be decoded.
  @inline(never)
  func checkNesting(of offset: Int, in depth: Int) throws {
    guard depth < settings.limits.maximumDepth, depth &- nesting.base < settings.limits.maximumValueDepth
    else {
      let error = tooDeep(offset, isInObjects: depth >= settings.limits.maximumDepth)
      throw corrupted(error, path(toValueAt: offset, in: depth))
    }
    // A check of a value covers the values within it.
    guard !checks.examined.contains(offset) else { return }
    let room = min(
      settings.limits.maximumDepth &- depth,
      settings.limits.maximumValueDepth &- (depth &- nesting.base)
    )
    var levels = 0
    do throws(ArchiveError) {
      let end = try walk(offset) { (start, tag) throws(ArchiveError) in
        // Annotations, and the parts of a decimal, are no levels.
        if [Tag.some, Tag.url, Tag.typed, Tag.decimal, Tag.negativeDecimal].contains(tag) { return false }
        guard levels < room else {
          throw tooDeep(start, isInObjects: room == settings.limits.maximumDepth &- depth)
        }
        levels += 1
        return true
      } leave: { _, _ in
        levels -= 1
      }
      checks.examined.insert(offset..<end)
    } catch {
      // If a value is too deep, the error has its offset; the offset of damage may be anywhere.
      let start = error.code == .limitExceeded ? error.byteOffset : nil
      throw corrupted(error, path(toValueAt: start ?? offset, in: depth))
    }
  }

  private func tooDeep(_ offset: Int, isInObjects: Bool) -> ArchiveError {
    .limitExceeded(
      isInObjects
        ? "Objects and values are nested more than \(settings.limits.maximumDepth) deep; ArchiveLimits.maximumDepth can allow more"
        : "Values are nested more than \(settings.limits.maximumValueDepth) deep; ArchiveLimits.maximumValueDepth can allow more",
      at: offset
    )
  }
}

/// The values that were checked, with everything in them, as ranges that do not overlap.
struct ExaminedValues {
  /// Smaller values are walked each time, so that there are few ranges.
  private static let noteworthyByteCount = 256

  private var ranges: [Range<Int>] = []

  mutating func removeAll() {
    if !ranges.isEmpty { ranges = [] }
  }

  func contains(_ offset: Int) -> Bool {
    let index = ranges.partitioningIndex { $0.lowerBound > offset }
    return index > 0 && ranges[index - 1].contains(offset)
  }

  mutating func insert(_ range: Range<Int>) {
    guard range.count >= ExaminedValues.noteworthyByteCount else { return }
    let index = ranges.partitioningIndex { $0.lowerBound > range.lowerBound }
    var end = index
    while end < ranges.count, ranges[end].lowerBound < range.upperBound { end += 1 }
    ranges.replaceSubrange(index..<end, with: CollectionOfOne(range))
  }
}
