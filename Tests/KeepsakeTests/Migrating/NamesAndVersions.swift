import Foundation
import Keepsake
import Testing

// The code of Docs/Migrating.md, steps 10 to 12.

@Suite("Migrating: renamed classes") struct MigratingNames {
  class Instrument: Codable {
    var pitch = 440.0

    init() {}
  }

  final class Violin: Instrument, ArchivableClass {
    static var archivedClassName: String { "Migrating.Violin" }
    static var archivedClassAliases: [String] { ["Migrating.Fiddle"] }
  }

  final class Flute: Instrument {}

  /// The archive of a program in which the class was called `name`.
  private func archive(_ instrument: Instrument, as name: String) throws -> Data {
    let archiver = KeyedArchiver()
    archiver.setClassName(name, for: type(of: instrument))
    try archiver.encode(instrument, forKey: "instrument")
    return try archiver.encodedData
  }

  @Test("the archived name does not matter if the declared type is the class itself")
  func declared() throws {
    struct Old: Codable {
      var flutes = [OldFlute()]
    }
    final class OldFlute: Codable {
      var pitch = 220.0
    }
    struct New: Codable {
      var flutes: [Flute]
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Old())
    #expect(try KeyedUnarchiver.unarchive(New.self, from: data).flutes.map(\.pitch) == [220])
  }

  @Test("a subclass is found by its archived name and by its aliases")
  func names() throws {
    for name in ["Migrating.Violin", "Migrating.Fiddle"] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive(Violin(), as: name))
      #expect(try unarchiver.decode(Instrument.self, forKey: "instrument") is Violin)
    }
    let data = try KeyedArchiver.archivedData(withRootObject: [Violin(), Instrument()])
    #expect(try KeyedUnarchiver.unarchive([Instrument].self, from: data)[0] is Violin)
  }

  @Test("a private class is found if it states a name")
  func privateClass() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [MigratingLute(), Instrument()])
    #expect(try KeyedUnarchiver.unarchive([Instrument].self, from: data)[0] is MigratingLute)
    #expect(throws: EncodingError.self) {
      try KeyedArchiver.archivedData(withRootObject: [MigratingHarp(), Instrument()])
    }
  }

  @Test("an unknown name is an error that contains it")
  func unknown() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive(Flute(), as: "Migrating.Pipe"))
    let error = #expect(throws: DecodingError.self) {
      try unarchiver.decode(Instrument.self, forKey: "instrument")
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((context.underlyingError as? ArchiveError)?.code == .unresolvableClass)
    #expect(context.debugDescription.contains("Migrating.Pipe"))
  }

  @Test("setClass maps a name for one unarchiver or for the whole process")
  func setClass() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive(Flute(), as: "Migrating.Recorder"))
    unarchiver.setClass(Flute.self, forClassName: "Migrating.Recorder")
    #expect(try unarchiver.decode(Instrument.self, forKey: "instrument") is Flute)

    KeyedUnarchiver.setClass(Flute.self, forClassName: "Migrating.Piccolo")
    defer { KeyedUnarchiver.setClass(nil, forClassName: "Migrating.Piccolo") }
    let other = try KeyedUnarchiver(forReadingFrom: archive(Flute(), as: "Migrating.Piccolo"))
    #expect(try other.decode(Instrument.self, forKey: "instrument") is Flute)
  }

  final class Finder: KeyedUnarchiverDelegate {
    var asked: [[String]] = []

    func unarchiver(
      _ unarchiver: KeyedUnarchiver,
      cannotDecodeObjectOfClassName name: String,
      originalClasses classNames: [String]
    ) -> AnyClass? {
      asked.append(classNames)
      return Flute.self
    }
  }

  @Test("the delegate can state the class for an unknown name")
  func delegate() throws {
    let finder = Finder()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive(Flute(), as: "Migrating.Whistle"))
    unarchiver.delegate = finder
    #expect(try unarchiver.decode(Instrument.self, forKey: "instrument") is Flute)
    #expect(finder.asked.map(\.first) == ["Migrating.Whistle"] && finder.asked.first?.count == 2)
  }

  final class Oboe: Instrument {}

  @Test("setClassName writes the name that an older program expects")
  func setClassName() throws {
    KeyedArchiver.setClassName("Migrating.Hautbois", for: Oboe.self)
    defer { KeyedArchiver.setClassName(nil, for: Oboe.self) }
    let data = try KeyedArchiver.archivedData(withRootObject: [Oboe(), Instrument()])
    #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive([Instrument].self, from: data) }

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Oboe.self, forClassName: "Migrating.Hautbois")
    #expect(try unarchiver.decode([Instrument].self, forKey: KeyedArchiver.rootKey)[0] is Oboe)
  }
}

