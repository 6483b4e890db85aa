import Foundation
import Keepsake
import TestSupport
import Testing

// The code of Docs/Migrating.md, steps 5 and 6.

@Suite("Migrating: a superclass and a subclass") struct MigratingSubclasses {
  class Vehicle: Codable {
    var wheels: Int

    init(wheels: Int) {
      self.wheels = wheels
    }
  }

  class Car: Vehicle {
    var brand: String

    private enum CodingKeys: String, CodingKey { case brand }

    init(wheels: Int, brand: String) {
      self.brand = brand
      super.init(wheels: wheels)
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      brand = try container.decode(String.self, forKey: .brand)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(brand, forKey: .brand)
    }
  }

  @Test("a subclass is read as itself")
  func declared() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Car(wheels: 4, brand: "Saab"))
    let car = try KeyedUnarchiver.unarchive(Car.self, from: data)
    #expect(car.wheels == 4 && car.brand == "Saab")
  }

  @Test("a subclass in an array of its superclass is read as the subclass")
  func inSuperclass() throws {
    let car = Car(wheels: 4, brand: "Saab")
    let vehicles = [Vehicle(wheels: 2), car, car]
    let data = try KeyedArchiver.archivedData(withRootObject: vehicles)
    let back = try KeyedUnarchiver.unarchive([Vehicle].self, from: data)
    #expect(back.map(\.wheels) == [2, 4, 4])
    #expect(!(back[0] is Car))
    #expect((back[1] as? Car)?.brand == "Saab")
    #expect(back[1] === back[2])
  }

  @Test("a root archived as its superclass is read as the subclass")
  func rootAsSuperclass() throws {
    let vehicle: Vehicle = Car(wheels: 4, brand: "Saab")
    let data = try KeyedArchiver.archivedData(withRootObject: vehicle)
    let back = try KeyedUnarchiver.unarchive(Vehicle.self, from: data)
    #expect((back as? Car)?.brand == "Saab")
  }

  @Test("a root archived as itself is read as its superclass if that is requested")
  func rootArchivedAsItself() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Car(wheels: 4, brand: "Saab"))
    let back = try KeyedUnarchiver.unarchive(Vehicle.self, from: data)
    #expect(back.wheels == 4 && !(back is Car))
  }

  final class Bicycle: Vehicle {
    var gears = 3
  }

  @Test("a subclass that does not code its own properties loses them")
  func forgottenProperty() throws {
    let bicycle = Bicycle(wheels: 2)
    bicycle.gears = 21
    let data = try KeyedArchiver.archivedData(withRootObject: bicycle)
    #expect(try KeyedUnarchiver.unarchive(Bicycle.self, from: data).gears == 3)
  }

  @Test("with registeredOnly, only registered classes are decoded")
  func registeredOnly() throws {
    let vehicle: Vehicle = Car(wheels: 4, brand: "Saab")
    let archiver = KeyedArchiver()
    archiver.setClassName("Car", for: Car.self)
    try archiver.encode(vehicle, forKey: "vehicle")
    let data = try archiver.encodedData

    let strict = try KeyedUnarchiver(forReadingFrom: data)
    strict.classPolicy = .registeredOnly
    #expect(throws: DecodingError.self) { try strict.decode(Vehicle.self, forKey: "vehicle") }

    let registered = try KeyedUnarchiver(forReadingFrom: data)
    registered.classPolicy = .registeredOnly
    registered.setClass(Car.self, forClassName: "Car")
    #expect(try registered.decode(Vehicle.self, forKey: "vehicle") is Car)
  }
}

@Suite("Migrating: the same with a model base class") struct MigratingModelSubclasses {
  class Vehicle: ArchivedModel {
    var wheels = 0
  }

  class Car: Vehicle {
    var brand = ""

    convenience init(wheels: Int, brand: String) {
      self.init()
      self.wheels = wheels
      self.brand = brand
    }
  }

  @Test("subclasses of a model are found without hand-written coding")
  func inSuperclass() throws {
    let vehicles = [Vehicle(), Car(wheels: 4, brand: "Saab")]
    let data = try KeyedArchiver.archivedData(withRootObject: vehicles)
    let back = try KeyedUnarchiver.unarchive([Vehicle].self, from: data)
    #expect(back.map(\.wheels) == [0, 4])
    #expect((back[1] as? Car)?.brand == "Saab")
  }
}

@Suite("Migrating: a drawing") struct MigratingDrawing {
  struct Point: Codable, Equatable {
    var x: Double
    var y: Double
  }

  protocol Shape: Codable {
    var area: Double { get }
  }

  struct Circle: Shape {
    var center: Point
    var radius: Double
    var area: Double { Double.pi * radius * radius }
  }

  final class Polygon: Shape {
    var corners: [Point]

    init(corners: [Point]) {
      self.corners = corners
    }

