import Foundation
import Keepsake
import Synchronization
import TestSupport
import Testing

/// An instance of a class that is reached twice is written once, and comes back as one instance.
@Suite struct SharedObjects {
  @Test("one instance in properties, collections and enumerations comes back as one instance")
  func everywhere() throws {
    let item = Item("shared")
    let places = Places(item)
    let back = try roundTrip(places)
    let all = back.all
    #expect(all.count == places.all.count)
    #expect(all.allSatisfy { $0 === all[0] && $0.name == "shared" })
  }

  @Test("an object reached a thousand times is written once")
  func manyTimes() throws {
    let item = Item(String(repeating: "large ", count: 1000))
    let data = try ArchiveEncoder().encode(Array(repeating: item, count: 1000))
    #expect(data.count < 6000 + 1000 * 8)
    let back = try ArchiveDecoder().decode([Item].self, from: data)
    #expect(back.count == 1000)
    #expect(back.allSatisfy { $0 === back[0] })
  }

  @Test("a large array of objects with scattered references comes back")
  func largeGraph() throws {
    let count = 40_000
    let branches = (0..<count).map { Branch(String($0)) }
    // A prime, so all are reached, in scattered order.
    let target = { (index: Int, step: Int) in (index * 7919 + step * 104_729) % count }
    for (index, branch) in branches.enumerated() {
      branch.branches = (0..<index % 18).map { branches[target(index, $0)] }
    }
    let back = try roundTrip(branches)
    #expect(back.count == count)
    for (index, branch) in back.enumerated() {
      let isSame = branch.branches.enumerated().allSatisfy { $0.element === back[target(index, $0.offset)] }
      #expect(isSame && branch.branches.count == index % 18 && branch.name == String(index))
    }
    for branch in branches + back { branch.branches = [] }
  }

  @Test("the root object and its shared objects come back")
  func root() throws {
    let parent = Branch("root")
    let child = Branch("child")
    parent.branches = [child, Branch("other"), child]
    let back = try roundTrip(parent)
    #expect(back.name == "root" && back.branches.map(\.name) == ["child", "other", "child"])
    #expect(back.branches[0] === back.branches[2] && back.branches[0] !== back.branches[1])
  }

  @Test("equal objects stay separate")
  func identityNotEquality() throws {
    let one = Equal(1)
    let values = [one, Equal(2), one, Equal(1)]
    #expect(values[0] == values[1])
    let back = try roundTrip(values)
    #expect(back.map(\.number) == [1, 2, 1, 1])
    #expect(back[0] === back[2])
    #expect(back[0] !== back[1] && back[0] !== back[3] && back[1] !== back[3])
  }

  @Test("equal structures share only the objects that they share")
  func structs() throws {
    struct Holder: Codable { var item: Item }
    let item = Item("held")
    let back = try roundTrip([Holder(item: item), Holder(item: item), Holder(item: Item("held"))])
    #expect(back[0].item === back[1].item)
    #expect(back[0].item !== back[2].item)
  }

  @Test("temporary objects stay separate, since no address is reused")
  func temporaries() throws {
    let count = 2000
    let data = try writeUnkeyed { list in
      for number in 0..<count {
        try list.encode(Item("temporary \(number)"))
        try list.encode(Maker(number: number))
      }
    }
    try readUnkeyed(data) { list throws in
      for number in 0..<count {
        #expect(try list.decode(Item.self).name == "temporary \(number)")
        #expect(try list.decode([Item].self).map(\.name) == ["made \(number)", "made again \(number)"])
      }
    }
  }

  @Test("temporary objects under the keys of one archiver stay separate")
  func temporariesAcrossKeys() throws {
    let archiver = KeyedArchiver()
    for number in 0..<1000 { try archiver.encode(Item("\(number)"), forKey: "\(number)") }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for number in 0..<1000 {
      #expect(try unarchiver.decode(Item.self, forKey: "\(number)").name == "\(number)")
    }
  }

  @Test("objects in containers written late and alternately stay shared")
  func lateContainers() throws {
    let item = Item("late")
    let data = try writeKeyed { container in
      var list = container.nestedUnkeyedContainer(forKey: "list")
      let superEncoder = container.superEncoder()
      try container.encode(item, forKey: "item")
      try list.encode(item)
      try [item, Item("other")].encode(to: superEncoder)
      try list.encode(item)
    }
    try readKeyed(data) { container throws in
      let item = try container.decode(Item.self, forKey: "item")
      let list = try container.decode([Item].self, forKey: "list")
      let others = try [Item](from: container.superDecoder())
      #expect(list.count == 2 && list.allSatisfy { $0 === item })
      #expect(others[0] === item && others[1] !== item)
    }
  }

  @Test("objects that encode another object as their single value stay shared")
  func singleValueObjects() throws {
    let inner = Item("inner")
    let boxes = [Box(inner), Box(inner)]
    let back = try roundTrip([boxes[0], boxes[1], boxes[0]])
    #expect(back[0] === back[2] && back[0] !== back[1])
    #expect(back[0].item === back[1].item && back[0].item.name == "inner")
  }

