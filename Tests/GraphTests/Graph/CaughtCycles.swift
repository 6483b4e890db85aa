import Keepsake
import TestSupport
import Testing

/// An initializer that skips what it cannot read does not skip an object of a cycle, which is whole: nothing is lost
/// without an error.
@Suite struct CaughtCycles {
  /// The elements that can be read.
  @propertyWrapper private struct Readable<Element: Codable>: Codable {
    var wrappedValue: [Element]

    init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      wrappedValue = []
      while !container.isAtEnd {
        let element = try container.superDecoder().singleValueContainer()
        if let value = try? element.decode(Element.self) { wrappedValue.append(value) }
      }
    }

    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
  }

  private final class Folder: Codable {
    @Readable var files: [File] = []
  }
  private final class File: Codable {
    let folder: Folder
    init(_ folder: Folder) { self.folder = folder }
  }

  @Test("the archiver refuses what only seems to be readable")
  func refused() throws {
    let folder = Folder()
    folder.files = [File(folder), File(folder)]
    defer { folder.files = [] }
    for root in [{ try ArchiveEncoder().encode(folder) }, { try ArchiveEncoder().encode(folder.files[1]) }] {
      let found = try failure { try root() }
      #expect(found.kind == .invalidValue && found.code == .cycle)
      #expect(found.description.contains("Folder.files") && found.description.contains("File.folder"))
    }
    let check = KeyedArchiver.check(folder)
    #expect(!check.isPassed)
  }

  private final class OldAlbum: Codable {
    var photos: [OldPhoto] = []
  }
  private final class OldPhoto: Codable {
    @Deferred var album: OldAlbum?
    init(_ album: OldAlbum) { self.album = album }
  }
  private final class Album: Codable {
    @Readable var photos: [Photo] = []
  }
  private final class Photo: Codable {
    var album: Album?
  }

  @Test("a property that can wait closes a cycle that an earlier version's wrapper closed")
  func closed() throws {
    let old = OldAlbum()
    old.photos = [OldPhoto(old), OldPhoto(old)]
    defer { old.photos = [] }
    let album = try transcode(old, to: Album.self)
    defer { album.photos = [] }
    #expect(album.photos.count == 2)
    for photo in album.photos { #expect(photo.album === album) }
  }

  private final class Node: Codable {
    var name: String
    var children: [Node] = []
    var parent: Node?

    init(_ name: String) { self.name = name }

    private enum CodingKeys: CodingKey { case name, children, parent }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = (try? container.decode(String.self, forKey: .name)) ?? ""
      children = try container.decode([Node].self, forKey: .children)
      // Not decodeIfPresent, so the property cannot wait.
      parent = try? container.decode(Node.self, forKey: .parent)
    }
  }

  @Test("a reader whose property cannot wait throws, and reads other values afterwards")
  func thrown() throws {
    let parent = Node("parent")
    parent.children = [Node("child")]
    parent.children[0].parent = parent
    defer { parent.children = [] }
    let archiver = KeyedArchiver()
    try archiver.encode(parent, forKey: "cycle")
    try archiver.encode(Node("alone"), forKey: "other")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for _ in 0..<2 {
      let found = try failure { try unarchiver.decode(Node.self, forKey: "cycle") }
      #expect(found.code == .cycle && found.path == "cycle/children/[0]/parent")
      #expect(try unarchiver.decode(Node.self, forKey: "other").name == "alone")
    }
  }
}
