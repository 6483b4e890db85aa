internal import Synchronization

/// Which parts of an archive are compared with their checksums.
///
/// ```swift
/// let unarchiver = try KeyedUnarchiver(forReadingFile: path, verification: .everything)
/// ```
///
/// An archive that was written ``ArchiveFormatting/withoutChecksums`` has none of its contents. It is read with
/// any of these, and there is nothing to compare.
public enum ArchiveVerification: Sendable {
  /// All of it, when it is opened.
  case everything
  /// Each part when it is first read.
  case onDemand
  /// Nothing. Damage then shows only where the structure of the archive is hurt.
  case disabled
}

/// An opened archive: its bytes, its tables, its bodies. It knows nothing of Swift types.
///
/// It remembers what it has read, and so belongs to one thread at a time; who shares it takes turns by
/// ``exclusively(_:)``.
package final class ArchiveImage {
  package let reader: ByteReader
  package let directory: ArchiveDirectory
  /// Whether the contents can be compared with checksums (Format §8.3).
  package let hasChecksums: Bool
  /// The names of the keys, by number.
  package let keys: [String]
  /// Where the keys of each shape begin in `shapeKeys`, and one entry more for the end of the last.
  private let shapeStarts: [UInt32]
  private let shapeKeys: [UInt32]
  package let classes: [ClassEntry]
  /// How much the archive may ask of the dynamic view; decoders have their own.
  package let limits: ArchiveLimits
  /// What the archive was made of, if that was another format.
  package let source: TranslatedArchive?
  /// Whether parts are still to be compared with their checksums when they are read.
  let verifiesParts: Bool
  @safe @exclusivity(unchecked)
  var verifier: BlockVerifier?
  @safe @exclusivity(unchecked)
  private var stringPlaces: [Int]?
  @safe @exclusivity(unchecked)
  private var strings: [String?] = []
  @safe @exclusivity(unchecked)
  private var conditionals: [UInt32]?
  @safe @exclusivity(unchecked)
  var bodyPlaces = BodyPlaces()
  /// The hashes of those strings of the string table that keys of maps are, by number.
  @safe @exclusivity(unchecked)
  var stringHashes: [Int: UInt32] = [:]
  let ownKeyHash = KeyHash()
  /// Where the value references stand that were met, by number (Format §4.9). Decoders have it in their table of objects.
  @safe @exclusivity(unchecked)
  var valueReferences: [Int: Int] = [:]
  private let turn = Mutex(())
  /// The groups of the offset table whose lengths were found to add up, a bit for each.
  @safe @exclusivity(unchecked)
  var soundGroups: [UInt64]

  package init(
    _ reader: ByteReader,
    verification: ArchiveVerification,
    source: TranslatedArchive? = nil,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    self.reader = reader
    self.limits = limits
    self.source = source
    let trailer = try Trailer(reader, Header.flags(reader))
    hasChecksums = trailer.hasBlockChecksums
    if verification != .disabled {
      var verifier = try BlockVerifier(reader, trailer)
      if verification == .everything {
        try verifier.verifyAll()
      } else {
        try verifier.verify(0..<Header.byteCount)
        try verifier.verify(trailer.directoryOffset..<trailer.checksumsOffset)
      }
      self.verifier = verifier
    }
    verifiesParts = verification == .onDemand
    directory = try ArchiveDirectory(reader, trailer)
    try verifier?.verify(directory.topLevel)
    try verifier?.verify(directory.keys.range.lowerBound..<directory.classes.range.upperBound)
    keys = try ArchiveImage.readKeys(reader, directory.keys)
    (shapeStarts, shapeKeys) = try ArchiveImage.readShapes(reader, directory.shapes, keyCount: keys.count)
    classes = try ArchiveImage.readClasses(reader, directory.classes)
    soundGroups = Array(repeating: 0, count: OffsetTable.groupCount(directory.bodyCount) / 64 + 1)
    if verification == .everything { try checkBodies() }
  }

  /// Runs `body` while no other thread does so. Only for images that are read by no decoder.
  func exclusively<Result: Sendable>(
    _ body: () throws(ArchiveError) -> Result
  ) throws(ArchiveError) -> Result {
    try turn.withLock { (_) throws(ArchiveError) in try body() }
  }

  // MARK: Tables

  private static func readKeys(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) -> [String] {
    var keys: [String] = []
    keys.reserveCapacity(table.count)
    var seen: Set<ExactString> = []
    var place = table.range.lowerBound
    for _ in 0..<table.count {
      let range = try stringRange(reader, at: &place)
      let key = try reader.string(range)
      guard seen.insert(ExactString(string: key)).inserted else {
        throw ArchiveError(.damaged, "The key table contains a key twice", byteOffset: range.lowerBound)
      }
      keys.append(key)
    }
    try checkEnd(place, table, "key")
    return keys
  }

  private static func readShapes(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table,
    keyCount: Int
  ) throws(ArchiveError) -> (starts: [UInt32], keys: [UInt32]) {
    var starts: [UInt32] = [0]
    var keys: [UInt32] = []
    starts.reserveCapacity(table.count + 1)
    // For each key the last shape that had it, to find a key that stands twice in one shape.
    var lastShape = [Int](repeating: -1, count: keyCount)
    var place = table.range.lowerBound
    for shape in 0..<table.count {
      let count = try reader.varint(at: &place)
      guard count <= table.range.upperBound - place else {
        throw ArchiveError(.damaged, "A shape has more keys than fit into its table", byteOffset: place)
      }
      for _ in 0..<count {
        let keyPlace = place
        let key = try reader.varint(at: &place)
        guard key < keyCount, lastShape[key] != shape else {
          throw ArchiveError(
            .damaged,
            "A shape contains a key twice, or the number of a key is out of range",
            byteOffset: keyPlace
          )
        }
        lastShape[key] = shape
        keys.append(UInt32(truncatingIfNeeded: key))
      }
      guard let end = UInt32(exactly: keys.count) else {
        throw ArchiveError(.limitExceeded, "The shapes have more keys than can be counted", byteOffset: place)
      }
      starts.append(end)
    }
    try checkEnd(place, table, "shape")
    return (starts, keys)
  }

  private static let mostSuperclasses = 128

  private static func readClasses(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) -> [ClassEntry] {
    var classes: [ClassEntry] = []
    /// How many superclasses each class has: whoever walks such a chain does so for each of very many objects.
    var chainLengths: [Int] = []
    var place = table.range.lowerBound
    for _ in 0..<table.count {
      let start = place
      let entry = try ClassEntry(reader, at: &place, after: classes)
      let length = entry.superclass.map { chainLengths[$0] + 1 } ?? 0
      guard length <= mostSuperclasses else {
        throw ArchiveError(
          .limitExceeded,
          "A class has more than \(mostSuperclasses) superclasses",
          byteOffset: start
        )
      }
      classes.append(entry)
      chainLengths.append(length)
    }
    try checkEnd(place, table, "class")
    return classes
  }

  private static func checkEnd(
    _ place: Int,
    _ table: ArchiveDirectory.Table,
    _ name: String
  ) throws(ArchiveError) {
    guard place == table.range.upperBound else {
      throw ArchiveError(.damaged, "The \(name) table does not fill the space that it has", byteOffset: place)
    }
  }

  /// The extent of a string that is written as a length and UTF-8; `place` moves behind it.
  private static func stringRange(_ reader: ByteReader, at place: inout Int) throws(ArchiveError) -> Range<
    Int
  > {
    let count = try reader.varint(at: &place)
    try reader.check(count, at: place)
    defer { place += count }
    return place..<(place + count)
  }

  /// The numbers of the keys of a shape; throws when there is no such shape.
  @inline(__always)
  package func shape(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    guard number < shapeStarts.count - 1 else {
      throw ArchiveError(.damaged, "The number of a shape is out of range", byteOffset: offset)
    }
    return Int(shapeStarts[number])..<Int(shapeStarts[number + 1])
  }

  /// The number of the key in `slot` of the range that ``shape(_:at:)`` returned.
  @inline(__always)
  package func shapeKey(_ slot: Int) -> Int { Int(shapeKeys[slot]) }

  /// The extent of the text of the string table under `number`, which need not be UTF-8.
  func stringRange(_ number: Int, at offset: Int) throws(ArchiveError) -> Range<Int> {
    var place = try stringPlace(number, at: offset)
    return try ArchiveImage.stringRange(reader, at: &place)
  }

  /// Where the string of the string table under `number` begins: its length.
  @inline(__always)
  private func stringPlace(_ number: Int, at offset: Int) throws(ArchiveError) -> Int {
    let places = if let stringPlaces { stringPlaces } else { try readStringPlaces() }
    guard number < places.count else {
      throw ArchiveError(.damaged, "A reference to a string is out of range", byteOffset: offset)
    }
    return places[number]
  }

  /// The string of the string table under `number`, built once and shared.
  package func string(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    // Nearly always it is there already: without a look at the places, whose array would have to be counted.
    if number < strings.count, let string = strings[number] { return string }
    var place = try stringPlace(number, at: offset)
    let string = try reader.string(ArchiveImage.stringRange(reader, at: &place))
    strings[number] = string
    return string
  }

  private func readStringPlaces() throws(ArchiveError) -> [Int] {
    try verifier?.verify(directory.strings.range)
    var places: [Int] = []
    places.reserveCapacity(directory.strings.count)
    var place = directory.strings.range.lowerBound
    for _ in 0..<directory.strings.count {
      places.append(place)
      _ = try ArchiveImage.stringRange(reader, at: &place)
    }
    try ArchiveImage.checkEnd(place, directory.strings, "string")
    stringPlaces = places
    strings = Array(repeating: nil, count: places.count)
    return places
  }

  /// The number of the body to which a conditional reference with the entry `index` leads; `nil` when the
  /// object was not archived. Throws when there is no such entry (Format §5.5).
  package func conditionalTarget(_ index: Int, at offset: Int) throws(ArchiveError) -> Int? {
    let targets = if let conditionals { conditionals } else { try readConditionals() }
    guard index >= 0, index < targets.count else {
      throw ArchiveError(
        .damaged,
        "A conditional reference is out of range",
        byteOffset: offset
      )
    }
    return targets[index] == 0 ? nil : Int(targets[index])
  }

  private func readConditionals() throws(ArchiveError) -> [UInt32] {
    try verifier?.verify(directory.conditionals.range)
    var targets: [UInt32] = []
    targets.reserveCapacity(directory.conditionals.count)
    var place = directory.conditionals.range.lowerBound
    for _ in 0..<directory.conditionals.count {
      let entryPlace = place
      let number = try reader.varint(at: &place)
      guard number <= directory.bodyCount, let target = UInt32(exactly: number) else {
        throw ArchiveError(
          .damaged,
          "An object in the conditional table is out of range",
          byteOffset: entryPlace
        )
      }
      targets.append(target)
    }
    try ArchiveImage.checkEnd(place, directory.conditionals, "conditional")
    conditionals = targets
    return targets
  }

  /// Reads those tables whole that otherwise are read when they are first needed.
  package func checkTables() throws(ArchiveError) {
    if stringPlaces == nil { _ = try readStringPlaces() }
    if conditionals == nil { _ = try readConditionals() }
  }

  // MARK: Types

  /// Reads the class number at the start of a body (Format §4.1): `nil` for the body of a value.
  package func classNumber(at offset: inout Int) throws(ArchiveError) -> Int? {
    let place = offset
    let number = try reader.varint(at: &offset)
    guard number <= classes.count else {
      throw ArchiveError(.damaged, "The number of a class is out of range", byteOffset: place)
    }
    guard number > 0 else { return nil }
    guard !classes[number - 1].isValueType else {
      throw ArchiveError(.damaged, "The type of an object is a structure or enumeration", byteOffset: place)
    }
    return number - 1
  }

  /// Reads the number behind the tag of a typed value, of which `offset` is the place and moves to the value
  /// itself: that of an entry of the class table (Format §4.10).
  package func valueTypeNumber(at offset: inout Int) throws(ArchiveError) -> Int {
    let place = offset
    offset += 1
    let number = try reader.varint(at: &offset)
    guard number < classes.count, classes[number].isValueType else {
      throw ArchiveError(
        .damaged,
        "A typed value refers to no value type of the class table",
        byteOffset: place
      )
    }
    return number
  }
}
