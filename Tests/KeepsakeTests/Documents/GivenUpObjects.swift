import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Objects that `encode(to:)` encodes in a save of a document, and then abandons because of an error.
@Suite struct GivenUpObjects {
  private struct GivenUp: Encodable {
    let pages: [NotePage]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for page in pages { try container.encode(page) }
      throw Refusal()
    }
  }

  /// Abandons its draft before and after it encodes its pages.
  private final class Drafted: Codable {
    var pages: [NotePage] = []
    var draft: [NotePage] = []

    private enum CodingKeys: CodingKey { case draft, pages }

    init(_ pages: [NotePage]) { self.pages = pages }

    init(from decoder: any Decoder) throws {
      pages = try decoder.container(keyedBy: CodingKeys.self).decode([NotePage].self, forKey: .pages)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      for count in [draft.count, draft.count / 2] {
        try? container.encode(GivenUp(pages: Array(draft.prefix(count))), forKey: .draft)
      }
      try container.encode(pages, forKey: .pages)
      try? container.encode(GivenUp(pages: draft), forKey: .draft)
    }
  }

  @Test(
    "abandoned objects leave no number unused, and take none of another object",
    arguments: [true, false]
  )
  func numbers(areNew: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder("pages")
    let root = Drafted((0..<100).map { NotePage("page \($0)") })
    let document = try ArchiveDocument(creating: path, root: root)
    document.compactsAutomatically = false
    for round in 0..<4 {
      root.draft = (0..<5).map { NotePage("draft \($0)") }
      if !areNew { root.draft += root.pages.suffix(3) }
      let added = (0..<3).map { NotePage("added \(round).\($0)") }
      (added[0].links, added[2].back) = (Array(root.pages.suffix(2)), root.pages[round])
      root.pages.insert(contentsOf: added, at: 0)
      // An abandoned object may stay elsewhere.
      if round % 2 == 1 { root.pages.append(root.draft[1]) }
      #expect(try document.save())
      #expect(try !document.save())
      let image = try ArchiveImage(data: folder.read("pages"), verification: .everything)
      #expect(image.directory.bodyCount == root.pages.count + 1)
      let back = try KeyedUnarchiver.unarchive(Drafted.self, fromFile: path)
      #expect(back.pages.map(\.title) == root.pages.map(\.title))
      let last = back.pages.count - (round % 2 == 1 ? 2 : 1)
      #expect(back.pages[0].links.count == 2 && back.pages[0].links[1] === back.pages[last])
      #expect(back.pages[2].back === back.pages[3 + round])
    }
    document.close()
    #expect(try !ArchiveDocument<Drafted>(opening: path).save())
  }
}
