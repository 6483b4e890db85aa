import Foundation
import Keepsake
import TestSupport
import Testing

/// Documents with random changes, saves, reopening, compaction and restored saves.
@Suite struct RandomDocuments {
  /// Makes a random change, and appends the changed objects to `changed`.
  private func change(
    _ notebook: Notebook,
    _ changed: inout [any Codable & AnyObject],
    using random: inout SeededGenerator
  ) {
    let page = notebook.pages.randomElement(using: &random)
    let other = notebook.pages.randomElement(using: &random)
    let action = Int.random(in: 0..<12, using: &random)
    if 4...7 ~= action { page.map { changed.append($0) } } else { changed.append(notebook) }
    switch action {
    case 0: notebook.pages.shuffle(using: &random)
    case 1: notebook.pages.insert(NotePage("page \(Int.random(in: 0..<40, using: &random))"), at: 0)
    case 2:
      let drawing = Drawing("drawing", [Double.random(in: 0..<1, using: &random)])
      if let other { drawing.links = [other] }
      notebook.pages.append(drawing)
    case 3: if !notebook.pages.isEmpty { notebook.pages.removeLast() }
    case 4: page?.text = "text \(Int.random(in: 0..<10, using: &random))"
    case 5: if let other { page?.links.append(other) }
    case 6: page?.links = []
    case 7: page?.back = other
    case 8: notebook.pinned = page
    case 9: notebook.tags.insert("tag \(Int.random(in: 0..<20, using: &random))")
    case 10: notebook.counts["count \(Int.random(in: 0..<20, using: &random))"] = notebook.pages.count
    default:
      for page in notebook.pages where Bool.random(using: &random) {
        page.title += "."
        changed.append(page)
      }
    }
  }

  @Test(
    "every save holds the root object of its time, after random operations in random order",
    arguments: 0..<sized(12, inDebug: 3)
  )
  func anyOrder(_ index: Int) throws {
    var random = SeededGenerator("random documents \(index)")
    let folder = try TemporaryFolder()
    let start = Notebook(pageCount: Int.random(in: 0..<150, using: &random))
    var document = try ArchiveDocument(creating: folder("notes"), root: start)
    document.compactsAutomatically = false
    var expected = [try document.root.bytes]
    var changed: [any Codable & AnyObject] = []
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 0..<6, using: &random) { change(document.root, &changed, using: &random) }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        document.close()
        document = try ArchiveDocument(opening: folder("notes"))
        document.compactsAutomatically = false
        #expect(try document.root.bytes == expected.last)
      case 1:
        // Not of a copy: the document may keep an object that has only a weak reference.
        let archive = try KeyedArchiver.archivedData(
          withRootObject: document.root,
          outputFormatting: .sortedKeys
        )
        try document.compact()
        expected = [try document.root.bytes]
        #expect(try folder.read("notes") == archive)
      case 2:
        let number = Int.random(in: 1...expected.count, using: &random)
        try document.revert(to: number)
        #expect(try document.root.bytes == expected[number - 1])
        if document.saves.count > expected.count { expected.append(expected[number - 1]) }
      default:
        let bytes = try document.root.bytes
        if try Bool.random(using: &random) ? document.save() : document.save(changed: changed) {
          expected.append(bytes)
        } else {
          #expect(bytes == expected.last)
        }
      }
      changed = []
      #expect(document.saves.count == expected.count)
      #expect(try KeyedUnarchiver.unarchive(Notebook.self, fromFile: folder("notes")).bytes == expected.last)
    }
    for (index, bytes) in expected.enumerated() {
      #expect(try document.root(asOf: index + 1).bytes == bytes)
    }
    let image = try ArchiveImage(data: folder.read("notes"), verification: .everything)
    try image.verifyStructure()
  }

  // MARK: Lazy values

  private final class Shelf: Codable {
    var name = ""
    @Lazy var pages: [NotePage] = []
    /// The first of the pages, as a separate value.
    @Lazy var first: NotePage?
  }

  /// The titles of all pages, and whether the first page is shared with the pages.
  private func contents(_ shelves: [Shelf]) -> [[String]] {
    shelves.map { shelf in
      let isShared = shelf.first === shelf.pages.first
      return [shelf.name, isShared ? "shared" : "apart"] + shelf.pages.map(\.title)
    }
  }

  private func change(_ shelf: Shelf, _ model: inout [String], using random: inout SeededGenerator) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      shelf.name = "shelf \(Int.random(in: 0..<9, using: &random))"
      model[0] = shelf.name
    case 1:
      shelf.pages.append(NotePage("added"))
      model.append("added")
      shelf.first = shelf.pages.first
      model[1] = "shared"
    case 2 where model.count > 3:
      shelf.pages.removeLast()
      model.removeLast()
    case 3 where model.count > 2:
      shelf.first?.title += "."
      model[2] += "."
    case 4 where model.count > 3:
      shelf.pages[1].title += "!"
      model[3] += "!"
    default: _ = shelf.pages.count
    }
  }

  @Test(
    "lazy values that are read or left unread at random are saved correctly",
    arguments: 0..<sized(10, inDebug: 3)
  )
  func lazyValues(_ index: Int) throws {
    var random = SeededGenerator("random lazy documents \(index)")
    let folder = try TemporaryFolder()
    let shelves = (0..<Int.random(in: 2..<120, using: &random)).map { number in
      let shelf = Shelf()
      shelf.name = "shelf \(number)"
      shelf.pages = (0..<4).map { NotePage("page \(number).\($0)") }
      shelf.first = shelf.pages[0]
      return shelf
    }
    var model = contents(shelves)
    var models = [model]
    var document = try ArchiveDocument(creating: folder("shelves"), root: shelves)
    for _ in 0..<40 {
      document.compactsAutomatically = Bool.random(using: &random)
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: model.indices, using: &random)
        change(document.root[place], &model[place], using: &random)
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        document.root.shuffle(using: &random)
        model = contents(document.root)
      }
      switch Int.random(in: 0..<7, using: &random) {
      case 0: try document.compact()
      case 1:
        try document.save()
        document.close()
        document = try ArchiveDocument(opening: folder("shelves"))
      case 2:
        let number = Int.random(in: 1...models.count, using: &random)
        try document.revert(to: number)
        model = models[number - 1]
      default: try document.save()
      }
      // A save without changes writes nothing, and compaction leaves one save.
      if document.saves.count == 1 { models = [] }
      if document.saves.count > models.count { models.append(model) }
      let read = try KeyedUnarchiver.unarchive([Shelf].self, fromFile: folder("shelves"))
      #expect(contents(read) == model)
    }
    #expect(contents(document.root) == model)
    try ArchiveImage(data: folder.read("shelves"), verification: .everything).verifyStructure()
  }
}
