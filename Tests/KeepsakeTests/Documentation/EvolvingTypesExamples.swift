import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of EvolvingTypes.md. Earlier versions of types are in enumerations.
@Suite("Documentation: types that change") struct EvolvingTypesExamples {
  // MARK: New and removed properties

  enum First {
    struct Book: Codable {
      var title: String
      var pages: Int
      var isbn = "0-00"
    }
  }

  struct Book: Codable {
    var title: String
    var pages: Int
    var subtitle: String?
  }

  @Test("a new optional property is nil, and a removed one is ignored")
  func optional() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: First.Book(title: "Lavinia", pages: 279))
    let book = try KeyedUnarchiver.unarchive(Book.self, from: data)
    #expect(book.title == "Lavinia" && book.pages == 279 && book.subtitle == nil)
  }

  struct Edition: Codable {
    var title: String
    var pages: Int
    var copies = 1

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      pages = try container.decode(Int.self, forKey: .pages)
      copies = try container.decodeIfPresent(Int.self, forKey: .copies) ?? 1
    }
  }

  @Test("a new property gets its default")
  func defaults() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: First.Book(title: "Lavinia", pages: 279))
    let edition = try KeyedUnarchiver.unarchive(Edition.self, from: data)
    #expect(edition.copies == 1)
  }

  @Test("a new property without a default is keyNotFound")
  func missing() throws {
    struct Strict: Codable {
      var title: String
      var weight: Double
    }
    let data = try KeyedArchiver.archivedData(withRootObject: First.Book(title: "Lavinia", pages: 279))
    let failure = try failure { try KeyedUnarchiver.unarchive(Strict.self, from: data) }
    #expect(failure.kind == .keyNotFound && failure.missingKey == "weight")
  }

  // MARK: Renamed keys

  struct Volume: Codable {
    var heading: String
    var pages: Int

    private enum CodingKeys: String, CodingKey {
      case heading = "title"
      case pages
    }
  }

  @Test("a renamed property keeps its key")
  func renamedProperty() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: First.Book(title: "Lavinia", pages: 279))
    #expect(try KeyedUnarchiver.unarchive(Volume.self, from: data).heading == "Lavinia")
  }

  struct Record: Codable {
    var name: String

    private enum CodingKeys: String, CodingKey { case name }
    private enum OldKeys: String, CodingKey { case title }

    init(name: String) {
      self.name = name
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let name = try container.decodeIfPresent(String.self, forKey: .name) {
        self.name = name
      } else {
        name = try decoder.container(keyedBy: OldKeys.self).decode(String.self, forKey: .title)
      }
    }
  }

  @Test("a renamed key is read by its old name")
  func renamedKey() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: First.Book(title: "Lavinia", pages: 279))
    #expect(try KeyedUnarchiver.unarchive(Record.self, from: data).name == "Lavinia")
    #expect(try KeyedArchiver.copy(of: Record(name: "Tehanu")).name == "Tehanu")
  }

  // MARK: Other types

  @Test("values are read as other types if they fit")
  func otherTypes() throws {
    #expect(try transcode(7, to: Int64.self) == 7)
    #expect(try transcode(7, to: UInt8.self) == 7)
    #expect(try transcode(7, to: Double.self) == 7)
    #expect(throws: DecodingError.self) { try transcode(300, to: UInt8.self) }
    #expect(throws: DecodingError.self) { try transcode(7.5, to: Int.self) }
    #expect(throws: DecodingError.self) { try transcode(7, to: String.self) }
    #expect(try transcode(Float(0.5), to: Double.self) == 0.5)
    #expect(try transcode(7, to: Int?.self) == 7)
    #expect(try transcode(Optional(7), to: Int.self) == 7)
    #expect(throws: DecodingError.self) { try transcode(Int?.none, to: Int.self) }
    #expect(try transcode([1, 2], to: Set<Int>.self) == [1, 2])
    #expect(try transcode([1, 2], to: [Double].self) == [1, 2])
    #expect(try transcode([1, 2], to: Data.self) == Data([1, 2]))
    #expect(try transcode(["title": "Lavinia"], to: Title.self).title == "Lavinia")
    #expect(try transcode(Title(title: "Lavinia"), to: [String: String].self) == ["title": "Lavinia"])
  }

  struct Title: Codable {
    var title: String
  }

  final class TitleObject: Codable {
    var title = "Lavinia"
  }

  @Test("a structure is read as a class, and a class as a structure")
  func structuresAndClasses() throws {
    #expect(try transcode([Title(title: "Lavinia")], to: [TitleObject].self)[0].title == "Lavinia")
    let object = TitleObject()
    #expect(try transcode([object, object], to: [Title].self).map(\.title) == ["Lavinia", "Lavinia"])
  }

  // MARK: Versions

  enum Second {
    final class Player: Codable {
      var fullName = "Ada Lovelace"
    }
  }

  final class Player: Codable, ArchivableClass {
    static var archiveVersion: Int { 1 }

    var firstName: String
    var lastName: String

    private enum CodingKeys: String, CodingKey { case firstName, lastName }
    private enum OldKeys: String, CodingKey { case fullName }

    init(firstName: String, lastName: String) {
      self.firstName = firstName
      self.lastName = lastName
    }

    init(from decoder: any Decoder) throws {
      guard decoder.archivedVersion(of: Player.self) >= 1 else {
        let container = try decoder.container(keyedBy: OldKeys.self)
        let words = try container.decode(String.self, forKey: .fullName).split(separator: " ")
        firstName = words.dropLast().joined(separator: " ")
        lastName = words.last.map(String.init) ?? ""
        return
      }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      firstName = try container.decode(String.self, forKey: .firstName)
      lastName = try container.decode(String.self, forKey: .lastName)
    }
  }

  @Test("an initializer reads an earlier version of its class")
  func versions() throws {
    let old = try KeyedArchiver.archivedData(withRootObject: Second.Player())
    let player = try KeyedUnarchiver.unarchive(Player.self, from: old)
    #expect(player.firstName == "Ada" && player.lastName == "Lovelace")
    #expect(try KeyedArchiver.copy(of: Player(firstName: "A", lastName: "B")).lastName == "B")
  }

  // MARK: Models and declared fields

  enum Third {
    final class Lamp: ArchivedModel {
      var percent = 50.0
      var colour = "white"
    }
  }

  final class Lamp: ArchivedModel, ArchivableClass {
    override class var archivedKeys: [String: String?] { ["brightness": "percent"] }

    static var archiveVersion: Int { 1 }

    var brightness = 1.0
    var isOn = true

    required init() {
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      try super.init(from: decoder)
      if decoder.archivedVersion(of: Lamp.self) < 1 { brightness /= 100 }
    }
  }

  @Test("a model reads an earlier version")
  func model() throws {
    let old = try KeyedArchiver.archivedData(withRootObject: Third.Lamp())
    let lamp = try KeyedUnarchiver.unarchive(Lamp.self, from: old)
    #expect(lamp.brightness == 0.5 && lamp.isOn)
  }

  struct Address: ArchivedFields {
    var street = ""
    var country = "NL"
  }

  @Test("declared fields keep their defaults")
  func fields() throws {
    let address = try transcode(["street": "Keizersgracht"], to: Address.self)
    #expect(address.street == "Keizersgracht" && address.country == "NL")
  }
}
