/// How deep the values nest that are still to be decoded, found before the stack is used for them.
///
/// A level of nesting is a byte in an archive, and hundreds on the stack. So where values are nested deeper than nearly
/// all are, a walk that takes no stack looks at what is still to come: whether that is deeper than the limit, and whether
/// the parts are there that each level says to have.
extension DecodingSession {
  /// Whether the value at `offset`, in the container at `depth`, may be decoded although it is nested deeper than usual.
  @inline(never)
  func checkNesting(of offset: Int, in depth: Int) throws {
    guard depth < settings.limits.maximumDepth, depth &- nesting.base < settings.limits.maximumValueDepth
    else {
      let error = tooDeep(offset, isInObjects: depth >= settings.limits.maximumDepth)
      throw corrupted(error, path(toValueAt: offset, in: depth))
    }
    // What is within a value that was looked at was looked at, too.
    guard !checks.examined.contains(offset) else { return }
    let room = min(
      settings.limits.maximumDepth &- depth,
      settings.limits.maximumValueDepth &- (depth &- nesting.base)
    )
    var levels = 0
    do throws(ArchiveError) {
      let end = try walk(offset) { (start, tag) throws(ArchiveError) in
        // What marks a value, and the parts of a decimal, take no level.
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
      // A value that is too deep begins where the error says; damage may be anywhere.
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

/// The values that were looked at, each with all that is in it, by where they are: no two overlap.
struct ExaminedValues {
  /// Smaller values are walked each time, so that there are not many ranges.
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
