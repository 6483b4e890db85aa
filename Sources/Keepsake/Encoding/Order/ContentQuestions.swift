/// The content of a value itself: how its bytes begin, so that the order is one that people would expect, and a
/// checksum of all of them.
struct ContentKey: Comparable {
  private static let longestStart = 64

  private(set) var start: [UInt8] = []
  private(set) var checksum: UInt64 = 0

  init() {}

  init(_ bytes: ByteBuffer) {
    start = bytes.bytes(0..<min(bytes.count, ContentKey.longestStart))
    checksum = bytes.checksum(0..<bytes.count)
  }

  var bytes: [UInt8] {
    start + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
  }

  static func < (left: ContentKey, right: ContentKey) -> Bool {
    left.start == right.start
      ? left.checksum < right.checksum : left.start.lexicographicallyPrecedes(right.start)
  }
}

/// Thrown when the content of a value has been taken, so that the session takes the value back, as for any error.
private struct ContentTaken: Error {}

extension EncodingSession {
  /// The elements, sorted by content.
  func sortedByContent<Elements: Collection, Content: Encodable, Whole: Encodable>(
    _ elements: Elements,
    _ content: (Elements.Element) -> Content,
    whole: (Elements.Element) -> Whole
  ) throws -> [Elements.Element] {
    guard elements.count > 1 else { return Array(elements) }
    let order = ordering.order ?? ContentOrder()
    ordering.order = order
    return try whileClosed { try order.sorted(elements, content, whole, self) }
  }

  func sessionForContents(_ order: ContentOrder) -> EncodingSession {
    let session = sessionForQuestion(sortsKeys: true, bodyLimit: 0)
    // The classes that an asked session has met so far depend on which element was asked first.
    if ordering.depth > 0 { session.settings.typesReadingLast = settings.typesReadingLast }
    session.ordering.depth = ordering.depth + 1
    session.ordering.order = order
    return session
  }

  // MARK: Being asked

  /// The content of `value` itself, and what it refers to. Nothing of it remains.
  func content(of value: some Encodable, ofObject isObject: Bool) throws -> ContentOrder.Part {
    if !isObject, let key = keyOfPrimitive(value) { return ContentOrder.Part(key: key) }
    settings.bodyLimit = isObject ? 1 : 0
    (ordering.sets, ordering.answer) = ([], nil)
    do {
      try encode(value, forKey: ArchiveCodingKey(stringValue: ""))
    } catch is ContentTaken {}
    return ordering.answer ?? ContentOrder.Part()
  }

  /// The content of a primitive value that needs no body, as the other way finds it, once that has opened a container;
  /// otherwise `nil`.
  private func keyOfPrimitive<Value: Encodable>(_ value: Value) -> ContentKey? {
    let plan = types.plans.plan(for: Value.self)
    guard plan.isAtomic, plan.standsInline(value), context.top.kind == .map else { return nil }
    let (start, strings) = (buffer.count, tables.strings.mark)
    defer {
      buffer.truncate(to: start)
      tables.strings.truncate(to: strings)
    }
    write(string: "")
    return (try? plan.encode(value, self)).map { ContentKey(buffer) }
  }

  /// Encodes a set in something that is asked for its content, with no order among what its elements lead to.
  func encodeContents<Elements: Collection, Content: Encodable>(
    _ elements: Elements,
    _ content: (Elements.Element) -> Content
  ) throws {
    let order = ordering.depth < ContentOrder.mostSets ? ordering.order : nil
    var bytes: [UInt8] = []
    if let order {
      let index = ordering.sets.count
      ordering.sets.append((nil, order.partCount, nesting.makeFrameID()))
      let (keys, part) = try whileClosed { try order.contents(elements, content, self) }
      bytes = keys.flatMap(\.bytes)
      ordering.sets[index].part = part
    }
    buffer.append(bytesHead: bytes.count)
    buffer.append(memoryOf: bytes)
  }

  /// Forgets the order of sets that were written since `time`.
  func truncateOrder(to time: FrameID) {
    guard ordering.depth > 0 else {
      ordering.order?.truncate(to: time)
      return
    }
    while let last = ordering.sets.last, last.time > time {
      ordering.order?.forgetParts(from: last.first)
      ordering.sets.removeLast()
    }
  }

  /// Takes the content of the top-level value, which is complete except for what it refers to, and throws.
  func takeContent() throws {
    let bytes = ByteBuffer(minimumCapacity: 256)
    bytes.append(bodies.assembly.buffer, Header.byteCount..<bodies.assembly.buffer.count)
    bytes.append(buffer)
    _ = tables.shapes.write(to: bytes, names: tables.keys.names)
    for entry in tables.classes.entries { entry.write(to: bytes) }
    for number in 0..<tables.strings.count { tables.strings.write(number, to: bytes) }
    // If an object is asked for its content, it is the first one.
    let reached = stride(from: 1 + (settings.bodyLimit ?? 0), through: bodies.objects.count, by: 1)
      .compactMap(bodies.objects.object)
    ordering.answer = ContentOrder.Part(
      key: ContentKey(bytes),
      targets: reached.map { .object($0) } + ordering.sets.compactMap { $0.part.map { .part($0) } },
      conditionals: conditionalEntries.map(\.object)
    )
    // The answer has them now, so they must not be taken back with the value.
    ordering.sets = []
    throw ContentTaken()
  }
}
