/// What the file of a document lacks of a save.
struct SaveChanges {
  /// The archive to which the save is added.
  private let image: ArchiveImage
  private let assembly: SaveAssembly
  /// The number of bytes of the bodies in the file that the save replaces.
  private var replacedByteCount = 0

  /// Compares `content` with `image`; returns `nil` if the file has everything.
  init?(
    _ content: SaveContent,
    _ session: EncodingSession,
    _ image: ArchiveImage,
    _ targets: WeakTargets?
  ) throws(ArchiveError) {
    self.image = image
    var changed: [(number: UInt32, range: Range<Int>)] = []
    var start = Header.byteCount
    for (number, length) in zip(content.numbers, content.lengths) {
      let range = start..<(start &+ length)
      start = range.upperBound
      // An unread lazy value stays as it is.
      if length == 0 { continue }
      if number <= image.directory.bodyCount {
        let present = try image.body(Int(number), at: 0)
        if try image.has(content.bodies, range, in: present) { continue }
        // Whatever is wrong with a body in the file, this one replaces it.
        if (try? image.hasSame(content.bodies, range, session, in: present)) == true { continue }
        replacedByteCount += present.count
      }
      changed.append((number, range))
    }
    let conditionals = try image.conditionals.map { Int($0) }
    let before = TablesBefore(
      keyCount: image.keys.count,
      shapeCount: image.shapeCount,
      classes: image.classes,
      stringCount: image.stringCount,
      conditionals: conditionals
    )
    var content = content
    let leavesOutBodies = content.leavesOutBodies
    for (index, target) in content.conditionals.enumerated() {
      // An unread value may refer to an object that this save did not reach.
      let isKept = target == 0 && leavesOutBodies && index < conditionals.count
      let known = isKept ? conditionals[index] : target
      content.conditionals[index] = targets?.areRemoved(known) == true ? 0 : known
    }
    assembly = SaveAssembly(content: content, before: before, changed: changed)
    if try assembly.isEmpty(topLevelIsSame: image.hasTopLevel(content.topLevel)) { return nil }
  }

  /// The numbers of the bodies that the file lacks, or has with other bytes.
  var changedNumbers: [Int] { assembly.changed.map { Int($0.number) } }

  func bytes(date: Double?) -> ByteBuffer {
    assembly.bytes(
      number: image.saves.count + 2,
      date: date,
      start: image.extent.storedByteCount,
      checksumBefore: image.newestChecksum,
      image.extent.hasChecksums ? [] : .withoutChecksums
    )
  }

  /// Smaller files are not compacted: there is nothing to gain.
  private static let leastCompacted = 1 << 16

  /// Whether more than half of the file is out of date after the save.
  var leavesMostOutOfDate: Bool {
    let byteCount = image.extent.storedByteCount + assembly.changedByteCount
    let content = assembly.content
    var outOfDate = image.replacedByteCount + replacedByteCount + content.topLevel.count
    if !content.leavesOutBodies {
      // Objects that are gone do not count as replaced.
      outOfDate = max(outOfDate, byteCount - content.byteCount - image.tableByteCount)
    }
    return byteCount > SaveChanges.leastCompacted && outOfDate > byteCount / 2
  }
}
