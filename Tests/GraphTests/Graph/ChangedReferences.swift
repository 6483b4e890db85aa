import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of cycles that a wrapper or a model closed, read by a later version of the program with plain properties.
@Suite struct ChangedReferences {
  @Test("plain properties read archives of @Deferred ones, from any root and under several keys")
  func deferred() throws {
    let nodes = DeferredNode.network(60)
    let archiver = KeyedArchiver()
    for (index, node) in nodes.enumerated() { try archiver.encode(node, forKey: "\(index)") }
    let data = try archiver.encodedData
    for first in [0, 17, 59] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      var back = [try unarchiver.decode(PlainNode.self, forKey: "\(first)")]
      back += try nodes.indices.map { try unarchiver.decode(PlainNode.self, forKey: "\($0)") }
      #expect(back[0] === back[first + 1])
      back.removeFirst()
      for (node, original) in zip(back, nodes) {
        #expect(node.number == original.number && node.next === back[original.next?.number ?? 0])
        #expect(node.friends.map(\.number) == original.friends.map(\.number))
        #expect(node.friends.allSatisfy { $0 === back[$0.number] })
        #expect(node.named.mapValues(\.number) == original.named.mapValues(\.number))
        #expect(node.named.values.allSatisfy { $0 === back[$0.number] })
      }
    }
  }

  @Test("plain classes read archives of models, and the other way round")
  func models() throws {
    let (first, second) = (ModelPerson(), ModelPerson())
    (first.name, second.name) = ("first", "second")
    (first.friends, second.friends, second.boss) = ([second, first], [first], first)
    let plain = try transcode(first, to: PlainPerson.self)
    #expect(plain.name == "first" && plain.friends.map(\.name) == ["second", "first"])
    #expect(plain.friends[1] === plain && plain.friends[0].friends[0] === plain)
    #expect(plain.friends[0].boss === plain)
    let model = try transcode(plain, to: ModelPerson.self)
    #expect(model.friends[0].friends[0] === model && model.friends[0].boss === model)
  }

  @Test("a reference to a parent comes back as it becomes strong, @WeakReference and weak again")
  func weak() throws {
    let plain = try transcode(Family.three(), to: StrongFamily.self)
    #expect(plain.children.allSatisfy { $0.parent === plain })
    let again = try transcode(plain, to: WrappedFamily.self)
    #expect(again.children.allSatisfy { $0.parent === again })
    let back = try transcode(again, to: Family.self)
    #expect(back.children.allSatisfy { $0.parent === back })
  }

  @Test("a strong property reads a weak reference to an object not read otherwise", arguments: [false, true])
  func retained(isDocument: Bool) throws {
    final class Boss: Codable {
      var name: String
      weak var deputy: Boss?
      init(_ name: String) { self.name = name }
    }
    final class Retaining: Codable {
      var name = ""
      var deputy: Retaining?
    }
    struct Before: Codable {
      var first: Boss
      var staff: [Boss]
    }
    struct After: Codable { var first: Retaining }
    let staff = [Boss("first"), Boss("second"), Boss("third")]
    for index in 0..<3 { staff[index].deputy = staff[(index + 1) % 3] }
    let first: Retaining
    if isDocument {
      let folder = try TemporaryFolder()
      try ArchiveDocument(creating: folder("staff"), root: Before(first: staff[0], staff: staff)).close()
      let document = try ArchiveDocument<After>(opening: folder("staff"))
      document.root.first.name = "changed"
      try document.save()
      first = try KeyedUnarchiver.unarchive(After.self, fromFile: folder("staff")).first
    } else {
      first = try transcode(Before(first: staff[0], staff: staff), to: After.self).first
    }
    #expect(first.deputy?.name == "second" && first.deputy?.deputy?.name == "third")
    #expect(first.deputy?.deputy?.deputy === first)
    first.deputy?.deputy?.deputy = nil
  }

  @Test("properties of a superclass are read, inline and from a super encoder", arguments: [false, true])
  func superclass(isInline: Bool) throws {
    let cycle = DeferredLeaf.cycle(isInline)
    let leaf = try transcode(cycle, to: PlainLeaf.self)
    let other = try #require(leaf.other)
    #expect(leaf.text == "first" && other.text == "second" && other.other === leaf)
  }

  @Test("a set whose elements hash a property that waits is read last, and refused if it is a constant")
  func hashes() throws {
    let hall = DeferredHall()
    hall.guests = [DeferredGuest("first", hall), DeferredGuest("second", hall)]
    hall.seats = [DeferredGuest("third", hall): 3]
    let back = try transcode(hall, to: PlainHall.self)
    for hall in [back, try roundTrip(back)] {
      #expect(hall.guests.count == 2 && hall.seats?.count == 1)
      #expect(hall.guests.allSatisfy { $0.hall === hall && hall.guests.contains($0) })
      #expect(try hall.seats?[#require(hall.seats?.keys.first)] == 3)
    }
    let found = try failure { try transcode(hall, to: ConstantHall.self) }
    #expect(found.code == .misuse && found.path == "guests" && found.description.contains("hash(into:)"))
  }

  @Test("an error advises @Deferred if a property cannot wait")
  func cannotWait() throws {
    let found = try failure { try transcode(["x": DeferredNode.pair()], to: [String: ConstantNode].self) }
    #expect(found.kind == .dataCorrupted && found.code == .cycle && found.path == "x/next/next")
    #expect(found.description.contains("@Deferred"))
  }

  @Test("an error inside a cycle has its path, and the value can then be read as another type")
  func errors() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(["x": [DeferredNode.pair()]], forKey: "nodes")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let found = try failure { try unarchiver.decode([String: [StrictNode]].self, forKey: "nodes") }
    #expect(found.kind == .typeMismatch && found.path == "nodes/x/[0]/friends")
    let nodes = try unarchiver.decode([String: [PlainNode]].self, forKey: "nodes")
    #expect(nodes["x"]?[0].next?.next === nodes["x"]?[0])
  }

  @Test("each object awakes once, and a delegate sees the final objects")
  func awakening() throws {
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: KeyedArchiver.archivedData(withRootObject: DeferredNode.pair())
    )
    let witness = Witness()
    unarchiver.delegate = witness
    let node = try unarchiver.decode(AwakeNode.self, forKey: KeyedArchiver.rootKey)
    #expect(node.awakeCount == 1 && node.next?.awakeCount == 1 && node.next?.next === node)
    #expect(witness.seen.contains { $0 === node } && witness.seen.contains { $0 === node.next })
  }

  @Test("a document of an earlier version is saved with changed objects and read again")
  func document() throws {
    let folder = try TemporaryFolder()
    try ArchiveDocument(creating: folder("nodes"), root: DeferredNode.network(40)).close()
    let document = try ArchiveDocument<[PlainNode]>(opening: folder("nodes"))
    let nodes = document.root
    nodes[3].number = 1_000
    nodes[3].friends = [nodes[9], nodes[3]]
    #expect(try document.save(changed: [nodes[3]]))
    document.close()
    let back = try KeyedUnarchiver.unarchive([PlainNode].self, fromFile: folder("nodes"))
    #expect(back[3].number == 1_000 && back[3].friends[0] === back[9] && back[3].friends[1] === back[3])
    #expect(zip(back, nodes).allSatisfy { $0.next?.number == $1.next?.number })
  }
}

