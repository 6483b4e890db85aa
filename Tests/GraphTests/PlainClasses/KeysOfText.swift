import Foundation
import Keepsake
import TestSupport
import Testing

/// Classes whose keys can be any text, which are in maps. Their properties wait like those of any other class.
@Suite struct KeysOfText {
  fileprivate class Node: Codable {
    var name = ""
    var next: Node?
    weak var parent: Node?
    var children: [Node] = []
    var byName: [String: Node] = [:]

    init(_ name: String) { self.name = name }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      name = try container.decode(String.self, forKey: "name")
      next = try container.decodeIfPresent(Node.self, forKey: "next")
      parent = try container.decodeIfPresent(Node.self, forKey: "parent")
      children = try container.decode([Node].self, forKey: "children")
      byName = try container.decode([String: Node].self, forKey: "byName")
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(name, forKey: "name")
      try container.encodeIfPresent(next, forKey: "next")
      try container.encodeIfPresent(parent, forKey: "parent")
      try container.encode(children, forKey: "children")
      try container.encode(byName, forKey: "byName")
    }

    func cut() { (next, children, byName) = (nil, [], [:]) }
  }

  @Test("every property closes a cycle, and weak ones do not archive their objects")
  func everyProperty() throws {
    let (root, child) = (Node("root"), Node("child"))
    (root.children, child.parent) = ([child], root)
    try forEachWay(root) { back in
      #expect(back.children[0].name == "child" && back.children[0].parent === back)
    }
    try forEachWay(child) { back in #expect(back.parent == nil) }
    (root.next, child.next) = (root, root)
    root.byName = ["root": root, "child": child]
    try forEachWay([child, root]) { back in
      #expect(back.map(\.name) == ["child", "root"])
      #expect(back[0].parent === back[1] && back[0].next === back[1] && back[1].next === back[1])
      #expect(back[1].byName["root"] === back[1] && back[1].byName["child"] === back[0])
      for node in back { node.cut() }
    }
    for node in [root, child] { node.cut() }
  }

  /// Adds to the map of its superclass, or has its own beside it.
  fileprivate class Leaf: Node {
    var twin: Leaf?
    weak var rival: Node?
    var isAdded: Bool { true }

    override init(_ name: String) { super.init(name) }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      twin = try container.decodeIfPresent(Leaf.self, forKey: "twin")
      rival = try container.decodeIfPresent(Node.self, forKey: "rival")
      let isAdded = try container.decode(Bool.self, forKey: "isAdded")
      try super.init(from: isAdded ? decoder : container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encodeIfPresent(twin, forKey: "twin")
      try container.encodeIfPresent(rival, forKey: "rival")
      try container.encode(isAdded, forKey: "isAdded")
      try super.encode(to: isAdded ? encoder : container.superEncoder())
    }

    override func cut() {
      super.cut()
      twin = nil
    }
  }

  fileprivate final class LeafBeside: Leaf {
    override var isAdded: Bool { false }
  }

  @Test("subclasses that add to the map of their superclass or have their own come back")
  func subclasses() throws {
    let pairs = [
      [Leaf("a"), Leaf("b")], [LeafBeside("a"), LeafBeside("b")], [Leaf("a"), LeafBeside("b")],
    ]
    for leaves in pairs {
      for (leaf, other) in zip(leaves, leaves.reversed()) {
        (leaf.twin, leaf.next, leaf.rival, leaf.parent) = (other, other, other, leaf)
      }
      let twins = try KeyedArchiver.copy(of: leaves)
      for (leaf, other) in zip(twins, twins.reversed()) {
        #expect(leaf.twin === other && leaf.next === other && leaf.rival === other && leaf.parent === leaf)
      }
      for leaf in leaves + twins { leaf.cut() }
    }
  }

  // These classes are not private, since some are found by name.

  /// The texts of its keys are not the names of its properties.
  class Titled: Codable {
    var next: Titled?
    weak var parent: Titled?

    init() {}

    private enum CodingKeys: String, CodingKey { case next = "following", parent = "above" }
  }

  /// Adds the keys of its superclass to its own map.
  final class TitledLeaf: Titled {
    var children: [Titled] = []

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      children = try container.decode([Titled].self, forKey: "children")
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(children, forKey: "children")
      try super.encode(to: encoder)
    }
  }

  /// Has no weak property.
  class Chained: Codable {
    var next: Chained?

    init() {}

    private enum CodingKeys: String, CodingKey { case next = "following" }
  }

  final class ChainedLeaf: Chained {
    override init() { super.init() }

    required init(from decoder: any Decoder) throws { try super.init(from: decoder) }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode("text", forKey: "kind")
      try super.encode(to: encoder)
    }
  }

  @Test("a superclass with custom key texts comes back from the map of its subclass")
  func superclassWithTexts() throws {
    let (root, child) = (TitledLeaf(), TitledLeaf())
    child.parent = root
    // The child does not archive its parent, to which only a weak property refers.
    let alone = try ArchiveEncoder().encode(child)
    child.parent = nil
    #expect(try alone.count < ArchiveEncoder().encode([child, root]).count)
    (root.children, root.next, child.next, child.parent) = ([child], child, root, root)
    try forEachWay(root) { back in
      #expect(back.next?.next === back && back.next?.parent === back && back.children.first === back.next)
      back.next?.next = nil
      back.next = nil
    }
    (root.next, child.next) = (nil, nil)
    let chained = ChainedLeaf()
    chained.next = chained
    try forEachWay(chained) { back in
      #expect(back.next === back)
      back.next = nil
    }
    chained.next = nil
  }

  /// The same properties with synthesized keys.
  fileprivate final class Synthesized: Codable {
    var name = ""
    var next: Synthesized?
    weak var parent: Synthesized?
    var children: [Synthesized] = []
    var byName: [String: Synthesized] = [:]
  }

  @Test("classes read archives written with the other kind of keys")
  func otherKeys() throws {
    let node = Node("node")
    (node.next, node.parent, node.children) = (node, node, [node])
    let synthesized = try ArchiveDecoder().decode(Synthesized.self, from: ArchiveEncoder().encode(node))
    #expect(synthesized.name == "node" && synthesized.next === synthesized)
    #expect(synthesized.parent === synthesized && synthesized.children.first === synthesized)
    let back = try ArchiveDecoder().decode(Node.self, from: ArchiveEncoder().encode(synthesized))
    #expect(back.name == "node" && back.next === back && back.parent === back)
    #expect(back.children.first === back)
    for node in [node, back] { node.cut() }
    (synthesized.next, synthesized.children) = (nil, [])
  }

  /// Keys of two bytes, one of which is not the name of its property.
  private enum LargeKey: CodingKey {
    case next
    case number(UInt8)

    var stringValue: String { if case .number(let number) = self { "number \(number)" } else { "following" } }
    var intValue: Int? { nil }

    init?(intValue: Int) { nil }
    init?(stringValue: String) {
      if stringValue == "following" { self = .next } else { return nil }
    }
  }

  private final class Renamed: Codable {
    var next: Renamed?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: LargeKey.self)
      guard try container.decode(Int.self, forKey: .number(7)) == 7 else { throw Refusal(reason: "no 7") }
      next = try container.decodeIfPresent(Renamed.self, forKey: .next)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: LargeKey.self)
      try container.encode(7, forKey: .number(7))
      try container.encodeIfPresent(next, forKey: .next)
    }
  }

  @Test("a key with the name of its property and another text closes a cycle")
  func renamed() throws {
    let first = Renamed()
    first.next = Renamed()
    first.next?.next = first
    try forEachWay(first) { back in
      #expect(back.next !== back && back.next?.next === back)
      back.next = nil
    }
    first.next = nil
  }

  /// Its keys are those of a dictionary, not properties, whatever their texts.
  private final class Shelf: Codable {
    var items: [String: Node] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      for key in container.allKeys { items[key.stringValue] = try container.decode(Node.self, forKey: key) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      for (name, item) in items { try container.encode(item, forKey: AnyKey(name)) }
    }
  }

  @Test("keys that are not names of properties, or name one of another type, come back")
  func otherNames() throws {
    let shelf = Shelf()
    for name in ["items", "_items", "other", ""] { shelf.items[name] = Node(name) }
    shelf.items["items"]?.next = shelf.items["other"]
    try forEachWay(shelf) { back in
      #expect(back.items.count == 4 && back.items.allSatisfy { $0 == $1.name })
      #expect(back.items["items"]?.next === back.items["other"])
    }
  }

  @Test("a save of changes encodes only those objects, unless a reference has a new key")
  func documents() throws {
    let root = Node("root")
    root.children = (0..<3).map { _ in Node("") }
    for child in root.children { (child.parent, child.next) = (root, root) }
    let folder = try TemporaryFolder()
    let path = folder("nodes")
    let document = try ArchiveDocument(creating: path, root: root)
    for child in root.children { child.name = "changed" }
    #expect(try document.save(changed: [root.children[0]]))
    var saved = try KeyedUnarchiver.unarchive(Node.self, fromFile: path)
    #expect(saved.children.map(\.name) == ["changed", "", ""])
    root.children[1].byName["root"] = root
    #expect(try document.save(changed: [root.children[1]]))
    saved = try KeyedUnarchiver.unarchive(Node.self, fromFile: path)
    #expect(saved.children.map(\.name) == ["changed", "changed", "changed"])
    #expect(saved.children[1].byName["root"] === saved && saved.children.allSatisfy { $0.next === saved })
    for node in root.children + saved.children { node.cut() }
  }
}
