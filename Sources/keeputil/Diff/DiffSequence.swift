import Keepsake

/// The elements of an array, packed or not.
struct DiffSequence {
  enum Element {
    case value(offset: Int)
    case number(ArchiveNumbers)
  }

  /// The digest of each element, which is the same for the same content; see ``DiffSide/digest(of:level:)``.
  private(set) var digests: [UInt64] = []
  private var offsets: [Int] = []
  /// The numbers of a packed array, in blocks of equal size except for the last.
  private var numbers: [ArchiveNumbers] = []

  init(_ value: ArchiveValue, _ side: DiffSide) throws(ArchiveError) {
    if var walk = try ArchiveNumberWalk(value) {
      while let some = try walk.next() {
        numbers.append(some)
        digests += DiffSide.digest(of: some)
      }
    } else {
      try side.visitMembers(of: value) { (_, member, _) throws(ArchiveError) in
        offsets.append(member.offset)
        digests.append(try side.digest(of: member))
      }
    }
  }

  subscript(index: Int) -> Element {
    guard let portion = numbers.first?.count else { return .value(offset: offsets[index]) }
    let offset = index % portion
    return .number(numbers[index / portion][offset..<(offset + 1)])
  }

  /// Whether the digest covers the whole element, so that equal digests mean equal elements.
  func isComplete(_ index: Int) -> Bool { digests[index] & 1 == 1 }

  /// For each element, a number that is the same for elements that are probably versions of one value.
  func likenesses(_ range: Range<Int>, _ side: DiffSide) throws(ArchiveError) -> [UInt64] {
    try range.map { (index) throws(ArchiveError) in
      guard case .value(let offset) = self[index] else { return 0 }
      return try side.likeness(of: side.value(at: offset))
    }
  }
}
