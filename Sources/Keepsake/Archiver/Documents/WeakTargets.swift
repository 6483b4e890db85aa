/// The objects of a file to which weak references lead although the root object no longer does. Unread lazy values may
/// still lead to them; otherwise they are removed, and a reader finds nil.
struct WeakTargets {
  /// How many objects the root object reaches.
  private let reachedCount: Int
  /// The removed objects, by their numbers in the file.
  private var removed: [Int: ObjectIdentifier] = [:]
  /// The unread lazy values that lead to the others, by the numbers of both.
  private(set) var sources: [Int: Int] = [:]

  /// Takes the weak references in what `session` has encoded: all that the root object reaches.
  init(_ numbers: SavedNumbers, _ session: EncodingSession) {
    reachedCount = session.bodies.objects.count
    // If an object has several numbers, a path to any of them counts.
    if numbers.before.areMerged { return }
    numbers.forEachUnreached(by: session) { object, number in
      if !(object is AnyLazyContent), numbers.mayBeConditional(object) {
        removed[number] = ObjectIdentifier(object)
      }
    }
  }

  func areRemoved(_ number: Int) -> Bool { removed[number] != nil }

  var removedObjects: Set<ObjectIdentifier> { Set(removed.values) }

  /// Finds the objects to which unread lazy values lead.
  ///
  /// - Parameters:
  ///   - content: what `session` has written. The bodies that it left out are those in `image`.
  ///   - before: the sources of the previous save, most of which still lead to their objects.
  mutating func follow(
    _ content: SaveContent,
    _ session: EncodingSession,
    _ image: ArchiveImage,
    sourcesBefore before: [Int: Int]
  ) {
    guard !removed.isEmpty else { return }
    let numbers = content.numbers.map { Int($0) }
    let written = content.written
    let unread = (0..<reachedCount).filter { content.lengths[$0] == 0 }.map { numbers[$0] }
    let likely = Set(removed.keys.compactMap { before[$0] })
    var seen: Set<Int> = []
    for source in unread.filter(likely.contains) + unread {
      var unseen = [source]
      while let number = unseen.popLast() {
        if removed.isEmpty { return }
        guard seen.insert(number).inserted else { continue }
        if removed.removeValue(forKey: number) != nil { sources[number] = source }
        if let index = written[number] {
          // The root object leads to all that such a body leads to.
          if index <= reachedCount { continue }
          session.bodies.graph.forEachReference(of: index) { target, _ in unseen.append(numbers[target - 1]) }
        } else {
          do { try image.forEachReference(ofBody: number) { target, _ in unseen.append(target) } } catch {
            // What is damaged may have led to any of them.
            return removed = [:]
          }
        }
      }
    }
  }
}
