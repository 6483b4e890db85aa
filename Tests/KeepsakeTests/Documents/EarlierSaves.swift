import Foundation
import Keepsake
import TestSupport
import Testing

/// What a document has saved before, read and restored.
@Suite struct EarlierSaves {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder("notes") }

  @Test("a save after which the document cannot open the file is taken back")
  func cannotOpen() throws {
    try ArchiveDocument(creating: path, root: Notebook(pageCount: 300)).close()
    let before = try folder.read("notes")
    var limits = ArchiveLimits()
    limits.maximumByteCount = before.count + 1_000
    let document = try ArchiveDocument<Notebook>(opening: path, limits: limits)
    document.root.title = String(repeating: "long", count: 1_000)
    for _ in 0..<2 {
      #expect(throws: (any Error).self) { try document.save() }
      #expect(try folder.read("notes") == before)
    }
    document.root.title = "short"
    #expect(try document.save() && document.saves.count == 2)
    document.close()
    #expect(try ArchiveDocument<Notebook>(opening: path).root.title == "short")
  }

  @Test("each save can be read, and gone back to")
  func earlierSaves() throws {
    var document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 50))
    var bytes = [try document.root.bytes]
    for number in 2...6 {
      document.root.pages[number * 3].title = "title \(number)"
      document.root.pages.remove(at: number)
      document.root.title = "Notebook \(number)"
      bytes.append(try document.root.bytes)
      try document.save(date: Date(timeIntervalSinceReferenceDate: Double(number)))
    }
    document.close()
    document = try ArchiveDocument(opening: path)
    #expect(document.saves.dropFirst().map { $0.date?.timeIntervalSinceReferenceDate } == [2, 3, 4, 5, 6])
    #expect(document.saves[0].date == nil)
    for number in 1...6 { #expect(try document.root(asOf: number).bytes == bytes[number - 1]) }
    for number in [0, -1, 7, .max, .min] {
      let error = #expect(throws: ArchiveError.self) { try document.root(asOf: number) }
      #expect(error?.code == .misuse)
    }
    try document.revert(to: 2)
    #expect(try document.root.bytes == bytes[1])
    document.root.pages[0].text = "after going back"
    let after = try document.root.bytes
    try document.save()
    document.close()
    document = try ArchiveDocument(opening: path)
    #expect(try document.root.bytes == after && document.saves.count == 8)
    #expect(try document.root(asOf: 6).bytes == bytes[5])
  }

  final class Fickle: Codable {
    @TaskLocal static var refused = ""
    var name = "one"

    enum CodingKeys: CodingKey { case name }

    func encode(to encoder: any Encoder) throws {
      if name == Fickle.refused { throw Refusal(reason: name) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
    }
  }

  @Test("an error while an earlier save is restored leaves the root object as it was")
  func errorsOfReverting() throws {
    let document = try ArchiveDocument(creating: path, root: Fickle())
    let root = document.root
    root.name = "two"
    try document.save()
    root.name = "three"
    let bytes = try folder.read("notes")
    Fickle.$refused.withValue("one") {
      #expect(throws: Refusal.self) { try document.revert(to: 1) }
    }
    #expect(document.root === root && root.name == "three")
    #expect(try folder.read("notes") == bytes)
    #expect(try document.save())
    #expect(try KeyedUnarchiver.unarchive(Fickle.self, fromFile: path).name == "three")
    try document.revert(to: 1)
    #expect(document.root !== root && document.root.name == "one")
    document.close()
    let reopened = try ArchiveDocument<Fickle>(opening: path)
    #expect(try (1...4).map { try reopened.root(asOf: $0).name } == ["one", "two", "three", "one"])
  }
}
