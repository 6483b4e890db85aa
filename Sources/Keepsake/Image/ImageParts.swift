// The parts of an opened archive.

/// How far an archive and its first save reach.
package struct ImageExtent {
  /// How many bytes the archive has. The reader may have more, of a top level that is implied (Format §7).
  package let storedByteCount: Int
  /// Where the first save ends; what is behind it are saves.
  package let firstEnd: Int
  /// Where the bodies and the top level of the first save end.
  let firstContentEnd: Int
  package let firstBodyCount: Int
  /// Whether the contents can be compared with checksums (Format §8.3).
  package let hasChecksums: Bool

  /// - Parameter first: the directory of the first save.
  init(_ flags: Header.Flags, _ storedByteCount: Int, firstEnd: Int, _ first: ArchiveDirectory) {
    (self.storedByteCount, self.firstEnd) = (storedByteCount, firstEnd)
    (firstContentEnd, firstBodyCount) = (first.topLevel.upperBound, first.bodyCount)
    hasChecksums = !flags.contains(.withoutChecksums)
  }
}

/// The keys, shapes and classes. Their arrays stand here once more, as decoders look at them all the time.
struct OpenTables {
  let all: ArchiveTables
  let keys: [String]
  let shapeStarts: [UInt32]
  let shapeKeys: [UInt32]
  let classes: [ClassEntry]

  init(_ all: ArchiveTables) {
    self.all = all
    (keys, classes) = (all.keys, all.classes)
    (shapeStarts, shapeKeys) = (all.shapeStarts, all.shapeKeys)
  }
}

/// The entries of tables that are read when they are first needed.
struct FoundEntries {
  var stringOffsets: [Int]?
  var strings: [String?] = []
  var conditionals: [UInt32] = []
  var areConditionalsRead = false

  mutating func forgetArchive() {
    if stringOffsets != nil { (stringOffsets, strings) = (nil, []) }
    if areConditionalsRead { (conditionals, areConditionalsRead) = ([], false) }
  }
}

/// What is known of bodies, and of the references and keys in them.
struct KnownBodies {
  /// For each group of the offset table where its bodies begin, and where the last one ends; empty if it was not looked at.
  /// Whoever reads a graph asks for bodies in any order, while the table has their lengths (Format §5.6).
  var groups: [[Int]]
  /// The offsets of the value references that were met, by number (Format §4.9); not those that a decoder meets.
  var valueReferences: [Int: Int] = [:]
  /// By which hashes keys of maps are compared, and those of strings of the string table, by number.
  let keyHash = KeyHash()
  var stringHashes: [Int: UInt32] = [:]

  init(count: Int) {
    groups = Array(repeating: [], count: max(1, OffsetTable.groupCount(count)))
  }

  /// Where the body `index` of `group` is; `nil` if the group was not looked at.
  @inline(__always)
  func range(_ group: Int, _ index: Int) -> Range<Int>? {
    guard index &+ 1 < groups[group].count else { return nil }
    return groups[group][index]..<groups[group][index &+ 1]
  }

  mutating func forgetArchive() {
    if !stringHashes.isEmpty { stringHashes = [:] }
    if !valueReferences.isEmpty { valueReferences = [:] }
  }
}
