/// How values of one type are decoded; found once per type, not per value.
class AnyDecodingPlan {}

/// The plan for types that have no better one: their own `init(from:)`.
class DecodingPlan<Value: Decodable>: AnyDecodingPlan {
  /// Reads the value at `place`, which then moves behind it; `depth` is that of the container it is in.
  func decode(at place: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    try session.decodePlainly(Value.self, at: &place, depth)
  }
}

/// A type that has a plan of its own.
protocol NativelyDecodable: Decodable {
  /// A `DecodingPlan<Self>`.
  static func makeDecodingPlan() -> AnyDecodingPlan
}

/// The plans of a session.
struct DecodingPlanCache {
  private var plans = TypeCache<AnyDecodingPlan>()

  /// The plan for `Value`. What is stored for a type is always the plan of that type, which is what makes the
  /// downcast sound.
  @inline(__always)
  mutating func plan<Value: Decodable>(for type: Value.Type) -> DecodingPlan<Value> {
    knownDowncast(
      plans.entry(for: type) { DecodingPlanCache.makePlan(type) },
      to: DecodingPlan<Value>.self
    )
  }

  private static func makePlan<Value: Decodable>(_ type: Value.Type) -> AnyDecodingPlan {
    if let native = type as? any NativelyDecodable.Type { return native.makeDecodingPlan() }
    if type is AnyClass { return ClassDecodingPlan<Value>() }
    return DecodingPlan<Value>()
  }
}

extension DecodingSession {
  /// Lets `Value` decode itself at `place`, in a frame of its own.
  @inline(__always)
  func decodePlainly<Value: Decodable>(_ type: Value.Type, at place: inout Int, _ depth: Int) throws -> Value
  {
    try descend(to: place, from: depth)
    let value = try Value(from: ValueDecoder(session: self, offset: place, depth: depth + 1))
    place = try end(ofDecoded: place, depth: depth + 1)
    return value
  }

  /// Where the content of the object is that `place` refers to, for a type that is no class: it may have been
  /// one when the archive was written. A value that is no reference is its own content.
  func contentOfReference(at place: Int) throws(ArchiveError) -> Int {
    guard reader.isObjectReference(at: place) else { return place }
    var end = place
    let number = try objectNumber(at: &end)
    let body = try image.body(number, at: place)
    var content = body.lowerBound
    guard try image.classNumber(at: &content) != nil else {
      throw ArchiveError(
        .damaged,
        "A reference to an object leads to a value",
        byteOffset: place
      )
    }
    // Each time is another decoding: a few bodies that refer to each other could ask for more than ever ends.
    rereadByteCount += body.count + DecodingSession.readingByteCount
    guard rereadByteCount / DecodingSession.mostReadings <= reader.count + (1 << 16) else {
      throw ArchiveError(
        .limitExceeded,
        "Objects are read as values, again and again, through too many references",
        byteOffset: place
      )
    }
    if objects.origin(number) < 0 { objects.set(number, nil, origin: place) }
    return content
  }

  /// The number in the object reference at `place`, which moves behind it (Format §4.9).
  func objectNumber(at place: inout Int) throws(ArchiveError) -> Int {
    let byteCount = Int(try reader.byte(at: place) & 3) + 1
    try reader.check(byteCount, at: place + 1)
    defer { place += 1 + byteCount }
    return Int(try reader.unsigned(at: place + 1, byteCount: byteCount))
  }
}

extension ByteReader {
  @inline(__always)
  func isObjectReference(at place: Int) -> Bool {
    guard let tag = try? byte(at: place) else { return false }
    return tag & 0xFC == Tag.objectReference
  }
}
