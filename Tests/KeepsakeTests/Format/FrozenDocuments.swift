import Foundation
import Keepsake
import TestSupport
import Testing

/// Documents of version 1 with their earlier saves, frozen in Fixtures/Version1/Documents. Every later version of the
/// library must read them.
///
/// The files are never rewritten. This command adds the files of new samples, and leaves the others:
///
///     KEEPSAKE_FREEZE=Tests/TestSupport/Fixtures/Version1 swift test --filter FrozenDocuments
@Suite struct FrozenDocuments {
  static let folder = FrozenSamples.folder.appendingPathComponent("Documents")
  private static let freezingFolder = ProcessInfo.processInfo.environment["KEEPSAKE_FREEZE"]

  private let scratch: TemporaryFolder

  init() throws { scratch = try TemporaryFolder() }

  @Test(
    "missing documents are frozen",
    .enabled(if: freezingFolder != nil),
    arguments: FrozenDocument.allCases
  )
  func freeze(document: FrozenDocument) throws {
    let folder = URL(fileURLWithPath: try #require(Self.freezingFolder)).appendingPathComponent("Documents")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("\(document).keepsake")
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    try document.make(scratch("new")).write(to: file, options: .withoutOverwriting)
  }

  @Test("every file is a document, and every document has a file", .enabled(if: freezingFolder == nil))
  func noneForgotten() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let expected = FrozenDocument.allCases.map { "\($0).keepsake" }
    #expect(files.filter { $0.hasSuffix(".keepsake") }.sorted() == expected.sorted())
  }

  @Test(
    "each document has every save, and can be continued",
    .enabled(if: freezingFolder == nil),
    arguments: FrozenDocument.allCases
  )
  func holds(document: FrozenDocument) throws {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("\(document).keepsake"))
    try check(document, data)
  }

  @Test("documents that are written today have the same contents", arguments: FrozenDocument.allCases)
  func writtenToday(document: FrozenDocument) throws {
    try check(document, document.make(scratch("new")))
  }

  private func check(_ frozen: FrozenDocument, _ data: Data) throws {
    let expected = frozen.contents
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      let root = try KeyedUnarchiver.unarchive(FrozenNotebook.self, from: data, verification: verification)
      try check(root, expected[expected.count - 1])
    }
    try scratch.write(data, "document")
    let document = try ArchiveDocument<FrozenNotebook>(opening: scratch("document"))
    document.compactsAutomatically = false
    #expect(document.saves.map(\.number) == Array(1...expected.count))
    #expect(document.saves.map(\.date) == (1...expected.count).map(FrozenDocument.date))
    for (index, contents) in expected.enumerated() {
      try check(document.root(asOf: index + 1), contents)
    }
    #expect(try !document.save())
    document.root.title = "continued"
    #expect(try document.save())
    try check(document.root(asOf: expected.count), expected[expected.count - 1])
    document.close()
    let again = try ArchiveDocument<FrozenNotebook>(opening: scratch("document"))
    #expect(again.root.title == "continued" && again.saves.count == expected.count + 1)
    try again.compact()
    #expect(again.saves.count == 1)
    #expect(again.root.attachments.map(\.text) == expected[expected.count - 1].attachments)
  }

  private func check(_ notebook: FrozenNotebook, _ contents: FrozenDocument.Contents) throws {
    #expect(notebook.title == contents.title)
    #expect(notebook.notes.map(\.text) == contents.notes)
    #expect(notebook.attachments.map(\.text) == contents.attachments)
    #expect(notebook.tags == contents.tags)
    for note in notebook.notes { #expect(note.notebook === notebook && note.next === notebook.notes[0]) }
    if let drawn = notebook.notes.last as? FrozenDrawnNote {
      #expect(drawn.points == [1, 300, 70_000] && drawn.shown === notebook.attachments[0])
    }
    #expect(contents.hasDrawing == (notebook.notes.last is FrozenDrawnNote))
  }
}

enum FrozenDocument: CaseIterable {
  /// Every kind of change in turn, then a restored save, and a leftover of an interrupted save.
  case changes
  /// A document that began as an archive in the short form.
  case short
  /// More than 70,000 bytes, in several blocks of checksums, and 300 objects, of which each save changes some.
  case large

  /// The contents of a save.
  struct Contents {
    var title: String
    var notes: [String]
    var attachments: [String] = []
    var tags: Set<String> = []
    var hasDrawing = false
  }

