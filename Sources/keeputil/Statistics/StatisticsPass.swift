import Keepsake

/// A pass over all bodies and their values, in the order in which it reaches them, without recursion.
struct StatisticsPass {
  enum Owner: Hashable {
    case topLevel
    case topLevelValue
    case object(ofClass: Int)
  }

  /// A key of the objects of a class, of values of the top level, or of the top level itself.
  struct OwnedKey: Hashable {
    let owner: Owner
    let row: Int
  }

  /// A value that is open in the pass.
  private struct Frame {
    let kind: StatisticKind
    let row: Int
    /// Its offset, or in a dictionary the offset of its key.
    let start: Int
    let hasKey: Bool
    /// Its index in the list of types, if it is a value behind a protocol.
    let type: Int?
  }

  let image: ArchiveImage
  let summary: ArchiveSummary
  private(set) var reached: ReachedBodies
  private(set) var keys: KeyRows
  /// The rows of dictionary keys that are in the string table, by their numbers there.
  private var sharedKeyRows: [Int: Int] = [:]
  /// The bytes directly under each key of the objects of each class. Empty unless `wantsClassKeys` is set.
  private(set) var classKeys: [OwnedKey: ArchiveStatistics.Tally] = [:]
  private let wantsClassKeys: Bool
  private(set) var statistics: ArchiveStatistics

  private var kinds = [ArchiveStatistics.Tally](repeating: .init(), count: StatisticKind.allCases.count)
  private var types: [ArchiveStatistics.TypeRow]
  private var openTypes: [Int]
  private var frames: [Frame] = []
  private var cursor = 0
  /// Whether the pass has visited everything to which the top level leads.
  private var isBeyondReach = false
  private var largestValues: LargestList<ArchiveStatistics.ListedValue>
  private var largestObjects: LargestList<ArchiveStatistics.ListedValue>
  private var mostShared: LargestList<ArchiveStatistics.ListedValue>

  /// The most pairs of a class and a key that have a tally of their own.
  private static let mostClassKeys = 20_000

  /// - Parameter top: the number of the largest values and objects to list.
  init(
    _ image: ArchiveImage,
    _ summary: ArchiveSummary,
    of original: ArchiveStatistics.Original? = nil,
    top: Int,
    wantsClassKeys: Bool
  ) throws(ArchiveError) {
    self.image = image
    self.wantsClassKeys = wantsClassKeys
    self.summary = summary
    reached = ReachedBodies(bodyCount: image.directory.bodyCount)
    keys = KeyRows(image)
    let reader = image.reader
    statistics = ArchiveStatistics(
      original: original,
      byteCount: image.extent.storedByteCount,
      formatVersion: "\(try reader.byte(at: 8)).\(try reader.byte(at: 9))",
      hasChecksums: image.extent.hasChecksums,
      parts: try ArchivePart.all(of: image)
    )
    statistics.classes = image.classes.enumerated().map { .init(number: $0, entry: $1) }
    types = image.classes.map { .init(name: $0.name) }
    openTypes = Array(repeating: 0, count: image.classes.count)
    largestValues = LargestList(top)
    largestObjects = LargestList(top)
    mostShared = LargestList(top)
  }

  mutating func run(_ progress: Progress? = nil) throws(ArchiveError) {
    let topLevel = try image.topLevelValue
    let extent = image.directory.topLevel
    countClassNumber(in: extent, before: topLevel, row: KeyRows.outside)
    statistics.topLevel.add(extent.count)
    try scan(topLevel, 0, KeyRows.outside, owner: .topLevel, className: nil)
    var (next, done) = (0, extent.count)
    func visitWaiting() throws(ArchiveError) {
      while next < reached.order.count {
        done += try visit(Int(reached.order[next]))
        next += 1
        progress?.update(done, of: extent.upperBound)
      }
    }
    try visitWaiting()
    isBeyondReach = true
    // Nothing refers to the remaining bodies, or only other remaining bodies do.
    for number in image.bodyNumbers where !reached.isReached(number) {
      reached.noteUnreached(number)
      try visitWaiting()
    }
    try finish()
  }

