import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Truncated, changed and handmade files of documents.
@Suite struct DocumentDamage {
  /// A document of four saves, with the end and the title of each.
  private struct Sample {
    let data: Data
    let ends: [Int]
    let titles: [String]
  }

  private static func sample() throws -> Sample {
    let folder = try TemporaryFolder()
    let document = try ArchiveDocument(creating: folder("notes"), root: Notebook(pageCount: 70))
    for number in 2...4 {
      document.root.title = "Notebook \(number)"
      document.root.pages.append(Drawing("drawing \(number)", [1]))
      document.root.pages[number].back = document.root.pages[5]
      try document.save()
    }
    var ends: [Int] = []
    for save in document.saves { ends.append((ends.last ?? 0) + save.byteCount) }
    return Sample(
      data: try folder.read("notes"),
      ends: ends,
      titles: ["Notebook", "Notebook 2", "Notebook 3", "Notebook 4"]
    )
  }

  /// The title of the notebook in `data`, or `nil` if `data` is refused.
  private func title(_ data: Data, _ change: @autoclosure () -> String) -> String? {
    do {
      return try KeyedUnarchiver.unarchive(Notebook.self, from: data).title
    } catch {
      if archiveErrorCode(error) == nil { Issue.record("another error for \(change()): \(error)") }
      return nil
    }
  }

  @Test("a file that is cut off anywhere opens at its newest complete save, or is refused without one")
  func truncated() throws {
    let sample = try Self.sample()
    for count in 0..<sample.data.count {
      let whole = sample.ends.lastIndex { $0 <= count }
      let expected = whole.map { sample.titles[$0] }
      #expect(title(sample.data.prefix(count), "\(count) bytes") == expected, "\(count) bytes")
    }
  }

  @Test("readers ignore what an interrupted save left, and the next save removes it")
  func leftovers() throws {
    let sample = try Self.sample()
    let folder = try TemporaryFolder()
    let torn = sample.data.prefix(sample.ends[3] - 20)
    for tail in [Data([1]), Data(count: 200_000), torn.suffix(torn.count - sample.ends[2])] {
      try folder.write(sample.data.prefix(sample.ends[2]) + tail, "notes")
      #expect(title(try folder.read("notes"), "a tail") == "Notebook 3")
      #expect(try KeyedUnarchiver.unarchive(Notebook.self, fromFile: folder("notes")).title == "Notebook 3")
      let document = try ArchiveDocument<Notebook>(opening: folder("notes"))
      #expect(document.saves.count == 3)
      document.root.title = "Notebook 4"
      try document.save()
      #expect(try folder.byteCount("notes") == document.saves.reduce(0) { $0 + $1.byteCount })
      #expect(title(try folder.read("notes"), "after the save") == "Notebook 4")
    }
  }

  @Test("a file that another program shortened is not saved to")
  func shortened() throws {
    let sample = try Self.sample()
    let folder = try TemporaryFolder()
    try folder.write(sample.data, "notes")
    let document = try ArchiveDocument<Notebook>(opening: folder("notes"))
    let file = try #require(FileHandle(forUpdatingAtPath: folder("notes")))
    try file.truncate(atOffset: UInt64(sample.data.count - 1))
    document.root.title = "Notebook 5"
    let error = #expect(throws: ArchiveError.self) { try document.save() }
    #expect(error?.message.contains("another program has shortened the file") == true)
    #expect(title(try folder.read("notes"), "shortened") == "Notebook 3")
    // Restores the missing byte.
    try file.seekToEnd()
    try file.write(contentsOf: sample.data.suffix(1))
    try document.save()
    #expect(title(try folder.read("notes"), "saved") == "Notebook 5")
  }

  @Test("a power cut in either step of a save leaves the previous save")
  func powerCuts() throws {
    var random = SeededGenerator("power cuts of saves")
    let sample = try Self.sample()
    let (start, trailer) = (sample.ends[2], sample.ends[3] - SaveTrailer.byteCount)
    // Before the first synchronization, any part of the save may be on disk, and zeros elsewhere.
    for _ in 0..<500 {
      var data = sample.data.prefix(Int.random(in: start...trailer, using: &random))
      for index in start..<data.count where Bool.random(using: &random) { data[index] = 0 }
      #expect(title(data, "a part of the save") == "Notebook 3")
    }
    // After it, any part of the trailer.
    for lost in 1..<64 {
      var data = sample.data
      for word in 0..<6 where lost >> word & 1 == 1 {
        data.replaceSubrange((trailer + word * 8)..<(trailer + word * 8 + 8), with: Data(count: 8))
      }
      #expect(title(data, "a trailer without \(lost)") == "Notebook 3")
    }
  }

  @Test("a flipped bit gives an error, or an earlier save if it is in the last one")
  func flipped() throws {
    let sample = try Self.sample()
    var data = sample.data
    for index in data.indices {
      let bit = UInt8(1) << UInt8(index % 8)
      data[index] ^= bit
      let found = title(data, "byte \(index)")
      if let found, found == sample.titles[3] || index < sample.ends[2] {
        Issue.record("byte \(index) is changed, and \(found) is read")
      }
      data[index] ^= bit
    }
  }

