import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects that refer to each other through @Deferred properties come back as the same graph.
@Suite struct Cycles {
  @Test("an object that refers to itself comes back, by an optional and a non-optional property")
  func selfReference() throws {
    let node = Node("alone")
    node.next = node
    let back = try roundTrip(node)
    #expect(back.next === back && back.name == "alone" && back !== node)

    let loop = CycleLoop()
    loop.own = loop
    let again = try roundTrip(loop)
    #expect(again.own === again && again !== loop)
  }

  @Test("two objects that refer to each other come back")
  func mutual() throws {
    let author = Author("Ada")
    author.posts = [Post("one", author), Post("two", author)]
    let back = try roundTrip(author)
    #expect(back.name == "Ada" && back.posts.map(\.title) == ["one", "two"])
    #expect(back.posts.allSatisfy { $0.author === back })

    // Entered at another object.
    let post = try roundTrip(author.posts[1])
    #expect(post.author.posts[1] === post && post.author.posts[0].author === post.author)

    let pair = [Node("a"), Node("b")]
    pair[0].next = pair[1]
    pair[1].next = pair[0]
    let nodes = try roundTrip(pair)
    #expect(nodes[0].next === nodes[1] && nodes[1].next === nodes[0] && nodes[0] !== nodes[1])
  }

  @Test("a cycle of a thousand objects comes back")
  func ring() throws {
    let nodes = (0..<1000).map { Node("\($0)") }
    for (index, node) in nodes.enumerated() { node.next = nodes[(index + 1) % nodes.count] }
    let first = try roundTrip(nodes[0])
    var node = first
    for index in 0..<1000 {
      #expect(node.name == "\(index)")
      node = try #require(node.next)
    }
    #expect(node === first)
  }

  @Test("cycles through structures, enumerations and collections come back")
  func throughValues() throws {
    let place = Place("home")
    place.only = Road(label: "back", target: place)
    place.roads = [Road(label: "first", target: place), Road(label: "second", target: Place("away"))]
    place.named = ["loop": Road(label: "named", target: place)]
    place.choice = .road(Road(label: "chosen", target: place), toll: 3)
    let back = try roundTrip(place)
    #expect(back.only?.target === back && back.roads[0].target === back)
    #expect(back.roads[1].target !== back && back.roads[1].target.name == "away")
    #expect(back.named["loop"]?.target === back && back.named["loop"]?.label == "named")
    guard case .road(let road, toll: 3) = back.choice else { return #expect(Bool(false), "\(back.choice)") }
    #expect(road.target === back && road.label == "chosen")
  }

  @Test("objects in plain collections refer back to the owner of the collections")
  func plainCollections() throws {
    let team = Team()
    let members = (0..<5).map { Member($0, team) }
    team.list = members + [members[0]]
    team.set = Set(members)
    team.byName = ["first": members[0], "last": members[4]]
    team.scores = [members[1]: 10, members[2]: 20]
    let back = try roundTrip(team)
    #expect(back.list.map(\.number) == [0, 1, 2, 3, 4, 0] && back.list[0] === back.list[5])
    #expect(back.list.allSatisfy { $0.team === back } && back.set == Set(back.list))
    #expect(back.byName["first"] === back.list[0] && back.byName["last"] === back.list[4])
    #expect(back.scores == [back.list[1]: 10, back.list[2]: 20])
    #expect(back.scores.keys.allSatisfy { key in back.list.contains { $0 === key } })
  }

  @Test("@Deferred collections of objects that hold the same collections come back")
  func deferredCollections() throws {
    let friends = (0..<6).map { Friend($0) }
    for friend in friends {
      friend.list = friends
      friend.set = Set(friends.dropFirst())
      friend.table = Dictionary(uniqueKeysWithValues: friends.map { ("\($0.number)", $0) })
      friend.scores = Dictionary(uniqueKeysWithValues: friends.map { ($0, $0.number) })
      friend.nested = [["a": friends], [:], ["b": []]]
    }
    let back = try roundTrip(friends[3])
    let all = back.list
    #expect(all.map(\.number) == Array(0..<6) && all[3] === back)
    for friend in all {
      #expect(zip(friend.list, all).allSatisfy { $0 === $1 } && friend.list.count == 6)
      #expect(friend.set.count == 5 && friend.set.allSatisfy { one in all.contains { $0 === one } })
      #expect(friend.table.count == 6 && friend.table.allSatisfy { $1 === all[$1.number] })
      #expect(
        friend.scores.count == 6 && friend.scores.allSatisfy { $0 === all[$0.number] && $0.number == $1 }
      )
      #expect(friend.nested.count == 3 && friend.nested[0]["a"]?.count == 6 && friend.nested[2] == ["b": []])
    }
  }

  @Test("two cycles that share an object come back")
  func sharedByTwoRings() throws {
    let hub = Hub("hub")
    let left = Hub("left")
    let right = Hub("right")
    hub.left = left
    left.right = hub
    hub.right = right
    right.left = hub
    for root in [hub, left, right] {
      let back = try roundTrip(root)
      let center = try #require(root === hub ? back : root === left ? back.right : back.left)
      #expect(center.name == "hub" && center.left?.name == "left" && center.right?.name == "right")
      #expect(center.left?.right === center && center.right?.left === center)
      #expect(center.left?.left == nil && center.right?.right == nil)
    }
  }

