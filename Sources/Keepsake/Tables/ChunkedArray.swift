/// An array that grows piece by piece: there are never two copies of what it holds.
struct ChunkedArray<Element> {
  private static var shift: Int { 12 }
  private static var chunkCount: Int { 1 << shift }

  /// All but the last hold `chunkCount` elements.
  private var chunks: [[Element]] = [[]]
  private(set) var count = 0

  @inline(__always)
  subscript(index: Int) -> Element {
    chunks[index &>> ChunkedArray.shift][index & (ChunkedArray.chunkCount &- 1)]
  }

  @inline(__always)
  func prefetch(_ index: Int) {
    chunks.prefetch(index & (ChunkedArray.chunkCount &- 1), ofArray: index &>> ChunkedArray.shift)
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count & (ChunkedArray.chunkCount &- 1) == 0, count > 0 { addChunk() }
    chunks[count &>> ChunkedArray.shift].append(element)
    count &+= 1
  }

  private mutating func addChunk() {
    var chunk: [Element] = []
    chunk.reserveCapacity(ChunkedArray.chunkCount)
    chunks.append(chunk)
  }

  mutating func removeLast() {
    chunks[chunks.count - 1].removeLast()
    count -= 1
    if chunks.count > 1, chunks[chunks.count - 1].isEmpty { chunks.removeLast() }
  }
}