  /// Walks a numbered body, and returns its number of bytes.
  private mutating func visit(_ number: Int) throws(ArchiveError) -> Int {
    let body = try image.numberedBody(number, referredToAt: image.directory.offsets.range.lowerBound)
    let byteCount = body.byteRange.count
    let row = reached.row(number)
    countClassNumber(in: body.byteRange, before: body.value, row: row)
    if isBeyondReach { statistics.unreached.add(byteCount) }
    if let classNumber = body.classNumber {
      statistics.classes[classNumber].bodies.add(byteCount)
      if largestObjects.accepts(byteCount) { largestObjects.add(byteCount, listed(body)) }
      noteSharing(body)
    } else {
      statistics.topLevelValues.add(byteCount)
    }
    let owner = body.classNumber.map { Owner.object(ofClass: $0) } ?? .topLevelValue
    try scan(body.value, number, row, owner: owner, className: body.className)
    return byteCount
  }

  private mutating func countClassNumber(in body: Range<Int>, before root: ArchiveValue, row: Int) {
    let byteCount = root.offset - body.lowerBound
    statistics.classNumbers.add(byteCount)
    keys.addOwn(byteCount, to: row)
  }

  private func listed(_ body: ArchiveBody) -> ArchiveStatistics.ListedValue {
    ArchiveStatistics.ListedValue(
      body: body.number,
      offset: body.value.offset,
      bytes: body.byteRange.count,
      kind: .object,
      className: body.className,
      referenceCount: summary.referenceCounts[body.number]
    )
  }

  private mutating func noteSharing(_ body: ArchiveBody) {
    let count = summary.referenceCounts[body.number]
    guard count > 1 else { return }
    let (saved, overflow) = (count - 1).multipliedReportingOverflow(by: body.byteRange.count)
    statistics.sharing.objectCount += 1
    statistics.sharing.furtherReferences += count - 1
    guard !overflow else { return }
    statistics.sharing.savedBytes &+= saved
    if mostShared.accepts(saved) { mostShared.add(saved, listed(body)) }
  }

  private mutating func scan(
    _ root: ArchiveValue,
    _ number: Int,
    _ bodyRow: Int,
    owner: Owner,
    className: String?
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(root)
    cursor = root.offset
    frames.removeAll(keepingCapacity: true)
    while let step = try walk.next() {
      guard case .value(let value, let label) = step else {
        leave(at: try walk.cursor, owner)
        continue
      }
      let outer = frames.last
      var row = outer?.row ?? bodyRow
      var start = value.offset
      var hasKey = true
      switch label {
      case .key(let name)?:
        if let keyNumber = walk.keyNumber {
          row = keys.row(ofKey: keyNumber, name)
        } else {
          start = walk.keyOffset
          row = try dictionaryKeyRow(name, walk.key)
          if try walk.key.sharedStringNumber != nil { noteShared(name, value.offset - start) }
        }
      case .intKey?:
        row = KeyRows.integers
        start = walk.keyOffset
      case .index?, nil:
        hasKey = false
      }
      if hasKey { keys.open(row) }
      // The bytes between the previous value and this one belong to the container: its tag and count, and the keys of a
      // dictionary.
      if let outer {
        keys.addOwn(start - cursor, to: outer.row)
        kinds[outer.kind.rawValue].bytes += value.offset - cursor
        keys.addOwn(value.offset - start, to: row)
      }
      cursor = value.offset
      let kind = try StatisticKind(value)
      kinds[kind.rawValue].count += 1
      if value.hasMembers {
        let type = try value.typeNumber
        if let type {
          types[type].values.count += 1
          openTypes[type] += 1
        }
        frames.append(Frame(kind: kind, row: row, start: start, hasKey: hasKey, type: type))
      } else {
        let end = try walk.cursor
        let byteCount = end - value.offset
        kinds[kind.rawValue].bytes += byteCount
        keys.addOwn(byteCount, to: row)
        if hasKey { close(row, end - start, owner) }
        cursor = end
        if largestValues.accepts(byteCount) {
          let offset = value.offset
          largestValues.add(
            byteCount,
            .init(body: number, offset: offset, bytes: byteCount, kind: kind, className: className)
          )
        }
        if kind == .sharedString {
          noteShared(try value.string ?? "", byteCount)
        } else if kind != .conditional, let target = try value.bodyNumber {
          reached.note(target, from: number, at: value.offset, under: row)
        }
      }
    }
  }

