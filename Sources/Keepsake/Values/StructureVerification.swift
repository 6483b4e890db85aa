/// What a careful look at a whole archive found.
package struct ArchiveSummary: Sendable {
  package var objectCount = 0
  package var valueCount = 0
  /// For each entry of the class table how many objects are of that class itself.
  package var objectCounts: [Int] = []
  /// How many references there are to each body, conditional ones not counted; entry 0 is the top level, to
  /// which there are none.
  package var referenceCounts: [Int] = []
}

extension ArchiveImage {
  /// Looks at every body and every value in it, each once: tags, extents, texts, references, keys.
  ///
  /// Checksums are compared when the archive is opened. This finds what was wrong from the start.
  ///
  /// - Parameter progress: is told now and then the place up to which all is well; the end of the top level is the
  ///   last.
  /// - Throws: the first fault, with its place.
  @discardableResult
  package func verifyStructure(
    progress: (_ place: Int) -> Void = { _ in }
  ) throws(ArchiveError) -> ArchiveSummary {
    var summary = ArchiveSummary()
    summary.referenceCounts = Array(repeating: 0, count: directory.bodyCount + 1)
    summary.objectCounts = Array(repeating: 0, count: classes.count)
    try checkTables()
    try verifyConditionals()
    let maps = try MapKeys(self)
    var end = Header.byteCount
    for number in stride(from: 1, through: directory.bodyCount, by: 1) {
      let body = try numberedBody(number, referredToAt: directory.offsets.range.lowerBound)
      // That it begins where the one before ends was found with its group of the offset table.
      end = body.byteRange.upperBound
      if let classNumber = body.classNumber {
        summary.objectCount += 1
        summary.objectCounts[classNumber] += 1
      }
      try verify(body.value, endingAt: end, isTopLevel: false, maps, &summary, progress)
    }
    guard end == directory.topLevel.lowerBound else {
      throw ArchiveError(
        .damaged,
        "Between the bodies and the top level there is something else",
        byteOffset: end
      )
    }
    try verify(
      topLevelValue,
      endingAt: directory.topLevel.upperBound,
      isTopLevel: true,
      maps,
      &summary,
      progress
    )
    progress(directory.topLevel.upperBound)
    return summary
  }

  /// Every entry of the conditional table leads to an object, also one that no reference names.
  private func verifyConditionals() throws(ArchiveError) {
    var place = directory.conditionals.range.lowerBound
    for index in 0..<directory.conditionals.count {
      let entryPlace = place
      _ = try reader.varint(at: &place)
      guard let number = try conditionalTarget(index, at: entryPlace) else { continue }
      guard try numberedBody(number, referredToAt: entryPlace).classNumber != nil else {
        throw ArchiveError(
          .damaged,
          "The conditional table names a body that is no object",
          byteOffset: entryPlace
        )
      }
    }
  }

  private func verify(
    _ root: ArchiveValue,
    endingAt end: Int,
    isTopLevel: Bool,
    _ maps: MapKeys,
    _ summary: inout ArchiveSummary,
    _ progress: (Int) -> Void
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(root)
    var maps = maps
    while let step = try walk.next() {
      switch step {
      case .value(let value, let label):
        summary.valueCount += 1
        if summary.valueCount & 0x3FFF == 0 { progress(value.offset) }
        if walk.parentKind == .map { try maps.note(label, at: walk.keyOffset) }
        try value.verifyContent()
        // The number is read once: in a mapped file it may be another one the next time.
        if value.kind != .conditional, let number = try value.target?.number {
          if value.kind == .value, !isTopLevel || walk.depth != 1 || summary.referenceCounts[number] != 0 {
            throw ArchiveError(
              .damaged,
              "A reference to a value stands where none may be",
              byteOffset: value.offset
            )
          }
          summary.referenceCounts[number] += 1
        }
        if value.hasMembers { maps.enter() }
      case .leave:
        maps.leave()
      }
    }
    guard try walk.place == end else {
      throw ArchiveError(.damaged, "A body does not fill the space that it has", byteOffset: root.offset)
    }
  }
}

/// The keys met so far in each map around a value, to find one that stands there twice.
///
/// A key that is given by the number of a long string must not cost the length of that string each time.
private struct MapKeys {
  private enum Key: Hashable {
    case text(ExactString)
    case shared(Int)
  }

  private let image: ArchiveImage
  /// The strings of the string table, each with its number; and for each number the first with the same
  /// string.
  private var numbers: [ExactString: Int] = [:]
  private var firstNumbers: [Int] = []
  private var open: [Set<Key>] = []

  init(_ image: ArchiveImage) throws(ArchiveError) {
    self.image = image
    for number in 0..<image.directory.strings.count {
      let string = ExactString(string: try image.string(number, at: image.directory.strings.range.lowerBound))
      let first = numbers[string] ?? number
      numbers[string] = first
      firstNumbers.append(first)
    }
  }

  mutating func enter() { open.append([]) }

  mutating func leave() { open.removeLast() }

  /// Notes a key of the innermost map, which stands at `offset`.
  mutating func note(_ label: PathElement?, at offset: Int) throws(ArchiveError) {
    let key: Key
    switch label {
    case .intKey(let number)?:
      // An integer and the text of its digits are one key.
      let text = ExactString(string: String(number))
      key = numbers[text].map(Key.shared) ?? .text(text)
    case .key(let name)?:
      let value = try ArchiveValue(image, at: offset)
      if TagKind(value.tag) == .stringReference {
        let number = try value.referencedNumber()
        guard number < firstNumbers.count else {
          throw ArchiveError(.damaged, "A reference names a string that does not exist", byteOffset: offset)
        }
        key = .shared(firstNumbers[number])
      } else {
        let text = ExactString(string: name)
        key = numbers[text].map(Key.shared) ?? .text(text)
      }
    default:
      return
    }
    // The members of the value are entered after its key is noted.
    guard let last = open.indices.last else { return }
    guard open[last].insert(key).inserted else {
      throw ArchiveError(.damaged, "A map has a key twice", byteOffset: offset)
    }
  }
}

extension ArchiveValue {
  /// Looks at what the walk does not: texts, numbers of texts, decimals, the parts of URLs, doubled marks.
  fileprivate func verifyContent() throws(ArchiveError) {
    switch kind {
    case .string:
      _ = try string
    case .decimal:
      _ = try decimal
    case .conditional:
      // That the entry leads to an object was looked at with the table.
      _ = try bodyNumber
    default:
      break
    }
  }
}
