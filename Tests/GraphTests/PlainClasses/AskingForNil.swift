import Keepsake
import TestSupport
import Testing

/// Initializers that ask whether there is a value, or whether it is nil, before they decode it.
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

  @Test("the property is nil until it has its value", arguments: Way.allCases)
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
}
