/// How deep the values nest that are still to be decoded, found before the stack is used for them.
///
/// A level of nesting is a byte in an archive, and hundreds on the stack. So where values are nested deeper than nearly
/// all are, a walk that takes no stack looks at what is still to come: whether that is deeper than the limit, and whether
/// the parts are there that each level says to have.
extension DecodingSession {
  /// At how many levels the values are checked.
  static let usualDepth = ArchiveLimits.usualValueDepth

  /// Whether the value at `offset`, in the container at `depth`, may be decoded although it is nested deeper than usual.
  @inline(never)
  func checkNesting(of offset: Int, in depth: Int) throws {
    guard depth < settings.limits.maximumDepth, depth &- nesting.base < settings.limits.maximumValueDepth
    else {
      throw tooDeep(depth, offset, isInObjects: depth >= settings.limits.maximumDepth)
    }
    // What is within a value that was looked at was looked at, too.
    guard !checks.examined.contains(offset) else { return }
    let room = min(
      settings.limits.maximumDepth &- depth,
      settings.limits.maximumValueDepth &- (depth &- nesting.base)
    )
    do {
      checks.examined.insert(offset..<(try endOfNesting(at: offset, levels: room)))
    } catch let fault as NestingFault {
      throw tooDeep(depth, fault.offset, isInObjects: room == settings.limits.maximumDepth &- depth)
    } catch {
      throw publicError(error, path(toValueAt: offset, in: depth))
    }
  }

  /// The end of the value at `offset`, in which no more than `levels` containers may be nested.
  private func endOfNesting(at offset: Int, levels: Int) throws -> Int {
    /// How many values are still to come in each of the containers around `cursor`.
    var pending: [Int] = []
    var cursor = offset
    repeat {
      // What marks a value, and the parts of a decimal, take no level.
      cursor = try bodyOfAnnotation(cursor)
      let start = cursor
      let tag = try reader.byte(at: start)
      let length = fixedLength(of: tag)
      let children: Int
      if length > 0 {
        cursor &+= length
        children = 0
      } else if tag == Tag.decimal || tag == Tag.negativeDecimal {
        cursor = try image.end(ofValueAt: start, in: reader)
        children = 0
      } else {
        children = try image.valuesBehindHead(at: &cursor, in: reader)
      }
      if children > 0 {
        guard pending.count < levels else { throw NestingFault(offset: start) }
        pending.append(children)
        continue
      }
      while let last = pending.last {
        guard last == 1 else {
          pending[pending.count - 1] = last - 1
          break
        }
        pending.removeLast()
      }
    } while !pending.isEmpty
    // What has a fixed length may end behind the archive; its reader finds that.
    return cursor
  }

  private func tooDeep(_ depth: Int, _ offset: Int, isInObjects: Bool) -> DecodingError {
    let message =
      isInObjects
      ? "Objects and values are nested more than \(settings.limits.maximumDepth) deep; ArchiveLimits.maximumDepth can allow more"
      : "Values are nested more than \(settings.limits.maximumValueDepth) deep; ArchiveLimits.maximumValueDepth can allow more"
    return corrupted(
      ArchiveError.limitExceeded(message, at: offset),
      path(toValueAt: offset, in: depth)
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

/// Where values are nested too deep.
private struct NestingFault: Error {
  let offset: Int
}
