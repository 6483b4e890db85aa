/// The location of bodies (Format §5.6).
extension ArchiveImage {
  /// The range of body `number`, counted from 1, verified; throws if there is no such body (Format §5.6).
  package func body(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    let range = try extent(ofBody: number, at: offset)
    try verifier?.verify(range)
    return range
  }

  /// The range of body `number`, counted from 1, of which nothing is read; throws if there is no such body.
  package func extent(ofBody number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    guard number >= 1, number <= directory.bodyCount else {
      throw .damaged("A reference to an object is out of range", at: offset)
    }
    // Each save has all bodies by which it raises their number.
    if let range = saved?.body(number) { return range }
    return try extentInFirst(ofBody: number)
  }

  /// The range of body `number` of the first save, which has at least that many bodies.
  @inline(__always)
  func extentInFirst(ofBody number: Int) throws(ArchiveError) -> Range<Int> {
    let (group, index) = ((number &- 1) / OffsetTable.groupSize, (number &- 1) % OffsetTable.groupSize)
    if let range = knownBodies.range(group, index) { return range }
    return try findExtent(group, index)
  }

  /// The extent of a body in a group that was not checked yet.
  @inline(never)
  private func findExtent(_ group: Int, _ index: Int) throws(ArchiveError) -> Range<Int> {
    try checkGroup(group)
    guard let range = knownBodies.range(group, index) else { throw outsideBodies(group) }
    return range
  }

  /// Checks the whole offset table. Otherwise each group is checked when one of its bodies is requested.
  func checkBodies() throws(ArchiveError) {
    for group in 0..<directory.offsets.count { try checkGroup(group) }
  }

  /// Checks that the bodies of a group are not empty, and follow each other without gaps up to the next group or the
  /// top level. So no two bodies of successive checked groups share a byte.
  private func checkGroup(_ number: Int) throws(ArchiveError) {
    let head = try groupHead(number)
    let isLast = number == directory.offsets.count - 1
    let count = isLast ? extent.firstBodyCount - number * OffsetTable.groupSize : OffsetTable.groupSize
    let lengthsEnd = head.lengths + count * head.width
    guard lengthsEnd <= directory.offsets.range.upperBound else {
      throw .damaged("An offset in the offset table is outside the archive", at: offset(ofGroup: number))
    }
    try verifier?.verify(head.lengths..<lengthsEnd)
    let groupEnd = isLast ? directory.bodies.upperBound : try groupHead(number + 1).start
    var end = head.start
    // Takes the memory that another archive may have left.
    var offsets = exchange(&knownBodies.groups[number], with: [])
    offsets.removeAll(keepingCapacity: true)
    offsets.reserveCapacity(count + 1)
    offsets.append(end)
    for index in 0..<count {
      let length = try reader.unsigned(at: head.lengths + index * head.width, byteCount: head.width)
      guard length > 0, length <= UInt64(directory.bodies.upperBound - end) else {
        throw outsideBodies(number)
      }
      end += Int(length)
      offsets.append(end)
    }
    guard end == groupEnd, head.start >= directory.bodies.lowerBound,
      number > 0 || head.start == directory.bodies.lowerBound
    else {
      throw .damaged(
        "The offset table gives two bodies the same offset, or leaves a gap",
        at: offset(ofGroup: number)
      )
    }
    knownBodies.groups[number] = offsets
  }

  /// The content of the head of a group: where the lengths of the bodies begin, the bytes that each length takes, and
  /// where the first body begins.
  private func groupHead(_ number: Int) throws(ArchiveError) -> (lengths: Int, width: Int, start: Int) {
    let table = directory.offsets
    let offset = offset(ofGroup: number)
    if let width = directory.lengthWidth { return (offset, width, directory.bodies.lowerBound) }
    try verifier?.verify(offset..<(offset + OffsetTable.groupByteCount))
    let entry = try reader.word(at: offset)
    guard entry >> 2 <= UInt64(directory.bodies.upperBound) else { throw outsideBodies(number) }
    let lengths =
      table.range.lowerBound + table.count * OffsetTable.groupByteCount
      + Int(try reader.unsigned(at: offset + 8, byteCount: 4))
    return (lengths, 1 << Int(entry & 3), Int(entry >> 2))
  }

  /// The offset of the head of a group, or of its lengths if it is the only group and needs no head.
  private func offset(ofGroup number: Int) -> Int {
    let start = directory.offsets.range.lowerBound
    return directory.lengthWidth == nil ? start + number * OffsetTable.groupByteCount : start
  }

  @inline(never)
  private func outsideBodies(_ group: Int) -> ArchiveError {
    ArchiveError.damaged("The offset of a body is out of range", at: offset(ofGroup: group))
  }

  /// The number of the body that holds the byte at `offset`, or `nil` if that is not in a numbered body.
  package func bodyNumber(containing offset: Int) -> Int? {
    if offset >= extent.firstEnd { return saved?.bodyNumber(containing: offset) }
    let numbers = 1..<(extent.firstBodyCount + 1)
    let number = try? numbers.partitioningIndex { (number) throws(ArchiveError) in
      try extentInFirst(ofBody: number).upperBound > offset
    }
    guard let number, numbers.contains(number), let range = try? extentInFirst(ofBody: number) else {
      return nil
    }
    return range.contains(offset) ? number : nil
  }
}

