import Keepsake

/// One of the two archives, and cached facts about it.
final class DiffSide {
  let input: Input
  let image: ArchiveImage
  /// Called for each member that is visited.
  var onStep: () -> Void = {}
  /// The ends of large values by their offsets, so that a nested value is not walked again for each value around it.
  private var ends: [Int: Int] = [:]
  private var notedBodies: Set<Int> = []
  private var digests: [[Int: UInt64]] = [[:], [:]]
  let names: NameDigests

  /// Smaller values are not noted: they are walked as often as necessary.
  private static let leastNotedByteCount = 512
  /// In smaller bodies, no ends are noted.
  private static let leastBodyByteCount = 4_096

  init(_ path: String) throws(CommandFailure) {
    input = try Input(path)
    image = try input.openArchive()
    names = NameDigests(image)
  }

  /// The content of a body. Walks it once, before its values are compared, and notes the ends of large ones.
  func content(of body: ArchiveBody) throws(ArchiveError) -> ArchiveValue {
    guard body.byteRange.count >= DiffSide.leastBodyByteCount, notedBodies.insert(body.number).inserted
    else { return body.value }
    var open: [Int] = []
    var walk = ArchiveWalk(body.value)
    while let step = try walk.next() {
      switch step {
      case .value(let value, _):
        if value.hasMembers { open.append(value.offset) }
      case .leave:
        guard let start = open.popLast() else { continue }
        let end = try walk.cursor
        if end - start >= DiffSide.leastNotedByteCount { ends[start] = end }
      }
    }
    return body.value
  }

  struct Member {
    let label: PathElement
    /// The digest of the key. An integer key counts as the text of its digits (Format §4.8).
    let key: UInt64
    let offset: Int
  }

  /// The members of a record or map: their keys, and the offsets of their values.
  func members(of value: ArchiveValue) throws(ArchiveError) -> [Member] {
    var members: [Member] = []
    try visitMembers(of: value) { (label, member, walk) throws(ArchiveError) in
      let key = try names.digest(ofKey: label, at: walk)
      members.append(Member(label: label, key: key, offset: member.offset))
    }
    return members
  }

  /// Calls `body` with each member, and with the walk that has reached it.
  func visitMembers(
    of value: ArchiveValue,
    _ body: (PathElement, ArchiveValue, ArchiveWalk) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(value)
    _ = try walk.next()
    while case .value(let member, let label?) = try walk.next() {
      onStep()
      try body(label, member, walk)
      try walk.skipMembers(endingAt: ends[member.offset])
    }
  }

  /// The most values that a digest covers. Larger values are compared member by member afterwards.
  private static let mostDigested = 64

