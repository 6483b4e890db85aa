import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// An initializer that skips unreadable elements does not skip an intact object of a cycle: no object is lost
/// without an error.
@Suite struct CaughtCycles {
  /// Keeps the readable elements.
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

  @Test("the archiver refuses a cycle whose reader catches the error")
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

  @Test("a session keeps no plans of earlier attempts after the value is decoded")
  func plans() throws {
    let old = OldAlbum()
    old.photos = [OldPhoto(old)]
    defer { old.photos = [] }
    let session = try DecodingSession(
      ArchiveImage(data: ArchiveEncoder().encode(old), verification: .everything),
      userInfo: [:],
      limits: ArchiveLimits(),
      hidesRootKey: true
    )
    defer { session.dropSpares() }
    try session.decodeRoot(Album.self).photos = []
    #expect(session.types.earlierPlans.isEmpty)
  }

  private final class FixedAlbum: Codable {
    @Readable var photos: [FixedPhoto] = []
  }
  private final class FixedPhoto: Codable {
    let album: FixedAlbum?

    private enum CodingKeys: CodingKey { case album }

    init(from decoder: any Decoder) throws {
      album = try? decoder.container(keyedBy: CodingKeys.self).decode(FixedAlbum.self, forKey: .album)
    }
  }

  @Test("if no property can wait, the first error is thrown, and other values can still be read")
  func thrown() throws {
    let old = OldAlbum()
    old.photos = (0..<5).map { _ in OldPhoto(old) }
    defer { old.photos = [] }
    let archiver = KeyedArchiver()
    try archiver.encode(old, forKey: "cycle")
    try archiver.encode(OldAlbum(), forKey: "other")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for _ in 0..<2 {
      let found = try failure { try unarchiver.decode(FixedAlbum.self, forKey: "cycle") }
      #expect(found.code == .cycle && found.path == "cycle/photos/[0]/album")
      #expect(try unarchiver.decode(FixedAlbum.self, forKey: "other").photos.isEmpty)
    }
  }

  /// Catches errors of two properties that can wait; the first leads to one that cannot.
  private final class Street: Codable {
    var houses: Houses?
    var main: House?
    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      houses = try? container.decode(Houses.self, forKey: .houses)
      main = try? container.decode(House.self, forKey: .main)
    }
  }
  private final class Houses: Codable {
    let first: House?
    init(_ first: House) { self.first = first }

    init(from decoder: any Decoder) throws {
      first = try? decoder.container(keyedBy: CodingKeys.self).decode(House.self, forKey: .first)
    }
  }
  private final class House: Codable {
    let street: Street
    init(_ street: Street) { self.street = street }
  }

  @Test("after a caught error, another property that can wait closes the cycle", arguments: [true, false])
  func caughtTwice(hasMain: Bool) throws {
    let street = Street()
    let house = House(street)
    (street.houses, street.main) = (Houses(house), hasMain ? house : nil)
    defer { (street.houses, street.main) = (nil, nil) }
    let back = try ArchiveDecoder().decode(Street.self, from: ArchiveEncoder().encode(street))
    #expect(back.houses?.first?.street === back)
    #expect(back.main === (hasMain ? back.houses?.first : nil))
    (back.houses, back.main) = (nil, nil)
  }

  private final class Drawer: Codable {
    var label: Label?
  }
  private final class Label: Codable {
    let place: Place
    init(_ place: Place) { self.place = place }
  }
  private final class Room: Codable {
    var number = 7
  }
  private enum Place: Codable {
    case room(Room)
    case drawer(Deferred<Drawer>)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let room = try? container.decode(Room.self) {
        self = .room(room)
      } else {
        self = .drawer(try container.decode(Deferred<Drawer>.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .room(let room): try container.encode(room)
      case .drawer(let drawer): try container.encode(drawer)
      }
    }
  }

  @Test("an initializer may try a wrong class before it defers the right one")
  func triedInTurn() throws {
    let drawer = Drawer()
    drawer.label = Label(.drawer(Deferred(wrappedValue: drawer)))
    defer { drawer.label = nil }
    let copy = try transcode(drawer, to: Drawer.self)
    defer { copy.label = nil }
    guard case .drawer(let place)? = copy.label?.place else {
      Issue.record("Expected a drawer")
      return
    }
    #expect(place.wrappedValue === copy)
    #expect(KeyedArchiver.check(drawer).isPassed)
  }
}

/// Initializers that use `try?` for optional content, as hand-written ones often do. The error of a cycle leaves the
/// property empty, and it gets its value later.
@Suite struct InitializersThatCatch {
  private final class Node: Codable {
    let id: Int
    var first: Node?
    var second: Node?
    weak var parent: Node?
    var children: [Node] = []
    var friends: [Node] = []

    init(_ id: Int) { self.id = id }

