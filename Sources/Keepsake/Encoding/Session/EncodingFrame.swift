/// What is being encoded at one level: a value, and the container that it requested.
struct EncodingFrame {
  enum Kind: UInt8 {
    /// No container was requested yet.
    case undecided
    /// A single-value container that was not used yet, and one that was.
    case single, singleUsed
    /// A keyed container, written as a record or as a map.
    case record, map
    /// An unkeyed container.
    case unkeyed
    /// A collection that the library walks itself; it exists only for the coding path.
    case walkedElements, walkedMap
    /// A record that the library writes from memory. It exists only for the coding path; its position is the number of
    /// the key.
    case walkedFields

    var isKeyed: Bool { self == .record || self == .map }

    /// Whether a container of this kind is what a value has that requests one of `kind`.
    func continues(_ kind: Kind) -> Bool {
      self == kind || isKeyed && kind.isKeyed || self == .singleUsed && kind == .single
    }
  }

  /// Unique in the session, so that the use of a container whose frame is gone is detected.
  var id: UInt32
  var kind = Kind.undecided
  /// Whether the frame is a nested container or a `superEncoder`, which may be used again after its siblings.
  var isNested = false
  /// Where the value begins.
  var start: Int
  /// How many bytes are reserved at the start for the tag and what belongs to it.
  var headByteCount = 0
  /// The number of the table of its keys, or 0 if it has none.
  var tableNumber: UInt32 = 0
  /// How many values were begun; not counted in a record, whose node tells.
  var count = 0
  /// For a record, the node of its shape so far; for a map, the offset of the key that was written last.
  var position = 0

  /// The property whose value is being written (``PlayThroughQuestions``); 0 if the frame is not that of a record.
  @inline(__always)
  var property: Int {
    kind == .record ? position &<< 1 : kind == .walkedFields ? position &<< 1 | 1 : 0
  }
}

/// Frames, outermost first. Popped frames keep their memory, so that pushing again costs little.
struct FrameStack: RandomAccessCollection {
  private let frames = OwnedArray<EncodingFrame>()
  private(set) var endIndex = 0
  var startIndex: Int { 0 }

  subscript(index: Int) -> EncodingFrame { frames[index] }

  @inline(__always)
  mutating func push(_ frame: EncodingFrame) {
    if endIndex < frames.count { frames[endIndex] = frame } else { frames.append(frame) }
    endIndex &+= 1
  }

  @inline(__always)
  mutating func pop() -> EncodingFrame? {
    guard endIndex > 0 else { return nil }
    endIndex &-= 1
    return frames[endIndex]
  }

  mutating func truncate(to count: Int) { endIndex = Swift.min(count, endIndex) }
}

/// Distinguishes a frame from all others, including those that were in its place before.
typealias FrameID = UInt32

/// One run of bytes under construction with the frames that are open in it.
struct EncodingContext {
  /// The bytes written so far, while another context is active.
  var waiting: ByteBuffer?
  /// The innermost open frame.
  var top: EncodingFrame
  /// The frames around it, outermost first.
  var lower = FrameStack()
  /// The nested containers among the open frames, outermost first.
  var nested: [NestedContainer] = []
  /// Nested containers that are written elsewhere and inserted in their place when the body is complete.
  var splices: [Splice] = []
  /// The path of the value of the outermost frame.
  var basePath: BasePath
  /// Whether the outermost frame is the top level of the archive.
  var isTopLevel = false
  /// The depth of the innermost frame, and that of its body or deferred value, while another context is active.
  var levels = (depth: 0, base: 0)
  /// The index of the frame with the properties of the object whose body is written; that of the body is 0. It is 1, or
  /// more for a superclass with its own record in that of its subclass. In a detached container with the properties of
  /// a superclass, it is 0 or more. It is -1 if no frame here has the properties.
  var propertyLevel = 1

  /// The indices of the splices that begin in `range`.
  func splices(in range: Range<Int>) -> Range<Int> {
    let first = splices.partitioningIndex { $0.offset >= range.lowerBound }
    return first..<splices.partitioningIndex { $0.offset >= range.upperBound }
  }

  /// Whether the outermost frame is that of a detached container.
  var isDetached: Bool { (lower.first ?? top).isNested }

  /// Returns to the properties of the subclass when the frame of its superclass is gone.
  mutating func leavePropertyLevel() {
    propertyLevel = min(propertyLevel, max(isDetached ? 0 : 1, lower.count))
  }

  enum BasePath {
    case elements([any CodingKey])
    case object(Int)
    /// The path of the object with a number, and the steps from there.
    case inObject(Int, [any CodingKey])
  }

  /// Begins the context of another body in the same memory.
  @inline(__always)
  mutating func startOver(_ frame: EncodingFrame, _ basePath: BasePath) {
    top = frame
    lower.truncate(to: 0)
    if !nested.isEmpty { nested = [] }
    if !splices.isEmpty { splices = [] }
    self.basePath = basePath
    propertyLevel = 1
  }

  struct Splice {
    var offset: Int
    /// How many bytes of the context the container replaces: its value before, or a byte that holds its place.
    let byteCount: Int
    let nested: NestedContainer

    func moved(by change: Int) -> Splice {
      Splice(offset: offset + change, byteCount: byteCount, nested: nested)
    }
  }
}

/// A container or encoder that was requested inside another. It may be used at any time until its body is complete.
///
/// While it is the last thing begun, it writes in place. If its parent continues while somebody still holds it, the
/// session detaches it: it gets a buffer of its own, which is inserted in its place at the end of the body.
final class NestedContainer {
  private(set) var frame: FrameID = 0
  private(set) var parent: FrameID = 0
  /// The key under which the parent has it; `nil` in an unkeyed container.
  private(set) var key: ExactString?
  /// The nested container in which this one was made, if any.
  private(set) var host: NestedContainer?
  /// The number of its body, or 0 at the top level, and how many deferred values enclose it there.
  private(set) var body = 0
  private(set) var deferralDepth = 0
  var detached: EncodingContext?
  /// The keyed container that was made for it, if that can be used again.
  var spare: AnySpareContainer<EncodingContainerState>?

  /// Begins the container of `frame`. Nobody refers to the one that this object was before.
  func begin(
    _ frame: FrameID,
    in parent: FrameID,
    _ key: ExactString?,
    _ host: NestedContainer?,
    _ session: EncodingSession
  ) {
    (self.frame, self.parent, self.key, self.host) = (frame, parent, key, host)
    (body, deferralDepth) = (session.currentBody, session.nesting.deferralDepth)
  }

  /// Ends the container, so that the object can become another one.
  func end() { (key, host) = (nil, nil) }

  deinit {
    // No recursion, however deep they nest.
    var last = host
    host = nil
    while isKnownUniquelyReferenced(&last) {
      let next = last?.host
      last?.host = nil
      last = next
    }
  }

  /// Releases it from the container made for it if nobody holds that any more, so that only its users retain it.
  func leaveSpare() {
    guard let spare = spare.take(), spare.state.nested === self, spare.isIdle else { return }
    spare.state.nested = nil
  }

  /// Makes the containers and all within them unusable, without recursion: what they are in was taken back.
  static func abandon(_ splices: some Sequence<EncodingContext.Splice>) {
    var open = splices.map(\.nested)
    while let nested = open.popLast() {
      open += nested.detached?.splices.map(\.nested) ?? []
      nested.detached = nil
    }
  }
}