  @Test("saves with random faults and correct checksums are refused or readable")
  func contradictions() throws {
    var random = SeededGenerator("contradictions of saves")
    let sample = try Self.sample()
    var (refused, read) = (0, 0)
    for _ in 0..<sized(4_000, inDebug: 1_000) {
      var data = sample.data
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // Mostly the directories and trailers, which have the offsets.
        let end = sample.ends.randomElement(using: &random) ?? data.count
        let place = end - 1 - Int.random(in: 0..<160, using: &random)
        data[place] = Bool.random(using: &random) ? .random(in: 0...255, using: &random) : data[place] ^ 1
      }
      data = Data(SaveRepair.repaired(Array(data)))
      for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
        do {
          let image = try ArchiveImage(data: data, verification: verification)
          try image.verifyStructure()
          _ = try KeyedUnarchiver.unarchive(Notebook.self, from: data, verification: verification)
          read += 1
        } catch {
          refused += 1
        }
      }
    }
    #expect(refused > sized(4_000, inDebug: 1_000) && read > sized(10, inDebug: 2))
  }

  @Test("a save whose trailer has a wrong offset is not read", arguments: [0, 1, 17, 1 << 20, Int.max])
  func endlessChains(_ start: Int) throws {
    let sample = try Self.sample()
    var data = sample.data
    let trailer = data.count - SaveTrailer.byteCount
    for index in 0..<8 { data[trailer + 16 + index] = UInt8(truncatingIfNeeded: start >> (index * 8)) }
    data = Data(SaveRepair.repaired(Array(data)))
    #expect(title(data, "a save that begins at \(start)") != sample.titles[3])
  }

  @Test("a file with a damaged lazy value can be saved, though not compacted")
  func damagedUnread() throws {
    final class Owner: Codable {
      var text = ""
      @Lazy var lines: [String] = []
    }
    let (folder, owner) = (try TemporaryFolder(), Owner())
    owner.lines = (0..<3_000).map { "line \($0) " + String(repeating: "-", count: 60) }
    try ArchiveDocument(creating: folder("owner"), root: owner).close()
    var data = try folder.read("owner")
    data[try #require(data.range(of: Data("line 1500 ".utf8))).lowerBound] ^= 1
    try folder.write(data, "owner")
    let document = try ArchiveDocument<Owner>(opening: folder("owner"))
    for digit in 1...8 {
      document.root.text = String(repeating: "\(digit)", count: 100_000)
      let date = Date(timeIntervalSinceReferenceDate: Double(digit))
      #expect(try document.save(date: date))
      #expect(document.saves.last?.date == date)
      let saved = try KeyedUnarchiver(forReadingFile: folder("owner"), verification: .onDemand)
      #expect(try saved.decode(Owner.self, forKey: "root").text == document.root.text)
    }
    #expect(document.saves.count == 9)
    #expect(throws: (any Error).self) { try document.compact() }
    #expect(throws: (any Error).self) { try document.root.$lines.load() }
  }

  @Test("without verification, a document reads and saves damaged but readable values")
  func withoutVerification() throws {
    final class Owner: Codable {
      var texts: [String] = []
      @Lazy var lines: [String] = []
    }
    let (folder, owner) = (try TemporaryFolder(), Owner())
    owner.texts = (0..<3_000).map { "text \($0) " + String(repeating: "-", count: 60) }
    owner.lines = (0..<3_000).map { "line \($0) " + String(repeating: "-", count: 60) }
    try ArchiveDocument(creating: folder("owner"), root: owner).close()
    var data = try folder.read("owner")
    for text in ["text 1500 ", "line 1500 "] {
      data[try #require(data.range(of: Data(text.utf8))).lowerBound] ^= 0x20
    }
    try folder.write(data, "owner")
    #expect(throws: DecodingError.self) { try ArchiveDocument<Owner>(opening: folder("owner")) }
    let document = try ArchiveDocument<Owner>(opening: folder("owner"), verification: .disabled)
    #expect(document.root.texts[1500].hasPrefix("Text 1500 "))
    document.root.texts.append("another")
    #expect(try document.save())
    #expect(document.root.lines[1500].hasPrefix("Line 1500 "))
    #expect(try document.root(asOf: 1).texts.count == 3_000)
  }

  @Test(
    "a file without checksums gets saves without checksums",
    arguments: [.withoutChecksums, [.withoutChecksums, .longForm]] as [ArchiveFormatting]
  )
  func withoutChecksums(formatting: ArchiveFormatting) throws {
    let folder = try TemporaryFolder()
    let notebook = Notebook(pageCount: 3)
    try folder.write(
      KeyedArchiver.archivedData(withRootObject: notebook, outputFormatting: formatting),
      "notes"
    )
    let document = try ArchiveDocument<Notebook>(opening: folder("notes"))
    document.root.title = "second"
    try document.save()
    let page = document.root.pages[1]
    page.text = "third"
    try document.save(changed: [page])
    document.close()
    var data = try folder.read("notes")
    let image = try ArchiveImage(data: data, verification: .everything)
    try image.verifyStructure()
    #expect(image.faultInEarlierSaves() == nil)
    data[try #require(data.range(of: Data("third".utf8), options: .backwards)).lowerBound] ^= 0x20
    try folder.write(data, "notes")
    let changed = try ArchiveDocument<Notebook>(opening: folder("notes"))
    #expect(changed.root.title == "second" && changed.root.pages[1].text == "Third")
    #expect(try changed.root(asOf: 1).title == "Notebook")
    #expect(try changed.root(asOf: 2).pages[1].text == "the text of page 1")
    changed.close()
    // Trailers always have a checksum.
    data[data.count - 20] ^= 1
    try folder.write(data, "notes")
    let before = try ArchiveDocument<Notebook>(opening: folder("notes"))
    #expect(before.saves.count == 2 && before.root.pages[1].text == "the text of page 1")
  }

  /// The first reference is to the number that an object gets in a later save.
  @Test("an unread value with a dangling reference stays, also after going back", arguments: [4, .max])
  func danglingReference(number: UInt32) throws {
    final class Owner: Codable {
      var others: [Owner] = []
      @Lazy var list: [Int] = []
    }
    let folder = try TemporaryFolder()
    let archive = HandmadeArchive.data(
      bodies: [[1, 0x60, 0x50, 0x40, 2], [2, 0x51, 0x43] + Bytes.word(UInt64(number)).prefix(4)],
      topLevel: CraftedArchive.root([0x40, 1]),
      classes: [HandmadeArchive.type("Owner"), HandmadeArchive.type("Keepsake.Lazy")],
      keys: [Array("others".utf8), Array("list".utf8)],
      shapes: [[2, 0, 1]]
    )
    try folder.write(archive, "owner")
    let document = try ArchiveDocument<Owner>(opening: folder("owner"))
    document.root.others = [Owner(), Owner()]
    #expect(try document.save(changed: [document.root]))
    try document.revert(to: 1)
    #expect(document.root.others.isEmpty && document.saves.count == 3)
    #expect(throws: (any Error).self) { try document.root.$list.load() }
  }

  @Test("a save keeps very many equal entries of a string table, and the numbers of its strings")
  func equalStrings() throws {
    let folder = try TemporaryFolder()
    let archive = HandmadeArchive.data(
      bodies: [[0, 0x52, 0x44, 1, 0x44, 1]],
      topLevel: CraftedArchive.root([0x48, 1]),
      strings: [[], Array("abc".utf8)] + Array(repeating: [], count: 100_000)
    )
    try folder.write(archive, "texts")
    let document = try ArchiveDocument<[String]>(opening: folder("texts"))
    document.root += ["abc", "def", "abc", "def"]
    #expect(try document.save())
    #expect(try KeyedUnarchiver.unarchive([String].self, fromFile: folder("texts")) == document.root)
    // The equal entries stay, and the string in the table keeps its number.
    let image = try ArchiveImage(data: folder.read("texts"), verification: .everything)
    #expect(image.stringCount == 100_003)
    #expect(try image.string(1, at: 0) == "abc" && image.string(100_002, at: 0) == "def")
  }

  @Test("handmade saves are read as the format describes")
  func handmade() throws {
    let first = HandmadeArchive.data(bodies: [[0, 0x95]], topLevel: CraftedArchive.root([0x48, 1]))
    var save = HandmadeSave()
    save.bodies = [(1, [0, 0x96])]
    let second = save.added(to: first)
    #expect(try KeyedUnarchiver.unarchive(Int.self, from: second) == 6)
    // More bodies, keys, shapes and classes, while the old ones stay; one body is replaced again.
    save.number = 3
    save.bodies = [(1, [0, 0x61, 0x97]), (3, [2, 0x62, 0x98])]
    save.bodies.insert((2, [0, 0x99]), at: 1)
    save.bodyCount = 3
    save.keys = [[0x61], [0x62]]
    save.shapes = [[0], [1, 0], [1, 1]]
    save.classes = [HandmadeArchive.type("Thing"), HandmadeArchive.type("Other")]
    let third = save.added(to: second)
    #expect(try KeyedUnarchiver.unarchive([String: Int].self, from: third) == ["a": 7])
    try ArchiveImage(data: third, verification: .everything).verifyStructure()
    // A trailer with a wrong start ends no save: the file reads as before.
    save.number = 4
    save.ending = { $0[2] = $0[1] }
    #expect(try KeyedUnarchiver.unarchive([String: Int].self, from: save.added(to: third)) == ["a": 7])
    save.ending = { $0[2] = 3 }
    #expect(try KeyedUnarchiver.unarchive([String: Int].self, from: save.added(to: third)) == ["a": 7])
  }
}
