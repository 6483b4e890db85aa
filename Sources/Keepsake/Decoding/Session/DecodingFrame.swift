/// The position of the decoder in a value: which of the values in it is being decoded.
///
/// The session reads coding paths off the frames. A frame identifies its value by the offset. Containers keep their own
/// positions, so they can be used at any time, even if another value has the frame.
struct DecodingFrame {
  enum Kind: UInt8 {
    case unparsed, keyed
    /// A keyed container whose values a plan reads, which does not note how far it was read.
    case planned
    case elements
  }

  /// The offset of the value.
  private(set) var offset = -1
  private(set) var kind = Kind.unparsed
  /// The head of a keyed container.
  private(set) var head = KeyedHead()
  /// The slot of the value that is being decoded, and its offset (in a map, the offset of its key).
  var currentSlot = 0
  var currentOffset = 0
  /// In a map, the integer value of that key in the program.
  private(set) var currentIntValue: Int?
  /// In a record, the type of the keys that were requested last, if they may have integer values.
  private(set) var keyType: (any CodingKey.Type)?
  /// The offset of the value that is being decoded in a frame of its own. If this is the offset of the next frame, the
  /// frames give the coding path. Otherwise a decoder that somebody kept has taken over one of them.
  var child = -1
}

extension DecodingFrame {
  /// Makes this the frame of the value at `offset`, which is not parsed yet.
  @inline(__always)
  mutating func begin(at offset: Int) {
    self.offset = offset
    kind = .unparsed
    child = -1
  }

  /// Makes this the frame of a keyed container that is not read yet.
  @inline(__always)
  mutating func setKeyed(_ head: KeyedHead, _ kind: Kind = .keyed) {
    self.kind = kind
    self.head = head
    currentSlot = 0
    currentOffset = head.payload
    currentIntValue = nil
    keyType = nil
  }

  /// Whether this is the frame of the keyed container at `offset`.
  @inline(__always)
  func isKeyed(at offset: Int) -> Bool { self.offset == offset && kind == .keyed }

  /// Makes the current value of `container` that of the frame.
  @inline(__always)
  mutating func show(_ container: DecodingContainerState) {
    if !isKeyed(at: container.offset) {
      begin(at: container.offset)
      setKeyed(container.head)
    }
    child = -1
    currentSlot = container.nextSlot
    currentOffset = container.nextOffset
    currentIntValue = container.currentIntValue
    if container.table.mayHaveNumbers { keyType = container.table.keyType }
  }

  /// Makes a value that a plan reads the current one, unless the initializer of an earlier value has given the frame to
  /// another container, whose position this must not change.
  @inline(__always)
  mutating func showPlanned(_ slot: Int, at offset: Int) {
    guard kind == .planned else { return }
    currentSlot = slot
    currentOffset = offset
  }

  /// Makes the element `index` of the array at `offset` the current one. A decoder that the program has kept of another
  /// element is not in it.
  @inline(__always)
  mutating func showElement(_ index: Int, of offset: Int) {
    self.offset = offset
    child = -1
    kind = .elements
    currentSlot = index
  }
}

/// The contents of the head of a keyed container.
struct KeyedHead {
  /// Whether the container is a record, not a map.
  var isRecord = false
  /// Whether the values are in the body of an object, and only a reference to it is at the offset.
  var isElsewhere = false
  /// In a record, the first of its keys in the shape table.
  var firstSlot = 0
  /// The number of values.
  var count = 0
  /// The offset of the first value (in a map, of the first key).
  var payload = 0
}

extension KeyedHead {
  /// The head of a record with the keys `slots` of the shape table.
  @inline(__always)
  init(record slots: Range<Int>, payload: Int) {
    self.init(isRecord: true, firstSlot: slots.lowerBound, count: slots.count, payload: payload)
  }
}

/// The head of a record: its offset, its shape, and the offset of its values.
struct RecordHead {
  let offset: Int
  let shape: Int
  let payload: Int

  /// The head of the record at `offset`; `nil` if another value is there.
  @inline(__always)
  init?(_ session: DecodingSession, at offset: Int) throws {
    let tag = try session.reader.byte(at: offset)
    guard tag & 0xF0 == Tag.shortRecord || tag == Tag.record else { return nil }
    self.offset = offset
    var end = offset &+ 1
    shape = try session.reader.numberInHead(tag, at: &end)
    payload = end
  }
}
