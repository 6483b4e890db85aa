internal import Synchronization

/// The parts of an archive that a reader compares with their checksums.
///
/// ```swift
/// let unarchiver = try KeyedUnarchiver(forReadingFile: path, verification: .everything)
/// ```
///
/// An archive that was written with ``ArchiveFormatting/withoutChecksums`` has no checksums of its contents to compare,
/// whatever you choose here.
public enum ArchiveVerification: Sendable {
  /// All parts, when the archive is opened.
  case everything
  /// Each part when it is first read.
  case onDemand
  /// Nothing. The reader then finds only damage that breaks the structure of the archive.
  case disabled
}

/// An open archive: its bytes, its tables, its bodies. It knows nothing of Swift types. It remembers what it has read,
/// so it belongs to one thread at a time. Code that shares it takes turns by ``exclusively(_:)``.
package final class ArchiveImage {
  @safe @exclusivity(unchecked) package private(set) var reader: ByteReader
  @safe @exclusivity(unchecked) package private(set) var extent: ImageExtent
  /// The directory, with the top level and the number of bodies of the newest save.
  @safe @exclusivity(unchecked) package private(set) var directory: ArchiveDirectory
  /// The saves after the first, if there are any (Format §13).
  let saved: SavedParts?
  /// The directories of these saves, the oldest first.
  package var saves: [SaveDirectory] { saved?.saves ?? [] }
  @safe @exclusivity(unchecked) private(set) var tables: ArchiveTables
  /// The limits for the dynamic view and for documents. Other decoders have their own.
  @safe @exclusivity(unchecked) package private(set) var limits: ArchiveLimits
  /// The original, if the archive was translated from another format.
  package let source: TranslatedArchive?
  /// Compares bytes with their checksums before they are read; `nil` if nothing is left to compare.
  @safe @exclusivity(unchecked) var verifier: BlockVerifier?
  @safe @exclusivity(unchecked) private var found = FoundEntries()
  @safe @exclusivity(unchecked) var knownBodies: KnownBodies
  private let turn = Mutex(())
  /// A copy of the bytes, once the image was opened again.
  @safe @exclusivity(unchecked) private var copy: ByteBuffer?

  package init(
    _ reader: ByteReader,
    verification: ArchiveVerification,
    source: TranslatedArchive? = nil,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    self.limits = limits
    self.source = source
    let flags = try Header.flags(reader)
    if flags.contains(.short) {
      let bytes = ByteBuffer(minimumCapacity: reader.count + ShortForm.impliedByteCount)
      try reader.withBytes(0..<reader.count) { bytes.append($0) }
      directory = try ShortForm.open(bytes, flags, comparesChecksum: verification != .disabled)
      self.reader = bytes.reader()
      saved = nil
      extent = ImageExtent(flags, reader.count, firstEnd: reader.count, directory)
    } else {
      let reader = reader.limited(to: try SaveSearch.end(reader, flags))
      self.reader = reader
      let (trailers, firstEnd) = try SavedParts.trailers(reader, flags)
      let first = reader.limited(to: firstEnd)
      let trailer = try Trailer(first, flags)
      var verifier = verification == .disabled ? nil : try BlockVerifier(first, trailer)
      verifier?.add(trailers, reader)
      if verification == .everything {
        try verifier?.verifyAll()
      } else {
        try verifier?.verify(0..<Header.byteCount)
        try verifier?.verify(trailer.directoryOffset..<trailer.checksumsOffset)
      }
      let directory = try ArchiveDirectory(first, trailer)
      extent = ImageExtent(flags, reader.count, firstEnd: firstEnd, directory)
      try verifier?.verify(directory.topLevel)
      try verifier?.verify(ArchiveTables.range(in: directory))
      var saved = trailers.isEmpty ? nil : SavedParts(after: directory)
      try saved?.add(trailers, reader, &verifier)
      self.saved = saved
      self.directory = directory.of(saved?.saves.last)
      self.verifier = verification == .onDemand ? verifier : nil
    }
    tables = try ArchiveTables(self.reader, directory, saved?.saves ?? [])
    knownBodies = KnownBodies(count: extent.firstBodyCount)
    if verification == .everything { try checkBodies() }
  }

  /// The image of an archive to which saves were added since `before` was opened. Reads only these saves.
  ///
  /// - Parameter reader: the file up to the end of the newest save. It begins with the bytes of `before`.
  package init(_ before: ArchiveImage, andSavesIn reader: ByteReader) throws(ArchiveError) {
    (source, limits) = (nil, before.limits)
    guard reader.count <= limits.maximumByteCount else { throw limits.tooManyBytes(reader.count) }
    let (flags, known) = (try Header.flags(reader), before.extent.storedByteCount)
    let (trailers, _) = try SavedParts.trailers(reader, flags, after: known)
    verifier = before.verifier
    verifier?.add(trailers, reader)
    var saved = before.saved ?? SavedParts(after: before.directory)
    try saved.add(trailers, reader, &verifier)
    let directory = before.directory.of(saved.saves.last)
    let areTablesSame = saved.saves.suffix(trailers.count).allSatisfy(\.hasNoTypes)
    tables = areTablesSame ? before.tables : try ArchiveTables(reader, directory, saved.saves)
    (self.reader, self.saved, self.directory) = (reader, saved, directory)
    extent = before.extent
    extent.storedByteCount = reader.count
    knownBodies = KnownBodies(count: extent.firstBodyCount)
    knownBodies.replacedInFirst = before.knownBodies.replacedInFirst
  }

  /// The result of `step`, which runs while no other thread's does. Only for images that no decoder reads.
  func exclusively<Result: Sendable>(
    _ step: @autoclosure () throws(ArchiveError) -> Result
  ) throws(ArchiveError) -> Result {
    try turn.withLock { (_) throws(ArchiveError) in try step() }
  }

  /// Releases the archive and keeps only its tables.
  func forgetBytes() {
    // If the image has a copy, the next archive overwrites it.
    if copy == nil { reader = ByteBuffer(minimumCapacity: 0).reader() }
    if verifier != nil { verifier = nil }
    found.forgetArchive()
    knownBodies.forgetArchive()
  }

  /// Makes this the image of another archive in the short form, after ``forgetBytes()``, and copies that. `found` has
  /// its parts.
  func reopen(
    _ archive: ByteReader,
    _ flags: Header.Flags,
    _ found: ArchiveDirectory,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits
  ) throws(ArchiveError) {
    let bytes = if let copy { copy } else { ByteBuffer() }
    copy = bytes
    bytes.truncate(to: 0)
    try archive.withBytes(0..<archive.count) { bytes.append($0) }
    // Even after an error, as the bytes may have moved.
    defer { reader = bytes.reader() }
    directory = try ShortForm.open(bytes, flags, found, comparesChecksum: verification != .disabled)
    self.limits = limits
    extent = ImageExtent(flags, archive.count, firstEnd: archive.count, directory)
    try tables.read(bytes.reader(), anotherWith: directory)
    // Resets the one group of a short archive, and keeps the memory.
    knownBodies.groups[0].removeAll(keepingCapacity: true)
  }

  // MARK: Tables

  package var keys: [String] { tables.keys.names }
  package var classes: [ClassEntry] { tables.classes.entries }

  /// The numbers of the keys of a shape; throws if there is no such shape.
  @inline(__always)
  package func shape(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    guard number < shapeCount else {
      throw .damaged("The number of a shape is out of range", at: offset)
    }
    return tables.shapes.slots(number)
  }

  var shapeCount: Int { tables.shapes.inArchive.count }

  /// The number of the key in `slot` of the range that ``shape(_:at:)`` returned.
  @inline(__always)
  package func shapeKey(_ slot: Int) -> Int { Int(tables.shapes.keys[slot]) }

  /// The range of the text with the number `number` in the string table, which need not be UTF-8.
  func stringRange(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    var cursor = try stringOffset(number, at: offset)
    return try reader.countedRange(at: &cursor)
  }

  /// The offset of the string with the number `number` in the string table, where its length is.
  @inline(__always)
  private func stringOffset(_ number: Int, at offset: Int) throws(ArchiveError) -> Int {
    let offsets = if let known = found.stringOffsets { known } else { try readStringOffsets() }
    guard number < offsets.count else {
      throw .damaged("A reference to a string is out of range", at: offset)
    }
    return offsets[number]
  }

  /// The string with the number `number` in the string table, made once and shared.
  package func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    // Nearly always the string is there already. Then nothing retains the array of offsets.
    if number < found.strings.count, let string = found.strings[number] { return string }
    var cursor = try stringOffset(number, at: offset)
    let string = try reader.string(reader.countedRange(at: &cursor))
    found.strings[number] = string
    return string
  }

  private func readStringOffsets() throws(ArchiveError) -> [Int] {
    var offsets: [Int] = []
    offsets.reserveCapacity(directory.strings.count)
    for table in [directory.strings] + saves.map(\.strings) {
      try verifier?.verify(table.range)
      try table.forEachEntry(of: "string") { (cursor) throws(ArchiveError) in
        offsets.append(cursor)
        _ = try reader.countedRange(at: &cursor)
      }
    }
    found.stringOffsets = offsets
    found.strings = Array(repeating: nil, count: offsets.count)
    return offsets
  }

  /// The body to which entry `index` of the conditional table leads, or `nil` if it was not archived (Format §5.5).
  package func conditionalTarget(_ index: Int, at offset: Int) throws(ArchiveError) -> Int? {
    if !found.areConditionalsRead { try readConditionals() }
    guard index >= 0, index < found.conditionals.count else {
      throw .damaged("A conditional reference is out of range", at: offset)
    }
    return found.conditionals[index] == 0 ? nil : Int(found.conditionals[index])
  }

  private func readConditionals() throws(ArchiveError) {
    try verifier?.verify(directory.conditionals.range)
    var targets: [UInt32] = []
    targets.reserveCapacity(directory.conditionals.count)
    for (save, table) in ([directory.conditionals] + saves.map(\.conditionals)).enumerated() {
      var index = 0
      try table.forEachEntry(of: "conditional") { (cursor) throws(ArchiveError) in
        let entryOffset = cursor
        // A later save changes and adds entries (Format §13.1).
        let passed = save > 0 ? try reader.varint(at: &cursor) : 0
        guard passed <= targets.count - index else {
          throw .damaged(
            "A save changes an entry of the conditional table that does not exist",
            at: entryOffset
          )
        }
        let targetOffset = cursor
        let number = try reader.varint(at: &cursor)
        guard number <= directory.bodyCount, let target = UInt32(exactly: number) else {
          throw .damaged("An object in the conditional table is out of range", at: targetOffset)
        }
        index += passed
        if index < targets.count { targets[index] = target } else { targets.append(target) }
        index += 1
      }
    }
    found.conditionals = targets
    found.areConditionalsRead = true
  }

  package var hasConditionals: Bool {
    directory.conditionals.count > 0 || saves.contains { $0.conditionals.count > 0 }
  }

  /// The number of the body, or 0, for each entry of the conditional table, including those of all saves.
  package var conditionals: [UInt32] {
    get throws(ArchiveError) {
      if !found.areConditionalsRead { try readConditionals() }
      return found.conditionals
    }
  }

  /// The number of entries in the string table, including those of all saves.
  package var stringCount: Int {
    saves.reduce(directory.strings.count) { $0 + $1.strings.count }
  }

  /// Reads all of the tables that are otherwise read when they are first needed.
  package func checkTables() throws(ArchiveError) {
    if found.stringOffsets == nil { _ = try readStringOffsets() }
    if !found.areConditionalsRead { try readConditionals() }
  }

  // MARK: Types

  /// Reads the class number at the start of a body (Format §4.1), and returns that of the known class; `nil` for the body
  /// of a value.
  package func classNumber(at offset: inout Int) throws(ArchiveError) -> Int? {
    let cursor = offset
    let number = try reader.varint(at: &offset)
    guard number <= tables.classes.numbers.count else {
      throw .damaged("The number of a class is out of range", at: cursor)
    }
    guard number > 0 else { return nil }
    let known = tables.classes.numbers[number - 1]
    guard !tables.classes.entries[known].isValueType else {
      throw .damaged("The type of an object is a structure or enumeration", at: cursor)
    }
    return known
  }

  /// Reads the number of the type after the tag at `offset`, which moves to the value itself (Format §4.10), and returns
  /// that of the known type.
  package func valueTypeNumber(at offset: inout Int) throws(ArchiveError) -> Int {
    let cursor = offset
    offset += 1
    let number = try reader.varint(at: &offset)
    guard number < tables.classes.numbers.count,
      tables.classes.entries[tables.classes.numbers[number]].isValueType
    else {
      throw .damaged("A typed value refers to no value type of the class table", at: cursor)
    }
    return tables.classes.numbers[number]
  }
}
