import Foundation
import Keepsake
import Testing

/// Sorted keys, in graphs whose sets and dictionaries lead back to themselves.
@Suite struct SortedGraphs {
  @Test("a set that contains its own owner comes back from an archive with sorted keys")
  func setOfOneself() async {
    await #expect(processExitsWith: .success) {
      let person = SortedPerson("a")
      person.friends = [person, SortedPerson("b")]
      var encoder = ArchiveEncoder()
      encoder.outputFormatting = .sortedKeys
      let back = try ArchiveDecoder().decode(SortedPerson.self, from: encoder.encode(person))
      let holdsItself = back.friends.contains { $0 === back }
      #expect(back.friends.count == 2 && holdsItself)
    }
  }

  @Test("a dictionary with its own owner as a key comes back from an archive with sorted keys")
  func keysOfOneself() async {
    await #expect(processExitsWith: .success) {
      let person = SortedPerson("a")
      person.scores = [person: 1, SortedPerson("b"): 2]
      var encoder = ArchiveEncoder()
      encoder.outputFormatting = .sortedKeys
      let back = try ArchiveDecoder().decode(SortedPerson.self, from: encoder.encode(person))
      let holdsItself = back.scores.contains { $0.key === back && $0.value == 1 }
      #expect(back.scores.count == 2 && holdsItself)
    }
  }

  @Test("sets of objects that all refer to each other are sorted")
  func everybody() async {
    await #expect(processExitsWith: .success) {
      let people = (0..<12).map { SortedPerson("\($0)") }
      for person in people { person.friends = Set(people.filter { $0 !== person }) }
      var encoder = ArchiveEncoder()
      encoder.outputFormatting = .sortedKeys
      let data = try encoder.encode(people)
      let back = try ArchiveDecoder().decode([SortedPerson].self, from: data)
      let counts = Set(back.map(\.friends.count))
      let again = try encoder.encode(back)
      #expect(counts == [11] && again == data)
    }
  }

  @Test("a sorted set gives one archive in any order of insertion")
  func order() throws {
    var encoder = ArchiveEncoder()
    encoder.outputFormatting = .sortedKeys
    let first = try encoder.encode(Set((0..<40).map { SortedPerson("\($0)") }))
    for _ in 0..<5 {
      #expect(try encoder.encode(Set((0..<40).reversed().map { SortedPerson("\($0)") })) == first)
    }
  }

  @Test("a weak reference in an element of a sorted set keeps its object")
  func weakInASet() throws {
    let people = [SortedPerson("a"), SortedPerson("b")]
    people[0].watched = people[1]
    people[1].watched = people[0]
    var encoder = ArchiveEncoder()
    encoder.outputFormatting = .sortedKeys
    let back = try ArchiveDecoder().decode(Set<SortedPerson>.self, from: encoder.encode(Set(people)))
    let sorted = back.sorted { $0.name < $1.name }
    #expect(sorted[0].watched === sorted[1] && sorted[1].watched === sorted[0])
  }
}

private final class SortedPerson: Codable, Hashable {
  let name: String
  @Deferred var friends: Set<SortedPerson> = []
  @Deferred var scores: [SortedPerson: Int] = [:]
  @WeakReference var watched: SortedPerson?

  init(_ name: String) {
    self.name = name
  }

  static func == (one: SortedPerson, other: SortedPerson) -> Bool { one.name == other.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
