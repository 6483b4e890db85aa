/// Where the decoder is in a value: which of the values in it is being decoded.
///
/// A frame is what coding paths are read off. The value that it is about is told by its offset; a container keeps by
/// itself how far it was read, so that it can be kept and used at any time, whoever has its frame.
struct DecodingFrame {
  enum Kind: UInt8 {
    case unparsed, keyed, elements
  }

  /// Where the value begins.
  private(set) var offset = -1
  private(set) var kind = Kind.unparsed
  /// Of a keyed container.
  private(set) var head = KeyedHead()
  /// The value that is being decoded, and where it (of a map: its key) is.
  var currentSlot = 0
  private(set) var currentOffset = 0
  /// The caller's number of the key of that value, in a map.
  private(set) var currentIntValue: Int?
  /// Of a record, the type of the keys that were requested last, if they may have numbers.
  private(set) var keyType: (any CodingKey.Type)?
  /// Where the value is that is being decoded in a frame of its own. Where this is the offset of the next
  /// frame, the frames tell the coding path; where not, one of them was taken over by a decoder that somebody
  /// kept.
  var child = -1
}

extension DecodingFrame {
  /// Makes it the frame of the value at `offset`, of which nothing was parsed.
  @inline(__always)
  mutating func begin(at offset: Int) {
    self.offset = offset
    kind = .unparsed
    child = -1
  }

  /// Makes it the frame of a keyed container of which nothing was read.
  @inline(__always)
  mutating func setKeyed(_ head: KeyedHead) {
    kind = .keyed
    self.head = head
    currentSlot = 0
    currentOffset = head.payload
    currentIntValue = nil
    keyType = nil
  }

  /// Whether it is that of the keyed container at `offset`.
  @inline(__always)
  func isKeyed(at offset: Int) -> Bool { self.offset == offset && kind == .keyed }

  /// Makes the value that a keyed container has come to the current one.
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

  /// Makes the entry whose key is at `offset` the current one of a map that the library walks itself.
  @inline(__always)
  mutating func showEntry(at offset: Int) { currentOffset = offset }

  /// Makes the element `index` the current one of the array at `offset`.
  @inline(__always)
  mutating func showElement(_ index: Int, of offset: Int) {
    if self.offset != offset { begin(at: offset) }
    kind = .elements
    currentSlot = index
  }
}

/// What the head of a keyed container tells.
struct KeyedHead {
  /// Whether it is a record, and not a map.
  var isRecord = false
  /// Whether the values are not behind the offset but in the body of an object that stands there as a
  /// reference.
  var isElsewhere = false
  /// For a record: where its keys begin in the shape table.
  var firstSlot = 0
  /// How many values there are.
  var count = 0
  /// Where the first value (of a map: the first key) is.
  var payload = 0
}

extension KeyedHead {
  /// The head of a record with the keys `slots` of the shape table.
  @inline(__always)
  init(record slots: Range<Int>, payload: Int) {
    self.init(isRecord: true, firstSlot: slots.lowerBound, count: slots.count, payload: payload)
  }
}

/// The head of a record: where it is, its shape, and where its values begin.
struct RecordHead {
  let offset: Int
  let shape: Int
  let payload: Int

  /// The head of the record at `offset`; `nil` where something else stands.
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
