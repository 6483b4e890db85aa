import Foundation
import Keepsake
import TestSupport
import Testing

/// Sets and dictionaries of objects that exist before the properties that they hash are read: models,
/// classes with fields, and classes that register themselves.
@Suite struct SetsOfModels {
  private let kinds: [any Acquainted.Type] = [ModelPerson.self, FieldPerson.self, RegisteredPerson.self]

  @Test("a set in a cycle finds all its elements, though their hashes are known later")
  func sets() throws {
    func check<Person: Acquainted>(_ type: Person.Type) throws {
      let people = Person.three()
      for person in people {
        person.friends = Set(people)
        person.maybe = [people[0]]
      }
      let back = try roundTrip(people[0])
      #expect(back.friends.contains { $0 === back })
      for person in back.friends {
        #expect(isWhole(person.friends, 3) && person.maybe == [back])
      }
      for person in people + back.friends { person.letGo() }
    }
    for type in kinds { try check(type) }
  }

  @Test("a dictionary whose keys are equal during decoding has all its values")
  func dictionaries() throws {
    func check<Person: Acquainted>(_ type: Person.Type) throws {
      let people = Person.three()
      for person in people { person.ranks = Dictionary(uniqueKeysWithValues: people.map { ($0, $0.id) }) }
      let back = try roundTrip(people)
      for person in back {
        #expect(person.ranks.count == 3 && back.allSatisfy { person.ranks[$0] == $0.id })
      }
      for person in people + back { person.letGo() }
    }
    for type in kinds { try check(type) }
  }

  @Test("sets inside collections find their elements")
  func within() throws {
    func check<Person: Acquainted>(_ type: Person.Type) throws {
      let people = Person.three()
      for person in people { person.groups = ["a": [Set(people), []], "b": [[person], Set(people)]] }
      let back = try roundTrip(people)
      for person in back {
        let groups = ["a", "b"].map { person.groups[$0] ?? [] }
        #expect(isWhole(groups[0][0], 3) && groups[0][1].isEmpty)
        #expect(groups[1][0] == [person] && isWhole(groups[1][1], 3))
      }
      for person in people + back { person.letGo() }
    }
    for type in kinds { try check(type) }
  }

  @Test("a set in a structure finds its elements")
  func inStructure() throws {
    let people = ModelPerson.three()
    for person in people { person.club.members = Set(people) }
    let back = try roundTrip(people)
    for person in back {
      #expect(isWhole(person.club.members, 3) && person.club.members.contains(back[0]))
    }
    for person in people + back { person.club.members = [] }
  }

  @Test("a set in a let finds its elements, or is an error if no property that leads to it can wait")
  func inLet() throws {
    let player = Player()
    player.name = "name"
    player.team = Team([player])
    player.team?.roster.players = [player]
    player.team?.all = [player]
    let back = try roundTrip(player)
    #expect(back.team?.players.contains(back) == true)
    #expect(back.team?.roster.players.contains(back) == true)
    #expect(back.team?.all.contains(back) == true)
    for each in [player, back] { each.team = nil }
    // If the property that leads to the initializer cannot wait, decoding throws.
    let captain = Captain("name")
    captain.crew = Crew([captain])
    let found = try failure { try roundTrip(captain) }
    #expect(
      found.code == .misuse && found.description.contains("elements of a Set<Captain> were hashed before"),
      "\(found)"
    )
    captain.crew = Crew([])
  }

  @Test("a set of one model in a structure or a list finds its element")
  func one() throws {
    let person = ModelPerson()
    person.id = 7
    person.groups = ["a": [[person]]]
    let back = try roundTrip(person)
    #expect(back.groups["a"]?[0].contains(back) == true)
    person.club.members = [person]
    let member = try roundTrip(person)
    #expect(member.club.members.contains(member))
    for each in [person, back, member] {
      each.letGo()
      each.club.members = []
    }
  }

  @Test("an initializer sees a set before it is rehashed, and may derive values from it")
  func derived() throws {
    let people = (0..<3).map { CountingPerson($0) }
    for person in people { (person.all, person.list) = (Set(people), people) }
    let back = try roundTrip(people)
    for person in back {
      #expect(person.total == 3 && person.list.count == 3)
      #expect(person.all.count == 3 && back.allSatisfy { person.all.contains($0) })
    }
    for person in people + back { (person.all, person.list) = ([], []) }
  }

  @Test("the sets of a failed value do not make other values fail")
  func abandoned() throws {
    let people = ModelPerson.three()
    for person in people { person.club.members = Set(people) }
    let archive = try ArchiveEncoder().encode(Attempts(first: people, second: "not a number"))
    let back = try ArchiveDecoder().decode(Attempted.self, from: archive)
    #expect(back.pair == nil && back.title == "title")
    for person in people { person.club.members = [] }
  }
}

