// The parts of an open archive. Nobody can copy one that changes (`~Copyable`), so its state has one owner.

/// The extent of an archive and its first save.
package struct ImageExtent {
  /// The number of bytes of the archive. The reader may have more, for an implied top level (Format §7).
  package internal(set) var storedByteCount: Int
  /// The end of the first save, where the others begin.
  package let firstEnd: Int
  /// The end of the bodies and the top level of the first save.
  let firstContentEnd: Int
  package let firstBodyCount: Int
  /// Whether the contents can be compared with checksums (Format §8.3).
  package let hasChecksums: Bool

  /// - Parameter first: The directory of the first save.
  init(_ flags: Header.Flags, _ storedByteCount: Int, firstEnd: Int, _ first: ArchiveDirectory) {
    (self.storedByteCount, self.firstEnd) = (storedByteCount, firstEnd)
    (firstContentEnd, firstBodyCount) = (first.topLevel.upperBound, first.bodyCount)
    hasChecksums = !flags.contains(.withoutChecksums)
  }
}

/// The entries of tables that are read when they are first needed.
struct FoundEntries: ~Copyable {
  var stringOffsets: [Int]?
  var strings: [String?] = []
  var conditionals: [UInt32] = []
  var areConditionalsRead = false

  mutating func forgetArchive() {
    if stringOffsets != nil { (stringOffsets, strings) = (nil, []) }
    if areConditionalsRead { (conditionals, areConditionalsRead) = ([], false) }
  }
}

/// Cached facts about bodies, and about the references and keys in them.
struct KnownBodies: ~Copyable {
  /// For each group of the offset table, the offsets of its bodies and the end of the last; empty if it was not read.
  /// Readers of graphs ask for bodies in any order, while the table has their lengths (Format §5.6).
  var groups: [[Int]]
  /// The offsets of the value references that were found, by number (Format §4.9), without those that a decoder finds.
  var valueReferences: [Int: Int] = [:]
  /// The hashes of keys of maps in the string table, by number.
  var stringHashes: [Int: UInt32] = [:]
  /// The number of bodies of the first save that are known to be replaced, and of their bytes.
  var replacedInFirst = (count: 0, byteCount: 0)

  init(count: Int) {
    groups = Array(repeating: [], count: max(1, OffsetTable.groupCount(count)))
  }

  /// The extent of the body `index` of `group`; `nil` if the group was not checked yet.
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