  @Test("the requested type is checked at every reference")
  func checkedOnEveryUse() throws {
    let item = Item("an item")
    let data = try ArchiveEncoder().encode(["a": item, "b": item])
    try readKeyed(data) { container throws in
      #expect(try container.decode(Item.self, forKey: "a").name == "an item")
      let found = try failure { try container.decode(Renamed.self, forKey: "b") }
      #expect(found.kind == .typeMismatch && found.path == "b")
      #expect(try container.decode(Item.self, forKey: "b") === container.decode(Item.self, forKey: "a"))
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode(Renamed.self, forKey: "b").name == "an item")
      #expect(try failure { try container.decode(Item.self, forKey: "a") }.kind == .typeMismatch)
    }
    #expect(try failure { try transcode([item], to: [Int].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode([item], to: [String].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(1, to: Item.self) }.kind == .typeMismatch)
  }

  @Test("a class that was archived only where it is declared may be renamed")
  func renamed() throws {
    let item = Item("new name")
    let back = try transcode([item, item], to: [Renamed].self)
    #expect(back[0] === back[1] && back[0].name == "new name")
  }

  @Test("every unarchiver makes instances of its own, and each only once")
  func unarchivers() throws {
    let data = try ArchiveEncoder().encode([Item("x")])
    let first = try KeyedUnarchiver(forReadingFrom: data)
    let second = try KeyedUnarchiver(forReadingFrom: data)
    let one = try first.decode([Item].self, forKey: KeyedArchiver.rootKey)
    let again = try first.decode([Item].self, forKey: KeyedArchiver.rootKey)
    let other = try second.decode([Item].self, forKey: KeyedArchiver.rootKey)
    #expect(one[0] === again[0] && one[0] !== other[0])
  }

  @Test("an object whose decoding failed is decoded again")
  func failedObject() throws {
    let item = Item("text")
    let data = try ArchiveEncoder().encode([item, item])
    try readUnkeyed(data) { list throws in
      #expect(throws: DecodingError.self) { try list.decode(WrongItem.self) }
      let first = try list.decode(Item.self)
      #expect(try list.decode(Item.self) === first)
    }
  }

  @Test("a list of 5000 objects is encoded on a small stack")
  func longList() throws {
    let count = 5000
    let size = try onThread(stackSize: 256 << 10) {
      let links = (0..<count).map { Link($0) }
      for index in 1..<count { links[index - 1].next = links[index] }
      let size = try ArchiveEncoder().encode(links[0]).count
      for link in links { link.next = nil }
      return size
    }
    #expect(size > count * 2 && size < count * 32)
  }

  @Test("a graph of random references comes back")
  func randomGraph() throws {
    var generator = SeededGenerator("random graph")
    // References lead only to later objects, so there is no cycle.
    let branches = (0..<400).map { Branch("\($0)") }
    for (index, branch) in branches.enumerated().dropLast() {
      branch.branches = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        let last = min(index + 20, branches.count - 1)
        return branches[Int.random(in: index + 1...last, using: &generator)]
      }
    }
    let back = try roundTrip(branches.reversed() as [Branch])
    let numbers = Dictionary(uniqueKeysWithValues: back.map { (ObjectIdentifier($0), $0.name) })
    #expect(numbers.count == branches.count)
    for (old, new) in zip(branches.reversed(), back) {
      #expect(old.name == new.name)
      #expect(new.branches.map { numbers[ObjectIdentifier($0)] } == old.branches.map { Optional($0.name) })
    }
  }
}

// MARK: - Classes

private final class Item: Codable, Hashable {
  let name: String

  init(_ name: String) {
    self.name = name
  }

  static func == (one: Item, other: Item) -> Bool {
    one.name == other.name
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

private final class Renamed: Codable {
  let name: String
}

private final class WrongItem: Codable {
  let name: Int
}

/// All instances are equal.
private final class Equal: Codable, Hashable {
  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  static func == (one: Equal, other: Equal) -> Bool {
    true
  }

  func hash(into hasher: inout Hasher) {}
}

private final class Branch: Codable {
  let name: String
  var branches: [Branch] = []

  init(_ name: String) {
    self.name = name
  }
}

private final class Link: Codable {
  let number: Int
  var next: Link?

  init(_ number: Int) {
    self.number = number
  }
}

/// Encodes itself as a single value, which is an object.
private final class Box: Codable {
  let item: Item

  init(_ item: Item) {
    self.item = item
  }

  init(from decoder: any Decoder) throws {
    item = try decoder.singleValueContainer().decode(Item.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(item)
  }
}

/// Makes its objects when it is encoded.
private struct Maker: Encodable {
  let number: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(Item("made \(number)"))
    try container.encode(Item("made again \(number)"))
  }
}

/// One object in every kind of property.
private struct Places: Codable {
  enum Choice: Codable { case payload(Item, again: [Item]) }
  struct Inner: Codable { var item: Item }

  var field: Item
  var maybe: Item?
  var doubly: Item??
  var list: [Item]
  var gaps: [Item?]
  var lists: [[Item]]
  var byName: [String: Item]
  var byNumber: [Int: [Item]]
  var keys: [Item: Int]
  var set: Set<Item>
  var choice: Choice
  var inner: Inner
  var box: Box

  init(_ item: Item) {
    field = item
    maybe = item
    doubly = item
    list = [item, item]
    gaps = [nil, item]
    lists = [[], [item]]
    byName = ["a": item, "b": item]
    byNumber = [1: [item]]
    keys = [item: 1]
    set = [item]
    choice = .payload(item, again: [item])
    inner = Inner(item: item)
    box = Box(item)
  }

  var all: [Item] {
    var all =
      [field, inner.item, box.item] + list + lists.joined() + byName.values + byNumber.values.joined()
    all += [maybe, doubly ?? nil].compactMap { $0 } + gaps.compactMap { $0 }
    all += Array(keys.keys) + Array(set)
    if case .payload(let item, let again) = choice { all += [item] + again }
    return all
  }
}
