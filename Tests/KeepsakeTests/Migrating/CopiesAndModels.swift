import Foundation
import Keepsake
import TestSupport
import Testing

// The code of Docs/Migrating.md, steps 7 and 8.

@Suite("Migrating: a deep copy") struct MigratingCopy {
  final class Chapter: Codable {
    var title: String

    init(title: String) {
      self.title = title
    }
  }

  final class Book: Codable {
    var chapters: [Chapter] = []
    var bookmark: Chapter?
  }

  @Test("a deep copy has new objects that share as the old ones do")
  func copy() throws {
    let book = Book()
    book.chapters = [Chapter(title: "One"), Chapter(title: "Two")]
    book.bookmark = book.chapters[1]

    let twin = try KeyedArchiver.copy(of: book)
    #expect(twin !== book && twin.chapters[0] !== book.chapters[0])
    #expect(twin.chapters.map(\.title) == ["One", "Two"])
    #expect(twin.bookmark === twin.chapters[1])
  }
}

@Suite("Migrating: a model base class") struct MigratingModel {
  class User: ArchivedModel {
    override class var archivedKeys: [String: String?] { ["friends": "mates", "isSelected": nil] }

    var name = ""
    var friends: [User] = []
    var boss: User?
    var born: Date?
    var isSelected = false

    convenience init(name: String) {
      self.init()
      self.name = name
    }
  }

  final class Admin: User {
    var rights: Set<String> = ["read"]
  }

  @Test("a model archives its properties and those of its subclass, except ignored ones")
  func everything() throws {
    let ada = Admin(name: "Ada")
    ada.rights = ["read", "write"]
    ada.isSelected = true
    let bob = User(name: "Bob")
    bob.boss = ada
    let data = try KeyedArchiver.archivedData(withRootObject: [bob, ada])

    let back = try KeyedUnarchiver.unarchive([User].self, from: data)
    #expect(back.map(\.name) == ["Bob", "Ada"])
    #expect(back[0].boss === back[1] && back[0].born == nil)
    #expect((back[1] as? Admin)?.rights == ["read", "write"])
    #expect(!back[1].isSelected)
  }

  @Test("models can refer to each other in cycles")
  func cycle() throws {
    let ada = User(name: "Ada")
    let bob = User(name: "Bob")
    ada.friends = [bob, ada]
    bob.friends = [ada]
    let data = try KeyedArchiver.archivedData(withRootObject: ada)

    let back = try KeyedUnarchiver.unarchive(User.self, from: data)
    #expect(back.friends[0].name == "Bob")
    #expect(back.friends[0].friends[0] === back && back.friends[1] === back)
    // A cycle stays alive until it is broken.
    for user in [ada, bob, back, back.friends[0]] { user.friends = [] }
  }

  final class Badge: ArchivedModel {
    var label = ""

    init(label: String) {
      super.init()
      self.label = label
    }

    required init() {
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      try super.init(from: decoder)
    }
  }

  @Test("a model can have a designated initializer beside the two required ones")
  func designatedInitializer() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Badge(label: "guest"))
    #expect(try KeyedUnarchiver.unarchive(Badge.self, from: data).label == "guest")
  }

  class Page: ArchivedModel {
    var title = ""
    @Polymorphic var content: [any Codable] = []
    @WeakReference var previous: Page?
    @Deferred var next: Page?
  }

  @Test("a model can use the other wrappers")
  func wrappers() throws {
    let first = Page()
    let second = Page()
    first.content = ["text", 5, Date(timeIntervalSinceReferenceDate: 0)]
    first.next = second
    second.previous = first
    let data = try KeyedArchiver.archivedData(withRootObject: first)
    let back = try KeyedUnarchiver.unarchive(Page.self, from: data)
    #expect(back.content[0] as? String == "text" && back.content[1] as? Int == 5)
    #expect(back.content[2] as? Date == Date(timeIntervalSinceReferenceDate: 0))
    #expect(back.next?.previous === back)
  }
}