/// The rules for bodies (Format §4.1, §4.9; §10, rules 10, 19, 20, 25), for all code that reads one.
extension ArchiveImage {
  /// The class and the body of the object `number`, to which `reference` leads, and the offset of the content.
  func objectBody(
    _ number: Int,
    at reference: Int
  ) throws(ArchiveError) -> (classNumber: Int, body: Range<Int>, content: Int) {
    let body = try body(number, at: reference)
    var content = body.lowerBound
    guard let classNumber = try classNumber(at: &content) else {
      throw leadsToOtherKind(isToValue: false, reference)
    }
    return (classNumber, body, content)
  }

  /// The offset of the top-level value, which fills its body and is not an object.
  var topLevelContent: Int {
    get throws(ArchiveError) {
      let offset = try topLevelStart
      if let root = rootOffset, try end(ofValueAt: root, in: reader) == directory.topLevel.upperBound {
        return offset
      }
      guard try end(ofValueAt: offset, in: reader) == directory.topLevel.upperBound else {
        throw .damaged("There are unused bytes after the top level", at: offset)
      }
      return offset
    }
  }

  /// The offset of the value of the key "root", if the top level is not an object and has only that key.
  var rootOffset: Int? {
    let start = directory.topLevel.lowerBound
    guard (try? reader.word(at: start)) == ShortForm.topLevelWord else { return nil }
    return start + 8
  }

  /// The offset of the top-level value, which is not an object. Does not walk it.
  var topLevelStart: Int {
    get throws(ArchiveError) {
      var cursor = directory.topLevel.lowerBound
      guard try classNumber(at: &cursor) == nil else {
        throw .damaged("The top level of the archive is an object", at: directory.topLevel.lowerBound)
      }
      return cursor
    }
  }

  /// Walks the value at `content`, and throws unless it fills the rest of `body`. So all counts and shapes in it are
  /// true, and no archive can make a reader walk on into other bodies again and again.
  @inline(__always)
  func checkExtent(_ content: Int, fills body: Range<Int>) throws(ArchiveError) {
    try ArchiveImage.checkEnd(
      try end(ofValueAt: content, in: reader.limitedForNow(to: body.upperBound)),
      of: body
    )
  }

  /// Throws unless the value of `body`, which ends at `end`, fills it.
  @inline(__always)
  static func checkEnd(_ end: Int, of body: Range<Int>) throws(ArchiveError) {
    guard end == body.upperBound else { throw doesNotFill(body, end) }
  }

  @inline(never)
  private static func doesNotFill(_ body: Range<Int>, _ end: Int) -> ArchiveError {
    end > body.upperBound
      ? ArchiveError.damaged("A value extends past the end of its body", at: body.upperBound)
      : ArchiveError.damaged("There are unused bytes after the value of a body", at: end)
  }

  /// The error for a value reference at `offset` to a body with a class, or another reference to a body without one.
  @inline(never)
  func leadsToOtherKind(isToValue: Bool, _ offset: Int) -> ArchiveError {
    ArchiveError.damaged(
      isToValue ? "A reference to a value leads to an object" : "A reference to an object leads to a value",
      at: offset
    )
  }

  /// Throws unless the value reference at `offset` is the only one with its number; `first` is the first one, if any.
  func checkReference(isOnlyOne first: Int?, at offset: Int) throws(ArchiveError) {
    guard first ?? offset == offset else {
      throw .damaged("Two keys of the top level refer to the same value", at: offset)
    }
  }

  /// Records the value reference at `offset` to body `number`; throws if there is another one.
  func noteReference(to number: Int, at offset: Int) throws(ArchiveError) {
    try checkReference(isOnlyOne: knownBodies.valueReferences[number], at: offset)
    knownBodies.valueReferences[number] = offset
  }
}

/// Reads bodies piece by piece, instead of a body at a time.
extension ArchiveImage {
  /// Compares the blocks that hold `range` with their checksums before anything in it is read, if the archive was
  /// opened with that setting. Leaves out what is outside of the bodies.
  @inline(__always)
  func touch(_ range: Range<Int>) throws(ArchiveError) {
    // This does not ask the verifier, which another thread may be changing.
    if extent.hasChecksums { try compare(range) }
  }

  private func compare(_ range: Range<Int>) throws(ArchiveError) {
    let end =
      range.lowerBound < extent.firstEnd ? min(range.upperBound, extent.firstContentEnd) : range.upperBound
    guard range.lowerBound < end else { return }
    try exclusively(verifier?.verify(range.lowerBound..<end))
  }

  /// Compares everything that was not compared yet with its checksums, and checks the offset table. Now and then, it
  /// tells `progress` the end of the bytes that it has compared.
  package func verifyContents(progress: (Int) -> Void = { _ in }) throws(ArchiveError) {
    let step = 64 * Blocks.byteCount
    var parts = [0..<directory.offsets.range.upperBound]
    for save in saves { parts.append(save.range.lowerBound..<save.bodyList.range.upperBound) }
    for part in parts {
      for start in stride(from: part.lowerBound, to: part.upperBound, by: step) {
        let end = min(start + step, part.upperBound)
        try verifier?.verify(start..<end)
        progress(end)
      }
    }
    try checkBodies()
  }
}
