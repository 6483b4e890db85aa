/// A walk through a value and all that stands in it, in the order of the bytes, without recursion. References are followed
/// only where the caller says so, who keeps track of what it has seen.
///
/// Nothing is read before it is needed: where a value ends that has no members, or was skipped, is found when the one
/// behind it is needed. What is read is held to the rules of the format (Format §10): a map has no key twice, a value
/// reference stands under a key of the top level, and a body ends where its value does, unless that was skipped.
package struct ArchiveWalk {
  package enum Step {
    /// A value, with its key or index in the one around it. What stands in it comes next, and then `leave`.
    case value(ArchiveValue, label: PathElement?)
    /// The end of a value that has members, or of a body that was followed.
    case leave
  }

  private struct Frame {
    let kind: ArchiveValue.Kind
    var index = 0
    let count: Int
    var firstSlot = 0
    /// For a body that was followed, where the walk continues behind it, and the body around the reference.
    var comeBack: (position: Position, body: Range<Int>, reader: ByteReader)?
    /// How deep the values of this body were nested outside of this one.
    var depth: Int
    var standing = ArchiveValue.Standing.inside
    var keys = DistinctKeys()
  }

  /// A place, and how many values and keys stand there that are to be passed over.
  private struct Position {
    var cursor: Int
    var passed = 0
    /// Whether some of these were skipped, so that nobody wants to know where they end.
    var isSkipped = false
  }

  private let image: ArchiveImage
  private var frames: [Frame] = []
  private var hasStarted = false
  /// What the next step enters: the value that the walk begins with, or that of a body that is followed.
  private var content: ArchiveValue?
  /// Whether the last step entered a value that has members.
  private var hasEntered = false
  private var lastOffset: Int
  /// Where the key of the last step's value stands, if that is in a map.
  package private(set) var keyOffset = 0
  /// The number in the key table of the last step's key, if that is one of a record.
  package private(set) var keyNumber: Int?
  private var position: Position
  /// Whether the walk began with all that a body holds.
  private let beginsWithBody: Bool
  /// The body that the walk is in, and a reader that reads no further.
  private var body: Range<Int>
  private var reader: ByteReader

  package init(_ value: ArchiveValue) {
    image = value.image
    position = Position(cursor: value.offset)
    content = value
    beginsWithBody = value.isAllOfBody
    lastOffset = value.offset
    body = value.offset..<value.bodyEnd
    reader = value.reader
  }

  /// Where the next value begins, which has to be searched.
  package var cursor: Int {
    mutating get throws(ArchiveError) {
      while position.passed > 0 {
        position.cursor = try image.endTouching(valueAt: position.cursor, in: reader)
        position.passed -= 1
      }
      position.isSkipped = false
      return position.cursor
    }
  }

  /// How many values the next one stands in, followed references counted.
  package var depth: Int { frames.count }

  /// What the value around is, if there is one; `object` for a reference that was followed.
  package var parentKind: ArchiveValue.Kind? { parent?.kind }

  /// The value around the one of the last step.
  private var parent: Frame? {
    hasEntered ? frames.dropLast().last : frames.last
  }

  package mutating func next() throws(ArchiveError) -> Step? {
    var label: PathElement?
    keyNumber = nil
    if let top = frames.last {
      if top.index == top.count {
        let isEndOfBody = top.comeBack != nil || frames.count == 1 && beginsWithBody
        if isEndOfBody, !position.isSkipped { try ArchiveImage.checkEnd(cursor, of: body) }
        if let comeBack = top.comeBack { (position, body, reader) = comeBack }
        frames.removeLast()
        hasEntered = false
        return .leave
      }
      frames[frames.count - 1].index += 1
      switch top.kind {
      case .array: label = .index(top.index)
      case .record:
        let number = image.shapeKey(top.firstSlot + top.index)
        keyNumber = number
        label = .key(image.keys[number])
      case .map: label = try mapKey()
      default: break
      }
    } else if hasStarted {
      return nil
    }
    hasStarted = true
    let value: ArchiveValue
    if let content {
      value = content
      self.content = nil
    } else {
      let standing = frames.last?.standing ?? .inside
      let offset = try cursor
      guard offset < body.upperBound else {
        throw .damaged("A body ends before the values in it do", at: offset)
      }
      value = try ArchiveValue(image, at: offset, endingBy: body.upperBound, standing)
    }
    let offset = value.offset
    lastOffset = offset
    hasEntered = value.hasMembers
    if hasEntered { try enter(value) } else { position = Position(cursor: offset, passed: 1) }
    return .value(value, label: label)
  }

  /// The next of the values that stand directly in the one with which the walk began; `nil` behind the last.
  package mutating func nextMember() throws(ArchiveError) -> ArchiveValue.Member? {
    if hasStarted { try skipMembers() } else { _ = try next() }
    guard case .value(let value, let label) = try next() else { return nil }
    return ArchiveValue.Member(label: label, value: value)
  }

  private mutating func mapKey() throws(ArchiveError) -> PathElement {
    keyOffset = try cursor
    // The key is compared with its checksum before it is made a text of.
    position.cursor = try image.endTouching(valueAt: keyOffset, in: reader)
    return try image.sharedMapKey(at: keyOffset, otherThan: &frames[frames.count - 1].keys)
  }

  /// The key of the last step's value, if that is in a map.
  package var key: ArchiveValue {
    get throws(ArchiveError) { try ArchiveValue(image, at: keyOffset, endingBy: body.upperBound) }
  }

  private mutating func enter(_ value: ArchiveValue) throws(ArchiveError) {
    let depth = (frames.last?.depth ?? 0) + 1
    // By itself, the limit for one object does not concern the view, which takes no stack for a level.
    let limits = image.limits
    let isLowered = limits.maximumValueDepth < ArchiveLimits().maximumValueDepth
    let mostLevels = isLowered ? min(limits.maximumDepth, limits.maximumValueDepth) : limits.maximumDepth
    guard depth <= mostLevels else {
      throw .limitExceeded("Values are nested more than \(mostLevels) deep", at: value.offset)
    }
    let head = try value.head()
    position = Position(cursor: head.payload)
    var frame = Frame(kind: value.kind, count: head.count, firstSlot: head.slots.lowerBound, depth: depth)
    frame.standing = value.standingOfMembers
    frames.append(frame)
  }

  /// Leaves out what stands in the value of the last step, and its `leave`. `end` is where the value ends, if that is known.
  package mutating func skipMembers(endingAt end: Int? = nil) throws(ArchiveError) {
    if hasEntered {
      hasEntered = false
      frames.removeLast()
      position = Position(cursor: lastOffset, passed: 1, isSkipped: true)
    }
    if let end { position = Position(cursor: end) }
  }

  /// What the value is in which the next one stands.
  package var upcomingKind: ArchiveValue.Kind? { frames.last?.kind }

  /// Leaves out the rest of an array or dictionary of which `most` members were visited; returns how many these are. The next
  /// step is its `leave`. Where they end is looked for only if something behind them is needed.
  package mutating func leaveOut(behind most: Int) -> Int? {
    guard let top = frames.last, [.array, .map].contains(top.kind), top.index >= most, top.index < top.count
    else { return nil }
    let count = top.count - top.index
    position.passed += count * (top.kind == .map ? 2 : 1)
    position.isSkipped = true
    frames[frames.count - 1].index = top.count
    hasEntered = false
    return count
  }

  /// Continues with the value of `target`, then a `leave`, and then what is behind the reference of the last step.
  package mutating func follow(_ target: ArchiveBody) {
    frames.append(Frame(kind: .object, count: 1, comeBack: (position, body, reader), depth: 0))
    position = Position(cursor: target.value.offset)
    content = target.value
    body = target.byteRange
    reader = target.value.reader
    hasEntered = false
  }

  /// Throws unless the value of the body that the walk began with fills it, when all of that was visited.
  package mutating func checkEnd() throws(ArchiveError) { try ArchiveImage.checkEnd(cursor, of: body) }
}
