import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Sets with equal elements: the objects behind them determine the order, and sorting encodes each only a few times.
@Suite struct SortedContents {
  // MARK: Work

  @Test(
    "sorting equal elements that reach a large graph encodes each object a few times"
  )
  func equalElements() throws {
    let counter = Counter()
    var numbers = SplitMix(seed: 1)
    let graph = (0..<1_000).map { _ in Counted(counter) }
    for (index, object) in graph.enumerated() where index > 0 {
      object.links = (0..<3).map { _ in graph[Int.random(in: 0..<index, using: &numbers)] }
    }
    let elements = (0..<100).map { _ in Counted(counter) }
    for element in elements { element.links = graph.suffix(3) }
    _ = try sorted(Set(elements))
    #expect(counter.calls <= 4 * (graph.count + elements.count))
  }

  @Test("sorting sets of objects that all refer to each other encodes each object a few times")
  func everybody() throws {
    let counter = Counter()
    let people = (0..<60).map { _ in Counted(counter) }
    for person in people { person.friends = Set(people.filter { $0 !== person }) }
    _ = try sorted(people)
    #expect(counter.calls <= 4 * people.count)
  }

  @Test("sorting many sets with one object in common encodes each object a few times")
  func popular() throws {
    let counter = Counter()
    let popular = Counted(counter)
    let sets = (0..<100).map { name in Set([popular, Counted(counter, "\(name)")]) }
    _ = try sorted(sets)
    #expect(counter.calls <= 4 * 101)
  }

  @Test("sorting nested sets encodes values in proportion to the square of their depth")
  func nestedValues() throws {
    let counter = Counter()
    let depth = 16
    var value = Nested(name: "", inner: [], counter: counter)
    for level in 0..<depth {
      value = Nested(
        name: "\(level)",
        inner: [value, Nested(name: "leaf", inner: [], counter: counter)],
        counter: counter
      )
    }
    _ = try sorted(value)
    #expect(counter.calls <= 4 * depth * depth)
  }

  // MARK: Order

  @Test("a difference far away determines the order")
  func farAway() throws {
    let counter = Counter()
    let length = sized(1_500, inDebug: 300)
    let archives = try (0..<4).map { _ in
      let ends = ["z", "a", "m", "z"].map { name -> Counted in
        (0..<length).reduce(Counted(counter, name)) { next, _ in
          let object = Counted(counter)
          object.links = [next]
          return object
        }
      }
      return try sorted(Set(ends))
    }
    #expect(Set(archives).count == 1)
    #expect(counter.calls <= 4 * 4 * 4 * (length + 1))
  }

  @Test("a cycle of equal objects with their neighbors in sets gives one archive")
  func cycle() throws {
    try expectOneArchive { _ in
      let counter = Counter()
      let objects = (0..<20).map { _ in Counted(counter) }
      for index in 0..<20 {
        objects[index].friends = [objects[(index + 1) % 20], objects[(index + 19) % 20]]
      }
      return objects[0]
    }
  }

  @Test(
    "sets of objects that only their cycles distinguish give one archive",
    arguments: [2, 3, 12]
  )
  func setsOfCycles(length: Int) throws {
    try expectOneArchive { shuffle in
      let counter = Counter()
      let objects = (0..<length * 2).map { _ in Counted(counter) }
      for index in 0..<length {
        objects[index].links = [objects[(index + 1) % length]]
        objects[length + index].links = [objects[length + (index + 1) % length]]
      }
      return Set(objects.shuffled(using: &shuffle))
    }
  }

  @Test("dictionaries with equal keys and different values give one archive")
  func equalKeys() throws {
    try expectOneArchive { _ in
      let counter = Counter()
      return Dictionary(uniqueKeysWithValues: (0..<9).map { (Counted(counter), [$0, 1]) })
    }
  }

  @Test("elements that lead to different archived objects give one archive")
  func archivedBefore() throws {
    try expectOneArchive { shuffle in
      let counter = Counter()
      let known = (0..<10).map { _ in Counted(counter) }
      let elements = known.map { object in
        let element = Counted(counter)
        element.links = [object]
        return element
      }
      let set = Set(elements.shuffled(using: &shuffle))
      return Writing { encoder in
        var list = encoder.unkeyedContainer()
        try list.encode(known)
        try list.encode(set)
      }
    }
  }

  @Test("equal objects archived between their comparison and their set give one archive")
  func archivedBetween() throws {
    try expectOneArchive { _ in
      let counter = Counter()
      let pairs = (0..<8).map { _ in [Counted(counter), Counted(counter)] }
      let owners = pairs.map { pair in
        (0..<2).map { _ in
          let owner = Counted(counter)
          owner.friends = Set(pair)
          return owner
        }
      }
      return Writing { encoder in
        var list = encoder.unkeyedContainer()
        // Compares what the owners lead to, which is archived after the list.
        for pair in owners { try list.encode(Set(pair)) }
        for pair in pairs { try list.encode(pair[0]) }
      }
    }
  }

  @Test("elements that differ only in a repeated string give one archive")
  func repeatedStrings() throws {
    let (one, other) = ("a string that is shared", "another string that is shared")
    try expectOneArchive { shuffle in
      Set([one, other, one, other].shuffled(using: &shuffle).map { Texts([one, other, $0]) })
    }
  }

  @Test("nested sets of values that lead to objects give one archive")
  func setsOfSets() throws {
    try expectOneArchive { _ in
      let counter = Counter()
      let ends = ["a", "b", "c"].map { name -> Counted in
        let object = Counted(counter)
        object.links = [Counted(counter, name)]
        return object
      }
      return Set([Set([ends[0], ends[1]]), Set([ends[1], ends[2]]), Set([ends[0], ends[2]]), Set(ends)])
    }
  }

