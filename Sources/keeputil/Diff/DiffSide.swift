import Keepsake

/// One of the two archives, and what was found out about it.
final class DiffSide {
  let input: Input
  let image: ArchiveImage
  /// The ends of large values, so that one that stands in many others is not passed over once for each.
  private var ends: [Int: Int] = [:]
  private var indexedBodies: Set<Int> = []
  private var digests: [[Int: UInt64]] = [[:], [:]]

  /// Values that take less are passed over as often as need be.
  private static let leastNotedByteCount = 512
  /// In a body that takes less, nothing is noted.
  private static let leastIndexedByteCount = 4_096

  init(_ path: String) throws(CommandFailure) {
    input = try Input(path)
    image = try input.openArchiveToRead()
  }

  /// Lets `body` read the archive; what is wrong is said of its file.
  func reading<Result>(_ body: () throws(ArchiveError) -> Result) throws(CommandFailure) -> Result {
    do {
      return try body()
    } catch {
      throw input.failure(error)
    }
  }

  // MARK: Members

  /// Goes through a body once, before the values in it are compared, and notes where the large ones end.
  func index(_ value: ArchiveValue, _ bytes: Range<Int>) throws(ArchiveError) {
    guard bytes.count >= DiffSide.leastIndexedByteCount, indexedBodies.insert(value.offset).inserted else {
      return
    }
    var open: [Int] = []
    var walk = ArchiveWalk(value)
    while let step = try walk.next() {
      switch step {
      case .value(let value, _):
        if value.hasMembers { open.append(value.offset) }
      case .leave:
        guard let start = open.popLast() else { continue }
        let end = try walk.place
        if end - start >= DiffSide.leastNotedByteCount { ends[start] = end }
      }
    }
  }

  /// The keys of a record or map, and where the values are.
  func members(of value: ArchiveValue) throws(ArchiveError) -> [(label: PathElement, offset: Int)] {
    var members: [(label: PathElement, offset: Int)] = []
    try visitMembers(of: value) { members.append(($0, $1.offset)) }
    return members
  }

  func visitMembers(
    of value: ArchiveValue,
    _ body: (PathElement, ArchiveValue) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(value)
    _ = try walk.next()
    while case .value(let member, let label?) = try walk.next() {
      try body(label, member)
      try walk.skipMembers(endingAt: ends[member.offset])
    }
  }

  // MARK: Digests

  /// So many values are looked at for a digest: what is compared by it is compared in full afterwards.
  private static let mostDigested = 64

  /// A number that is the same for values with the same beginning. Its last bit is set if they then are the same in all
  /// they hold.
  ///
  /// - Parameter level: whether what references lead to counts as well: 0 for the class alone, 1 for the content, 2
  ///   for that and the content of the next.
  func digest(of value: ArchiveValue, level: Int = 2) throws(ArchiveError) -> UInt64 {
    var hasher = Hasher()
    var isComplete = true
    var visited = 0
    var walk = ArchiveWalk(value)
    while let step = try walk.next() {
      guard case .value(let value, let label) = step else { continue }
      visited += 1
      guard visited <= DiffSide.mostDigested else {
        isComplete = false
        break
      }
      if let label, walk.parentKind != .array { hasher.combine(exactly: label.keyText) }
      if try !combine(value, into: &hasher, level) { isComplete = false }
    }
    let hash = UInt64(truncatingIfNeeded: hasher.finalize())
    return isComplete ? hash | 1 : hash & ~1
  }

  /// The digest of a number of a packed array, as that of the number would be that stands by itself.
  static func digest(of numbers: ArchiveNumbers) -> [UInt64] {
    func digests<Number: Hashable>(_ numbers: [Number], _ kind: ArchiveValue.Kind) -> [UInt64] {
      numbers.map { number in
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(number)
        return UInt64(truncatingIfNeeded: hasher.finalize()) | 1
      }
    }
    return switch numbers {
    case .bools(let numbers): digests(numbers, .bool)
    case .signed(let numbers): digests(numbers.map { Int128($0) }, .integer)
    case .unsigned(let numbers): digests(numbers.map { Int128($0) }, .integer)
    case .floats(let numbers): digests(numbers.map(\.bitPattern), .float32)
    case .doubles(let numbers): digests(numbers.map(\.bitPattern), .float64)
    }
  }

