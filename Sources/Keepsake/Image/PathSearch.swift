/// Finds the way to a value by walking the body that holds it: the price of a path is paid by who asks for
/// one.
package struct PathSearch<Layout: ValueLayout> {
  private let layout: Layout
  private let reader: ByteReader
  private let isTarget: (Int) -> Bool
  private var path: [PathElement] = []
  private var stackGuard = StackGuard()

  package init(_ layout: Layout, _ reader: ByteReader, isTarget: @escaping (_ offset: Int) -> Bool) {
    self.layout = layout
    self.reader = reader
    self.isTarget = isTarget
  }

  /// The way from the value at `offset` to the first value that is a target, or `nil` when there is none.
  package mutating func search(from offset: Int) -> [PathElement]? {
    var cursor = offset
    path = []
    return (try? visit(&cursor)) == true ? path : nil
  }

  /// Walks one value; returns whether the target is it or in it, and then leaves `path` standing.
  private mutating func visit(_ cursor: inout Int) throws(ArchiveError) -> Bool {
    if isTarget(cursor) { return true }
    let start = cursor
    let tag = try reader.byte(at: cursor)
    // Where the stack is about to end, which may be why a path is wanted, what is nested deeper is passed
    // over.
    guard stackGuard.hasRoom(StackGuard.lastReserve) else {
      cursor = try layout.end(ofValueAt: cursor, in: reader)
      return false
    }
    cursor += 1
    switch TagKind(tag) {
    case .some, .url:
      return try visit(&cursor)
    case .typed:
      // The type is no step of the way.
      _ = try reader.varint(at: &cursor)
      return try visit(&cursor)
    case .shortArray:
      return try visitElements(Int(tag - Tag.shortArray), &cursor)
    case .array:
      return try visitElements(try reader.varint(at: &cursor), &cursor)
    case .shortRecord:
      return try visitSlots(Int(tag - Tag.shortRecord), &cursor, start)
    case .record:
      return try visitSlots(try reader.varint(at: &cursor), &cursor, start)
    case .map:
      for _ in 0..<(try reader.varint(at: &cursor)) {
        path.append(try layout.mapKey(at: &cursor, in: reader))
        if try visit(&cursor) { return true }
        path.removeLast()
      }
      return false
    default:
      cursor = try layout.end(ofValueAt: start, in: reader)
      return false
    }
  }

  private mutating func visitElements(_ count: Int, _ cursor: inout Int) throws(ArchiveError) -> Bool {
    for index in 0..<count {
      path.append(.index(index))
      if try visit(&cursor) { return true }
      path.removeLast()
    }
    return false
  }

  private mutating func visitSlots(
    _ shape: Int,
    _ cursor: inout Int,
    _ start: Int
  ) throws(ArchiveError) -> Bool {
    for slot in 0..<(try layout.slotCount(ofShape: shape, at: start)) {
      path.append(.key(layout.keyName(slot: slot, ofShape: shape)))
      if try visit(&cursor) { return true }
      path.removeLast()
    }
    return false
  }
}

extension ValueLayout {
  /// The key of a map at `cursor`, which moves past it (Format §4.8).
  package func mapKey(at cursor: inout Int, in reader: ByteReader) throws(ArchiveError) -> PathElement {
    let start = cursor
    let tag = try reader.byte(at: start)
    cursor = try end(ofValueAt: start, in: reader)
    switch TagKind(tag) {
    case .shortString:
      return .key(try reader.string((start + 1)..<cursor))
    case .string:
      var text = start + 1
      let count = try reader.varint(at: &text)
      return .key(try reader.string(text..<(text + count)))
    case .stringReference:
      return .key(try string(reader.referencedNumber(at: start), at: start))
    case .smallInteger:
      return .intKey(Int(tag) - Int(Tag.smallInteger) - 16)
    case .integer:
      return .intKey(Int(try reader.signed(at: start + 1, byteCount: Int(tag - Tag.integer) + 1)))
    default:
      throw .damaged("The key of a map is neither a string nor an integer", at: start)
    }
  }
}