  @Test("references from elsewhere to one of two equal objects give one archive")
  func referredToElsewhere() throws {
    try expectOneArchive { _ in
      let counter = Counter()
      let (root, one, other) = (Counted(counter), Counted(counter), Counted(counter))
      root.links = [one]
      root.friends = [one, other]
      return root
    }
    try expectOneArchive { _ in
      let counter = Counter()
      let objects = (0..<6).map { _ in Counted(counter) }
      for (index, object) in objects.enumerated() { object.watched = objects[index / 2] }
      return Set(objects)
    }
  }

  @Test("random graphs give one archive each, wherever their objects are in memory")
  func randomGraphs() throws {
    var seeds = SeededGenerator("sorted contents")
    for _ in 0..<sized(100, inDebug: 25) {
      let seed = seeds.next()
      // References to elements from elsewhere count only if the set leads there (Format §A.2).
      try expectOneArchive("graph \(seed)") { shuffle in Set(graph(seed, &shuffle)) }
    }
  }

  @Test("a failed value leaves no trace in what is sorted afterwards")
  func takenBack() throws {
    var seeds = SeededGenerator("sorted contents taken back")
    for _ in 0..<sized(200, inDebug: 50) {
      let seed = seeds.next()
      var numbers = SplitMix(seed: seed)
      let objects = graph(seed, &numbers)
      // Some elements refuse values, too, when they are compared and when they are archived.
      let failing = objects.filter { _ in Int.random(in: 0..<3, using: &numbers) == 0 }
      let refused = (0...failing.count).map { _ in
        let count = Int.random(in: 2...9, using: &numbers)
        return Refused(elements: Set(objects.shuffled(using: &numbers).prefix(count)))
      }
      let archives = try [false, true].map { tries in
        let archiver = KeyedArchiver()
        archiver.outputFormatting = .sortedKeys
        if tries {
          #expect(throws: Refusal.self) { try archiver.encode(refused[failing.count], forKey: "all") }
        }
        for (object, value) in zip(failing, refused) { object.refused = tries ? value : nil }
        try archiver.encode(Set(objects), forKey: "all")
        return try archiver.encodedData
      }
      #expect(archives[0] == archives[1], "graph \(seed)")
    }
  }

  // MARK: Helpers

  private func graph(_ seed: UInt64, _ shuffle: inout SplitMix) -> [Counted] {
    let counter = Counter()
    var numbers = SplitMix(seed: seed)
    let count = Int.random(in: 2...30, using: &numbers)
    var objects: [Int: Counted] = [:]
    for index in Array(0..<count).shuffled(using: &shuffle) { objects[index] = Counted(counter) }
    let all = (0..<count).compactMap { objects[$0] }
    for object in all {
      object.name = Int.random(in: 0..<4, using: &numbers) == 0 ? "b" : "a"
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) {
        object.links.append(all[Int.random(in: 0..<count, using: &numbers)])
      }
      for _ in 0..<Int.random(in: 0..<4, using: &numbers) {
        object.friends.insert(all[Int.random(in: 0..<count, using: &numbers)])
      }
    }
    return all
  }

  private func expectOneArchive(
    _ comment: Comment = "",
    _ make: (inout SplitMix) -> some Encodable
  ) throws {
    let archives = try (0..<4).map { round in
      var shuffle = SplitMix(seed: UInt64(round))
      return try sorted(make(&shuffle))
    }
    #expect(Set(archives).count == 1, comment)
  }
}

/// The archive of `value` with sorted contents.
func sorted(_ value: some Encodable) throws -> Data {
  var encoder = ArchiveEncoder()
  encoder.outputFormatting = .sortedKeys
  return try encoder.encode(value)
}

private final class Counter {
  var calls = 0
}

/// An object that counts the calls of its `encode(to:)`, and is equal only to itself.
private final class Counted: Codable, EqualByIdentity {
  var name: String
  var links: [Counted] = []
  var friends: Set<Counted> = []
  @WeakReference var watched: Counted?
  /// A value that it tries to encode first.
  var refused: Refused?
  let counter: Counter

  init(_ counter: Counter, _ name: String = "") {
    (self.counter, self.name) = (counter, name)
  }

  private enum CodingKeys: CodingKey { case name, links, friends, watched }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    counter = Counter()
    name = try container.decode(String.self, forKey: .name)
    links = try container.decode([Counted].self, forKey: .links)
    friends = try container.decode(Set<Counted>.self, forKey: .friends)
    _watched = try container.decode(WeakReference<Counted>.self, forKey: .watched)
  }

  func encode(to encoder: any Encoder) throws {
    counter.calls += 1
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let refused { try? container.encode(refused, forKey: .name) }
    try container.encode(name, forKey: .name)
    try container.encode(links, forKey: .links)
    try container.encode(friends, forKey: .friends)
    try container.encode(_watched, forKey: .watched)
  }
}

/// An object that is equal only to itself.
private final class Texts: Encodable, EqualByIdentity {
  let texts: [String]

  init(_ texts: [String]) { self.texts = texts }
}

/// A value that throws after its elements are sorted.
private struct Refused: Encodable {
  let elements: Set<Counted>

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(elements)
    throw Refusal()
  }
}

/// A value with sets of values of its own type.
private struct Nested: Encodable, Hashable {
  let name: String
  let inner: Set<Nested>
  let counter: Counter

  private enum CodingKeys: CodingKey { case name, inner }

  func encode(to encoder: any Encoder) throws {
    counter.calls += 1
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(inner, forKey: .inner)
  }

  static func == (one: Nested, other: Nested) -> Bool { one.name == other.name && one.inner == other.inner }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
