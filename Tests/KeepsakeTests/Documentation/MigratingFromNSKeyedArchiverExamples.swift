import Foundation
import Keepsake
import TestSupport
import Testing

// The earlier classes. They are outside the suite to have plain names for NSKeyedArchiver.

final class Postcard: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  var text = ""
  var sent: Date?
  var stamps: [Stamp] = []

  override init() {}

  required init?(coder: NSCoder) {
    text = coder.decodeObject(of: NSString.self, forKey: "text") as String? ?? ""
    sent = coder.decodeObject(of: NSDate.self, forKey: "sent") as Date?
    stamps = coder.decodeObject(of: [NSArray.self, Stamp.self], forKey: "stamps") as? [Stamp] ?? []
  }

  func encode(with coder: NSCoder) {
    coder.encode(text as NSString, forKey: "text")
    coder.encode(sent as NSDate?, forKey: "sent")
    coder.encode(stamps as NSArray, forKey: "stamps")
  }
}

class Stamp: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }

  var price = 0

  override init() {}

  required init?(coder: NSCoder) {
    price = coder.decodeInteger(forKey: "price")
  }

  func encode(with coder: NSCoder) {
    coder.encode(price, forKey: "price")
  }
}

final class PictureStamp: Stamp {
  var motif = ""

  override init() {
    super.init()
  }

  required init?(coder: NSCoder) {
    motif = coder.decodeObject(of: NSString.self, forKey: "motif") as String? ?? ""
    super.init(coder: coder)
  }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(motif as NSString, forKey: "motif")
  }
}

/// The examples of MigratingFromNSKeyedArchiver.md.
@Suite("Documentation: from NSKeyedArchiver") struct MigratingFromNSKeyedArchiverExamples {
  final class Postcard: Codable {
    var text: String
    var sent: Date?
    var stamps: [Stamp] = []

    init(text: String) {
      self.text = text
    }
  }

  class Stamp: Codable, ArchivableClass {
    class var archivedClassName: String { "Post.Stamp" }
    class var archivedClassAliases: [String] { ["MyApp.Stamp"] }

    var price: Int

    init(price: Int) {
      self.price = price
    }
  }

  final class PictureStamp: Stamp {
    override class var archivedClassName: String { "Post.PictureStamp" }
    override class var archivedClassAliases: [String] { ["MyApp.PictureStamp"] }

    var motif: String

