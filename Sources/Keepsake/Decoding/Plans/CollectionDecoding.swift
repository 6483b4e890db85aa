/// Collections that the library reads itself, without a container per collection or an existential per element.
extension DecodingSession {
  /// The head of the array at `offset`: its number of elements, and the offset of the first; `nil` if the value is not
  /// a generic array.
  func arrayHead(at offset: Int) throws(ArchiveError) -> (count: Int, payload: Int)? {
    var payload = offset &+ 1
    let tag = try reader.byte(at: offset)
    switch TagKind(tag) {
    case .empty: return (0, payload)
    case .shortArray, .array:
      let count = try reader.numberInHead(tag, at: &payload)
      // Each element takes at least a byte, so this bounds the reserved capacity.
      try reader.check(count, at: payload)
      return (count, payload)
    default: return nil
    }
  }

  /// Reads the generic array at `cursor`.
  @inline(__always)
  func decodeElements<Element: Decodable>(
    _ type: Element.Type,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> [Element] {
    var elements: [Element] = []
    try forEachElement(at: &cursor, depth) { count in
      elements.reserveCapacity(reservation(count, Element.self))
    } _: { cursor, plan in
      elements.append(try plan.decode(at: &cursor, self, depth + 1))
    }
    return elements
  }

  /// Reads the value at `cursor`, which is not a generic array, by `plan`.
  @inline(never)
  func decodeOtherArray<Value: Decodable>(
    by plan: DecodingPlan<Value>,
    at cursor: inout Int,
    _ depth: Int
  ) throws -> Value {
    switch TagKind(try reader.byte(at: cursor)) {
    // Numbers, if the type has become one that decodes itself from a number, such as an enumeration; or an array after
    // an annotation, which containers pass over.
    case .packedArray, .bytes, .some, .typed, .url:
      return try decodePlainly(Value.self, at: &cursor, depth)
    default:
      if let value = try decodeReferred(by: plan, at: &cursor, depth) { return value }
      throw ReadingFault.mismatch(cursor)
    }
  }

  /// How many elements to reserve space for if the file announces `count`. It is small, because collections may be
  /// nested and each announces a count.
  func reservation<Element>(_ count: Int, _ type: Element.Type) -> Int {
    min(count, max(1, 4_096 / MemoryLayout<Element>.stride))
  }

  /// Visits the elements of the generic array at `cursor` with their plan. Errors get the path of the element.
  @inline(__always)
  func forEachElement<Element: Decodable>(
    at cursor: inout Int,
    _ depth: Int,
    reserve: (Int) throws -> Void,
    _ read: (inout Int, DecodingPlan<Element>) throws -> Void
  ) throws {
    guard stack.bounds.hasRoom(StackGuard.collectionReserve, holding: Element.self) else {
      return try onLargerStack { try forEachElement(at: &cursor, depth, reserve: reserve, read) }
    }
    let start = cursor
    let count = try openElements(at: &cursor, MemoryLayout<Element>.stride, depth)
    try reserve(count)
    let plan = types.plans.plan(for: Element.self)
    for index in 0..<count {
      nesting.frames[depth + 1].showElement(index, of: start)
      try describingFaults(Element.self, at: cursor, depth + 1) {
        try plan.use { (plan) throws in try read(&cursor, plan) }
      }
    }
  }

  /// Charges the elements of the generic array at `cursor`, moves `cursor` to the first, and returns their number.
  // Not inlined, so that nested values take less of the stack.
  @inline(never)
  fileprivate func openElements(at cursor: inout Int, _ stride: Int, _ depth: Int) throws -> Int {
    guard let (count, payload) = try arrayHead(at: cursor) else { throw ReadingFault.mismatch(cursor) }
    try charge(count, elementsOf: stride, at: cursor)
    try descend(to: cursor, from: depth)
    cursor = payload
    return count
  }

  /// Runs `body`, and turns a fault that it throws into the error for the current value of the frame at `depth`.
  @inline(__always)
  func describingFaults<Result>(
    _ type: Any.Type,
    at offset: Int,
    _ depth: Int,
    _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch { throw described(error, type, at: offset, depth) }
  }

  // Not inlined, so that nested values take less of the stack.
  @inline(never)
  private func described(_ error: any Error, _ type: Any.Type, at offset: Int, _ depth: Int) -> any Error {
    publicError(error, as: type, path(toValueAt: offset, in: depth))
  }
}

extension Array: NativelyDecodable where Element: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan {
    if RuntimeMetadata.mayConform(Element.self, to: (any UnpackableElement).self),
      let unpackable = Element.self as? any UnpackableElement.Type
    {
      return unpackable.makePackedPlan()
    }
    if let type = RuntimeMetadata.classType(Element.self) { return makeObjectsPlan(type) }
    return ArrayDecodingPlan<Element>()
  }

  private static func makeObjectsPlan<Object: Decodable & AnyObject>(_ type: Object.Type) -> AnyDecodingPlan {
    ObjectsDecodingPlan<Object>()
  }
}

extension UnpackableElement {
  static func makePackedPlan() -> AnyDecodingPlan { PackedDecodingPlan<Self>() }
}

