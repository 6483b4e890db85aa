/// The classes of an archive (Format §5.3), and those of archives that the same image has opened before.
///
/// A class has the same number in every archive that the image opens, so that what decoders know of it remains true.
struct KnownClasses {
  /// All known classes, by these numbers, which are also those of their superclasses.
  private(set) var entries: [ClassEntry] = []
  /// The numbers of the classes of the archive, by their numbers there.
  private(set) var numbers: [Int] = []
  /// Whether there was an archive before this one.
  private var isShared = false

  private static let mostSuperclasses = 128

  /// The known classes that are in the archive.
  var inArchive: some Sequence<ClassEntry> { numbers.lazy.map { entries[$0] } }

  /// Makes `numbers`, which were ``numbers`` before, those of the archive.
  mutating func beginArchive(with numbers: [Int] = []) {
    isShared = true
    self.numbers = numbers
  }

  /// Reads the class table of the archive.
  mutating func read(_ reader: ByteReader, _ table: ArchiveDirectory.Table) throws(ArchiveError) {
    let classes = try KnownClasses.classes(reader, table)
    guard isShared else { return (entries, numbers) = (classes, Array(classes.indices)) }
    for var entry in classes {
      entry.superclass = entry.superclass.map { numbers[$0] }
      let known = entries.firstIndex { $0.isWritten(as: entry) }
      numbers.append(known ?? entries.count)
      if known == nil { entries.append(entry) }
    }
  }

  private static func classes(
    _ reader: ByteReader,
    _ table: ArchiveDirectory.Table
  ) throws(ArchiveError) -> [ClassEntry] {
    var classes: [ClassEntry] = []
    /// The number of superclasses of each class. A reader may walk that chain for each of very many objects.
    var chainLengths: [Int] = []
    try table.forEachEntry(of: "class") { (cursor) throws(ArchiveError) in
      let start = cursor
      let entry = try ClassEntry(reader, at: &cursor, after: classes)
      let length = entry.superclass.map { chainLengths[$0] + 1 } ?? 0
      guard length <= mostSuperclasses else {
        throw .limitExceeded("A class has more than \(mostSuperclasses) superclasses", at: start)
      }
      classes.append(entry)
      chainLengths.append(length)
    }
    return classes
  }
}
