import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of Models.md.
@Suite("Documentation: models") struct ModelsExamples {
  class User: ArchivedModel {
    override class var archivedKeys: [String: String?] { ["friends": "mates", "isSelected": nil] }

    var name = ""
    var friends: [User] = []
    weak var boss: User?
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

  @Test("models close a cycle, and a subclass is found")
  func users() throws {
    let ada = User(name: "Ada")
    let ben = Admin(name: "Ben")
    ada.friends = [ben]
    ben.friends = [ada]
    ben.rights.insert("write")

    let copy = try KeyedArchiver.copy(of: ada)
    let admin = copy.friends[0] as? Admin
    let isBack = admin?.friends[0] === copy  // true

    #expect(isBack && admin?.rights == ["read", "write"] && !copy.isSelected)
    ben.friends = []
    admin?.friends = []
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

  @Test("a model with a designated initializer is copied")
  func badge() throws {
    #expect(try KeyedArchiver.copy(of: Badge(label: "Chair")).label == "Chair")
  }

  final class Page: ArchivedModel {
    var title = ""
    @Polymorphic var content: [any Codable] = []
    @WeakReference var previous: Page?
    @Deferred var next: Page?
  }

  @Test("a model uses the other wrappers")
  func page() throws {
    let first = Page()
    let second = Page()
    first.next = second
    second.previous = first
    second.content = ["text", 7]

    let copy = try KeyedArchiver.copy(of: first)
    #expect(copy.next?.previous === copy)
    #expect(copy.next?.content[0] as? String == "text" && copy.next?.content[1] as? Int == 7)
  }

  @Test("a model is encoded to JSON")
  func json() throws {
    let badge = Badge(label: "Chair")
    let json = String(decoding: try JSONEncoder().encode(badge), as: UTF8.self)  // {"label":"Chair"}

    #expect(json == #"{"label":"Chair"}"#)
  }

  // MARK: Structures

  struct Address: ArchivedFields {
    var street = ""
    var city = ""
    var postalCode: Int?
  }

  struct PlainAddress: Codable {
    var street = ""
    var city = ""
    var postalCode: Int?
  }

  @Test("fields make the same archive as synthesized coding")
  func fields() throws {
    let address = Address(street: "Keizersgracht 1", city: "Amsterdam", postalCode: 1015)
    let data = try KeyedArchiver.archivedData(withRootObject: [address])
    let copy = try KeyedUnarchiver.unarchive([Address].self, from: data)
    #expect(copy[0].city == "Amsterdam" && copy[0].postalCode == 1015)

    let plain = PlainAddress(street: "Keizersgracht 1", city: "Amsterdam", postalCode: 1015)
    #expect(try KeyedArchiver.archivedData(withRootObject: [plain]) == data)
    #expect(try KeyedUnarchiver.unarchive([PlainAddress].self, from: data)[0].postalCode == 1015)
  }

  struct Reply: ArchivedFields {
    var text = ""
    @WeakReference var author: User?
  }

  @Test("declared fields can have wrappers")
  func wrapped() throws {
    struct Thread: Codable {
      var author: User
      var replies: [Reply]
    }
    let ada = User(name: "Ada")
    let thread = Thread(author: ada, replies: [Reply(text: "Yes", author: ada)])
    let copy = try KeyedArchiver.copy(of: thread)
    #expect(copy.replies[0].author === copy.author && copy.replies[0].text == "Yes")
  }

  final class Room: ArchivedFields {
    var name = ""
    var doors: [Room] = []

    required init() {}
  }

  @Test("objects of a class with declared fields refer to each other")
  func rooms() throws {
    let hall = Room()
    let kitchen = Room()
    hall.doors = [kitchen]
    kitchen.doors = [hall]
    let copy = try KeyedArchiver.copy(of: hall)
    #expect(copy.doors[0].doors[0] === copy)
    hall.doors = []
    copy.doors = []
  }
}
