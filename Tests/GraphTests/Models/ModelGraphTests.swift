import Foundation
import Keepsake
import TestSupport
import Testing

/// Models that refer to each other in all ways, and subclasses behind their base class.
@Suite struct GraphsOfModels {
  @Test("a model that refers to itself comes back")
  func selfReference() throws {
    let node = Knot()
    node.name = "self"
    node.next = node
    let back = try roundTrip(node)
    #expect(back.name == "self" && back.next === back)
    back.next = nil
    node.next = nil
  }

  @Test("a cycle of three models that also refer to each other in arrays comes back")
  func rings() throws {
    let knots = ["a", "b", "c"].map { name in
      let knot = Knot()
      knot.name = name
      return knot
    }
    for (index, knot) in knots.enumerated() {
      knot.next = knots[(index + 1) % 3]
      knot.friends = knots.filter { $0 !== knot }
    }
    let back = try roundTrip(knots)
    #expect(back.map(\.name) == ["a", "b", "c"])
    for (index, knot) in back.enumerated() {
      #expect(knot.next === back[(index + 1) % 3])
      #expect(
        knot.friends.map { ObjectIdentifier($0) } == back.filter { $0 !== knot }.map { ObjectIdentifier($0) }
      )
    }
    for knot in knots + back { knot.untie() }
  }

  @Test("children refer back to their parent")
  func parents() throws {
    let parent = Knot()
    parent.friends = (0..<100).map { number in
      let child = Knot()
      child.name = "\(number)"
      child.next = parent
      return child
    }
    let back = try roundTrip(parent)
    #expect(back.friends.map(\.name) == (0..<100).map(String.init))
    #expect(back.friends.allSatisfy { $0.next === back })
    for knot in [parent, back] + parent.friends + back.friends { knot.untie() }
  }

  @Test("subclasses in an array of the base class come back as what they were")
  func subclasses() throws {
    let dog = GraphDog()
    dog.name = "Rex"
    dog.tricks = ["sit"]
    let cat = GraphCat()
    cat.name = "Tom"
    cat.lives = 9
    dog.enemies = [cat]
    cat.enemies = [dog]
    let back = try roundTrip([dog, cat, dog] as [GraphAnimal])
    let newDog = try #require(back[0] as? GraphDog)
    let newCat = try #require(back[1] as? GraphCat)
    #expect(newDog.name == "Rex" && newDog.tricks == ["sit"] && newCat.name == "Tom" && newCat.lives == 9)
    #expect(back[2] === newDog && newDog.enemies.first === newCat && newCat.enemies.first === newDog)
    for animal in [dog, cat, newDog, newCat] { animal.enemies = [] }
  }

  @Test("a subclass behind an optional, in a dictionary and in a structure keeps its class")
  func subclassesElsewhere() throws {
    struct Kennel: Codable {
      var first: GraphAnimal?
      var named: [String: GraphAnimal]
    }
    let dog = GraphDog()
    dog.tricks = ["roll"]
    let back = try roundTrip(Kennel(first: dog, named: ["dog": dog]))
    #expect((back.first as? GraphDog)?.tricks == ["roll"] && back.first === back.named["dog"])
  }

  @Test("a cycle of subclasses with private properties of one name comes back")
  func collisions() throws {
    let one = GraphSpy()
    let two = GraphSpy()
    one.setSecrets("1", "one")
    two.setSecrets("2", "two")
    one.partner = two
    two.partner = one
    let back = try roundTrip([one, two] as [GraphAgent])
    let spies = back.compactMap { $0 as? GraphSpy }
    #expect(spies.map(\.secrets) == [["1", "one"], ["2", "two"]])
    #expect(spies.count == 2 && spies[0].partner === spies[1] && spies[1].partner === spies[0])
    for spy in [one, two] + spies { spy.partner = nil }
  }

  @Test("a cycle through structures is copied")
  func copies() throws {
    let hub = Hub()
    hub.spokes = (0..<3).map { Hub.Spoke(angle: Double($0), hub: hub) }
    let copy = try KeyedArchiver.copy(of: hub)
    #expect(copy !== hub && copy.spokes.map(\.angle) == [0, 1, 2])
    #expect(copy.spokes.allSatisfy { $0.hub === copy })
    for each in [hub, copy] { each.spokes = [] }
  }

  @Test("a cycle of 1,000 models comes back")
  func longRing() throws {
    let knots = (0..<1_000).map { _ in Knot() }
    for (index, knot) in knots.enumerated() {
      knot.name = "\(index)"
      knot.next = knots[(index + 1) % knots.count]
    }
    let first = try roundTrip(knots[0])
    var knot = first
    for index in 0..<knots.count {
      #expect(knot.name == "\(index)")
      let next = try #require(knot.next)
      if index > 0 { knot.next = nil }
      knot = next
    }
    #expect(knot === first)
    first.next = nil
    for knot in knots { knot.next = nil }
  }
}

// MARK: - Models

private final class Knot: ArchivedModel {
  var name = ""
  var next: Knot?
  var friends: [Knot] = []

  func untie() {
    next = nil
    friends = []
  }
}

// Not private, since types decoded by name must be found.
class GraphAnimal: ArchivedModel {
  var name = ""
  var enemies: [GraphAnimal] = []
}

final class GraphDog: GraphAnimal {
  var tricks: [String] = []
}

final class GraphCat: GraphAnimal {
  var lives = 7
}

class GraphAgent: ArchivedModel {
  private var secret = ""
  var partner: GraphAgent?

  var outerSecret: String {
    get { secret }
    set { secret = newValue }
  }
}

final class GraphSpy: GraphAgent {
  private var secret = ""

  var secrets: [String] { [outerSecret, secret] }

  func setSecrets(_ outer: String, _ inner: String) {
    outerSecret = outer
    secret = inner
  }
}

private final class Hub: ArchivedModel {
  struct Spoke: Codable {
    var angle: Double
    var hub: Hub
  }

  var spokes: [Spoke] = []
}
