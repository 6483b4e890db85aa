import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of SubclassesAndProtocols.md.
@Suite("Documentation: subclasses and protocols") struct SubclassesAndProtocolsExamples {
  class Animal: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  final class Dog: Animal {
    var tricks: [String]

    private enum CodingKeys: String, CodingKey { case tricks }

    init(name: String, tricks: [String]) {
      self.tricks = tricks
      super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tricks = try container.decode([String].self, forKey: .tricks)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tricks, forKey: .tricks)
    }
  }

  @Test("a subclass in an array of its superclass is found")
  func subclass() throws {
    let animals = [Animal(name: "Tom"), Dog(name: "Rex", tricks: ["sit"])]
    let data = try KeyedArchiver.archivedData(withRootObject: animals)

    let copy = try KeyedUnarchiver.unarchive([Animal].self, from: data)
    let dog = copy[1] as? Dog  // with its tricks

    #expect(dog?.tricks == ["sit"] && copy.map(\.name) == ["Tom", "Rex"] && !(copy[0] is Dog))
  }

  @Test("the declared type at archiving decides whether a subclass is found")
  func declaredType() throws {
    let dog = Dog(name: "Rex", tricks: ["sit"])
    let asDog = try KeyedArchiver.archivedData(withRootObject: dog)
    let asAnimal = try KeyedArchiver.archivedData(withRootObject: dog as Animal)

    let plain = try KeyedUnarchiver.unarchive(Animal.self, from: asDog)  // an Animal
    let whole = try KeyedUnarchiver.unarchive(Animal.self, from: asAnimal)  // a Dog

    #expect(!(plain is Dog) && whole is Dog)
  }

  // MARK: Names

  class Vehicle: Codable, ArchivableClass {
    class var archivedClassName: String { "Garage.Vehicle" }
    class var archivedClassAliases: [String] { [] }

    var wheels = 4

    init() {}
  }

  final class Truck: Vehicle {
    override class var archivedClassName: String { "Garage.Truck" }
    override class var archivedClassAliases: [String] { ["Garage.Lorry"] }
  }

  @Test("a subclass is found by its stated names")
  func statedNames() throws {
    for name in ["Garage.Truck", "Garage.Lorry"] {
      let archiver = KeyedArchiver()
      archiver.setClassName(name, for: Truck.self)
      let vehicle: Vehicle = Truck()
      try archiver.encode(vehicle, forKey: "vehicle")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      #expect(try unarchiver.decode(Vehicle.self, forKey: "vehicle") is Truck)
    }
  }

  private func animals(_ name: String) throws -> Data {
    let archiver = KeyedArchiver()
    let animals: [Animal] = [Dog(name: "Rex", tricks: [])]
    archiver.setClassName(name, for: Dog.self)
    try archiver.encode(animals, forKey: "animals")
    return try archiver.encodedData
  }

  @Test("a subclass is found by a name that the program maps")
  func mappedNames() throws {
    let data = try animals("Kennel.Hound")

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Dog.self, forClassName: "Kennel.Hound")
    let animals = try unarchiver.decode([Animal].self, forKey: "animals")

    #expect(animals[0] is Dog)
    let failure = try failure {
      try KeyedUnarchiver(forReadingFrom: data).decode([Animal].self, forKey: "animals")
    }
    #expect(failure.code == .unresolvableClass)
  }

  final class Fallback: KeyedUnarchiverDelegate {
    func unarchiver(
      _ unarchiver: KeyedUnarchiver,
      cannotDecodeObjectOfClassName name: String,
      originalClasses classNames: [String]
    ) -> AnyClass? {
      Animal.self
    }
  }

  @Test("a delegate is asked last")
  func delegate() throws {
    let data = try animals("Kennel.Wolf")

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let fallback = Fallback()
    unarchiver.delegate = fallback
    let animals = try unarchiver.decode([Animal].self, forKey: "animals")

    #expect(animals[0].name == "Rex" && !(animals[0] is Dog))
  }

  // MARK: Protocols

  struct Point: Codable, Equatable {
    var x = 0.0
    var y = 0.0
  }

  struct Circle: Shape {
    var center = Point()
    var radius = 1.0
    var area: Double { .pi * radius * radius }
  }

  final class Polygon: Shape {
    var corners: [Point]
    var area: Double { 0 }

    init(corners: [Point]) {
      self.corners = corners
    }
  }

  struct Drawing: Codable {
    @Polymorphic var shapes: [any Shape] = []
    @Polymorphic var selection: (any Shape)?
    @Polymorphic var named: [String: any Shape] = [:]
  }

  @Test("values and objects behind a protocol keep their types and identity")
  func drawing() throws {
    let polygon = Polygon(corners: [Point(), Point(x: 1, y: 1)])
    let drawing = Drawing(shapes: [Circle(), polygon], selection: polygon, named: ["dot": Circle()])

    let copy = try KeyedArchiver.copy(of: drawing)
    let circle = copy.shapes[0] as? Circle
    let isSelected = copy.selection as? Polygon === copy.shapes[1] as? Polygon  // true

    #expect(circle?.radius == 1 && isSelected && copy.selection is Polygon && copy.named["dot"] is Circle)
  }

  @Test("a root behind a protocol is read")
  func root() throws {
    let shapes: [any Shape] = [Circle(), Polygon(corners: [])]

    let data = try KeyedArchiver.archivedData(withRootObject: Polymorphic(shapes))
    let copy = try KeyedUnarchiver.unarchive(Polymorphic<[any Shape]>.self, from: data).wrappedValue

    #expect(copy[0] is Circle && copy[1] is Polygon)
  }

  @Test("an object behind a protocol can refer back")
  func deferred() throws {
    let frame = Frame()
    frame.content = Group(members: [frame])
    let copy = try KeyedArchiver.copy(of: frame)
    #expect((copy.content as? Group)?.members[0] as? Frame === copy)
    frame.content = nil
    copy.content = nil
  }

  final class Frame: Shape {
    @Deferred @Polymorphic var content: (any Shape)?
    var area: Double { 0 }
  }

  final class Group: Shape {
    @Polymorphic var members: [any Shape]
    var area: Double { 0 }

    init(members: [any Shape]) {
      self.members = members
    }
  }

  // MARK: Policy

  @Test("with registeredOnly, only registered classes are decoded")
  func policy() throws {
    let data = try animals("Dog")

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.classPolicy = .registeredOnly
    unarchiver.setClass(Dog.self, forClassName: "Dog")
    let animals = try unarchiver.decode([Animal].self, forKey: "animals")

    #expect(animals[0] is Dog)
    let strict = try KeyedUnarchiver(forReadingFrom: data)
    strict.classPolicy = .registeredOnly
    let failure = try failure { try strict.decode([Animal].self, forKey: "animals") }
    #expect(failure.code == .unresolvableClass)
  }

  // MARK: Private classes

  @Test("a private class needs a stated name")
  func privateClasses() throws {
    let cats: [Animal] = [PrivateCat(name: "Tom")]
    let data = try KeyedArchiver.archivedData(withRootObject: cats)
    #expect(try KeyedUnarchiver.unarchive([Animal].self, from: data)[0] is PrivateCat)

    let fish: [Animal] = [PrivateFish(name: "Wanda")]
    let failure = try failure { try KeyedArchiver.archivedData(withRootObject: fish) }
    #expect(failure.kind == .invalidValue && failure.code == .unresolvableClass)
    // Copies look up no names, and a declared class needs none.
    #expect(try KeyedArchiver.copy(of: fish)[0] is PrivateFish)
    #expect(try roundTrip([PrivateFish(name: "Wanda")])[0].name == "Wanda")
  }

  private final class PrivateCat: Animal, ArchivableClass {
    static var archivedClassName: String { "Garden.Cat" }
  }

  private final class PrivateFish: Animal {}
}

extension SubclassesAndProtocolsExamples {
  protocol Shape: Codable {
    var area: Double { get }
  }
}
