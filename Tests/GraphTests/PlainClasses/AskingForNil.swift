import Keepsake
import TestSupport
import Testing

/// Initializers that call `contains` or `decodeNil` before they decode a value, or decode it as another type.
@Suite struct AskingForNil {
  private enum Way: CaseIterable { case onlyNil, onlyContained, containedAndNil, nilAndOptional }

  private final class Node: Codable {
    var name: String
    var next: Node?
    var previous: Node?
    weak var parent: Node?

    static func decode(
      _ key: CodingKeys,
      _ container: KeyedDecodingContainer<CodingKeys>,
      _ way: Way
    ) throws -> Node? {
      switch way {
      case .onlyNil: try container.decodeNil(forKey: key) ? nil : container.decode(Node.self, forKey: key)
      case .onlyContained: try container.contains(key) ? container.decode(Node.self, forKey: key) : nil
      case .containedAndNil:
        if container.contains(key), try !container.decodeNil(forKey: key) {
          try container.decode(Node.self, forKey: key)
        } else {
          nil
        }
      case .nilAndOptional:
        try container.decodeNil(forKey: key) ? nil : container.decodeIfPresent(Node.self, forKey: key)
      }
    }

    enum CodingKeys: CodingKey { case name, next, previous, parent }

    init(_ name: String) { self.name = name }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      guard let way = decoder.userInfo[.named("way")] as? Way else { throw Refusal(reason: "no way") }
      name = try container.decode(String.self, forKey: .name)
      next = try Node.decode(.next, container, way)
      previous = try Node.decode(.previous, container, way)
      parent = try Node.decode(.parent, container, way)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      for (key, node) in [(CodingKeys.next, next), (.previous, previous), (.parent, parent)] {
        if encoder.userInfo[.named("way")] as? Way == .onlyContained {
          try container.encodeIfPresent(node, forKey: key)
        } else {
          try container.encode(node, forKey: key)
        }
      }
    }

    func cut() { (next, previous) = (nil, nil) }
  }

  @Test("references in a cycle come back in every way of asking for nil", arguments: Way.allCases)
  private func nodes(way: Way) throws {
    let nodes = ["a", "b", "c"].map(Node.init)
    for (node, next) in zip(nodes, nodes.dropFirst()) {
      (node.next, next.previous, next.parent) = (next, node, node)
    }
    for root in nodes {
      var (encoder, decoder) = (ArchiveEncoder(), ArchiveDecoder())
      encoder.userInfo[.named("way")] = way
      decoder.userInfo[.named("way")] = way
      let back = try decoder.decode([Node].self, from: encoder.encode([root] + nodes))
      #expect(back.first?.name == root.name && back.dropFirst().map(\.name) == ["a", "b", "c"])
      #expect(back.dropFirst().contains { $0 === back[0] })
      for (node, next) in zip(back.dropFirst(), back.dropFirst(2)) {
        #expect(node.next === next && next.previous === node && next.parent === node)
      }
      #expect(back[1].previous == nil && back[1].parent == nil && back[3].next == nil)
      let alone = try decoder.decode(Node.self, from: encoder.encode(Node("alone")))
      #expect(alone.next == nil && alone.parent == nil)
      for node in back { node.cut() }
    }
    for node in nodes { node.cut() }
  }

  private enum WayOfElements: CaseIterable {
    case oneByOne, superDecoder, optional, failable, failableIfPresent
  }

  private struct Failable<Value: Decodable>: Decodable {
    let value: Value?
    init(from decoder: any Decoder) throws {
      value = try? decoder.singleValueContainer().decode(Value.self)
    }
  }

  private final class Branch: Codable {
    var name: String
    var others: [Branch] = []
    var named: [String: Branch] = [:]

    private enum CodingKeys: CodingKey { case name, others, named }

    init(_ name: String) { self.name = name }

    func cut() { (others, named) = ([], [:]) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let way = decoder.userInfo[.named("way")] as? WayOfElements
      name = try container.decode(String.self, forKey: .name)
      switch way {
      case .oneByOne:
        var elements = try container.nestedUnkeyedContainer(forKey: .others)
        while !elements.isAtEnd { others.append(try elements.decode(Branch.self)) }
        let values = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .named)
        for key in values.allKeys { named[key.stringValue] = try values.decode(Branch.self, forKey: key) }
      case .superDecoder:
        others = try [Branch](from: container.superDecoder(forKey: .others))
        named = try [String: Branch](from: container.superDecoder(forKey: .named))
      case .optional:
        others = try container.decode([Branch?].self, forKey: .others).compactMap { $0 }
        named = try container.decode([String: Branch?].self, forKey: .named).compactMapValues { $0 }
      case .failable:
        others = try container.decode([Failable<Branch>].self, forKey: .others).compactMap(\.value)
        named = try container.decode([String: Failable<Branch>].self, forKey: .named).compactMapValues(
          \.value
        )
      case .failableIfPresent:
        let all = try container.decodeIfPresent([Failable<Branch>].self, forKey: .others)
        others = all?.compactMap(\.value) ?? []
        let allNamed = try container.decodeIfPresent([String: Failable<Branch>].self, forKey: .named)
        named = allNamed?.compactMapValues(\.value) ?? [:]
      case nil: throw Refusal(reason: "no way")
      }
    }
  }

  @Test(
    "collections in a cycle come back in every way of decoding their elements",
    arguments: WayOfElements.allCases
  )
  private func elements(way: WayOfElements) throws {
    let branches = ["a", "b", "c"].map(Branch.init)
    defer { for branch in branches { branch.cut() } }
    for (index, branch) in branches.enumerated() {
      branch.others = [branches[(index + 1) % 3], branch, Branch("leaf")]
      branch.named = ["previous": branches[(index + 2) % 3], "leaf": branch.others[2]]
    }
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("way")] = way
    for root in branches {
      let back = try decoder.decode([Branch].self, from: ArchiveEncoder().encode([root] + branches))
      defer { for branch in back { branch.cut() } }
      #expect(back.map(\.name) == [root.name, "a", "b", "c"])
      for (index, branch) in back.dropFirst().enumerated() {
        #expect(branch.others.map(\.name) == [branches[(index + 1) % 3].name, branch.name, "leaf"])
        #expect(branch.others[0] === back[1 + (index + 1) % 3] && branch.others[1] === branch)
        #expect(branch.named.count == 2 && branch.named["leaf"] === branch.others[2])
        #expect(branch.named["previous"] === back[1 + (index + 2) % 3])
      }
    }
    let alone = Branch("alone")
    alone.others = [Branch("leaf")]
    alone.named = ["twig": Branch("twig")]
    let back = try decoder.decode(Branch.self, from: ArchiveEncoder().encode(alone))
    #expect(back.others.map(\.name) == ["leaf"] && back.named.mapValues(\.name) == ["twig": "twig"])
    (alone.others, alone.named) = ([], ["alone": alone])
    defer { alone.cut() }
    let closed = try decoder.decode(Branch.self, from: ArchiveEncoder().encode(alone))
    defer { closed.cut() }
    #expect(closed.others.isEmpty && closed.named["alone"] === closed)
  }
}
