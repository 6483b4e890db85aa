import Foundation
import Keepsake
import Observation
import Testing

/// The examples of README.md in a module with the settings of a new app project (Package.swift): all classes and their
/// conformances are isolated to the main actor, unless they state otherwise.
///
/// Only what the compiler's messages request differs from the README: `@MainActor` where a type conforms to a protocol
/// that inherits from `Codable`, `nonisolated` where it inherits from a class of a library.
@Suite struct AppExamples {
  @Test("the first example writes and reads a file")
  func file() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let author = Author(name: "Ursula K. Le Guin")
    author.books = [Book("Lavinia", by: author), Book("The Dispossessed", by: author)]
    try KeyedArchiver.archive(rootObject: author, toFile: path)

    let copy = try KeyedUnarchiver.unarchive(Author.self, fromFile: path)
    #expect(copy.name == author.name && copy.books.map(\.title) == ["Lavinia", "The Dispossessed"])
    #expect(copy.books[0].author === copy)
    for one in [author, copy] { one.books = [] }
  }

  @Test("several keys, values, copies and the drop-in coders work")
  func everydayUse() throws {
    let archiver = KeyedArchiver()
    try archiver.encode([Loan(), Loan(title: "Tombs")], forKey: "loans")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode([Loan].self, forKey: "loans").map(\.title) == ["Tehanu", "Tombs"])
    #expect(try unarchiver.decodeIfPresent([String].self, forKey: "notes") == nil)
    let blob = try ArchiveEncoder().encode(Loan(title: "Gifts"))
    #expect(try ArchiveDecoder().decode(Loan.self, from: blob).title == "Gifts")
    #expect(try KeyedArchiver.copy(of: Loan(title: "Voices")).title == "Voices")
    let data = try KeyedArchiver.archivedData(withRootObject: Loan(), outputFormatting: .sortedKeys)
    #expect(try KeyedUnarchiver.unarchive(Loan.self, from: data).title == "Tehanu")
  }

  @Test("wrappers keep weak, deferred and polymorphic properties")
  func words() throws {
    let (root, child) = (Node(Colour()), Node(Colour(name: "blue")))
    root.children = [child]
    (child.parent, child.twin, root.twin) = (root, root, child)
    let copy = try KeyedArchiver.copy(of: root)
    #expect(copy.twin === copy.children[0] && copy.children[0].twin === copy)
    #expect(copy.children[0].parent === copy && (copy.children[0].tag as? Colour)?.name == "blue")
    for node in [root, copy] { node.twin = nil }
  }

  @Test("subclasses are found by their own and stated names")
  func subclasses() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Falcon(), Aviary.Swift()] as [Bird])
    #expect(data.range(of: Data("AppTests.Falcon".utf8)) == nil)
    let birds = try KeyedUnarchiver.unarchive([Bird].self, from: data)
    #expect(birds[0] is Falcon && birds[1] is Aviary.Swift)
  }

  @Test("models keep shared instances and cycles")
  func models() throws {
    let (user, admin) = (User(), Admin())
    (user.friends, admin.friends, admin.level) = ([admin], [user], 3)
    let copy = try KeyedArchiver.copy(of: user)
    #expect(copy.friends[0].friends[0] === copy && (copy.friends[0] as? Admin)?.level == 3)
    for one in [user, copy] { one.friends = [] }
  }

  @Test("@Observable classes read archives from before they were observable, and the other way round")
  func observable() throws {
    let note = Note(text: "new", pages: [Note(text: "page", pages: [])])
    let copy = try KeyedArchiver.copy(of: [note, note])
    #expect(copy[0] === copy[1] && copy[0].text == "new" && copy[0].pages[0].text == "page")
    let old = try ArchiveEncoder().encode(PlainNote(text: "old", pages: [PlainNote(text: "page", pages: [])]))
    let read = try ArchiveDecoder().decode(Note.self, from: old)
    #expect(read.text == "old" && read.pages[0].text == "page")
    let back = try ArchiveDecoder().decode(PlainNote.self, from: ArchiveEncoder().encode(note))
    #expect(back.text == "new" && back.pages[0].text == "page")
  }

  @Test("an error names a main-actor conformance that cannot be used elsewhere")
  func elsewhere() async throws {
    let message = await Task.detached {
      do {
        _ = try ArchiveEncoder().encode(Signed())
        return ""
      } catch { return "\(error)" }
    }.value
    #expect(message.contains("Seal is Encodable only on its global actor. Encode it there"))
    #expect(try KeyedArchiver.copy(of: Signed()).seal is Seal)
  }

  @Test("a copied object awakes once")
  func awakening() throws {
    let bell = try KeyedArchiver.copy(of: Bell())
    #expect(bell.rang == 1)
  }
}

class Author: Codable {
  var name: String
  var books: [Book] = []

  init(name: String) {
    self.name = name
  }
}

final class Book: Codable {
  var title: String
  @Deferred var author: Author  // refers back

  init(_ title: String, by author: Author) {
    self.title = title
    self.author = author
  }
}

struct Loan: Codable {
  var title = "Tehanu"
}

protocol Tag: Codable {}

struct Colour: @MainActor Tag {
  var name = "red"
}

final class Node: Codable {
  var children: [Node] = []
  @Deferred var twin: Node?
  @WeakReference var parent: Node?
  @Polymorphic var tag: any Tag

  init(_ tag: any Tag) { self.tag = tag }
}

struct Seal: Codable {
  nonisolated init() {}
}

nonisolated struct Signed: Codable {
  @Polymorphic var seal: Any = Seal()
}

class Bird: Codable {
  var name = ""

  init() {}
}

final class Falcon: Bird {}

extension Falcon: ArchivableClass {
  static var archivedClassName: String { "App.Falcon" }
  static var archivedClassAliases: [String] { ["App.Hawk"] }
}

/// An enumeration that serves only as a namespace.
enum Aviary {
  final class Swift: Bird {}
}

nonisolated class User: ArchivedModel {
  var name = ""
  var friends: [User] = []
}

nonisolated class Admin: User {
  var level = 1
}

@Observable final class Note: Codable {
  var text: String
  var pages: [Note]

  // The synthesized ones would make the compiler warn about the constant that the macro adds.
  enum CodingKeys: CodingKey { case _text, _pages, _$observationRegistrar }

  init(text: String, pages: [Note]) {
    self.text = text
    self.pages = pages
  }
}

final class PlainNote: Codable {
  var text: String
  var pages: [PlainNote]

  init(text: String, pages: [PlainNote]) {
    self.text = text
    self.pages = pages
  }
}

final class Bell: Codable, ArchiveAwakening {
  private(set) var rang = 0

  private enum CodingKeys: CodingKey {}

  init() {}

  func awakeFromArchive() { rang += 1 }
}