    private enum CodingKeys: String, CodingKey { case motif }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      motif = try container.decode(String.self, forKey: .motif)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(motif, forKey: .motif)
    }
  }

  /// The archive of the program when it was called MyApp.
  private static func oldPostcard() -> Data {
    let stamp = KeepsakeTests.PictureStamp()
    stamp.price = 90
    stamp.motif = "Lighthouse"
    let postcard = KeepsakeTests.Postcard()
    postcard.text = "Greetings"
    postcard.sent = Date(timeIntervalSinceReferenceDate: 0)
    postcard.stamps = [stamp, KeepsakeTests.Stamp(), stamp]
    let xml = String(decoding: foundationArchive(postcard, format: .xml), as: UTF8.self)
    return Data(xml.replacingOccurrences(of: "KeepsakeTests.", with: "MyApp.").utf8)
  }

  private func check(_ postcard: Postcard) {
    #expect(postcard.text == "Greetings" && postcard.sent == Date(timeIntervalSinceReferenceDate: 0))
    #expect((postcard.stamps[0] as? PictureStamp)?.motif == "Lighthouse" && postcard.stamps[0].price == 90)
    #expect(postcard.stamps[0] === postcard.stamps[2] && !(postcard.stamps[1] is PictureStamp))
  }

  @Test("the code before and after the migration works")
  func code() throws {
    let folder = try TemporaryFolder()
    let path = folder("postcard.keepsake")

    let before = try {
      let postcard = KeepsakeTests.Postcard()
      let data = try NSKeyedArchiver.archivedData(withRootObject: postcard, requiringSecureCoding: true)
      return data
    }()
    #expect(before.starts(with: "bplist".utf8))

    let postcard = Postcard(text: "Greetings")
    try KeyedArchiver.archive(rootObject: postcard, toFile: path)
    let copy = try KeyedUnarchiver.unarchive(Postcard.self, fromFile: path)

    #expect(copy.text == "Greetings")
  }

  @Test("an old file is read, and saved as an archive of Keepsake")
  func oldFile() throws {
    let folder = try TemporaryFolder()
    let path = folder("postcard")
    try MigratingFromNSKeyedArchiverExamples.oldPostcard().write(to: URL(fileURLWithPath: path))

    let postcard = try KeyedUnarchiver.unarchive(Postcard.self, fromFile: path)  // written by NSKeyedArchiver
    try KeyedArchiver.archive(rootObject: postcard, toFile: path)  // from now on an archive of Keepsake

    check(postcard)
    check(try KeyedUnarchiver.unarchive(Postcard.self, fromFile: path))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[1...4].elementsEqual("KEEP".utf8))
  }

  @Test("mixed collections are read as Any")
  func mixed() throws {
    let sent = KeepsakeTests.Postcard()
    sent.text = "Greetings"
    let old = foundationArchive {
      $0.encode(["title": "Cards", "recent": [sent, 3] as NSArray] as NSDictionary, forKey: "settings")
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: old)
    unarchiver.setClass(Postcard.self, forClassName: "KeepsakeTests.Postcard")

    let settings = try unarchiver.decode(Polymorphic<[String: Any]>.self, forKey: "settings").wrappedValue
    let title = settings["title"] as? String
    let recent = settings["recent"] as? [Any]
    let card = recent?.first as? Postcard

    #expect(title == "Cards" && card?.text == "Greetings" && recent?.last as? Int == 3)
  }

  @Test("several keys are read")
  func keys() throws {
    let old = KeepsakeTests.Postcard()
    old.text = "Greetings"
    let data = foundationArchive {
      $0.encode(old, forKey: "card")
      $0.encode([old] as NSArray, forKey: "all")
      $0.encode(7, forKey: "page")
    }

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let card = try unarchiver.decode(Postcard.self, forKey: "card")
    let all = try unarchiver.decode([Postcard].self, forKey: "all")
    let page = try unarchiver.decode(Int.self, forKey: "page")
    let isShared = all[0] === card  // true

    #expect(isShared && page == 7 && card.text == "Greetings")
  }

  private static func mangled(_ name: String, _ superclass: String) -> Data {
    FoundationPropertyList.archive(objects: [
      .instance([name, superclass, "NSObject"], [("price", .integer(90)), ("motif", .reference(2))]),
      .string("Lighthouse"),
    ])
  }

  @Test("subclasses are found by their names, aliases and mappings")
  func names() throws {
    for (name, superclass) in [
      ("_TtC5MyApp12PictureStamp", "_TtC5MyApp5Stamp"), ("MyApp.PictureStamp", "MyApp.Stamp"),
    ] {
      let data = MigratingFromNSKeyedArchiverExamples.mangled(name, superclass)
      #expect(try KeyedUnarchiver.unarchive(Stamp.self, from: data) is PictureStamp)
    }
    let data = MigratingFromNSKeyedArchiverExamples.mangled("_TtC6OldApp9FineStamp", "_TtC6OldApp5Stamp")
    let failure = try failure { try KeyedUnarchiver.unarchive(Stamp.self, from: data) }
    #expect(failure.code == .unresolvableClass)

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(PictureStamp.self, forClassName: "OldApp.FineStamp")
    let stamp = try unarchiver.decode(Stamp.self, forKey: "root")

    #expect(stamp is PictureStamp && stamp.price == 90)
  }

  struct Person: Codable {
    var name: String
    var born: Date?
  }

  @Test("a class without a superclass can have any name, and be a structure now")
  func flat() throws {
    let data = FoundationPropertyList.archive(objects: [
      .object("ABCPerson", ["name": .reference(2)]), .string("Ada"),
    ])
    let person = try KeyedUnarchiver.unarchive(Person.self, from: data)
    #expect(person.name == "Ada" && person.born == nil)
  }

  struct PlainText: Codable {
    var text: String

    private enum CodingKeys: String, CodingKey { case text = "NSString" }
  }

  @Test("objects of frameworks are read by their keys")
  func frameworks() throws {
    let data = FoundationPropertyList.archive(objects: [
      .object("NSAttributedString", ["NSString": .reference(2), "NSAttributes": .reference(3)]),
      .string("Greetings"), .object("NSDictionary", ["NS.keys": .array([]), "NS.objects": .array([])]),
    ])
    let text = try KeyedUnarchiver.unarchive(PlainText.self, from: data).text

    #expect(text == "Greetings")
  }

  @Test("points are archived as texts, and values as points")
  func points() throws {
    let point = CGPoint(x: 1, y: 2)
    let data = foundationArchive {
      $0.encode(point, forKey: "text")
      $0.encode(NSValue(point: point), forKey: "value")
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(NSPointFromString(try unarchiver.decode(String.self, forKey: "text")) == point)
    #expect(try unarchiver.decode(CGPoint.self, forKey: "value") == point)
  }

  @Test("a missing key throws, where NSCoder returned 0")
  func missing() throws {
    let data = FoundationPropertyList.archive(objects: [.object("MyApp.Stamp", [:])])
    let failure = try failure { try KeyedUnarchiver.unarchive(Stamp.self, from: data) }
    #expect(failure.kind == .keyNotFound && failure.missingKey == "price")
  }
}
