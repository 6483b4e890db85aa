import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of README.md. Those that name files in the working folder are only compiled.
@Suite("Documentation: README") struct READMEExamples {
  // MARK: The first one

  class Author: Codable {
    var name: String
    var books: [Book] = []

    init(name: String) {
      self.name = name
    }
  }

  final class Book: Codable {
    var title: String
    unowned let author: Author  // refers back

    init(_ title: String, by author: Author) {
      self.title = title
      self.author = author
    }
  }

  /// As a user would write it.
  private func first() throws {
    let author = Author(name: "Ursula K. Le Guin")
    author.books = [Book("Lavinia", by: author), Book("The Dispossessed", by: author)]
    try KeyedArchiver.archive(rootObject: author, toFile: "author.keepsake")

    let copy = try KeyedUnarchiver.unarchive(Author.self, fromFile: "author.keepsake")
    print(copy.name, copy.books.map(\.title))
    print("the same author:", copy.books[0].author === copy)
  }

  // MARK: Everyday use

  struct Library: Codable, Equatable {
    var titles = ["Tehanu"]
  }

  struct Loan: Codable, Equatable {
    var title = "Tehanu"
  }

  struct Point: Codable, Equatable {
    var x = 1
    var y = 2
  }

  /// As a user would write it.
  private func files(_ library: Library, _ books: [Book], _ loans: [Loan]) throws -> [Any?] {
    try KeyedArchiver.archive(rootObject: library, toFile: "library.keepsake")
    let copy = try KeyedUnarchiver.unarchive(Library.self, fromFile: "library.keepsake")

    try KeyedArchiver.archive(rootObject: library, toFile: "library.keepsake", outputFormatting: .sortedKeys)

    let archiver = KeyedArchiver()
    try archiver.encode(books, forKey: "books")
    try archiver.encode(loans, forKey: "loans")
    try archiver.write(toFile: "library.keepsake")

    return [copy] + (try several())
  }

  private func several() throws -> [Any?] {
    let unarchiver = try KeyedUnarchiver(forReadingFile: "library.keepsake")
    let loans = try unarchiver.decode([Loan].self, forKey: "loans")
    let notes = try unarchiver.decodeIfPresent([String].self, forKey: "notes")  // nil

    return [loans, notes]
  }

  private func document() throws {
    let document = try ArchiveDocument<Library>(opening: "library.keepsake")
    document.root.titles.append("The Other Wind")
    try document.save()
  }

  @Test("everyday calls without files work")
  func everydayUse() throws {
    let (library, point) = (Library(), Point(x: 3, y: 4))

    let data = try KeyedArchiver.archivedData(withRootObject: library)
    let again = try KeyedUnarchiver.unarchive(Library.self, from: data)

    let blob = try ArchiveEncoder().encode(point)
    let same = try ArchiveDecoder().decode(Point.self, from: blob)

    let twin = try KeyedArchiver.copy(of: library)

    #expect(again == library && same == point && twin == library)
  }

  // MARK: Graphs

  protocol Tag: Codable {}

  struct Colour: Tag {
    var name = "red"
  }

  final class Node: Codable {
    var children: [Node] = []
    @Deferred var twin: Node?  // strong; read after everything else
    @WeakReference var parent: Node?  // weak, also in structures
    @Polymorphic var tag: any Tag  // a value of any type that conforms
    @Lazy var notes: [String] = []  // read on first access

    init(_ tag: any Tag) { self.tag = tag }
  }

  @Test("wrappers close cycles and keep types")
  func words() throws {
    let (root, child) = (Node(Colour()), Node(Colour(name: "blue")))
    root.children = [child]
    (child.parent, child.twin, root.twin) = (root, root, child)
    let copy = try KeyedArchiver.copy(of: root)
    #expect(copy.twin === copy.children[0] && copy.children[0].twin === copy)
    #expect(copy.children[0].parent === copy && (copy.children[0].tag as? Colour)?.name == "blue")
    for node in [root, copy] { node.twin = nil }
  }

  @Test("a class that states its name is found by it")
  func names() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Falcon()] as [Bird])

    let birds = try KeyedUnarchiver.unarchive([Bird].self, from: data)  // birds[0] is Falcon

    #expect(birds[0] is Falcon && data.range(of: Data("READMEExamples".utf8)) == nil)
  }

  class User: ArchivedModel {
    var name = ""
    var friends: [User] = []
  }

  class Admin: User {
    var level = 1
  }

  @Test("models close a cycle, and a subclass is found")
  func models() throws {
    let (user, admin) = (User(), Admin())
    (user.friends, admin.friends, admin.level) = ([admin], [user], 3)
    let copy = try KeyedArchiver.copy(of: user)
    #expect(copy.friends[0].friends[0] === copy && (copy.friends[0] as? Admin)?.level == 3)
    for one in [user, copy] { one.friends = [] }
  }

  struct Address: ArchivedFields {
    var street = ""
    var city = ""
    var postalCode: Int?
  }

  @Test("a structure with declared fields is copied")
  func fields() throws {
    let address = Address(street: "Main Street", city: "Springfield", postalCode: 12_345)
    let copy = try KeyedArchiver.copy(of: address)
    #expect(copy.street == address.street && copy.city == address.city && copy.postalCode == 12_345)
  }

  // MARK: Errors

  private func reports(of path: String) throws -> [String] {
    var reports: [String] = []
    func report(_ what: some CustomStringConvertible) { reports.append(what.description) }
    var library = Library()
    do {
      library = try KeyedUnarchiver.unarchive(Library.self, fromFile: path)
    } catch let error as ArchiveError where error.code == .unreadableFile {
      report(error)  // library.keepsake: cannot open the file: No such file or directory
    } catch DecodingError.dataCorrupted(let context) {
      report(context.debugDescription)  // The archive was damaged: bytes 0 to 80 do not match …
    }
    #expect(library == Library())
    return reports
  }

  @Test("errors of reading are reported")
  func errors() throws {
    let folder = try TemporaryFolder()
    let path = folder("library.keepsake")
    #expect(try reports(of: path) == ["\(path): cannot open the file: No such file or directory"])

    var data = try KeyedArchiver.archivedData(withRootObject: Library())
    data[data.startIndex + 20] ^= 1
    try data.write(to: URL(fileURLWithPath: path))
    let found = try reports(of: path)
    #expect(found.count == 1 && found[0].hasPrefix("The archive was damaged: bytes 0 to "))
  }
}

private class Bird: Codable {}

private final class Falcon: Bird {}

extension Falcon: ArchivableClass {
  static var archivedClassName: String { "Falcon" }
  static var archivedClassAliases: [String] { ["Zoo.Hawk"] }  // what older archives call it
}