private final class MigratingLute: MigratingNames.Instrument, ArchivableClass {
  static var archivedClassName: String { "Migrating.Lute" }
}

private final class MigratingHarp: MigratingNames.Instrument {}

@Suite("Migrating: versions") struct MigratingVersions {
  /// The earlier version of the class.
  final class OldPlayer: Codable, ArchivableClass {
    static var archiveVersion: Int { 1 }
    var fullName = "Ada Lovelace"
  }

  final class Player: Codable, ArchivableClass {
    static var archiveVersion: Int { 2 }

    var firstName: String
    var lastName: String

    private enum CodingKeys: String, CodingKey { case firstName, lastName, fullName }

    init(firstName: String, lastName: String) {
      self.firstName = firstName
      self.lastName = lastName
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if decoder.archivedVersion(of: Player.self) < 2 {
        let words = try container.decode(String.self, forKey: .fullName).split(separator: " ", maxSplits: 1)
        firstName = words.first.map(String.init) ?? ""
        lastName = words.dropFirst().first.map(String.init) ?? ""
      } else {
        firstName = try container.decode(String.self, forKey: .firstName)
        lastName = try container.decode(String.self, forKey: .lastName)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(firstName, forKey: .firstName)
      try container.encode(lastName, forKey: .lastName)
    }
  }

  @Test("an initializer can distinguish old archives from new ones")
  func byHand() throws {
    let old = try KeyedArchiver.archivedData(withRootObject: OldPlayer())
    let player = try KeyedUnarchiver.unarchive(Player.self, from: old)
    #expect(player.firstName == "Ada" && player.lastName == "Lovelace")

    let new = try KeyedArchiver.archivedData(withRootObject: Player(firstName: "A B", lastName: "C"))
    #expect(try KeyedUnarchiver.unarchive(Player.self, from: new).firstName == "A B")
  }

  /// The earlier version of the model.
  final class OldLamp: ArchivedModel {
    var percent = 50.0
  }

  final class Lamp: ArchivedModel, ArchivableClass {
    override class var archivedKeys: [String: String?] { ["brightness": "percent"] }

    static var archiveVersion: Int { 1 }

    var brightness = 1.0

    required init() {
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      try super.init(from: decoder)
      if decoder.archivedVersion(of: Lamp.self) < 1 { brightness /= 100 }
    }
  }

  @Test("a model can distinguish old archives from new ones")
  func model() throws {
    let old = try KeyedArchiver.archivedData(withRootObject: OldLamp())
    #expect(try KeyedUnarchiver.unarchive(Lamp.self, from: old).brightness == 0.5)
    let lamp = Lamp()
    lamp.brightness = 0.25
    #expect(try KeyedArchiver.copy(of: lamp).brightness == 0.25)
  }
}

@Suite("Migrating: what is rebuilt after reading") struct MigratingAwakening {
  final class Library: Codable, ArchiveAwakening {
    var books: [Book] = []
    private(set) var byTitle: [String: Book] = [:]

    private enum CodingKeys: String, CodingKey { case books }

    func awakeFromArchive() {
      for book in books { byTitle[book.title] = book }
    }
  }

  final class Book: Codable {
    var title: String
    @WeakReference var library: Library?

    init(title: String) {
      self.title = title
    }
  }

  @Test("awakeFromArchive runs when the whole graph is decoded")
  func awake() throws {
    let library = Library()
    library.books = [Book(title: "Lavinia"), Book(title: "Ulysses")]
    for book in library.books { book.library = library }
    let back = try KeyedArchiver.copy(of: library)
    #expect(back.byTitle["Ulysses"] === back.books[1] && back.books[1].library === back)
  }
}