class ArrayDecodingPlan<Element: Decodable>: DecodingPlan<[Element]> {
  final override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws
    -> [Element]
  {
    guard try session.reader.byte(at: cursor) == Tag.shortArray, !session.isUnusuallyDeep(below: depth) else {
      return try decodeElements(at: &cursor, session, depth)
    }
    // Many arrays are empty.
    cursor &+= 1
    return []
  }

  // Not inlined, nor are the functions below, so that only these look up the metadata of the array.
  @inline(never)
  private func decodeElements(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> [Element] {
    switch TagKind(try session.reader.byte(at: cursor)) {
    case .empty, .shortArray, .array: try decodeGeneric(at: &cursor, session, depth)
    default: try session.decodeOtherArray(by: self, at: &cursor, depth)
    }
  }

  fileprivate func decodeGeneric(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> [Element] {
    try session.decodeElements(Element.self, at: &cursor, depth)
  }
}

/// An array of objects. It finds objects that are already decoded without the plan of their class.
final class ObjectsDecodingPlan<Element: Decodable & AnyObject>: ArrayDecodingPlan<Element> {
  fileprivate override func decodeGeneric(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> [Element] {
    guard session.stack.bounds.hasRoom(StackGuard.collectionReserve) else {
      return try session.onLargerStack { try decodeGeneric(at: &cursor, session, depth) }
    }
    let start = cursor
    let count = try session.openElements(at: &cursor, MemoryLayout<Element>.stride, depth)
    var objects: [AnyObject] = []
    objects.reserveCapacity(session.reservation(count, AnyObject.self))
    while true {
      session.appendDecoded(&objects, upTo: count, of: Element.self, at: &cursor)
      if objects.count == count { return knownElements(objects, as: Element.self) }
      objects.append(try decodeElement(objects.count, of: start, at: &cursor, session, depth))
    }
  }

  // Not inlined, so that nested objects take less of the stack.
  @inline(never)
  private func decodeElement(
    _ index: Int,
    of start: Int,
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> Element {
    session.nesting.frames[depth + 1].showElement(index, of: start)
    do {
      return try session.decodeByPlan(Element.self, at: &cursor, depth + 1)
    } catch {
      throw session.publicError(error, as: Element.self, session.path(toValueAt: cursor, in: depth + 1))
    }
  }
}

/// An array of strings, which contain no other values.
final class StringsDecodingPlan: DecodingPlan<[String]> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> [String] {
    try session.decodeStrings(at: &cursor, depth)
      ?? session.decodeOtherArray(by: self, at: &cursor, depth)
  }
}

extension DecodingSession {
  /// Reads the array of strings at `cursor`; `nil` if another value is there. Only errors need a frame, for their path.
  func decodeStrings(at cursor: inout Int, _ depth: Int) throws -> [String]? {
    guard let (count, payload) = try arrayHead(at: cursor) else { return nil }
    if isUnusuallyDeep(below: depth) { try descend(to: cursor, from: depth) }
    try charge(count, elementsOf: MemoryLayout<String>.stride, at: cursor)
    var strings: [String] = []
    strings.reserveCapacity(reservation(count, String.self))
    var element = payload
    do throws(ReadingFault) {
      for _ in 0..<count { strings.append(try readString(at: &element)) }
    } catch {
      try descend(to: cursor, from: depth)
      prepareElement(cursor, depth + 1, strings.count)
      throw self.error(error, String.self, path(toValueAt: element, in: depth + 1))
    }
    cursor = element
    return strings
  }

  /// `String.readValue` without its generic code, which would cost two more calls for each string.
  @inline(__always)
  private func readString(at cursor: inout Int) throws(ReadingFault) -> String {
    do throws(ReadingFault) {
      return try String.read(self, at: &cursor)
    } catch {
      return try String.readReferred(self, at: &cursor, after: error)
    }
  }
}

extension Optional: NativelyDecodable where Wrapped: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { OptionalDecodingPlan<Wrapped>() }
}

final class OptionalDecodingPlan<Wrapped: Decodable>: DecodingPlan<Wrapped?> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Wrapped? {
    let tag = try session.reader.byte(at: cursor)
    guard tag != Tag.none else {
      cursor += 1
      return nil
    }
    if Tag.objectReference..<Tag.shortArray ~= tag,
      tag & 0xFC == Tag.conditionalReference || session.lazies.areArchived,
      try isNil(referenceAt: cursor, session)
    {
      cursor = try session.image.end(ofValueAt: cursor, in: session.reader)
      return nil
    }
    let start = cursor
    if tag == Tag.some { cursor += 1 }
    do {
      return try session.decodeByPlan(Wrapped.self, at: &cursor, depth)
    } catch ReadingFault.replacedByNil,
      _ where session.isMarkedNil(at: start)
    {
      cursor = try session.image.end(ofValueAt: start, in: session.reader)
      return nil
    }
  }

  /// Whether the reference at `offset` counts as nil: its object was not archived, or its lazy value is nil.
  @inline(never)
  private func isNil(referenceAt offset: Int, _ session: DecodingSession) throws -> Bool {
    if try session.isNil(at: offset) { return true }
    // A lazy property does not read its value now.
    return !session.types.plans.plan(for: Wrapped.self).use { $0.isForLazyValues }
      && session.isLazyNil(at: offset)
  }
}
