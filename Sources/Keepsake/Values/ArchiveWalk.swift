/// A walk through a value and all that stands in it, in the order of the bytes.
///
/// It takes no recursion, and time in proportion to the bytes, however values are nested. References are
/// followed only where the caller says so, who keeps track of what it has seen.
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
    /// For a body that was followed, where the walk goes on behind it.
    var returnPlace: Int?
    /// How deep the values of this body were nested outside of this one.
    var depth: Int
  }

  private let image: ArchiveImage
  private var frames: [Frame] = []
  private var hasStarted = false
  /// Whether the last step entered a value that has members.
  private var hasEntered = false
  private var lastOffset: Int
  /// Where the key of the last step's value stands, if that is in a map.
  private(set) var keyOffset = 0
  /// Where the next value begins.
  package private(set) var place: Int

  package init(_ value: ArchiveValue) {
    image = value.image
    place = value.offset
    lastOffset = value.offset
  }

  /// How many values the next one stands in, followed references counted.
  package var depth: Int { frames.count }

  /// How many values stand beside the one of the last step, it included.
  package var siblingCount: Int { parent?.count ?? 1 }

  /// How many values stand before the one of the last step in the value around both.
  package var index: Int { (parent?.index ?? 1) - 1 }

  /// What the value around is, if there is one; `object` for a reference that was followed.
  package var parentKind: ArchiveValue.Kind? { parent?.kind }

  /// The value around the one of the last step.
  private var parent: Frame? {
    hasEntered ? frames.dropLast().last : frames.last
  }

  /// The next step, or `nil` when all was visited.
  package mutating func next() throws(ArchiveError) -> Step? {
    var label: PathElement?
    if let top = frames.last {
      if top.index == top.count {
        frames.removeLast()
        if let returnPlace = top.returnPlace { place = returnPlace }
        hasEntered = false
        return .leave
      }
      frames[frames.count - 1].index += 1
      switch top.kind {
      case .array: label = .index(top.index)
      case .record: label = .key(image.keys[image.shapeKey(top.firstSlot + top.index)])
      case .map:
        keyOffset = place
        label = try image.sharedMapKey(at: &place)
      default: break
      }
    } else if hasStarted {
      return nil
    }
    hasStarted = true
    let value = try ArchiveValue(image, at: place)
    lastOffset = place
    hasEntered = value.hasMembers
    if hasEntered { try enter(value) } else { place = try value.byteRange.upperBound }
    return .value(value, label: label)
  }

  private mutating func enter(_ value: ArchiveValue) throws(ArchiveError) {
    let depth = (frames.last?.depth ?? 0) + 1
    guard depth <= ArchiveLimits().maximumDepth else {
      throw ArchiveError(
        .limitExceeded,
        "Values are nested more than \(ArchiveLimits().maximumDepth) deep",
        byteOffset: value.offset
      )
    }
    let head = try value.head()
    place = head.payload
    frames.append(
      Frame(kind: value.kind, count: head.count, firstSlot: head.slots.lowerBound, depth: depth)
    )
  }

  /// Leaves out what stands in the value of the last step, and its `leave`.
  package mutating func skipMembers() throws(ArchiveError) {
    guard hasEntered else { return }
    hasEntered = false
    frames.removeLast()
    place = try image.end(ofValueAt: lastOffset, in: image.reader)
  }

  /// Goes on with the value of `body`, then a `leave`, and then what is behind the reference of the last
  /// step.
  package mutating func follow(_ body: ArchiveBody) {
    frames.append(Frame(kind: .object, count: 1, returnPlace: place, depth: 0))
    place = body.value.offset
    hasEntered = false
  }
}
