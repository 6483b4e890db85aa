/// The shapes of an archive (Format §5.2), and those of archives that the same image has opened before.
///
/// A shape of the same keys has the same number and the same slots in every archive that the image opens, so that what
/// decoders know of them remains true.
struct KnownShapes {
  struct Shape: BitwiseCopyable {
    /// The slots of its keys.
    fileprivate let start: UInt32
    fileprivate let end: UInt32
    /// The number in all archives.
    fileprivate let number: UInt32

    @inline(__always)
    fileprivate var slots: Range<Int> { Int(start)..<Int(end) }
  }

  /// The number of the key in each slot.
  private(set) var keys: [UInt32] = []
  /// The shapes of the archive, by their numbers there.
  private(set) var inArchive: [Shape] = []
  /// All known shapes, and how they are found by their keys, once there is a second archive.
  private var known: [Shape] = []
  private var slots = SlotTable(for: 0)
  /// Whether there was an archive before this one.
  private var isShared = false

  /// The slots of the shape `number` of the archive, which must have it.
  @inline(__always)
  func slots(_ number: Int) -> Range<Int> { inArchive[number].slots }

  /// The number in all archives of the shape that has `number` in this one; more than any if there is no such shape.
  @inline(__always)
  func stableNumber(_ number: Int) -> Int {
    number < inArchive.count ? Int(inArchive[number].number) : .max
  }

  /// Makes `shapes`, which were ``inArchive`` before, those of the archive.
  mutating func beginArchive(with shapes: [Shape] = []) {
    if !isShared {
      isShared = true
      for shape in inArchive { add(shape) }
    }
    inArchive = shapes
  }

  mutating func reserve(_ count: Int) { inArchive.reserveCapacity(inArchive.count + count) }

  /// Adds a key to the shape that is being read.
  @inline(__always)
  mutating func append(_ key: UInt32) { keys.append(key) }

  /// Ends the shape that is being read, whose first key is in the slot `start`; throws if there are too many keys.
  mutating func end(_ start: Int, at offset: Int) throws(ArchiveError) {
    guard let first = UInt32(exactly: start), let end = UInt32(exactly: keys.count) else {
      throw .limitExceeded("The shapes have more keys than can be counted", at: offset)
    }
    let number = isShared ? known.count : inArchive.count
    let shape = Shape(start: first, end: end, number: UInt32(truncatingIfNeeded: number))
    inArchive.append(isShared ? enter(shape) : shape)
  }

  /// The known shape with the keys of `shape`, which becomes known if there is none.
  private mutating func enter(_ shape: Shape) -> Shape {
    let hash = KnownShapes.hash(keys[shape.slots])
    guard let number = slots.slot(hash, { keys[known[$0].slots] == keys[shape.slots] }) else {
      add(shape)
      return shape
    }
    keys.removeLast(shape.slots.count)
    return known[number]
  }

  private mutating func add(_ shape: Shape) {
    known.append(shape)
    slots.enterLast(of: known.count) { [known, keys] in KnownShapes.hash(keys[known[$0].slots]) }
  }

  private static func hash(_ keys: ArraySlice<UInt32>) -> UInt32 {
    keys.reduce(0) { KeyHash.seeded.of(Int($0) << 32 | Int($1)) }
  }
}
