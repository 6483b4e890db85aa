import Foundation
import Keepsake
import TestSupport
import Testing

/// Documents that are changed at random, saved, opened again, compacted and gone back in.
@Suite struct RandomDocuments {
  private func change(_ notebook: Notebook, using random: inout SeededGenerator) {
    func page() -> NotePage? { notebook.pages.randomElement(using: &random) }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: notebook.pages.shuffle(using: &random)
    case 1: notebook.pages.insert(NotePage("page \(Int.random(in: 0..<40, using: &random))"), at: 0)
    case 2: notebook.pages.append(Drawing("drawing", [Double.random(in: 0..<1, using: &random)]))
    case 3: if !notebook.pages.isEmpty { notebook.pages.removeLast() }
    case 4: page()?.text = "text \(Int.random(in: 0..<10, using: &random))"
    case 5: if let target = page() { page()?.links.append(target) }
    case 6: page()?.links = []
    case 7: page()?.back = page()
    case 8: notebook.pinned = page()
    case 9: notebook.tags.insert("tag \(Int.random(in: 0..<20, using: &random))")
    case 10: notebook.counts["count \(Int.random(in: 0..<20, using: &random))"] = notebook.pages.count
    default:
      for page in notebook.pages where Bool.random(using: &random) { page.title += "." }
    }
  }

  @Test("every save holds what the root object was, in whatever order things are done", arguments: 0..<12)
  func anyOrder(_ index: Int) throws {
    var random = SeededGenerator("random documents \(index)")
    let folder = try TemporaryFolder()
    let start = Notebook(pageCount: Int.random(in: 0..<150, using: &random))
    var document = try ArchiveDocument(creating: folder("notes"), root: start)
    document.compactsAutomatically = false
    var expected = [try document.root.bytes]
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 0..<6, using: &random) { change(document.root, using: &random) }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        document.close()
        document = try ArchiveDocument(opening: folder("notes"))
        document.compactsAutomatically = false
        #expect(try document.root.bytes == expected.last)
      case 1:
        try document.compact()
        expected = [try document.root.bytes]
        #expect(try folder.read("notes") == expected[0])
      case 2:
        let number = Int.random(in: 1...expected.count, using: &random)
        try document.revert(to: number)
        #expect(try document.root.bytes == expected[number - 1])
        if document.saves.count > expected.count { expected.append(expected[number - 1]) }
      default:
        let bytes = try document.root.bytes
        if try document.save() {
          expected.append(bytes)
        } else {
          #expect(bytes == expected.last)
        }
      }
      #expect(document.saves.count == expected.count)
      #expect(try KeyedUnarchiver.unarchive(Notebook.self, fromFile: folder("notes")).bytes == expected.last)
    }
    for (index, bytes) in expected.enumerated() {
      #expect(try document.root(asOf: index + 1).bytes == bytes)
    }
    let image = try ArchiveImage(data: folder.read("notes"), verification: .everything)
    try image.verifyStructure()
  }
}