// MARK: - Earlier versions

private final class DeferredNode: Codable {
  var number: Int
  @Deferred var next: DeferredNode?
  @Deferred var friends: [DeferredNode] = []
  @Deferred var named: [String: DeferredNode] = [:]

  init(_ number: Int) { self.number = number }

  static func network(_ count: Int) -> [DeferredNode] {
    let nodes = (0..<count).map(DeferredNode.init)
    for (index, node) in nodes.enumerated() {
      node.next = nodes[(index * 7 + 1) % count]
      node.friends = [nodes[(index * 13 + 5) % count], nodes[(index + 1) % count], node]
      node.named = ["one": nodes[(index * 3) % count], "other": nodes[(index + 31) % count]]
    }
    return nodes
  }

  static func pair() -> DeferredNode {
    let nodes = [DeferredNode(0), DeferredNode(1)]
    (nodes[0].next, nodes[1].next) = (nodes[1], nodes[0])
    return nodes[0]
  }
}

private final class ModelPerson: ArchivedModel {
  var name = ""
  var friends: [ModelPerson] = []
  var boss: ModelPerson?
}

private class DeferredBase: Codable {
  @Deferred var other: DeferredLeaf?
  var isInline = true
  private enum CodingKeys: CodingKey { case other }

  init() {}
}

