import Foundation
import Keepsake
import TestSupport
import Testing

/// Cycles in a document whose file already lists properties that are read last.
@Suite struct CyclesInDocuments {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a read-last property is listed once, even if another object encodes another type under its key")
  func listedOnce() throws {
    let root = Part("root")
    root.link = Part("plain", owners: [root])
    let document = try ArchiveDocument(creating: folder("part"), root: root)
    root.link = SpecialPart("special", owners: [Part("between", owners: [root])])
    #expect(try document.save())
    let read = try KeyedUnarchiver.unarchive(Part.self, fromFile: folder("part"))
    #expect(read.link?.name == "special" && read.link?.owners[0].owners[0] === read)
  }
}

private class Part: Codable {
  let name: String
  var link: Part?
  let owners: [Part]

  init(_ name: String, owners: [Part] = []) {
    (self.name, self.owners) = (name, owners)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    link = try container.decodeIfPresent(Part.self, forKey: .link)
    owners = try container.decodeIfPresent([Part].self, forKey: .owners) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    if let special = link as? SpecialPart {
      try container.encode(special, forKey: .link)
    } else {
      try container.encodeIfPresent(link, forKey: .link)
    }
    if !owners.isEmpty { try container.encode(owners, forKey: .owners) }
  }

  private enum CodingKeys: String, CodingKey { case name, link, owners }
}

private final class SpecialPart: Part {}