    private enum CodingKeys: CodingKey { case id, first, second, parent, children, friends }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      first = try? container.decode(Node.self, forKey: .first)
      second = try? container.decodeIfPresent(Node.self, forKey: .second)
      parent = try? container.decode(Node.self, forKey: .parent)
      children = (try? container.decode([Node].self, forKey: .children)) ?? []
      friends = (try? container.decodeIfPresent([Node].self, forKey: .friends)) ?? []
    }

    var links: [Node] { [first, second, parent].compactMap(\.self) + children + friends }
    var description: [[Int]] {
      [[id], [first, second, parent].map { $0?.id ?? -1 }, children.map(\.id), friends.map(\.id)]
    }
    func takeApart() { (first, second, children, friends) = (nil, nil, [], []) }
  }

  @Test("a tree with weak parents and a doubly linked list come back")
  func usual() throws {
    let nodes = (0..<3).map { Node($0) }
    defer { nodes.forEach { $0.takeApart() } }
    (nodes[0].children, nodes[1].parent, nodes[2].parent) = (Array(nodes[1...]), nodes[0], nodes[0])
    (nodes[1].first, nodes[2].second) = (nodes[2], nodes[1])
    let copy = try transcode(nodes[0], to: Node.self)
    defer { copy.children.forEach { $0.takeApart() } }
    #expect(copy.children.map(\.id) == [1, 2] && copy.children.allSatisfy { $0.parent === copy })
    #expect(copy.children[0].first === copy.children[1] && copy.children[1].second === copy.children[0])
  }

  @Test("a list nested deeper than the limit comes back")
  func deep() throws {
    let nodes = (0..<1_000).map { Node($0) }
    for (node, next) in zip(nodes, nodes.dropFirst()) { (node.first, next.second) = (next, node) }
    defer { nodes.forEach { $0.takeApart() } }
    var limits = ArchiveLimits()
    limits.maximumDepth = 100
    let data = try ArchiveEncoder().encode(nodes[0])
    let copy = try KeyedUnarchiver.unarchive(Node.self, from: data, limits: limits)
    let copies = Array(sequence(first: copy, next: \.first))
    defer { copies.forEach { $0.takeApart() } }
    #expect(copies.map(\.id) == nodes.map(\.id))
    #expect(zip(copies, copies.dropFirst()).allSatisfy { $1.second === $0 })
  }

  @Test("random graphs come back")
  func random() throws {
    var random = SeededGenerator("initializers that catch")
    for _ in 0..<sized(2_000, inDebug: 300) {
      let nodes = (0..<Int.random(in: 2...12, using: &random)).map { Node($0) }
      defer { nodes.forEach { $0.takeApart() } }
      func some(_ most: Int) -> [Node] {
        (0..<Int.random(in: 0...most, using: &random)).compactMap { _ in nodes.randomElement(using: &random) }
      }
      for node in nodes {
        (node.first, node.second, node.parent) = (some(1).first, some(1).first, some(1).first)
        (node.children, node.friends) = (some(2), some(1))
      }
      let data = try KeyedArchiver.archivedData(withRootObject: nodes)
      let copies = try KeyedUnarchiver.unarchive([Node].self, from: data)
      defer { copies.forEach { $0.takeApart() } }
      #expect(copies.map(\.description) == nodes.map(\.description))
      #expect(copies.allSatisfy { $0.links.allSatisfy { copies[$0.id] === $0 } })
    }
  }
}

/// An initializer that skips unreadable elements skips none that exceeds a limit or is damaged.
@Suite struct SkippedElements {
  private struct Readable: Decodable {
    let text: String?
    init(from decoder: any Decoder) throws {
      text = try? decoder.singleValueContainer().decode(Text.self).text
    }
  }
  private final class Text: Codable {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Test("an exceeded limit is thrown, although initializers catch it")
  func limits() throws {
    let data = try ArchiveEncoder().encode((0..<1_000).map { Text(String(repeating: "x", count: $0)) })
    var limits = ArchiveLimits()
    limits.maximumAllocation = 100_000
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    let found = try failure { try unarchiver.decode([Readable].self, forKey: KeyedArchiver.rootKey) }
    #expect(found.code == .limitExceeded)
  }

  @Test("damage found on demand is thrown, although initializers catch it")
  func damage() throws {
    let texts = (0..<20_000).map { Text("number \($0)") }
    var data = try KeyedArchiver.archivedData(withRootObject: texts)
    #expect(try KeyedUnarchiver(forReadingFrom: data).decode([Readable].self, forKey: "root").count == 20_000)
    data[data.count / 2] ^= 1
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    for _ in 0..<2 {
      #expect(try failure { try unarchiver.decode([Readable].self, forKey: "root") }.code == .damaged)
    }
  }

  @Test("an element of another type is skipped")
  func types() throws {
    let readable = try transcode(["text", "other"], to: [Readable].self)
    #expect(readable.allSatisfy { $0.text == nil })
  }
}