    var area: Double {
      zip(corners, corners.dropFirst() + corners.prefix(1))
        .reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y } / 2
    }
  }

  final class Group: Shape {
    @Polymorphic var members: [any Shape]

    init(members: [any Shape]) {
      self.members = members
    }

    var area: Double { members.reduce(0) { $0 + $1.area } }
  }

  final class Drawing: Codable {
    var title = "Untitled"
    var size = CGSize(width: 640, height: 480)
    @Polymorphic var shapes: [any Shape] = []
    @Polymorphic var selection: (any Shape)?
    @Polymorphic var named: [String: any Shape] = [:]
  }

  private let square = Polygon(corners: [
    Point(x: 0, y: 0), Point(x: 2, y: 0), Point(x: 2, y: 2), Point(x: 0, y: 2),
  ])

  @Test("structures and classes behind a protocol are read, also nested")
  func behindProtocol() throws {
    let circle = Circle(center: Point(x: 1, y: 1), radius: 3)
    let drawing = Drawing()
    drawing.shapes = [circle, square, Group(members: [square, Group(members: [circle])])]
    drawing.selection = square
    drawing.named["base"] = square
    let data = try KeyedArchiver.archivedData(withRootObject: drawing)

    let back = try KeyedUnarchiver.unarchive(Drawing.self, from: data)
    #expect(back.title == "Untitled" && back.size == CGSize(width: 640, height: 480))
    #expect(back.shapes.map(\.area) == drawing.shapes.map(\.area))
    #expect((back.shapes[0] as? Circle)?.center == Point(x: 1, y: 1))
    let backSquare = try #require(back.shapes[1] as? Polygon)
    #expect(backSquare.corners == square.corners)
    let group = try #require(back.shapes[2] as? Group)
    #expect(group.members[0] as? Polygon === backSquare)
    #expect((group.members[1] as? Group)?.members.first is Circle)
    #expect(back.selection as? Polygon === backSquare)
    #expect(back.named["base"] as? Polygon === backSquare)
  }

  @Test("a root behind a protocol is read")
  func root() throws {
    let shapes: [any Shape] = [Circle(center: Point(x: 0, y: 0), radius: 1), square]
    let data = try KeyedArchiver.archivedData(withRootObject: Polymorphic(shapes))
    let back = try KeyedUnarchiver.unarchive(Polymorphic<[any Shape]>.self, from: data).wrappedValue
    #expect(back[0] is Circle && back[1] is Polygon)
  }

  @Test("a single value behind a protocol needs the wrapper, though it compiles without")
  func forgottenWrapper() throws {
    let shape: any Shape = Circle(center: Point(x: 0, y: 0), radius: 1)
    let plain = try KeyedArchiver.archivedData(withRootObject: shape)
    #expect(try KeyedUnarchiver.unarchive(Circle.self, from: plain).radius == 1)
    #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(Polymorphic<any Shape>.self, from: plain)
    }
    let wrapped = try KeyedArchiver.archivedData(withRootObject: Polymorphic(wrappedValue: shape))
    #expect(try KeyedUnarchiver.unarchive(Polymorphic<any Shape>.self, from: wrapped).wrappedValue is Circle)
  }

  final class Frame: Shape {
    var area: Double { 0 }
    @Deferred @Polymorphic var content: any Shape

    init(content: any Shape) {
      self.content = content
    }
  }

  @Test("a value behind a protocol can refer back if it is @Deferred")
  func cycleBehindProtocol() throws {
    let group = Group(members: [])
    group.members = [Frame(content: group)]
    let data = try KeyedArchiver.archivedData(withRootObject: group)
    let back = try KeyedUnarchiver.unarchive(Group.self, from: data)
    #expect((back.members[0] as? Frame)?.content as? Group === back)
    group.members = []
    back.members = []
  }

  class Figure: Codable {
    var origin: CGPoint

    init(origin: CGPoint) {
      self.origin = origin
    }
  }

  final class Disc: Figure {
    var radius: Double

    private enum CodingKeys: String, CodingKey { case radius }

    init(origin: CGPoint, radius: Double) {
      self.radius = radius
      super.init(origin: origin)
    }

    required init(from decoder: any Decoder) throws {
      radius = try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .radius)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(radius, forKey: .radius)
    }
  }

  struct Sheet: Codable {
    var figures: [Figure] = []
    var cover: Figure?
    var named: [String: Figure] = [:]
  }

  @Test("shapes that are subclasses need no wrapper")
  func subclasses() throws {
    let disc = Disc(origin: CGPoint(x: 1, y: 2), radius: 3)
    let sheet = Sheet(figures: [Figure(origin: .zero), disc], cover: disc, named: ["a": disc])
    let data = try KeyedArchiver.archivedData(withRootObject: sheet)
    let back = try KeyedUnarchiver.unarchive(Sheet.self, from: data)
    #expect(back.figures[0].origin == .zero && !(back.figures[0] is Disc))
    let backDisc = try #require(back.figures[1] as? Disc)
    #expect(backDisc.radius == 3 && backDisc.origin == CGPoint(x: 1, y: 2))
    #expect(back.cover === backDisc && back.named["a"] === backDisc)
  }

  @Test("nested arrays of points are read")
  func strokes() throws {
    let strokes = [[CGPoint(x: 1, y: 2), CGPoint(x: 3, y: 4)], [], [CGPoint(x: -0.5, y: 1e9)]]
    let data = try KeyedArchiver.archivedData(withRootObject: strokes)
    #expect(try KeyedUnarchiver.unarchive([[CGPoint]].self, from: data) == strokes)
  }
}