private func isWhole<Person: Acquainted>(_ set: Set<Person>, _ count: Int) -> Bool {
  set.count == count && Set(set.map(\.id)).count == count && set.allSatisfy { set.contains($0) }
}

private protocol Acquainted: AnyObject, Codable, Hashable {
  var friends: Set<Self> { get set }
  var maybe: Set<Self>? { get set }
  var ranks: [Self: Int] { get set }
  var groups: [String: [Set<Self>]] { get set }
  var id: Int { get set }
  init()
}

extension Acquainted {
  static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }

  static func three() -> [Self] {
    (1...3).map { id in
      let person = Self()
      person.id = id
      return person
    }
  }

  func letGo() { (friends, maybe, ranks, groups) = ([], nil, [:], [:]) }
}

// The properties that are hashed come last.

private final class ModelPerson: ArchivedModel, Acquainted {
  struct Club: Codable {
    var members: Set<ModelPerson> = []
  }

  var friends: Set<ModelPerson> = []
  var maybe: Set<ModelPerson>?
  var ranks: [ModelPerson: Int] = [:]
  var groups: [String: [Set<ModelPerson>]] = [:]
  var club = Club()
  var id = 0
}

private final class FieldPerson: ArchivedFields, Acquainted {
  var friends: Set<FieldPerson> = []
  var maybe: Set<FieldPerson>?
  var ranks: [FieldPerson: Int] = [:]
  var groups: [String: [Set<FieldPerson>]] = [:]
  var id = 0

  init() {}
}

private final class RegisteredPerson: Acquainted, SelfRegistering {
  var friends: Set<RegisteredPerson> = []
  var maybe: Set<RegisteredPerson>?
  var ranks: [RegisteredPerson: Int] = [:]
  var groups: [String: [Set<RegisteredPerson>]] = [:]
  var id = 0

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    decoder.register(self)
    friends = try container.decode(Set<RegisteredPerson>.self, forKey: .friends)
    maybe = try container.decodeIfPresent(Set<RegisteredPerson>.self, forKey: .maybe)
    ranks = try container.decode([RegisteredPerson: Int].self, forKey: .ranks)
    groups = try container.decode([String: [Set<RegisteredPerson>]].self, forKey: .groups)
    id = try container.decode(Int.self, forKey: .id)
  }
}

/// Hashes a property that it reads last, and is equal only to itself.
private final class CountingPerson: Codable, Hashable, SelfRegistering {
  var all: Set<CountingPerson> = []
  var list: [CountingPerson] = []
  private(set) var total = 0
  private var id: Int

  private enum CodingKeys: CodingKey { case all, list, id }

  init(_ id: Int) { self.id = id + 1 }

  init(from decoder: any Decoder) throws {
    id = 0
    decoder.register(self)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    all = try container.decode(Set<CountingPerson>.self, forKey: .all)
    total = all.count
    list = Array(try container.decode(Set<CountingPerson>.self, forKey: .list))
    id = try container.decode(Int.self, forKey: .id)
  }

  static func == (left: CountingPerson, right: CountingPerson) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class Player: ArchivedModel, Hashable {
  var team: Team?
  var name = ""

  static func == (left: Player, right: Player) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private final class Team: Codable {
  struct Roster: Codable {
    var players: Set<Player> = []
  }

  let players: Set<Player>
  var roster = Roster()
  var all: Set<Player> = []

  init(_ players: Set<Player>) { self.players = players }
}

private final class Captain: Codable, Hashable, SelfRegistering {
  var crew = Crew([])
  var name: String

  init(_ name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    name = ""
    decoder.register(self)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    crew = try container.decode(Crew.self, forKey: .crew)
    name = try container.decode(String.self, forKey: .name)
  }

  static func == (left: Captain, right: Captain) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private final class Crew: Codable {
  let members: Set<Captain>

  init(_ members: Set<Captain>) { self.members = members }
}

private struct Attempts: Codable {
  var pair: [String: Attempt]
  var title = "title"

  init(first: [ModelPerson], second: String) {
    pair = ["pair": Attempt(first: first, second: second)]
  }

  struct Attempt: Codable {
    var first: [ModelPerson]
    var second: String
  }
}

private struct Attempted: Decodable {
  let pair: [String: Attempt]?
  let title: String

  private enum CodingKeys: CodingKey { case pair, title }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    pair = try? container.decode([String: Attempt].self, forKey: .pair)
    title = try container.decode(String.self, forKey: .title)
  }

  struct Attempt: Codable {
    let first: [ModelPerson]
    let second: Int
  }
}
