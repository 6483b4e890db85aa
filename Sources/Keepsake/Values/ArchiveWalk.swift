/// A walk through a value and everything in it, in the order of the bytes, without recursion. The caller decides which
/// references to follow, and keeps track of what it has visited.
///
/// The walk reads nothing before it needs it: it finds the end of a skipped value, or of one without members, when it
/// needs the next one. It enforces the rules for what it reads (Format §10): a map has no key twice, a value reference
/// is under a key of the top level, and a body ends where its value does, unless that was skipped.
package struct ArchiveWalk {
  package enum Step {
    /// A value, with its key or index in its parent. If it has members, they come next, and then `leave`.
    case value(ArchiveValue, label: PathElement?)
    /// The end of a value that has members, or of a followed body.
    case leave
  }

  private struct Frame {
    let kind: ArchiveValue.Kind
    var index = 0
    let count: Int
    var firstSlot = 0
    /// For a followed body, the position after the reference, and the body that contains the reference.
    var comeBack: (position: Position, body: Range<Int>)?
    /// The level of this value in its body, from 1 on; 0 for a followed body.
    var depth: Int
    var standing = ArchiveValue.Standing.inside
    var keys = DistinctKeys()
  }

  /// A cursor, and the number of values and keys from there on to pass over.
  private struct Position {
    var cursor: Int
    var passed = 0
    /// Whether some of these were skipped, so the end of their body is not checked.
    var isSkipped = false
  }

  private let image: ArchiveImage
  private var frames: [Frame] = []
  /// The value that the next step enters: the first one of the walk, or the content of a followed body.
  private var content: ArchiveValue?
  private var lastOffset: Int
  /// The offset of the key of the last step's value, if that is in a map.
  package private(set) var keyOffset = 0
  /// The number in the key table of the last step's key, if that is in a record.
  package private(set) var keyNumber: Int?
  private var position: Position
  /// Whether the walk began with the whole content of a body.
  private let beginsWithBody: Bool
  /// The body that the walk is in.
  private var body: Range<Int>

  package init(_ value: ArchiveValue) {
    image = value.image
    position = Position(cursor: value.offset)
    content = value
    beginsWithBody = value.isAllOfBody
    lastOffset = value.offset
    body = value.offset..<value.bodyEnd
  }

  /// A reader that is limited to the body.
  private var reader: ByteReader { image.reader.limited(to: body.upperBound) }

  /// The offset of the next value, found by passing over those before it.
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

  /// The number of values that contain the next one, including followed references.
  package var depth: Int { frames.count }

  /// The kind of the parent of the last step's value, if there is one; `object` for a followed reference.
  package var parentKind: ArchiveValue.Kind? { (hasEntered ? frames.dropLast() : frames[...]).last?.kind }

  /// Whether the last step entered a value that has members.
  private var hasEntered: Bool {
    frames.last.map { $0.index == 0 && $0.comeBack == nil } ?? false
  }

  package mutating func next() throws(ArchiveError) -> Step? {
    var label: PathElement?
    keyNumber = nil
    if let last = frames.indices.last {
      // In place: in a copy of the frame, its keys would be shared, and adding one would copy them all.
      let index = frames[last].index
      if index == frames[last].count {
        let comeBack = frames[last].comeBack
        let isEndOfBody = comeBack != nil || frames.count == 1 && beginsWithBody
        if isEndOfBody, !position.isSkipped { try ArchiveImage.checkEnd(cursor, of: body) }
        if let comeBack { (position, body) = comeBack }
        frames.removeLast()
        return .leave
      }
      frames[last].index += 1
      switch frames[last].kind {
      case .array: label = .index(index)
      case .record:
        let number = image.shapeKey(frames[last].firstSlot + index)
        keyNumber = number
        label = .key(image.keys[number])
      case .map: label = try mapKey()
      default: break
      }
    } else if content == nil {
      return nil
    }
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
    if value.hasMembers { try enter(value) } else { position = Position(cursor: offset, passed: 1) }
    return .value(value, label: label)
  }

  /// The next direct member of the value that the walk began with; `nil` after the last.
  package mutating func nextMember() throws(ArchiveError) -> ArchiveValue.Member? {
    if content == nil { try skipMembers() } else { _ = try next() }
    guard case .value(let value, let label) = try next() else { return nil }
    return ArchiveValue.Member(label: label, value: value)
  }

  private mutating func mapKey() throws(ArchiveError) -> PathElement {
    keyOffset = try cursor
    // Compares the checksum of the key before making a string of it.
    position.cursor = try image.endTouching(valueAt: keyOffset, in: reader)
    return try image.exclusively(readKey())
  }

  private mutating func readKey() throws(ArchiveError) -> PathElement {
    var end = keyOffset
    let key = try image.mapKey(at: &end, in: image.reader)
    try frames[frames.count - 1].keys.insert(keyAt: keyOffset, image)
    return key
  }

  /// The key of the last step's value, if that is in a map.
  package var key: ArchiveValue {
    get throws(ArchiveError) { try ArchiveValue(image, at: keyOffset, endingBy: body.upperBound) }
  }

  private mutating func enter(_ value: ArchiveValue) throws(ArchiveError) {
    let depth = (frames.last?.depth ?? 0) + 1
    // The view uses no stack for a level, so `maximumValueDepth` applies only if it is lower than the default.
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

  /// Skips the members of the last step's value, and its `leave`. `end` is the end of the value, if it is known.
  package mutating func skipMembers(endingAt end: Int? = nil) throws(ArchiveError) {
    if hasEntered {
      frames.removeLast()
      position = Position(cursor: lastOffset, passed: 1, isSkipped: true)
    }
    if let end { position = Position(cursor: end) }
  }

  /// Skips the rest of an array or dictionary after `most` members, and returns how many it skipped. The next step is
  /// `leave`. The walk looks for their end only if it needs something after them.
  package mutating func leaveOut(behind most: Int) -> Int? {
    guard let top = frames.last, [.array, .map].contains(top.kind), top.index >= most, top.index < top.count
    else { return nil }
    let count = top.count - top.index
    position.passed += count * (top.kind == .map ? 2 : 1)
    position.isSkipped = true
    frames[frames.count - 1].index = top.count
    return count
  }

  /// Continues with the value of `target`, then a `leave`, and then what follows the reference of the last step.
  package mutating func follow(_ target: ArchiveBody) {
    frames.append(Frame(kind: .object, count: 1, comeBack: (position, body), depth: 0))
    position = Position(cursor: target.value.offset)
    content = target.value
    body = target.byteRange
  }

  /// Call this when the walk has visited everything. Throws unless the value that it began with fills its body.
  mutating func checkEnd() throws(ArchiveError) { try ArchiveImage.checkEnd(cursor, of: body) }
}