private final class DeferredLeaf: DeferredBase {
  var text = ""
  private enum CodingKeys: CodingKey { case text, isInline }

  static func cycle(_ isInline: Bool) -> DeferredLeaf {
    let (first, second) = (DeferredLeaf(), DeferredLeaf())
    (first.text, second.text) = ("first", "second")
    (first.other, second.other) = (second, first)
    (first.isInline, second.isInline) = (isInline, isInline)
    return first
  }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws { try super.init(from: decoder) }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isInline, forKey: .isInline)
    try container.encode(text, forKey: .text)
    try super.encode(to: isInline ? encoder : container.superEncoder())
  }
}

private final class DeferredHall: Codable {
  @Deferred var guests: Set<DeferredGuest> = []
  @Deferred var seats: [DeferredGuest: Int] = [:]
}

private final class DeferredGuest: Codable, Hashable {
  let name: String
  @Deferred var hall: DeferredHall?

  init(_ name: String, _ hall: DeferredHall) {
    self.name = name
    self.hall = hall
  }

  static func == (one: DeferredGuest, other: DeferredGuest) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// MARK: - Later versions

private final class PlainNode: Codable {
  var number: Int
  var next: PlainNode?
  var friends: [PlainNode] = []
  var named: [String: PlainNode] = [:]
}

private final class ConstantNode: Codable {
  let number: Int
  let next: ConstantNode?
}

private final class StrictNode: Codable {
  var next: StrictNode?
  var friends: Int?
}

private final class AwakeNode: Codable, ArchiveAwakening {
  var next: AwakeNode?
  private(set) var awakeCount = 0
  private enum CodingKeys: CodingKey { case next }

  func awakeFromArchive() { awakeCount += 1 }
}

private final class Witness: KeyedUnarchiverDelegate {
  var seen: [AnyObject] = []

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
    seen.append(object as AnyObject)
    return object
  }
}

private final class PlainPerson: Codable {
  var name = ""
  var friends: [PlainPerson] = []
  var boss: PlainPerson?
}

private class PlainBase: Codable {
  var other: PlainLeaf?
  private enum CodingKeys: CodingKey { case other }
}

private final class PlainLeaf: PlainBase {
  let text: String
  private enum CodingKeys: CodingKey { case text, isInline }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    text = try container.decode(String.self, forKey: .text)
    let isInline = try container.decode(Bool.self, forKey: .isInline)
    try super.init(from: isInline ? decoder : container.superDecoder())
  }
}

private final class PlainHall: Codable {
  var guests: Set<PlainGuest<PlainHall>> = []
  var seats: [PlainGuest<PlainHall>: Int]?
}

private final class ConstantHall: Codable {
  let guests: Set<PlainGuest<ConstantHall>>
}

private final class PlainGuest<Hall: Codable & AnyObject>: Codable, Hashable {
  let name: String
  var hall: Hall?

  static func == (one: PlainGuest, other: PlainGuest) -> Bool {
    one.name == other.name && one.hall === other.hall
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(hall.map(ObjectIdentifier.init))
  }
}

// MARK: - Parents

private final class Family: Codable {
  weak var parent: Family?
  var children: [Family] = []

  static func three() -> Family {
    let family = Family()
    family.children = [Family(), Family()]
    for child in family.children { child.parent = family }
    return family
  }
}

private final class WrappedFamily: Codable {
  @WeakReference var parent: WrappedFamily?
  var children: [WrappedFamily] = []
}

private final class StrongFamily: Codable {
  var parent: StrongFamily?
  var children: [StrongFamily] = []
}
