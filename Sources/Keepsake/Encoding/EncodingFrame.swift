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
    /// A record that the library writes from the memory of a value; it exists only for the coding path, and its place is
    /// the number of the key.
    case walkedFields
  }

  /// Unique in the session, so that a container whose frame is gone is found out.
  var id: UInt32
  var kind = Kind.undecided
  /// Whether the frame is a nested container or a `superEncoder`, that may be used again after its siblings.
  var isNested = false
  /// Where the value begins.
  var start: Int
  /// How many bytes are kept free at the start for the tag and what belongs to it.
  var headByteCount = 0
  /// The number of the table of its keys; 0 where it has none.
  var tableNumber: UInt32 = 0
  /// How many values were begun.
  var count = 0
  /// For a record, the node of its shape so far; for a map, where the key stands that was written last.
  var position = 0

  init(id: UInt32, start: Int) {
    self.id = id
    self.start = start
  }

  /// Begins the value of a record by which its shape gets to `node`.
  @inline(__always)
  mutating func begin(_ node: Int) {
    position = node
    count &+= 1
  }

  /// The property whose value is being written (``PlayThroughQuestions``); 0 where the frame is that of no record.
  @inline(__always)
  var property: Int {
    kind == .record ? position &<< 1 : kind == .walkedFields ? position &<< 1 | 1 : 0
  }
}

/// Frames, outermost first. What was taken away leaves its room, so that going in and out again costs little.
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

/// Tells a frame from all others, also from those that stood in its place before.
typealias FrameID = UInt32

/// One run of bytes under construction with the frames that are open in it.
struct EncodingContext {
  /// What was written, while another context is active.
  var waiting: ByteBuffer?
  /// The innermost open frame.
  var top: EncodingFrame
  /// The frames around it, outermost first.
  var lower = FrameStack()
  /// The nested containers among the open frames, outermost first.
  var nested: [NestedContainer] = []
  /// Nested containers that are written elsewhere and put in their place when the body is complete.
  var splices: [Splice] = []
  /// The way to the value at the bottom of the frames.
  var basePath: BasePath
  /// Whether the outermost frame is the top level of the archive.
  var isTopLevel = false
  /// How deep the innermost frame is, and its body or deferred value, while another context is active.
  var levels = (depth: 0, base: 0)
  /// Which of the frames, that of the body being 0, has the properties of the object whose body is written: 1, or more in
  /// a superclass that has a record of its own in that of its subclass. In a detached container it is 0 or more, if it has
  /// those of a superclass. -1 where no frame here has them.
  var propertyLevel = 1

  /// Goes back to the properties of the subclass when the frame of its superclass is gone.
  mutating func leavePropertyLevel() {
    let isDetached = (lower.first ?? top).isNested
    propertyLevel = min(propertyLevel, max(isDetached ? 0 : 1, lower.count))
  }

  enum BasePath {
    case elements([any CodingKey])
    case object(Int)
  }

  /// Makes it the context of another body, in the memory that it has.
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
    let nested: NestedContainer
  }
}

/// A container or encoder that was requested inside another and may be used at any time until its body is
/// done.
///
/// While it is the last thing begun, it is written where it stands. When its parent continues although somebody
/// still holds it, it is detached: it gets a buffer of its own, which is put in its place at the end of the
/// body.
final class NestedContainer {
  let frame: FrameID
  let parent: FrameID
  /// The key under which the parent has it; `nil` in an unkeyed container.
  let key: ExactString?
  /// The nested container that this one was made in, if it was.
  private(set) var host: NestedContainer?
  /// The number of the body that it is in, 0 at the top level; and in how many deferred values it is there.
  let body: Int
  let deferralDepth: Int
  var detached: EncodingContext?
  /// The keyed container that was made for it, if that is one to be used again.
  var spare: AnySpareContainer<EncodingContainerState>?

  init(
    frame: FrameID,
    parent: FrameID,
    key: ExactString?,
    host: NestedContainer?,
    body: Int,
    deferralDepth: Int
  ) {
    self.frame = frame
    self.parent = parent
    self.key = key
    self.host = host
    self.body = body
    self.deferralDepth = deferralDepth
  }

  deinit {
    // Without recursion, however deep they nest.
    var last = host
    host = nil
    while isKnownUniquelyReferenced(&last) {
      let next = last?.host
      last?.host = nil
      last = next
    }
  }

  /// Takes it from the container that was made for it if nobody holds that any more, so that only who uses it does.
  func leaveSpare() {
    guard let spare = spare.take(), spare.state.nested === self, spare.isIdle else { return }
    spare.state.nested = nil
  }

  /// Makes it and all that is in it unusable: what it is in was taken back. Without recursion, however deep they nest.
  static func abandon(_ splices: some Sequence<EncodingContext.Splice>) {
    var open = splices.map(\.nested)
    while let nested = open.popLast() {
      open += nested.detached?.splices.map(\.nested) ?? []
      nested.detached = nil
    }
  }
}
