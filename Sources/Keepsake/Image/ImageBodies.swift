/// Where the bodies are (Format §5.6).
extension ArchiveImage {
  /// The extent of body `number`, from 1 on, verified; throws when there is no such body (Format §5.6).
  package func body(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    let range = try extent(ofBody: number, at: offset)
    try verifier?.verify(range)
    return range
  }

  /// The extent of body `number`, from 1 on, of which nothing is read; throws when there is no such body.
  package func extent(ofBody number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    guard number >= 1, number <= directory.bodyCount else {
      throw .damaged("A reference to an object is out of range", at: offset)
    }
    if let saved {
      if let range = saved.body(number) { return range }
      guard number <= extent.firstBodyCount else {
        throw .damaged("No save has the body of an object", at: offset)
      }
    }
    return try extentInFirst(ofBody: number)
  }

  /// The extent of body `number` of the first save, which has so many.
  @inline(__always)
  func extentInFirst(ofBody number: Int) throws(ArchiveError) -> Range<Int> {
    let (group, index) = ((number &- 1) / OffsetTable.groupSize, (number &- 1) % OffsetTable.groupSize)
    if let range = knownBodies.range(group, index) { return range }
    return try findExtent(group, index)
  }

  /// The extent of a body of a group that was not looked at.
  @inline(never)
  private func findExtent(_ group: Int, _ index: Int) throws(ArchiveError) -> Range<Int> {
    try checkGroup(group)
    guard let range = knownBodies.range(group, index) else { throw outsideBodies(group) }
    return range
  }

  /// Looks at the whole offset table. Otherwise each group is checked when one of its bodies is requested.
  func checkBodies() throws(ArchiveError) {
    for group in 0..<directory.offsets.count { try checkGroup(group) }
  }

  /// Makes sure that the bodies of a group have bytes, and stand one behind the other up to the next group, or up to the
  /// top level. So no two bodies of such groups, if they follow each other, have a byte in common.
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
    var (offsets, end): ([Int], Int) = ([], head.start)
    // The memory may be there, of another archive.
    swap(&offsets, &knownBodies.groups[number])
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

  /// What the head of a group tells: where the first body begins, and where the lengths of the bodies stand, of which each
  /// takes `width` bytes.
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

  /// Where the head of a group stands, or where its lengths do, if it is the only one and needs no head.
  private func offset(ofGroup number: Int) -> Int {
    let start = directory.offsets.range.lowerBound
    return directory.lengthWidth == nil ? start + number * OffsetTable.groupByteCount : start
  }

  @inline(never)
  private func outsideBodies(_ group: Int) -> ArchiveError {
    ArchiveError.damaged("The offset of a body is out of range", at: offset(ofGroup: group))
  }

  /// The number of the body that holds the byte at `offset`, or `nil` when that is not in a numbered body.
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

/// What a body must be (Format §4.1, §4.9; §10, rules 10, 19, 20, 25), for all that read one.
extension ArchiveImage {
  /// The class and the body of the object `number`, to which `reference` leads, and where in it the content begins.
  package func objectBody(
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

  /// Where the value of the top level begins, which fills its body and is no object.
  package var topLevelContent: Int {
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

  /// Where the value of the key "root" is, if the top level is no object and has that key alone.
  var rootOffset: Int? {
    let start = directory.topLevel.lowerBound
    guard (try? reader.word(at: start)) == ShortForm.topLevelWord else { return nil }
    return start + 8
  }

  /// Where the value of the top level begins, which is no object. It is not walked.
  package var topLevelStart: Int {
    get throws(ArchiveError) {
      if rootOffset != nil { return directory.topLevel.lowerBound + 1 }
      var cursor = directory.topLevel.lowerBound
      guard try classNumber(at: &cursor) == nil else {
        throw .damaged("The top level of the archive is an object", at: directory.topLevel.lowerBound)
      }
      return cursor
    }
  }

  /// Walks the value that begins at `content`, and throws unless it fills the rest of `body`. So all counts and shapes in it
  /// are true, and nobody can have it walked on into other bodies, each time from another place.
  @inline(__always)
  package func checkExtent(_ content: Int, fills body: Range<Int>) throws(ArchiveError) {
    try ArchiveImage.checkEnd(
      try end(ofValueAt: content, in: reader.limitedForNow(to: body.upperBound)),
      of: body
    )
  }

  /// Throws unless the value of `body`, which ends at `end`, fills it.
  @inline(__always)
  package static func checkEnd(_ end: Int, of body: Range<Int>) throws(ArchiveError) {
    guard end == body.upperBound else { throw doesNotFill(body, end) }
  }

  @inline(never)
  private static func doesNotFill(_ body: Range<Int>, _ end: Int) -> ArchiveError {
    end > body.upperBound
      ? ArchiveError.damaged("A value extends past the end of its body", at: body.upperBound)
      : ArchiveError.damaged("There are unused bytes after the value of a body", at: end)
  }

  /// The error for a value reference at `offset` to a body that has a class, or another reference to one that has none.
  @inline(never)
  package func leadsToOtherKind(isToValue: Bool, _ offset: Int) -> ArchiveError {
    ArchiveError.damaged(
      isToValue ? "A reference to a value leads to an object" : "A reference to an object leads to a value",
      at: offset
    )
  }

  /// Throws unless the value reference at `offset` is the only one with its number; `first` is where one was met before.
  package func checkReference(isOnlyOne first: Int?, at offset: Int) throws(ArchiveError) {
    guard first ?? offset == offset else {
      throw .damaged("Two keys of the top level refer to the same value", at: offset)
    }
  }
}

/// What is read of bodies bit by bit, and not a body at a time.
extension ArchiveImage {
  /// Compares the blocks that hold `range` with their checksums before something in it is read, if the archive was
  /// opened so that this is to be done. What lies outside of the bodies is left out.
  @inline(__always)
  func touch(_ range: Range<Int>) throws(ArchiveError) {
    // Not by the verifier, which another thread may be changing.
    if extent.hasChecksums { try compare(range) }
  }

  private func compare(_ range: Range<Int>) throws(ArchiveError) {
    let end =
      range.lowerBound < extent.firstEnd ? min(range.upperBound, extent.firstContentEnd) : range.upperBound
    guard range.lowerBound < end else { return }
    try exclusively { () throws(ArchiveError) in try verifier?.verify(range.lowerBound..<end) }
  }

  /// Compares all of the archive that was not compared yet with its checksums, and looks at the offset table. Now and then
  /// it tells `progress` how many bytes were compared.
  package func verifyContents(progress: (Int) -> Void = { _ in }) throws(ArchiveError) {
    let step = 64 * Blocks.byteCount
    var parts = [0..<directory.offsets.range.upperBound]
    for save in saved?.saves ?? [] { parts.append(save.range.lowerBound..<save.bodyList.range.upperBound) }
    for part in parts {
      for start in stride(from: part.lowerBound, to: part.upperBound, by: step) {
        try verifier?.verify(start..<min(start + step, part.upperBound))
        progress(start)
      }
    }
    try checkBodies()
  }
}
