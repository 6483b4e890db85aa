/// Where the decoder is in a value: what has been parsed of a container, and how far it was read.
///
/// A frame is a cache. The value that it is about is told by its offset, so a container whose frame was taken
/// over by another value parses its own again; that is how decoders and containers can be kept and used at
/// any time.
struct DecodingFrame {
  enum Kind: UInt8 {
    case unparsed, record, map, elements
    /// A map that the library walks itself, as a dictionary.
    case entries

    /// Whether a keyed container was parsed.
    @inline(__always)
    var isKeyed: Bool { self == .record || self == .map }
  }

  /// Where the value begins.
  var offset = -1
  var kind = Kind.unparsed
  /// For a record: where its keys begin in the shape table.
  var firstSlot = 0
  /// How many values there are.
  var count = 0
  /// Whether the values are not behind the offset but in the body of an object that stands there as a
  /// reference.
  var isElsewhere = false
  /// Where the first value (of a map: the first key) is.
  var payload = 0
  /// The value that is expected next, and where it (of a map: its key) is.
  var nextSlot = 0
  var nextOffset = 0
  /// Where the value is that is being decoded in a frame of its own. Where this is the offset of the next
  /// frame, the frames tell the coding path; where not, one of them was taken over by a decoder that somebody
  /// kept.
  var child = -1
  /// The value that is being decoded, for the coding path.
  var currentSlot = 0
  /// Where the key of that value is, in a map, and the number that whoever asked for it has for it.
  var currentKey = 0
  var currentIntValue: Int?
  /// Of a record, the type of the keys that were asked for last, if they may have numbers.
  var keyType: (any CodingKey.Type)?
  /// Where the last value of a keyed container ends, once all were passed over to find each in any order; and where
  /// that container begins. It stays right when the frame is taken over, since the offset is that of no other.
  var indexed = (offset: -1, end: -1)
}

extension DecodingFrame {
  /// Makes it the frame of a record, with the keys `slots` of the shape table, of which nothing was read.
  @inline(__always)
  mutating func setRecord(_ slots: Range<Int>, payload: Int) {
    kind = .record
    firstSlot = slots.lowerBound
    count = slots.count
    begin(at: payload)
  }

  /// Makes it the frame of a map of which nothing was read.
  mutating func setMap(count: Int, payload: Int) {
    kind = .map
    self.count = count
    currentIntValue = nil
    begin(at: payload)
  }

  @inline(__always)
  private mutating func begin(at payload: Int) {
    isElsewhere = false
    self.payload = payload
    nextSlot = 0
    nextOffset = payload
    currentSlot = 0
    currentKey = payload
    keyType = nil
  }
}

/// The head of a record: its shape, and where its values begin.
struct RecordHead {
  let shape: Int
  let payload: Int

  /// The head of the record at `offset`; `nil` where something else stands.
  @inline(__always)
  init?(_ session: DecodingSession, at offset: Int) throws {
    let tag = try session.reader.byte(at: offset)
    if tag & 0xF0 == Tag.shortRecord {
      shape = Int(tag & 0x0F)
      payload = offset &+ 1
    } else if tag == Tag.record {
      var end = offset &+ 1
      shape = try session.reader.varint(at: &end)
      payload = end
    } else {
      return nil
    }
  }
}