  /// A hash of the beginning of a value. Its last bit is set if the hash covers all of the value, so that equal digests
  /// mean equal values.
  ///
  /// - Parameter level: how far the digest follows references: 0 for the class of an object alone, 1 for its content, 2
  ///   for the content of the next objects, too.
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
      if let label, walk.parentKind != .array { hasher.combine(try names.digest(ofKey: label, at: walk)) }
      if try !combine(value, &hasher, level) { isComplete = false }
    }
    let hash = hasher.digest
    return isComplete ? hash | 1 : hash & ~1
  }

  /// The digests of numbers of a packed array. Each is the same as for a number outside of such an array, an optional.
  static func digest(of numbers: ArchiveNumbers) -> [UInt64] {
    func digests<Number: Hashable>(_ numbers: [Number], _ kind: ArchiveValue.Kind) -> [UInt64] {
      numbers.map { number in
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(Optional(number))
        return hasher.digest | 1
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

  /// Adds a value without its members to a digest. Returns whether the digest covers all of it.
  private func combine(_ value: ArchiveValue, _ hasher: inout Hasher, _ level: Int) throws(ArchiveError)
    -> Bool
  {
    switch value.kind {
    case .map, .record, .array:
      // A map and a record are the same to a reader.
      hasher.combine(value.kind == .array ? value.kind : .map)
      hasher.combine(try value.count)
    case .numbers:
      hasher.combine(ArchiveValue.Kind.array)
      guard var numbers = try ArchiveNumberWalk(value) else { return false }
      hasher.combine(numbers.count)
      guard let first = try numbers.next() else { return true }
      let shown = first[0..<min(first.count, DiffSide.mostDigested)]
      hasher.combine(DiffSide.digest(of: shown))
      // An array whose numbers are separate values has another digest.
      return false
    case .object, .value:
      guard let target = try value.target else { return false }
      hasher.combine(try digest(of: target, level))
      return false
    case .conditional:
      // The object is compared where a strong reference leads to it.
      hasher.combine(ArchiveValue.Kind.conditional)
      hasher.combine(names.digest(ofClass: try value.target?.classNumber))
      return false
    case .typed:
      hasher.combine(ArchiveValue.Kind.typed)
      hasher.combine(names.digest(ofClass: try value.typeNumber))
    case .some, .none, .empty, .url:
      hasher.combine(value.kind)
    default:
      try combine(scalar: value, into: &hasher)
    }
    return true
  }

  private func digest(of body: ArchiveBody, _ level: Int) throws(ArchiveError) -> UInt64 {
    guard level > 0 else { return names.digest(ofClass: body.classNumber) }
    if let known = digests[level - 1][body.number] { return known }
    var hasher = Hasher()
    hasher.combine(names.digest(ofClass: body.classNumber))
    hasher.combine(try digest(of: body.value, level: level - 1))
    let digest = hasher.digest
    digests[level - 1][body.number] = digest
    return digest
  }

  /// The value at `offset`. When its digest was made, only the offset was kept.
  func value(at offset: Int) throws(ArchiveError) -> ArchiveValue {
    try ArchiveValue(image, at: offset, endingBy: image.directory.topLevel.upperBound, .underTopLevelKey)
  }

  func text(of element: DiffSequence.Element) throws(ArchiveError) -> String {
    switch element {
    case .value(let offset): try BriefText.text(of: value(at: offset))
    case .number(let number): number.texts.joined()
    }
  }

  /// The kind of an element whose text is the same as that of another kind.
  func kindName(of element: DiffSequence.Element) throws(ArchiveError) -> String {
    switch element {
    case .value(let offset): try value(at: offset).kindName
    case .number(let number): number.areSingle ? "a 32-bit float" : "a 64-bit float"
    }
  }

  /// Keys that usually identify an object.
  private static let tellingKeys: Set<String> = ["id", "ID", "identifier", "uuid", "key", "name", "title"]
  private static let longestTellingKey = 10

  /// A number that is the same for values that are probably versions of one value.
  func likeness(of value: ArchiveValue) throws(ArchiveError) -> UInt64 {
    var hasher = Hasher()
    let (content, classes) = try unwrapped(value)
    hasher.combine(classes)
    guard let content, content.kind == .map || content.kind == .record else {
      hasher.combine(content?.kind == .numbers ? .array : content?.kind)
      return hasher.digest
    }
    hasher.combine(ArchiveValue.Kind.map)
    var visited = 0
    var walk = ArchiveWalk(content)
    _ = try walk.next()
    while visited < 16, case .value(let member, let label?) = try walk.next() {
      visited += 1
      let key = label.keyText
      // A long key is not looked up, which would hash it.
      if key.utf8.count <= DiffSide.longestTellingKey, DiffSide.tellingKeys.contains(key),
        !member.hasMembers, member.kind != .object
      {
        hasher.combine(key)
        try combine(scalar: member, into: &hasher)
        break
      }
      try walk.skipMembers(endingAt: ends[member.offset])
    }
    return hasher.digest
  }

  /// The content, and the digests of the class and types around it.
  private func unwrapped(_ value: ArchiveValue) throws(ArchiveError) -> (ArchiveValue?, classes: [UInt64]) {
    var content: ArchiveValue? = value
    var classes: [UInt64] = []
    // Only a crafted archive has more of these around a value.
    for _ in 0..<8 {
      guard let value = content else { break }
      switch value.kind {
      case .object, .value:
        guard let target = try value.target else { return (nil, classes) }
        classes.append(names.digest(ofClass: target.classNumber))
        content = target.value
      case .some, .typed:
        classes.append(names.digest(ofClass: try value.typeNumber))
        content = try value.wrapped
      default: return (value, classes)
      }
    }
    return (nil, classes)
  }

  /// Adds the content of a value without members to a digest.
  private func combine(scalar value: ArchiveValue, into hasher: inout Hasher) throws(ArchiveError) {
    hasher.combine(value.kind)
    switch value.kind {
    case .bool: hasher.combine(value.bool)
    case .integer:
      let integer = try value.integer
      let signed = integer.flatMap { Int128(exactly: $0) }
      hasher.combine(signed)
      if signed == nil { hasher.combine(integer.flatMap { UInt128(exactly: $0) }) }
    case .float32: hasher.combine(try value.float32?.bitPattern)
    case .float64: hasher.combine(try value.float64?.bitPattern)
    case .date: hasher.combine(try value.date?.bitPattern)
    case .uuid: hasher.combine(try value.uuidValue)
    case .decimal: hasher.combine(try value.decimal?.text)
    case .string: hasher.combine(try names.digest(ofText: value))
    case .bytes:
      let bytes = try value.bytes
      hasher.combine(bytes?.count)
      // An array adds its bytes one by one.
      unsafe bytes?.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    default: break
    }
  }
}
