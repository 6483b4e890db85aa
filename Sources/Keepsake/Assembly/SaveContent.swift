/// The content of a save before it is known what is new: the bodies of all objects, with their numbers in the file, and
/// the tables.
struct SaveContent {
  let topLevel: ByteBuffer
  /// The bodies, one after another, behind a header.
  let bodies: ByteBuffer
  let lengths: [Int]
  /// The number of each body in the file.
  let numbers: [UInt32]
  /// How many bodies the file has with this save.
  let bodyCount: Int
  let shapes: ShapeTrie
  let keyNames: [String]
  let classes: [ClassEntry]
  let strings: StringSharing
  /// For each entry of the conditional table the number of the body, or 0.
  var conditionals: [Int]

  /// How many bytes the bodies and the top level have.
  var byteCount: Int { bodies.count - Header.byteCount + topLevel.count }

  /// Whether bodies are left out, so that the file keeps its own.
  var leavesOutBodies: Bool { lengths.contains(0) }

  /// The indexes in the session of the bodies that are not left out, by their numbers in the file.
  var written: [Int: Int] {
    var written: [Int: Int] = [:]
    for index in numbers.indices.reversed() where lengths[index] > 0 {
      written[Int(numbers[index])] = index + 1
    }
    return written
  }
}

/// What must be known about the tables of the file to which a save is added, to find what is new.
struct TablesBefore {
  let keyCount: Int
  let shapeCount: Int
  let classes: [ClassEntry]
  let stringCount: Int
  let conditionals: [Int]
}

/// Assembles a save that is appended to a file (Format §13).
struct SaveAssembly {
  let content: SaveContent
  let before: TablesBefore
  /// The bodies that are new or different, by number, with their ranges in the content.
  let changed: [(number: UInt32, range: Range<Int>)]

  /// The bytes of the save.
  ///
  /// - Parameters:
  ///   - start: the offset of the save in the file.
  ///   - checksumBefore: the checksum in the trailer of the previous save.
  func bytes(
    number: Int,
    date: Double?,
    start: Int,
    checksumBefore: UInt64,
    _ flags: Header.Flags
  ) -> ByteBuffer {
    let buffer = ByteBuffer(minimumCapacity: 512)
    let sorted = changed.ordered { $0.number < $1.number }
    for body in sorted { buffer.append(content.bodies, body.range) }
    let bodiesEnd = buffer.count
    buffer.append(content.topLevel)
    let tablesStart = buffer.count
    var directory = [number, content.bodyCount, bodiesEnd, tablesStart - bodiesEnd]
    for table in [writeKeys, writeShapes, writeClasses, writeStrings, writeConditionals] {
      let tableStart = buffer.count
      directory += [table(buffer), buffer.count - tableStart]
    }
    let listStart = buffer.count
    var last = 0
    for body in sorted {
      buffer.append(varint: Int(body.number) - last - 1)
      buffer.append(varint: body.range.count)
      last = Int(body.number)
    }
    directory += [sorted.count, buffer.count - listStart]
    let directoryOffset = buffer.count
    for number in directory { buffer.append(varint: number) }
    buffer.append(date == nil ? 0 : 1)
    if let date { buffer.append(word: date.bitPattern) }
    SaveTrailer.write(
      to: buffer,
      start: start,
      directory: directoryOffset,
      checksumBefore: checksumBefore,
      flags
    )
    return buffer
  }

  // MARK: Tables

  /// The numbers of the shapes that the file does not have.
  private var newShapes: Range<Int> { before.shapeCount..<max(before.shapeCount, content.shapes.count) }

  /// The keys of new shapes that the file does not have, in the order of the shapes.
  private var newKeys: [Int] {
    var seen: Set<Int> = []
    return newShapes.flatMap { content.shapes.keys(ofShape: $0) }
      .filter { $0 >= before.keyCount && seen.insert($0).inserted }
  }

  private func writeKeys(_ buffer: ByteBuffer) -> Int {
    let keys = newKeys
    for key in keys { buffer.append(text: content.keyNames[key]) }
    return keys.count
  }

  private func writeShapes(_ buffer: ByteBuffer) -> Int {
    let numbers = zip(newKeys, before.keyCount...).reduce(into: [:]) { $0[$1.0] = $1.1 }
    for number in newShapes {
      let keys = content.shapes.keys(ofShape: number)
      buffer.append(varint: keys.count)
      for key in keys { buffer.append(varint: numbers[key] ?? key) }
    }
    return newShapes.count
  }

  private func writeClasses(_ buffer: ByteBuffer) -> Int {
    guard content.classes != before.classes else { return 0 }
    for entry in content.classes { entry.write(to: buffer) }
    return content.classes.count
  }

  private func writeStrings(_ buffer: ByteBuffer) -> Int {
    for number in before.stringCount..<content.strings.count { content.strings.write(number, to: buffer) }
    return content.strings.count - before.stringCount
  }

  /// Writes the conditional references that are new or have changed, and returns their number.
  private func writeConditionals(_ buffer: ByteBuffer) -> Int {
    var (count, next) = (0, 0)
    for (index, target) in content.conditionals.enumerated()
    where index >= before.conditionals.count || before.conditionals[index] != target {
      buffer.append(varint: index - next)
      buffer.append(varint: target)
      next = index + 1
      count += 1
    }
    return count
  }

  /// The approximate number of bytes of the save, without the tables, which are mostly small.
  var changedByteCount: Int { changed.reduce(content.topLevel.count) { $0 + $1.range.count } }

  /// Whether there is nothing to save. New shapes and strings are needed only by changed bodies.
  func isEmpty(topLevelIsSame: Bool) -> Bool {
    topLevelIsSame && changed.isEmpty && content.classes == before.classes
      && content.conditionals == before.conditionals
  }
}
