import Foundation
import Keepsake
import TestSupport
import Testing

protocol GoneShape: Codable { var area: Double { get } }

/// Types that a program no longer has, and their placeholders.
@Suite struct Placeholders {
  struct Drawing: Codable {
    @Polymorphic var shapes: [any GoneShape]
    var owner: Owner?
  }

  final class Owner: Codable {
    var name: String
    var drawn: [Owner] = []
    init(_ name: String) { self.name = name }
  }

  struct Square: GoneShape, Equatable {
    var side: Double
    var area: Double { side * side }
  }

  /// One value of each kind.
  struct Rich: GoneShape {
    var text = "text"
    var wide: Int128 = 1 << 90
    var small = -3
    var unsigned = UInt64.max
    var real = -0.0
    var single: Float = 2.5
    var date = Date(timeIntervalSinceReferenceDate: 5)
    var id = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0EFF")
    var price = Decimal(string: "12.34")
    var url = URL(string: "page.html", relativeTo: URL(string: "https://example.org/"))
    var bytes = Data([1, 2, 3])
    var numbers = [1, 300, -7]
    var doubles = [0.5, .infinity]
    var flags = [true, false, true]
    var nested: [[String: Int?]] = [["a": 1, "b": nil], [:]]
    var byNumber = [7: "seven"]
    var deep: Int?? = .some(nil)
    var choice = Choice.labelled(at: 3)
    var owner: Owner
    @WeakReference var friend: Owner?
    @Polymorphic var others: [any GoneShape]
    @Lazy var owners: [Owner] = []
    var area: Double { 1 }

    enum Choice: Codable, Equatable { case labelled(at: Int) }
  }

  class Animal: Codable {
    var name = "Rex"
    init() {}
  }

  final class Dog: Animal, GoneShape {
    var master: Owner?
    var area: Double { 2 }

    init(_ master: Owner?) {
      self.master = master
      super.init()
    }