  @Test("a cycle across top-level keys comes back, in either order", arguments: [["a", "b"], ["b", "a"]])
  func acrossKeys(order: [String]) throws {
    let nodes = ["a": Node("a"), "b": Node("b")]
    nodes["a"]?.next = nodes["b"]
    nodes["b"]?.next = nodes["a"]
    let archiver = KeyedArchiver()
    for key in ["a", "b"] { try archiver.encode(try #require(nodes[key]), forKey: key) }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let first = try unarchiver.decode(Node.self, forKey: order[0])
    #expect(first.name == order[0] && first.next?.name == order[1] && first.next?.next === first)
    let second = try unarchiver.decode(Node.self, forKey: order[1])
    #expect(second === first.next)
    #expect(try unarchiver.decodeIfPresent(Node.self, forKey: order[0]) === first)
  }

  @Test("a cycle comes back behind an object that encodes itself at the top level")
  func topLevelItself() throws {
    let node = Node("top")
    node.next = Node("ring")
    node.next?.next = node.next
    let archiver = KeyedArchiver()
    try node.encode(to: archiver)
    let back = try Node(from: KeyedUnarchiver(forReadingFrom: archiver.encodedData))
    #expect(back.name == "top" && back.next?.name == "ring" && back.next?.next === back.next)
  }

  @Test("cycles through superclasses and subclasses come back")
  func inheritance() throws {
    let figure = CycleFigure("base")
    let circle = CycleCircle("derived")
    figure.owner = circle
    circle.owner = circle
    circle.twin = circle
    circle.parts = [figure, circle]
    let back = try roundTrip([figure, circle] as [CycleFigure])
    let round = try #require(back[1] as? CycleCircle)
    #expect(type(of: back[0]) == CycleFigure.self && back[0].owner === round && back[0].name == "base")
    #expect(round.owner === round && round.twin === round && round.name == "derived")
    #expect(round.parts.count == 2 && round.parts[0] === back[0] && round.parts[1] === round)
  }

  @Test("a cycle of 100,000 objects with @Deferred properties comes back")
  func longLine() throws {
    let first = Node("0")
    defer { first.takeApart() }
    var last = first
    for _ in 0..<100_000 {
      let node = Node("")
      last.next = node
      last = node
    }
    last.next = first
    let back = try roundTrip(first)
    defer { back.takeApart() }
    var count = 0
    var node = back.next
    while let here = node, here !== back {
      count += 1
      node = here.next
    }
    #expect(count == 100_000 && node === back)
  }
}

// MARK: - Classes

private final class Node: Codable {
  let name: String
  @Deferred var next: Node?

  init(_ name: String) {
    self.name = name
  }

  /// Breaks the chain, which would otherwise be released recursively.
  func takeApart() {
    var node: Node? = self
    while let here = node {
      node = here.next
      here.next = nil
    }
  }
}

private final class Author: Codable {
  let name: String
  var posts: [Post] = []

  init(_ name: String) {
    self.name = name
  }
}

private final class Post: Codable {
  let title: String
  @Deferred var author: Author

  init(_ title: String, _ author: Author) {
    self.title = title
    self.author = author
  }
}

private struct Road: Codable {
  var label: String
  @Deferred var target: Place
}

private final class Place: Codable {
  enum Choice: Codable { case none, road(Road, toll: Int) }

  let name: String
  var only: Road?
  var roads: [Road] = []
  var named: [String: Road] = [:]
  var choice = Choice.none

  init(_ name: String) {
    self.name = name
  }
}

private final class Team: Codable {
  var list: [Member] = []
  var set: Set<Member> = []
  var byName: [String: Member] = [:]
  var scores: [Member: Int] = [:]
}

private final class Member: Codable, Hashable {
  let number: Int
  @Deferred var team: Team

  init(_ number: Int, _ team: Team) {
    self.number = number
    self.team = team
  }

  static func == (one: Member, other: Member) -> Bool { one.number == other.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private final class Friend: Codable, Hashable {
  let number: Int
  @Deferred var list: [Friend] = []
  @Deferred var set: Set<Friend> = []
  @Deferred var table: [String: Friend] = [:]
  @Deferred var scores: [Friend: Int] = [:]
  @Deferred var nested: [[String: [Friend]]] = []

  init(_ number: Int) {
    self.number = number
  }

  static func == (one: Friend, other: Friend) -> Bool { one.number == other.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private final class Hub: Codable {
  let name: String
  @Deferred var left: Hub?
  @Deferred var right: Hub?

  init(_ name: String) {
    self.name = name
  }
}

// Not private, since they are found by name.

class CycleAny: Codable {}

final class CycleLoop: CycleAny {
  @Deferred var own: CycleAny
  private enum CodingKeys: CodingKey { case own }

  override init() {
    own = CycleAny()
    super.init()
  }

  required init(from decoder: any Decoder) throws {
    _own = try decoder.container(keyedBy: CodingKeys.self).decode(Deferred<CycleAny>.self, forKey: .own)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_own, forKey: .own)
  }
}

class CycleFigure: Codable {
  let name: String
  @Deferred var owner: CycleFigure?

  init(_ name: String) {
    self.name = name
  }
}

final class CycleCircle: CycleFigure {
  @Deferred var twin: CycleCircle?
  @Deferred var parts: [CycleFigure] = []
  private enum CodingKeys: CodingKey { case twin, parts }

  override init(_ name: String) {
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _twin = try container.decode(Deferred<CycleCircle?>.self, forKey: .twin)
    _parts = try container.decode(Deferred<[CycleFigure]>.self, forKey: .parts)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_twin, forKey: .twin)
    try container.encode(_parts, forKey: .parts)
    try super.encode(to: encoder)
  }
}
