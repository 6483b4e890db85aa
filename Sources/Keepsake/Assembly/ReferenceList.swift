/// References in the order of writing, in about one byte each where they lead to new objects and in two to five
/// where they lead to others: there may be more of them than of anything else that is kept until an archive is
/// done.
///
/// The list is a run of varints. The two lowest bits say what the rest is:
///
/// | bits | the rest |
/// | --- | --- |
/// | 0 | the number referred to, counted forward from the one after that of the reference before |
/// | 1 | the number itself |
/// | 2 | the number, counted backward from that of the reference before |
/// | 3 | 0 begins a group, whose byte count follows in four bytes; from 1 on, what holds for the references that follow |
///
/// Before the first reference of a body or group, the reference before is taken to be the number of the body, the
/// depth to be 1, and the property to be unknown. So both can be read by themselves.
struct ReferenceList {
  /// What stands before the references: not a reference itself.
  fileprivate enum Control {
    static let group = 0
    /// From here on, a number times ``kinds`` and what it is.
    static let first = 1
    static let kinds = 3
    static let depth = 0
    static let bodyDepth = 1
    static let property = 2
    static let bits = 3
  }

  fileprivate static let firstDepth = 1
  /// The property of a reference that is not known to be in one.
  static let unknownProperty = 0
  fileprivate let bytes = ByteBuffer(minimumCapacity: 64)
  private var latest = Latest()
  /// How often the list was emptied.
  private var emptyings = 0
  /// Whether a body has a value that is deeper than the references tell.
  private(set) var hasBodyDepths = false

  /// What the next reference is relative to.
  fileprivate struct Latest {
    /// The number of the body that is being written; 0 at the top level.
    var body = 0
    /// The number that was referred to last, and where that stood.
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
    // All that a list has which was emptied meanwhile came after the mark.
    guard mark.emptyings == emptyings else { return removeAll() }
    bytes.truncate(to: mark.byteCount)
    latest = mark.latest
  }

  mutating func removeAll() {
    emptyings += 1
    bytes.truncate(to: 0)
    startOver()
  }

  /// Makes it an empty list of no body.
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

  /// Notes how deep a value of the body is nested.
  mutating func append(bodyDepth depth: Int) {
    hasBodyDepths = true
    append(Control.bodyDepth, depth)
  }

  private mutating func append(_ kind: Int, _ number: Int) {
    bytes.append(varint: (Control.first + number * Control.kinds + kind) << 2 | Control.bits)
  }

  /// A group that was begun, and the list that continues after it.
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

/// A place in a list, from which the references of one body, of one group or of the top level are read.
struct ReferenceCursor {
  private var cursor: Int
  private let end: Int
  let body: Int
  private var previous: Int
  private var depth = ReferenceList.firstDepth
  private var property = ReferenceList.unknownProperty

  enum Step {
    case reference(Int, depth: Int, property: Int)
    /// A group: where its length stands. The cursor is behind it.
    case group(Int)
    case bodyDepth(Int)
  }

  /// How many bytes are left.
  var byteCount: Int { end - cursor }

  /// Reads what stands at `range`; `body` is the number of the body there.
  @inline(__always)
  init(_ range: Range<Int>, body: Int) {
    cursor = range.lowerBound
    end = range.upperBound
    self.body = body
    previous = body
  }

  /// Reads the group whose length stands at `cursor`, as ``Step/group(_:)`` says it.
  init(_ list: ReferenceList, groupAt cursor: Int, body: Int) {
    self.init((cursor + 4)..<(cursor + 4 + ReferenceCursor.groupByteCount(list, cursor)), body: body)
  }

  private static func groupByteCount(_ list: ReferenceList, _ cursor: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(list.bytes[cursor + $1]) << ($1 * 8) }
  }

  /// What comes next; `nil` at the end.
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