    private enum CodingKeys: CodingKey { case master }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      master = try container.decodeIfPresent(Owner.self, forKey: .master)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(master, forKey: .master)
      try super.encode(to: container.superEncoder())
    }
  }

  final class Painter: Animal {
    @Polymorphic var shapes: [any GoneShape]

    init(_ shapes: [any GoneShape]) {
      _shapes = Polymorphic(shapes)
      super.init()
    }

    private enum CodingKeys: CodingKey { case shapes }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      _shapes = try container.decode(Polymorphic<[any GoneShape]>.self, forKey: .shapes)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(_shapes, forKey: .shapes)
      try super.encode(to: container.superEncoder())
    }
  }

  struct UnknownShape: GoneShape, ArchivePlaceholder {
    let content: UnknownValue
    var area: Double { 0 }
    init(_ content: UnknownValue) { self.content = content }
  }

  final class UnknownAnimal: Animal, ArchivePlaceholder {
    let content: UnknownValue

    required init(_ content: UnknownValue) {
      self.content = content
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      content = try UnknownValue(from: decoder)
      super.init()
    }

    override func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
  }

  private static let names: [(type: any (Decodable & SendableMetatype).Type, name: String)] = [
    (Square.self, "Gone.Square"), (Rich.self, "Gone.Rich"), (Dog.self, "Gone.Dog"),
    (Painter.self, "Gone.Painter"),
  ]

  /// Writes as a program that has the types.
  private func archive(_ value: some Encodable) throws -> Data {
    let archiver = KeyedArchiver()
    for (type, name) in Self.names { archiver.setClassName(name, for: type) }
    try archiver.encode(value, forKey: "root")
    return try archiver.encodedData
  }

  /// Reads as a program that has the types.
  private func read<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    for (type, name) in Self.names { unarchiver.setClass(type, forClassName: name) }
    return try unarchiver.decode(type, forKey: "root")
  }

  /// Reads as a program that does not have the types.
  private func readWithout<Value: Decodable>(
    _ type: Value.Type,
    _ data: Data,
    _ placeholders: [any ArchivePlaceholder.Type] = [UnknownShape.self, UnknownAnimal.self]
  ) throws -> Value {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.placeholders = placeholders
    return try unarchiver.decode(type, forKey: "root")
  }

  @Test("placeholders that are set later apply to later decodes")
  func setLater() throws {
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: archive(Drawing(shapes: [Square(side: 2)], owner: nil))
    )
    for count in [0, 1, 0, 1] {
      unarchiver.placeholders = count == 0 ? [] : [UnknownShape.self]
      #expect((try? unarchiver.decode(Drawing.self, forKey: "root"))?.shapes.count ?? 0 == count)
    }
  }

  @Test(
    "a structure of an unknown type is read, and archived again unchanged",
    arguments: [true, false]
  )
  func structures(hasPlaceholderForObjects: Bool) throws {
    let owner = Owner("Ada")
    owner.drawn = [owner]
    defer { owner.drawn = [] }
    var rich = Rich(owner: owner, others: [Square(side: 3), Dog(owner)])
    rich.friend = owner
    rich.owners = [owner]
    let data = try archive(Drawing(shapes: [Square(side: 2), rich], owner: owner))
    #expect(throws: DecodingError.self) { try self.readWithout(Drawing.self, data, []) }

    // Objects inside an unknown value need no placeholders.
    let unknown = try readWithout(
      Drawing.self,
      data,
      hasPlaceholderForObjects ? [UnknownShape.self, UnknownAnimal.self] : [UnknownShape.self]
    )
    let first = try #require(unknown.shapes[0] as? UnknownShape)
    #expect(first.content.typeName == "Gone.Square" && first.content.version == 0)
    #expect(unknown.shapes.map(\.area) == [0, 0])
    let again = try KeyedArchiver.archivedData(withRootObject: unknown)

    let back = try read(Drawing.self, again)
    #expect(back.shapes[0] as? Square == Square(side: 2))
    let copy = try #require(back.shapes[1] as? Rich)
    #expect(copy.text == rich.text && copy.wide == rich.wide && copy.small == -3)
    #expect(copy.unsigned == .max && copy.real.sign == .minus && copy.single == 2.5)
    #expect(copy.date == rich.date && copy.id == rich.id && copy.price == rich.price)
    #expect(copy.url?.baseURL == rich.url?.baseURL && copy.url?.relativeString == "page.html")
    #expect(copy.bytes == rich.bytes && copy.numbers == rich.numbers && copy.doubles == rich.doubles)
    #expect(copy.flags == rich.flags && copy.nested == rich.nested && copy.byNumber == rich.byNumber)
    #expect(copy.deep == .some(.none) && copy.choice == rich.choice)
    #expect(copy.others[0] as? Square == Square(side: 3) && copy.owners.first === back.owner)
    #expect((copy.others[1] as? Dog)?.master === back.owner)
    #expect(copy.owner === back.owner && copy.friend === back.owner && copy.owner.drawn[0] === copy.owner)
    for owner in [back.owner, unknown.owner] { owner?.drawn = [] }
  }

  @Test("objects of an unknown class have one placeholder each, with their content")
  func objects() throws {
    let owner = Owner("Ada")
    let dog = Dog(owner)
    let data = try archive(Kennel(animals: [dog, Animal(), dog], shape: dog, owner: owner))
    let unknown = try readWithout(Kennel.self, data, [UnknownAnimal.self])
    let first = try #require(unknown.animals[0] as? UnknownAnimal)
    #expect(first === unknown.animals[2] && type(of: unknown.animals[1]) == Animal.self)
    #expect(first.content.typeName == "Gone.Dog")
    #expect(first.content.superclassNames.map { $0.hasSuffix("Animal") } == [true])

    let back = try read(Kennel.self, KeyedArchiver.archivedData(withRootObject: unknown))
    let copy = try #require(back.animals[0] as? Dog)
    #expect(copy === back.animals[2] && copy === back.shape && copy.name == "Rex")
    #expect(copy.master === back.owner && back.owner.name == "Ada")
    let twin = try KeyedArchiver.copy(of: unknown)
    #expect((twin.animals[0] as? UnknownAnimal)?.content.typeName == "Gone.Dog")
  }

  @Test("values of unknown types within a placeholder need no placeholders")
  func valuesInObjects() throws {
    let owner = Owner("Ada")
    var rich = Rich(owner: owner, others: [Square(side: 3)])
    rich.friend = owner
    var data = try archive([Painter([Square(side: 2), rich])] as [Animal])
    for _ in 0..<2 {
      let unknown = try readWithout([Animal].self, data, [UnknownAnimal.self])
      let content = try #require(unknown[0] as? UnknownAnimal).content
      #expect(content.typeName == "Gone.Painter" && UnknownValue(content).content.typeName == "Gone.Painter")
      data = try KeyedArchiver.archivedData(withRootObject: unknown)
    }
    let back = try #require(try read([Animal].self, data)[0] as? Painter)
    #expect(back.name == "Rex" && back.shapes.count == 2 && back.shapes[0] as? Square == Square(side: 2))
    let copy = try #require(back.shapes[1] as? Rich)
    #expect(copy.others[0] as? Square == Square(side: 3) && copy.owner.name == "Ada")
    #expect(copy.friend === copy.owner && copy.price == rich.price && copy.choice == rich.choice)
  }

  @Test("a weak reference within a placeholder is nil if its object is removed", arguments: [true, false])
  func weakReferences(isGone: Bool) throws {
    let owner = Owner("Ada")
    var rich = Rich(owner: Owner("Bob"), others: [])
    rich.friend = owner
    var unknown = try readWithout(Drawing.self, archive(Drawing(shapes: [rich], owner: owner)))
    if isGone { unknown.owner = nil }
    let back = try read(Drawing.self, KeyedArchiver.archivedData(withRootObject: unknown))
    let copy = try #require(back.shapes[0] as? Rich)
    #expect(copy.friend === back.owner && (back.owner == nil) == isGone && copy.owner.name == "Bob")
  }

  struct Kennel: Codable {
    var animals: [Animal]
    var shape: Animal?
    var owner: Owner
  }

  struct Versioned: GoneShape, ArchivableClass {
    static var archivedClassName: String { "Placeholders.Versioned" }
    static var archiveVersion: Int { 2 }
    let version: Int
    var area: Double { 0 }

    init(from decoder: any Decoder) throws { version = decoder.archivedVersion(of: Versioned.self) }
    func encode(to encoder: any Encoder) throws {}
    init() { version = 2 }
  }

  @Test("types of one name from archives of different versions keep their versions")
  func versions() throws {
    func unknown(_ shape: any GoneShape) throws -> any GoneShape {
      let archiver = KeyedArchiver()
      archiver.setClassName("Gone.Versioned", for: type(of: shape))
      try archiver.encode(Drawing(shapes: [shape]), forKey: "root")
      return try readWithout(Drawing.self, archiver.encodedData).shapes[0]
    }
    let shapes = try [unknown(Square(side: 1)), unknown(Versioned()), unknown(Square(side: 1))]
    let again = try KeyedArchiver.archivedData(withRootObject: Drawing(shapes: shapes))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: again)
    unarchiver.setClass(Versioned.self, forClassName: "Gone.Versioned")
    let back = try unarchiver.decode(Drawing.self, forKey: "root")
    #expect(back.shapes.map { ($0 as? Versioned)?.version } == [0, 2, 0])
  }

  @Test("an unsuitable placeholder is not used, and other coders throw")
  func misfits() throws {
    let data = try archive(Drawing(shapes: [Square(side: 2)]))
    #expect(throws: DecodingError.self) { try self.readWithout(Drawing.self, data, [UnknownAnimal.self]) }
    // A structure cannot be the placeholder of an object.
    let dog = try archive(Drawing(shapes: [Dog(nil)]))
    #expect(throws: DecodingError.self) { try self.readWithout(Drawing.self, dog) }
    let shape = try #require(try readWithout(Drawing.self, data).shapes[0] as? UnknownShape)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(shape) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(UnknownShape.self, from: Data("1".utf8)) }
    // This archive names no type.
    let plain = try KeyedArchiver.archivedData(withRootObject: 1)
    #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive(UnknownShape.self, from: plain) }
  }

  @Test("a placeholder is archived correctly after an error")
  func goingBack() throws {
    let data = try archive(Drawing(shapes: [Square(side: 2)]))
    let unknown = try readWithout(Drawing.self, data)
    struct Thrower: Encodable {
      let shape: any GoneShape
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Polymorphic(shape))
        throw Refusal()
      }
    }
    let archiver = KeyedArchiver()
    #expect(throws: Refusal.self) { try archiver.encode(Thrower(shape: unknown.shapes[0]), forKey: "no") }
    try archiver.encode(unknown, forKey: "root")
    #expect(try read(Drawing.self, archiver.encodedData).shapes[0] as? Square == Square(side: 2))
  }

  struct Badge: GoneShape, ArchivableClass {
    static var archivedClassName: String { "Placeholders.Badge" }
    @WeakReference var owner: Owner?
    var area: Double { 0 }
  }

  struct Board: Codable {
    @Polymorphic var badges: [any GoneShape]
    @Lazy var owners: [Owner] = []
  }

  @Test("a document keeps weak references of placeholders to objects of unread values")
  func weakReferences() throws {
    let folder = try TemporaryFolder()
    let owner = Owner("Ann")
    let board = Board(badges: [Badge(owner: owner)], owners: [owner])
    defer { KeyedUnarchiver.setClass(nil, forClassName: "Placeholders.Badge") }
    for save in [{ _ = try $0.save() }, { try $0.compact() }] as [(ArchiveDocument<Board>) throws -> Void] {
      let path = folder(UUID().uuidString)
      try ArchiveDocument(creating: path, root: board).close()
      KeyedUnarchiver.setClass(UnknownShape.self, forClassName: "Placeholders.Badge")
      let document = try ArchiveDocument<Board>(opening: path)
      #expect(document.root.badges[0] is UnknownShape)
      try save(document)
      KeyedUnarchiver.setClass(nil, forClassName: "Placeholders.Badge")
      let read = try KeyedUnarchiver.unarchive(Board.self, fromFile: path)
      #expect(read.owners.count == 1)
      #expect((read.badges[0] as? Badge)?.owner === read.owners[0])
    }
  }
}
