/// References in the order of writing. One to a new object takes about one byte, any other two to five: there may be
/// more references than anything else that is kept until an archive is done.
///
/// The list is a run of varints. The two lowest bits determine the meaning of the rest:
///
/// | bits | the rest |
/// | --- | --- |
/// | 0 | the number of the target, counted forward from the one after the previous target |
/// | 1 | the number of the target |
/// | 2 | the number of the target, counted backward from the previous target |
/// | 3 | 0 begins a group, whose byte count follows in four bytes; others control the following references |
///
/// A body or group begins as if the previous target were the number of the body, the depth 1, and the property unknown.
/// So each can be read by itself.
struct ReferenceList {
  /// A control precedes references and is not a reference itself.
  fileprivate enum Control {
    static let group = 0
    /// From here on, a number times ``kinds``, plus the kind.
    static let first = 1
    static let kinds = 3
    static let depth = 0
    static let bodyDepth = 1
    static let property = 2
    static let bits = 3
  }

  fileprivate static let firstDepth = 1
  /// The property of a reference whose property is unknown.
  static let unknownProperty = 0
  fileprivate let bytes = ByteBuffer(minimumCapacity: 64)
  private var latest = Latest()
  /// How often the list has been emptied.
  private var emptyings = 0
  /// Whether a body has a value that is nested deeper than its references.
  private(set) var hasBodyDepths = false

  /// What the next reference is relative to.
  fileprivate struct Latest {
    /// The number of the body that is being written; 0 at the top level.
    var body = 0
    /// The target of the last reference, with its depth and property.
    var target = 0
    var depth = ReferenceList.firstDepth
    var property = ReferenceList.unknownProperty
  }

  struct Mark {
    fileprivate let byteCount: Int
    fileprivate let latest: Latest
    fileprivate let emptyings: Int
  }

  @inline(__always)
  var mark: Mark { Mark(byteCount: bytes.count, latest: latest, emptyings: emptyings) }

  mutating func truncate(to mark: Mark) {
    // If the list has been emptied since the mark, everything in it is newer than the mark.
    guard mark.emptyings == emptyings else { return removeAll() }
    bytes.truncate(to: mark.byteCount)
    latest = mark.latest
  }

  mutating func removeAll() {
    emptyings += 1
    bytes.truncate(to: 0)
    startOver()
  }

  /// Empties the list, for use without a body.
  mutating func removeBodies() {
    latest.body = 0
    hasBodyDepths = false
    removeAll()
  }

  var byteCount: Int { bytes.count }

  @inline(__always)
  private mutating func startOver() { latest = Latest(body: latest.body, target: latest.body) }

  // MARK: Writing

  @inline(__always)
  mutating func beginBody(_ number: Int) { latest = Latest(body: number, target: number) }

  @inline(__always)
  mutating func append(_ target: Int, depth: Int, property: Int) {
    if depth != latest.depth || property != latest.property { change(depth, property) }
    let back = latest.target &- target
    latest.target = target
    let token =
      back < 0 ? ~back &<< 2 : target < back ? target &<< 2 | 1 : back &<< 2 | 2
    bytes.append(varint: token)
  }

  @inline(never)
  private mutating func change(_ depth: Int, _ property: Int) {
    if depth != latest.depth { append(Control.depth, depth) }
    if property != latest.property { append(Control.property, property) }
    (latest.depth, latest.property) = (depth, property)
  }

  /// Records how deep a value of the body is nested.
  mutating func append(bodyDepth depth: Int) {
    hasBodyDepths = true
    append(Control.bodyDepth, depth)
  }

  private mutating func append(_ kind: Int, _ number: Int) {
    bytes.append(varint: (Control.first + number * Control.kinds + kind) << 2 | Control.bits)
  }

  /// An open group, and the state in which the list continues after it.
  struct OpenGroup {
    fileprivate let start: Int
    fileprivate let before: Mark
  }

  mutating func beginGroup() -> OpenGroup {
    let before = mark
    bytes.append(UInt8(Control.group << 2 | Control.bits))
    bytes.append(word: 0, byteCount: 4)
    startOver()
    return OpenGroup(start: bytes.count, before: before)
  }

  /// Ends a group, unless it was taken back. An empty one leaves nothing.
  mutating func end(_ group: OpenGroup) {
    guard bytes.count >= group.start else { return }
    guard bytes.count > group.start else { return truncate(to: group.before) }
    var length = bytes.count - group.start
    for cursor in (group.start - 4)..<group.start {
      bytes[cursor] = UInt8(truncatingIfNeeded: length)
      length >>= 8
    }
    latest = group.before.latest
  }
}

// MARK: - Reading

/// A position in a list, from which the references of one body, one group or the top level are read.
struct ReferenceCursor {
  private var cursor: Int
  private let end: Int
  let body: Int
  private var previous: Int
  private var depth = ReferenceList.firstDepth
  private var property = ReferenceList.unknownProperty

  enum Step {
    case reference(Int, depth: Int, property: Int)
    /// A group, by the offset of its length. The cursor is behind the group.
    case group(Int)
    case bodyDepth(Int)
  }

  /// How many bytes are left.
  var byteCount: Int { end - cursor }

  /// Reads the references at `range`, which belong to the body `body`.
  @inline(__always)
  init(_ range: Range<Int>, body: Int) {
    cursor = range.lowerBound
    end = range.upperBound
    self.body = body
    previous = body
  }

  /// Reads the group whose length is at `cursor`, as ``Step/group(_:)`` gives it.
  init(_ list: ReferenceList, groupAt cursor: Int, body: Int) {
    self.init((cursor + 4)..<(cursor + 4 + ReferenceCursor.groupByteCount(list, cursor)), body: body)
  }

  private static func groupByteCount(_ list: ReferenceList, _ cursor: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(list.bytes[cursor + $1]) << ($1 * 8) }
  }

  /// The next step, or `nil` at the end.
  @inline(__always)
  mutating func next(_ list: ReferenceList) -> Step? {
    while cursor < end {
      let token = varint(list)
      let rest = token &>> 2
      switch token & 3 {
      case 0: previous &+= rest &+ 1
      case 1: previous = rest
      case 2: previous &-= rest
      default:
        if let step = control(rest, list) { return step }
        continue
      }
      return .reference(previous, depth: depth, property: property)
    }
    return nil
  }

  private mutating func control(_ rest: Int, _ list: ReferenceList) -> Step? {
    if rest == ReferenceList.Control.group {
      let start = cursor
      cursor += 4 + ReferenceCursor.groupByteCount(list, start)
      return .group(start)
    }
    let (number, kind) = (rest - ReferenceList.Control.first).quotientAndRemainder(
      dividingBy: ReferenceList.Control.kinds
    )
    switch kind {
    case ReferenceList.Control.bodyDepth: return .bodyDepth(number)
    case ReferenceList.Control.depth: depth = number
    default: property = number
    }
    return nil
  }

  @inline(__always)
  private mutating func varint(_ list: ReferenceList) -> Int {
    var value = 0
    var shift = 0
    while true {
      let byte = list.bytes[cursor]
      cursor &+= 1
      value |= Int(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
  }
}