  /// The row of a key of a dictionary. A text of the string table, which may be long, is looked up once.
  private mutating func dictionaryKeyRow(_ name: String, _ key: ArchiveValue) throws(ArchiveError) -> Int {
    guard let number = try key.sharedStringNumber else { return keys.row(ofDictionaryKey: name) }
    if let known = sharedKeyRows[number] { return known }
    let row = keys.row(ofDictionaryKey: name)
    sharedKeyRows[number] = row
    return row
  }

  private mutating func leave(at end: Int, _ owner: Owner) {
    guard let frame = frames.popLast() else { return }
    kinds[frame.kind.rawValue].bytes += end - cursor
    keys.addOwn(end - cursor, to: frame.row)
    if frame.hasKey { close(frame.row, end - frame.start, owner) }
    if let type = frame.type {
      openTypes[type] -= 1
      if openTypes[type] == 0 { types[type].values.bytes += end - frame.start }
    }
    cursor = end
  }

  private mutating func close(_ row: Int, _ byteCount: Int, _ owner: Owner) {
    keys.close(row, byteCount)
    guard wantsClassKeys, frames.count == 1 else { return }
    var pair = OwnedKey(owner: owner, row: row)
    if classKeys[pair] == nil, classKeys.count >= StatisticsPass.mostClassKeys {
      pair = OwnedKey(owner: owner, row: KeyRows.furtherKeys)
    }
    classKeys[pair, default: .init()].add(byteCount)
  }

  private mutating func noteShared(_ text: String, _ byteCount: Int) {
    let length = text.utf8.count
    statistics.strings.references.add(byteCount)
    // A tag and, for a longer text, the number of its bytes.
    let head =
      length <= Tag.longestShortString ? 1 : 1 + (length.bitWidth - length.leadingZeroBitCount + 6) / 7
    statistics.strings.inlineBytes += head + length
  }

  private mutating func finish() throws(ArchiveError) {
    let tables = [image.directory.strings] + image.saves.map(\.strings)
    statistics.strings.entryCount = image.stringCount
    statistics.strings.tableBytes = tables.reduce(0) { $0 + $1.range.count }
    statistics.classes = statistics.classes.filter { !$0.entry.isValueType }.largestFirst(\.bodies.bytes)
    statistics.types = types.filter { $0.values.count > 0 }.largestFirst(\.values.bytes)
    statistics.keys = keys.rows.filter { $0.count > 0 || $0.ownBytes > 0 }.largestFirst(\.ownBytes)
    statistics.kinds = zip(StatisticKind.allCases, kinds).map { ($0, $1) }.filter { $1.count > 0 }
      .largestFirst { $1.bytes }
    statistics.largestValues = largestValues.things
    statistics.largestObjects = largestObjects.things
    statistics.sharing.most = mostShared.things
    let lists = [\ArchiveStatistics.largestValues, \.largestObjects, \.sharing.most]
    var paths = ValuePaths(image, reached)
    var texts = try paths.texts(for: lists.flatMap { statistics[keyPath: $0] })[...]
    for list in lists {
      for index in statistics[keyPath: list].indices {
        statistics[keyPath: list][index].path = texts.popFirst() ?? ""
      }
    }
  }
}

extension StatisticsPass {
  /// A pass over the archive in `input`, which is checked first.
  static func over(
    _ input: Input,
    top: Int,
    wantsClassKeys: Bool = false
  ) throws(CommandFailure) -> StatisticsPass {
    let (image, summary) = try input.openCheckedArchive()
    let progress = Progress("counting", .whenUseful)
    defer { progress.finish() }
    return try input.reading {
      let original = image.source == nil ? nil : ArchiveStatistics.Original(input.data)
      var pass = try StatisticsPass(image, summary, of: original, top: top, wantsClassKeys: wantsClassKeys)
      try pass.run(progress)
      return pass
    }
  }
}
