import Foundation
import Keepsake

// The contents of the frozen graphs of version 1. The types and values here belong to the files in
// Fixtures/Version1/Graphs and must not change, as the files do not. All types state their names, so that no file
// contains the name of this module.

/// The frozen graphs by name: `ring` is Fixtures/Version1/Graphs/ring.keepsake.
enum FrozenGraph: String, CaseIterable {
  case ring, weak, subclasses, shapes, models
}

// MARK: A cycle, closed by deferred properties

final class FrozenPerson: Codable, ArchivableClass {
  static var archivedClassName: String { "Frozen.Person" }
  let name: String
  var letters: [FrozenLetter] = []

  init(_ name: String) {
    self.name = name
  }
}

final class FrozenLetter: Codable, ArchivableClass {
  static var archivedClassName: String { "Frozen.Letter" }
  let text: String
  @Deferred var from: FrozenPerson
  @Deferred var to: FrozenPerson?
  @Deferred var answers: [FrozenLetter] = []
  @Deferred var byDay: [String: FrozenLetter] = [:]

  init(_ text: String, from: FrozenPerson) {
    self.text = text
    self.from = from
  }

  func cut() { (to, answers, byDay) = (nil, [], [:]) }
}

// MARK: Weak references

final class FrozenNode: Codable, ArchivableClass {
  static var archivedClassName: String { "Frozen.Node" }
  let number: Int
  var children: [FrozenNode] = []
  @WeakReference var parent: FrozenNode?
  @WeakReference var elsewhere: FrozenNode?
  var watched: [WeakReference<FrozenNode>] = []

  init(_ number: Int) {
    self.number = number
  }
}

struct FrozenForest: Codable {
  var root: FrozenNode
  @WeakReference var leaf: FrozenNode?
  @WeakReference var absent: FrozenNode?
}

// MARK: Subclasses with names and versions

class FrozenVehicle: Codable, ArchivableClass {
  class var archivedClassName: String { "Frozen.Vehicle" }
  class var archiveVersion: Int { 3 }
  var wheels: Int
  /// The versions that the archive states for the classes, the base class first.
  var versions: [Int] = []
  private enum CodingKeys: CodingKey { case wheels }

  init(_ wheels: Int) {
    self.wheels = wheels
  }

  required init(from decoder: any Decoder) throws {
    wheels = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .wheels)
    versions = [decoder.archivedVersion(of: FrozenVehicle.self)]
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(wheels, forKey: .wheels)
  }
}

class FrozenCar: FrozenVehicle {
  override class var archivedClassName: String { "Frozen.Car" }
  override class var archiveVersion: Int { 200 }
  let plate: String
  private enum CodingKeys: CodingKey { case plate }

  init(_ plate: String) {
    self.plate = plate
    super.init(4)
  }

  required init(from decoder: any Decoder) throws {
    plate = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .plate)
    try super.init(from: decoder)
    versions.append(decoder.archivedVersion(of: FrozenCar.self))
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(plate, forKey: .plate)
  }
}

final class FrozenTaxi: FrozenCar {
  override class var archivedClassName: String { "Frozen.Taxi" }
  // The version of the superclass does not apply.
  override class var archiveVersion: Int { 0 }
  private enum CodingKeys: CodingKey { case base }

  override init(_ plate: String) {
    super.init(plate)
  }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder.container(keyedBy: CodingKeys.self).superDecoder(forKey: .base))
    versions.append(decoder.archivedVersion(of: FrozenTaxi.self))
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder(forKey: .base))
  }
}

/// A subclass without properties of its own.
final class FrozenShip: FrozenVehicle {
  override class var archivedClassName: String { "Frozen.Ship" }
  override class var archiveVersion: Int { 1 }
}

// MARK: Values and objects behind a protocol

protocol FrozenFigure: Codable {}

struct FrozenDisc: FrozenFigure, ArchivableClass, Equatable {
  static var archivedClassName: String { "Frozen.Disc" }
  static var archiveVersion: Int { 5 }
  var radius: Double
  var version = 0
  private enum CodingKeys: CodingKey { case radius }

  init(_ radius: Double) {
    self.radius = radius
  }

  init(from decoder: any Decoder) throws {
    radius = try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .radius)
    version = decoder.archivedVersion(of: FrozenDisc.self)
  }
}

enum FrozenCorner: FrozenFigure, ArchivableClass, Equatable {
  case sharp
  case round(radius: Int, name: String?)
  static var archivedClassName: String { "Frozen.Corner" }
}

final class FrozenSpot: FrozenFigure, ArchivableClass {
  static var archivedClassName: String { "Frozen.Spot" }
  var x = 0
  @Polymorphic var inner: (any FrozenFigure)?
}

