/// The shapes of an archive (Format §5.2), and those of archives that the same image has opened before.
///
/// A shape is a range of slots, in each of which is the number of a key. A shape of the same keys has the same slots in
/// every archive that the image opens, so that what decoders know of its slots remains true.
struct KnownShapes {
  private struct Slots: BitwiseCopyable {
    var start: UInt32
    var end: UInt32

    @inline(__always)
    var range: Range<Int> { Int(start)..<Int(end) }
  }

  /// The number of the key in each slot.
  private(set) var keys: [UInt32] = []
  /// All known shapes.
  private var known: [Slots] = []
  /// The shapes of the archive, by their numbers there.
  private var shapes: [Slots] = []
  /// The indices of these in ``known``, from the second archive on. In the first, they are the numbers.
  private var indices: [UInt32] = []
  /// Finds the known shapes by their keys, once there is a second archive.
  private var table: SlotTable?

  /// The number of shapes in the archive.
  var count: Int { shapes.count }

  /// The slots of the shape `number` of the archive, which must have it.
  @inline(__always)
  func slots(_ number: Int) -> Range<Int> { shapes[number].range }

  /// A number of the shape `number` of the archive that remains the same in other archives; more than any if there is no
  /// such shape.
  @inline(__always)
  func stableNumber(_ number: Int) -> Int {
    guard table != nil else { return number }
    return number < indices.count ? Int(indices[number]) : .max
  }

  mutating func reserve(_ count: Int) { shapes.reserveCapacity(shapes.count + count) }

  /// Adds a key to the shape that is being read.
  @inline(__always)
  mutating func append(_ key: UInt32) { keys.append(key) }

  /// Ends the shape that is being read, whose first key is in the slot `start`; throws if there are too many keys.
  mutating func end(_ start: Int, at offset: Int) throws(ArchiveError) {
    guard let first = UInt32(exactly: start), let end = UInt32(exactly: keys.count) else {
      throw .limitExceeded("The shapes have more keys than can be counted", at: offset)
    }
    let slots = Slots(start: first, end: end)
    guard table != nil else { return shapes.append(slots) }
    let hash = hash(of: slots)
    let existing = table?.slot(hash) { keys[known[$0].range] == keys[slots.range] }
    shapes.append(existing.map { known[$0] } ?? slots)
    indices.append(UInt32(truncatingIfNeeded: existing ?? known.count))
    guard existing == nil else { return keys.removeLast(keys.count - start) }
    known.append(slots)
    if known.count > table?.capacity ?? 0 {
      makeTable()
    } else {
      _ = table?.insert(known.count - 1, hash) { _ in false }
    }
  }

  /// Prepares to read the shapes of another archive.
  mutating func beginArchive() {
    if table == nil {
      known = shapes
      makeTable()
    }
    shapes.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
  }

  private mutating func makeTable() {
    var made = SlotTable(for: max(1, 2 * known.count))
    for index in known.indices { _ = made.insert(index, hash(of: known[index])) { _ in false } }
    table = made
  }

  private func hash(of slots: Slots) -> UInt32 {
    keys[slots.range].reduce(0) { KeyHash.seeded.of(Int($0) << 32 | Int($1)) }
  }
}
