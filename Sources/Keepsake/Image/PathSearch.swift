extension ValueLayout {
  /// The path from the value at `offset` to the first target; empty if there is none. Walks the body that holds both, so
  /// only code that asks for a path pays for it.
  package func path(
    from offset: Int,
    in reader: ByteReader,
    isTarget: @escaping (_ offset: Int) -> Bool
  ) -> [PathElement] {
    var search = PathSearch(layout: self, reader: reader, isTarget: isTarget)
    var cursor = offset
    return (try? search.visit(&cursor)) == true ? search.path : []
  }
}

private struct PathSearch<Layout: ValueLayout> {
  let layout: Layout
  let reader: ByteReader
  let isTarget: (Int) -> Bool
  var path: [PathElement] = []
  var stackGuard = StackGuard()

  /// Walks one value; returns whether it is a target or contains one. If so, `path` leads there.
  mutating func visit(_ cursor: inout Int) throws(ArchiveError) -> Bool {
    if isTarget(cursor) { return true }
    let start = cursor
    let tag = try reader.byte(at: cursor)
    // Near the end of the stack, skips what is nested deeper.
    guard stackGuard.hasRoom(StackGuard.lastReserve) else {
      cursor = try layout.end(ofValueAt: cursor, in: reader)
      return false
    }
    cursor += 1
    switch TagKind(tag) {
    case .some, .url:
      return try visit(&cursor)
    case .typed:
      // The type is not a step of the path.
      _ = try reader.varint(at: &cursor)
      return try visit(&cursor)
    case .shortArray, .array, .map, .shortRecord, .record:
      let kind = TagKind(tag)
      let number = try reader.numberInHead(tag, at: &cursor)
      let isRecord = kind == .record || kind == .shortRecord
      for index in 0..<(isRecord ? try layout.slotCount(ofShape: number, at: start) : number) {
        path.append(
          isRecord
            ? .key(layout.keyName(slot: index, ofShape: number))
            : kind == .map ? try layout.mapKey(at: &cursor, in: reader) : .index(index)
        )
        if try visit(&cursor) { return true }
        path.removeLast()
      }
      return false
    default:
      cursor = try layout.end(ofValueAt: start, in: reader)
      return false
    }
  }
}
