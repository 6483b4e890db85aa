/// The order of elements that have none, such as those of a set: by what they hold, which is the same in every
/// process (Format §7).
extension EncodingSession {
  /// How many objects an element's archive holds at most when it is first compared, and how many times more
  /// when that was not enough.
  private static let refinement = 16
  private static let mostBodies = 65_536

  /// The elements in the order of the archives that they alone would make.
  ///
  /// An object among them, or in them, may lead to the whole graph, and through it back to them. So at first
  /// only what an element itself holds is compared; where that is the same, also the objects next to it, and so
  /// on. Sets that are met on the way are ordered by their elements' own content only.
  func sortedByContent<Elements: Collection, Content: Encodable>(
    _ elements: Elements,
    _ content: (Elements.Element) -> Content
  ) throws -> [Elements.Element] {
    guard elements.count > 1 else { return Array(elements) }
    return try whileClosed { try sort(Array(elements), content, bodyLimit: contentDepth < 2 ? 1 : 0) }
  }

  private func sort<Element, Content: Encodable>(
    _ elements: [Element],
    _ content: (Element) -> Content,
    bodyLimit: Int
  ) throws -> [Element] {
    let keyed = try elements.map { element in
      (element: element, key: try contentKey(content(element), bodyLimit))
    }.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    guard contentDepth == 0, bodyLimit < EncodingSession.mostBodies else { return keyed.map(\.element) }
    var sorted: [Element] = []
    var start = 0
    while start < keyed.count {
      let equal = keyed[start...].prefix { $0.key.bytes == keyed[start].key.bytes }
      let isDone = equal.count == 1 || equal.allSatisfy { $0.key.isWhole }
      let run = equal.map(\.element)
      sorted += isDone ? run : try sort(run, content, bodyLimit: bodyLimit * EncodingSession.refinement)
      start = equal.endIndex
    }
    return sorted
  }

  /// The beginning of the archive that `value` alone would make, and whether it is all of it.
  private func contentKey(_ value: some Encodable, _ bodyLimit: Int) throws -> (bytes: [UInt8], isWhole: Bool)
  {
    let session = sessionForQuestion(sortsKeys: true, bodyLimit: bodyLimit)
    defer { session.dropSpares() }
    session.contentDepth = contentDepth + 1
    try session.encode(value, forKey: ArchiveCodingKey(stringValue: ""))
    let isWhole = session.pending.isEmpty
    session.pending.removeAll()
    try session.finish()
    return (session.archive.bytes(0..<session.archive.count), isWhole)
  }
}
