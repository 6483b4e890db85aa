import Testing

@testable import Keepsake

/// The numbers of classes for an image that opens one archive after another.
@Suite struct KnownClassesTests {
  /// Reads class tables with these entries, each from a separate archive, and returns the numbers in each archive.
  private func read(_ tables: [[ClassEntry]], _ classes: inout KnownClasses) throws -> [[Int]] {
    try tables.map { entries in
      let buffer = ByteBuffer()
      for entry in entries { entry.write(to: buffer) }
      let table = ArchiveDirectory.Table(count: entries.count, range: 0..<buffer.count)
      try classes.read(buffer.reader(), table)
      let numbers = classes.numbers
      classes.beginArchive()
      return numbers
    }
  }

  @Test("a class keeps its number, which is also used for superclasses") func numbers() throws {
    var classes = KnownClasses()
    let (a, b) = (ClassEntry(name: "A"), ClassEntry(name: "B"))
    let ofFirst = ClassEntry(name: "C", superclass: 0)
    #expect(
      try read([[a, ofFirst], [b, a], [b, ofFirst], [a, ofFirst]], &classes)
        == [[0, 1], [2, 0], [2, 3], [0, 1]]
    )
    #expect(classes.entries.map(\.superclass) == [nil, 0, nil, 2])
  }

  @Test("names and keys that differ only in bytes belong to different classes") func spellings()
    throws
  {
    var classes = KnownClasses()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let entries = [
      ClassEntry(name: composed), ClassEntry(name: decomposed),
      ClassEntry(name: "A", keysReadLast: [composed]), ClassEntry(name: "A", keysReadLast: [decomposed]),
    ]
    #expect(
      try read(entries.map { [$0] } + entries.map { [$0] }, &classes)
        == [0, 1, 2, 3, 0, 1, 2, 3].map { [$0] }
    )
  }
}
