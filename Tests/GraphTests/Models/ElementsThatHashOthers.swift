import Foundation
import Keepsake
import TestSupport
import Testing

/// Sets whose elements hash their own sets, the owner of their set or a partner.
@Suite struct ElementsThatHashOthers {
  @Test("elements may hash a property of the owner of their set")
  func owners() throws {
    let parent = ModelParent()
    parent.children = Set((1...50).map { ModelChild($0, parent) })
    parent.name = "changed"
    parent.children = Set(Array(parent.children))
    let back = try roundTrip(parent)
    #expect(back.children.count == 50 && back.children.allSatisfy { back.children.contains($0) })
    for each in [parent, back] { each.children = [] }
  }

  @Test("a set in a structure is an error if its elements hash their own sets")
  func hashedInStructure() throws {
    let people = (1...3).map { ClubPerson($0) }
    for person in people { person.club.members = Set(people) }
    for person in people { person.club.members = Set(Array(person.club.members)) }
    let found = try failure { try roundTrip(people) }
    #expect(
      found.code == .misuse
        && found.description.contains("elements of a Set<ClubPerson> were hashed before"),
      "\(found)"
    )
    for person in people { person.club.members = [] }
  }

  @Test("elements may hash their own sets")
  func hashedBySets() throws {
    let people = (1...8).map { SizedPerson($0) }
    for person in people { person.peers = Set(people) }
    for person in people { person.peers = Set(Array(person.peers)) }
    for person in people { person.peers = Set(Array(person.peers)) }
    let back = try roundTrip(people)
    for person in back { #expect(person.peers.count == 8 && back.allSatisfy { person.peers.contains($0) }) }
    for person in people + back { person.peers = [] }
  }

  @Test("a set of plain objects that are equal until their cycle is closed has all its elements")
  func plain() throws {
    let people = (1...3).map { PlainPartner($0) }
    for (index, person) in people.enumerated() { person.partner = people[(index + 1) % 3] }
    for person in people { person.all = Set(people) }
    let back = try roundTrip(people)
    for person in back { #expect(person.all.count == 3 && back.allSatisfy { person.all.contains($0) }) }
    for person in people + back { (person.partner, person.all) = (nil, []) }
  }
}

/// Hashes the set in its structure.
private final class ClubPerson: ArchivedModel, Hashable {
  struct Club: Codable {
    var members: Set<ClubPerson> = []
  }

  var club = Club()
  var id = 0

  convenience init(_ id: Int) {
    self.init()
    self.id = id
  }

  static func == (left: ClubPerson, right: ClubPerson) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(club.members.count) }
}

private class ModelParent: ArchivedModel {
  var children: Set<ModelChild> = []
  var name = ""
}

private final class ModelChild: ArchivedModel, Hashable {
  var parent: ModelParent?
  var number = 0

  convenience init(_ number: Int, _ parent: ModelParent) {
    self.init()
    (self.number, self.parent) = (number, parent)
  }

  static func == (left: ModelChild, right: ModelChild) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(parent?.name)
  }
}

private final class PlainPartner: Codable, Hashable {
  var all: Set<PlainPartner> = []
  var partner: PlainPartner?
  let number: Int

  init(_ number: Int) { self.number = number }

  static func == (left: PlainPartner, right: PlainPartner) -> Bool {
    left.partner?.number == right.partner?.number
  }
  func hash(into hasher: inout Hasher) { hasher.combine(partner?.number) }
}

/// Also hashes the number of its peers.
private final class SizedPerson: ArchivedModel, Hashable {
  var peers: Set<SizedPerson> = []
  var number = 0

  convenience init(_ number: Int) {
    self.init()
    self.number = number
  }

  static func == (left: SizedPerson, right: SizedPerson) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(peers.count)
  }
}
