internal import Foundation
internal import Keepsake

// Plain classes in cycles, which are closed by properties that are read last; weak and lazy properties.

class FuzzedPerson: Codable, ArchivableClass, Severable, Hashable {
  class var archivedClassName: String { "Fuzz.Person" }
  let name: String
  var children: [FuzzedPerson] = []
  var parent: FuzzedPerson?
  var table: [String: FuzzedPerson] = [:]
  var known: Set<FuzzedPerson> = []
  var number: Int?
  weak var friend: FuzzedPerson?
  @Lazy var notes: [FuzzedPerson] = []
  private enum CodingKeys: CodingKey { case name, children, parent, table, known, number, friend, notes }

  init(_ name: String) {
    self.name = name
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    children = try container.decode([FuzzedPerson].self, forKey: .children)
    parent = try container.decodeIfPresent(FuzzedPerson.self, forKey: .parent)
    table = try container.decode([String: FuzzedPerson].self, forKey: .table)
    known = try container.decode(Set<FuzzedPerson>.self, forKey: .known)
    number = try container.decodeIfPresent(Int.self, forKey: .number)
    friend = try container.decodeIfPresent(FuzzedPerson.self, forKey: .friend)
    _notes = try container.decode(Lazy<[FuzzedPerson]>.self, forKey: .notes)
    HostileLeash.note(self, decoder)
  }

  static func == (left: FuzzedPerson, right: FuzzedPerson) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }

  func visit() -> Int { children.count + table.count + known.count + notes.count + (friend?.name.count ?? 0) }

  func sever() { (children, parent, table, known, notes) = ([], nil, [:], [], []) }

  /// A family in which every strong reference is part of a cycle.
  static func sample() -> FuzzedPerson {
    let people = [FuzzedPerson("a"), FuzzedBoss("b"), FuzzedPerson("c"), FuzzedBoss("d")]
    people[0].children = [people[1], people[2]]
    for child in people[0].children { child.parent = people[0] }
    people[1].table = ["all": people[3], "self": people[1]]
    people[2].known = [people[0], people[3]]
    people[3].friend = people[1]
    people[3].notes = [people[2], people[3]]
    people[3].number = 70_000
    (people[1] as? FuzzedBoss)?.rule = Rule(people: [people[0], nil], next: people[3], names: ["x": nil])
    return people[0]
  }

  /// The structure in a ``FuzzedBoss``, in which nothing can be read last.
  struct Rule: ArchivedFields {
    var people: [FuzzedPerson?] = []
    var next: FuzzedPerson?
    var names: [String: Int?] = [:]
    var text = "rule"
  }
}

final class FuzzedBoss: FuzzedPerson {
  override class var archivedClassName: String { "Fuzz.Boss" }
  var rule: Rule?
  private enum CodingKeys: CodingKey { case rule }

  override init(_ name: String) {
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    rule = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Rule.self, forKey: .rule)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(rule, forKey: .rule)
  }

  override func sever() {
    super.sever()
    rule = nil
  }
}
