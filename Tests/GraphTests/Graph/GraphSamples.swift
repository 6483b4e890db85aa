import Foundation
import Keepsake

// Graphs with subclasses that the test process and the probe write for each other. Both compile this file:
// Tests/ArchiveProbe/GraphSamples.swift is a symbolic link to Tests/GraphTests/Graph/GraphSamples.swift.
// The modules differ, and so do the runtime's names of the classes; the declared names are the same.

enum GraphSample: String, CaseIterable {
  case runtimeNames, statedNames, deepModels

  func bytes() throws -> Data {
    switch self {
    case .runtimeNames: try ArchiveEncoder().encode(GraphParty.made())
    case .statedNames: try ArchiveEncoder().encode(GraphFleet.made())
    case .deepModels: try GraphLink.bytes()
    }
  }

  /// The differences between the graph in a file and the expected one.
  func faults(inFile path: String) throws -> [String] {
    switch self {
    case .runtimeNames: try KeyedUnarchiver.unarchive(GraphParty.self, fromFile: path).faults()
    case .statedNames: try KeyedUnarchiver.unarchive(GraphFleet.self, fromFile: path).faults()
    case .deepModels: try KeyedUnarchiver.unarchive(GraphLink.self, fromFile: path).faults()
    }
  }
}

// MARK: - Runtime names

final class GraphParty: Codable {
  var guests: [GraphGuest] = []
  @WeakReference var host: GraphGuest?

  static func made() -> GraphParty {
    let party = GraphParty()
    party.guests = [GraphGuest("a"), GraphLoudGuest("b"), GraphPlaces.Late("c"), GraphRooms.Tired("d")]
    party.guests.append(GraphLoudGuest.Child("e"))
    for guest in party.guests { guest.party = party }
    party.host = party.guests[1]
    return party
  }

  func faults() -> [String] {
    let types: [GraphGuest.Type] = [
      GraphGuest.self, GraphLoudGuest.self, GraphPlaces.Late.self, GraphRooms.Tired.self,
      GraphLoudGuest.Child.self,
    ]
    guard guests.count == types.count else { return ["\(guests.count) guests"] }
    var faults: [String] = []
    for (guest, type) in zip(guests, types) {
      if Swift.type(of: guest) != type { faults.append("\(guest) is no \(type)") }
      if guest.party !== self { faults.append("\(guest.name) is not at this party") }
    }
    if guests.map(\.name) != ["a", "b", "c", "d", "e"] {
      faults.append("the names are \(guests.map(\.name))")
    }
    if host !== guests[1] { faults.append("the host is another one") }
    return faults
  }
}

class GraphGuest: Codable {
  let name: String
  @Deferred var party: GraphParty?

  init(_ name: String) {
    self.name = name
  }
}

class GraphLoudGuest: GraphGuest {
  final class Child: GraphGuest {}
}

struct GraphPlaces {
  final class Late: GraphGuest {}
}

enum GraphRooms {
  final class Tired: GraphGuest {}
}

// MARK: - Declared names

final class GraphFleet: Codable {
  var ships: [GraphShip] = []

  static func made() -> GraphFleet {
    let fleet = GraphFleet()
    let tug = GraphTug(2)
    fleet.ships = [tug, GraphFerry(1), GraphShip(3), tug]
    return fleet
  }

  func faults() -> [String] {
    guard ships.count == 4 else { return ["\(ships.count) ships"] }
    var faults: [String] = []
    if !(ships[0] is GraphTug) || !(ships[1] is GraphFerry) || type(of: ships[2]) != GraphShip.self {
      faults.append("the ships are \(ships)")
    }
    if ships[3] !== ships[0] { faults.append("the tug became two") }
    if ships.map(\.masts) != [2, 1, 3, 2] { faults.append("the masts are \(ships.map(\.masts))") }
    return faults
  }
}

class GraphShip: Codable, ArchivableClass {
  class var archivedClassName: String { "Graph.Ship" }
  let masts: Int

  init(_ masts: Int) {
    self.masts = masts
  }
}

final class GraphTug: GraphShip {
  override class var archivedClassName: String { "Graph.Tug" }
}

private final class GraphFerry: GraphShip {
  override class var archivedClassName: String { "Graph.Ferry" }
}

// MARK: - Deeper than the limit

final class GraphLink: ArchivedModel {
  var number = 0
  var next: GraphLink?

  private static let count = ArchiveLimits().maximumDepth + 10_000

  static func bytes() throws -> Data {
    let first = GraphLink()
    var last = first
    for number in 1..<count {
      let next = GraphLink()
      next.number = number
      last.next = next
      last = next
    }
    defer { _ = first.takenApart() }
    return try KeyedArchiver.archivedData(withRootObject: first)
  }

  func faults() -> [String] {
    let numbers = takenApart()
    return numbers == Array(0..<GraphLink.count) ? [] : ["\(numbers.count) links, or in another order"]
  }

  /// The numbers of the links. It separates the links, so that none is released recursively.
  private func takenApart() -> [Int] {
    var numbers: [Int] = []
    var link: GraphLink? = self
    while let current = link {
      numbers.append(current.number)
      link = current.next
      current.next = nil
    }
    return numbers
  }
}