struct FrozenSheet: Codable {
  @Polymorphic var first: any FrozenFigure = FrozenCorner.sharp
  @Polymorphic var none: (any FrozenFigure)?
  @Polymorphic var list: [any FrozenFigure] = []
  @Polymorphic var table: [String: any FrozenFigure] = [:]
  @Polymorphic var nested: [[(any FrozenFigure)?]] = []
  @Polymorphic var anything: [any Codable & Sendable] = []
  @Deferred @Polymorphic var later: [any FrozenFigure] = []
  var spot = FrozenSpot()
}

// MARK: Models in a cycle

class FrozenMember: ArchivedModel, ArchivableClass {
  override class var archivedKeys: [String: String?] { ["boss": "leader"] }

  class var archivedClassName: String { "Frozen.Member" }
  class var archiveVersion: Int { 2 }
  var name = ""
  var friends: [FrozenMember] = []
  var boss: FrozenMember?
  var nickname: String?
  var scores: [String: Int] = [:]
  @WeakReference var rival: FrozenMember?
  @Deferred var heir: FrozenMember?
}

final class FrozenPresident: FrozenMember {
  override class var archivedClassName: String { "Frozen.President" }
  var level = 1
  var club: [String: FrozenMember] = [:]
}

// MARK: - Making them

extension FrozenGraph {
  /// The archive as the library writes it today.
  func archive() throws -> Data {
    switch self {
    case .ring: try archive(of: ring())
    case .weak: try weak()
    case .subclasses: try archive(of: vehicles())
    case .shapes: try archive(of: sheet())
    case .models: try archive(of: members())
    }
  }

  private func archive(of value: some Encodable) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: value, outputFormatting: .sortedKeys)
  }

  private func ring() -> [FrozenPerson] {
    let ada = FrozenPerson("Ada")
    let bob = FrozenPerson("Bob")
    let letters = [
      FrozenLetter("one", from: ada), FrozenLetter("two", from: bob), FrozenLetter("three", from: ada),
    ]
    letters[0].to = bob
    letters[1].to = ada
    letters[0].answers = [letters[1], letters[2], letters[1]]
    letters[2].answers = [letters[2]]
    letters[1].byDay = ["monday": letters[0], "tuesday": letters[1]]
    ada.letters = [letters[0], letters[2]]
    bob.letters = [letters[1]]
    return [ada, bob, ada]
  }

  private func weak() throws -> Data {
    let outside = FrozenNode(100)
    let root = FrozenNode(1)
    root.children = [FrozenNode(2), FrozenNode(3)]
    root.elsewhere = outside
    for child in root.children {
      child.parent = root
      child.elsewhere = outside
      child.watched = [root, outside, child].map { WeakReference(wrappedValue: $0) }
    }
    let leaf = FrozenNode(4)
    leaf.parent = root.children[1]
    root.children[1].children = [leaf]
    return try withExtendedLifetime(outside) {
      try archive(of: FrozenForest(root: root, leaf: leaf, absent: outside))
    }
  }

  private func vehicles() -> [FrozenVehicle] {
    let taxi = FrozenTaxi("T 1")
    return [FrozenVehicle(3), FrozenCar("C 1"), taxi, FrozenShip(0), taxi]
  }

  private func sheet() -> FrozenSheet {
    let spot = FrozenSpot()
    spot.x = 1_000
    spot.inner = FrozenDisc(0.5)
    let other = FrozenSpot()
    other.inner = spot
    return FrozenSheet(
      first: FrozenDisc(2.5),
      list: [spot, FrozenCorner.round(radius: 3, name: nil), FrozenDisc(-0.0), spot, FrozenCorner.sharp],
      table: ["a": other, "b": FrozenDisc(1)],
      nested: [[], [nil, spot], [FrozenCorner.round(radius: -1, name: "n")]],
      anything: [7, "seven", Int8(-7), Int64(1 << 40), Date(timeIntervalSinceReferenceDate: 7)],
      later: [other, FrozenDisc(9)],
      spot: spot
    )
  }

  private func members() -> FrozenMember {
    let member = FrozenMember()
    let president = FrozenPresident()
    member.name = "member"
    member.friends = [president, member]
    member.boss = president
    member.nickname = "mem"
    member.scores = ["a": 1, "b": -200]
    member.rival = president
    member.heir = member
    president.name = "president"
    president.friends = [member]
    president.boss = president
    president.level = 300
    president.club = ["m": member, "p": president]
    president.rival = FrozenMember()
    return member
  }
}