  /// The first save and those with even numbers have no date.
  static func date(_ number: Int) -> Date? {
    number == 1 || number % 2 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.25)
  }

  var contents: [Contents] {
    switch self {
    case .changes:
      let first = Contents(title: "first", notes: ["a", "b"], attachments: ["c"])
      let second = Contents(title: "first", notes: ["a, changed", "b"], attachments: ["c"])
      let third = Contents(
        title: "first",
        notes: ["a, changed", "b", "drawn"],
        attachments: ["c"],
        tags: ["x", "y"],
        hasDrawing: true
      )
      let fourth = Contents(
        title: "fourth",
        notes: ["a, changed", "drawn"],
        attachments: ["c", "d"],
        tags: ["y"],
        hasDrawing: true
      )
      return [first, second, third, fourth, second]
    case .short:
      return [Contents(title: "short", notes: ["a"]), Contents(title: "longer", notes: ["a", "b"])]
    case .large:
      return (1...3).map { save in
        Contents(
          title: "large",
          notes: (0..<300).map {
            "note \($0)" + String(repeating: "-", count: 250) + ($0 % 100 < save ? " \(save)" : "")
          },
          attachments: (0..<save).map { "attachment \($0)" }
        )
      }
    }
  }

  /// The document, made in the file at `path`.
  func make(_ path: String) throws -> Data {
    let root = FrozenNotebook(contents[0])
    let document: ArchiveDocument<FrozenNotebook>
    if self == .short {
      try KeyedArchiver.archivedData(withRootObject: root).write(to: URL(fileURLWithPath: path))
      document = try ArchiveDocument(opening: path)
    } else {
      document = try ArchiveDocument(creating: path, root: root)
    }
    document.compactsAutomatically = false
    for (index, contents) in contents.enumerated().dropFirst() {
      if self == .changes, index == 4 {
        try document.revert(to: 2, date: Self.date(5))
      } else {
        document.root.become(contents)
        try document.save(date: Self.date(index + 1))
      }
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard self == .changes else { return data }
    document.root.title = "interrupted"
    try document.save()
    return try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(9)
  }
}

final class FrozenNotebook: Codable, ArchivableClass {
  static var archivedClassName: String { "Frozen.Notebook" }

  var title: String
  var notes: [FrozenNote] = []
  @Lazy var attachments: [FrozenNote]
  var tags: Set<String>

  init(_ contents: FrozenDocument.Contents) {
    title = contents.title
    tags = []
    attachments = []
    become(contents)
  }

  /// Changes what differs, and keeps the existing objects.
  func become(_ contents: FrozenDocument.Contents) {
    title = contents.title
    tags = contents.tags
    if attachments.map(\.text) != contents.attachments {
      attachments = contents.attachments.enumerated().map { index, text in
        index < attachments.count ? attachments[index] : FrozenNote(text)
      }
    }
    // Removes the note that is gone, if any.
    if contents.notes.count < notes.count { notes.removeAll { !contents.notes.contains($0.text) } }
    for (index, text) in contents.notes.enumerated() {
      if index < notes.count {
        notes[index].text = text
      } else if contents.hasDrawing, index == contents.notes.count - 1 {
        notes.append(FrozenDrawnNote(text, shown: attachments[0]))
      } else {
        notes.append(FrozenNote(text))
      }
      notes[index].notebook = self
      notes[index].next = notes[0]
    }
  }
}

class FrozenNote: Codable, ArchivableClass {
  class var archivedClassName: String { "Frozen.Note" }

  var text: String
  weak var notebook: FrozenNotebook?
  weak var next: FrozenNote?

  init(_ text: String) { self.text = text }
}

final class FrozenDrawnNote: FrozenNote {
  override class var archivedClassName: String { "Frozen.DrawnNote" }

  private enum CodingKeys: String, CodingKey { case points, shown }

  var points = [1, 300, 70_000]
  var shown: FrozenNote?

  init(_ text: String, shown: FrozenNote) {
    self.shown = shown
    super.init(text)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    points = try container.decode([Int].self, forKey: .points)
    shown = try container.decodeIfPresent(FrozenNote.self, forKey: .shown)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(points, forKey: .points)
    try container.encodeIfPresent(shown, forKey: .shown)
    try super.encode(to: container.superEncoder())
  }
}