  /// Returns whether all that the value holds went in.
  private func combine(
    _ value: ArchiveValue,
    into hasher: inout Hasher,
    _ level: Int
  ) throws(ArchiveError) -> Bool {
    switch value.kind {
    case .map, .record:
      // They are the same to a reader.
      hasher.combine(ArchiveValue.Kind.map)
      hasher.combine(try value.count)
    case .array:
      hasher.combine(ArchiveValue.Kind.array)
      hasher.combine(try value.count)
    case .numbers:
      hasher.combine(ArchiveValue.Kind.array)
      guard var numbers = try ArchiveNumberWalk(value) else { return false }
      hasher.combine(numbers.count)
      guard let first = try numbers.next() else { return true }
      let shown = first[0..<min(first.count, DiffSide.mostDigested)]
      hasher.combine(DiffSide.digest(of: shown))
      // An array of which the numbers are values of their own has another digest.
      return false
    case .object:
      guard let target = try value.target else { return false }
      hasher.combine(try digest(of: target, level))
      return false
    case .value:
      return false
    case .conditional:
      // The object is compared where a strong reference to it stands.
      hasher.combine(ArchiveValue.Kind.conditional)
      hasher.combine(try value.target?.className)
      return false
    case .typed:
      hasher.combine(ArchiveValue.Kind.typed)
      hasher.combine(try value.typeName)
    case .some, .none, .empty, .url:
      hasher.combine(value.kind)
    default:
      try value.combineScalar(into: &hasher)
    }
    return true
  }

  private func digest(of body: ArchiveBody, _ level: Int) throws(ArchiveError) -> UInt64 {
    guard level > 0 else {
      var hasher = Hasher()
      hasher.combine(body.className)
      return UInt64(truncatingIfNeeded: hasher.finalize())
    }
    if let known = digests[level - 1][body.number] { return known }
    var hasher = Hasher()
    hasher.combine(body.className)
    hasher.combine(try digest(of: body.value, level: level - 1))
    let digest = UInt64(truncatingIfNeeded: hasher.finalize())
    digests[level - 1][body.number] = digest
    return digest
  }

  /// Keys by which people tell one thing of a kind from another.
  private static let tellingKeys: Set<String> = ["id", "ID", "identifier", "uuid", "key", "name", "title"]

  /// A number that is the same for values that are likely to be two states of one thing.
  func likeness(of value: ArchiveValue) throws(ArchiveError) -> UInt64 {
    var hasher = Hasher()
    let (content, description) = try unwrapped(value)
    hasher.combine(description)
    guard let content, content.kind == .map || content.kind == .record else {
      hasher.combine(content?.kind == .numbers ? .array : content?.kind)
      return UInt64(truncatingIfNeeded: hasher.finalize())
    }
    hasher.combine(ArchiveValue.Kind.map)
    var visited = 0
    var walk = ArchiveWalk(content)
    _ = try walk.next()
    while visited < 16, case .value(let member, let label?) = try walk.next() {
      visited += 1
      if DiffSide.tellingKeys.contains(label.keyText), !member.hasMembers, member.kind != .object {
        hasher.combine(label.keyText)
        try member.combineScalar(into: &hasher)
        break
      }
      try walk.skipMembers(endingAt: ends[member.offset])
    }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// The content, and the names of the class and types around it.
  private func unwrapped(
    _ value: ArchiveValue
  ) throws(ArchiveError) -> (content: ArchiveValue?, names: [String?]) {
    var value = value
    var names: [String?] = []
    // More are not met, but in an archive that is made to be met with.
    for _ in 0..<8 {
      switch value.kind {
      case .object, .value:
        guard let target = try value.target else { return (nil, names) }
        names.append(target.className)
        value = target.value
      case .some, .typed:
        names.append(try value.typeName)
        guard let content = try value.wrapped else { return (nil, names) }
        value = content
      default: return (value, names)
      }
    }
    return (nil, names)
  }
}

extension ArchiveValue {
  /// Puts what a value without members holds into a digest.
  fileprivate func combineScalar(into hasher: inout Hasher) throws(ArchiveError) {
    hasher.combine(kind)
    switch kind {
    case .bool: hasher.combine(bool)
    case .integer:
      switch try integer {
      case .signed(let number)?: hasher.combine(Int128(number))
      case .unsigned(let number)?: hasher.combine(Int128(number))
      case .wide(let number)?: hasher.combine(number)
      case .wideUnsigned(let number)?: hasher.combine(number)
      case nil: break
      }
    case .float32: hasher.combine(try float32?.bitPattern)
    case .float64: hasher.combine(try float64?.bitPattern)
    case .date: hasher.combine(try date?.bitPattern)
    case .uuid: hasher.combine(try uuid)
    case .decimal: hasher.combine(try decimal?.text)
    case .string: hasher.combine(exactly: try string ?? "")
    case .bytes: hasher.combine(try bytes)
    default: break
    }
  }
}

extension Hasher {
  /// Puts in the text as it is spelt: two strings are equal that are spelt with other characters.
  fileprivate mutating func combine(exactly text: String) {
    combine(text)
    if !text.utf8.allSatisfy({ $0 < 0x80 }) { combine(Array(text.utf8)) }
  }
}
