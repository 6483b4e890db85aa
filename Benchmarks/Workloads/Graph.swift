/// The appearance of a node. All nodes share a few styles.
final class Style: Codable, Equatable {
  let name: String
  let size: Double
  let color: Int
  let isBold: Bool

  init(name: String, size: Double, color: Int, isBold: Bool) {
    self.name = name
    self.size = size
    self.color = color
    self.isBold = isBold
  }

  static func == (left: Style, right: Style) -> Bool {
    left.name == right.name && left.size == right.size && left.color == right.color
      && left.isBold == right.isBold
  }
}

/// A node of a tree of class instances.
final class Node: Codable, Equatable {
  let identifier: Int
  let title: String
  let style: Style
  private(set) var children: [Node]

  init(identifier: Int, title: String, style: Style, children: [Node] = []) {
    self.identifier = identifier
    self.title = title
    self.style = style
    self.children = children
  }

  static func == (left: Node, right: Node) -> Bool {
    left.identifier == right.identifier && left.title == right.title && left.style == right.style
      && left.children == right.children
  }
}

extension Node {
  /// The number of styles the nodes of a graph share.
  static let styleCount = 50

  /// Makes a tree of `count` nodes, wide rather than deep: at most eight children each, fewer than ten levels.
  static func makeGraph(count: Int, seed: UInt64) -> Node {
    var generator = SeededGenerator(seed: seed)
    let styles = (0..<styleCount).map { number in
      Style(
        name: "style \(number) \(generator.word(length: 4...8))",
        size: Double(Int.random(in: 16...96, using: &generator)) / 2,
        color: Int.random(in: 0...0xFF_FFFF, using: &generator),
        isBold: generator.chance(percent: 30)
      )
    }
    var nodes: [Node] = []
    nodes.reserveCapacity(count)
    for number in 0..<count {
      let node = Node(identifier: number, title: "node \(number)", style: generator.pick(styles))
      if number > 0 {
        let parent = Int.random(in: (number - 1) / 8...(number - 1) / 4, using: &generator)
        nodes[parent].children.append(node)
      }
      nodes.append(node)
    }
    return nodes[0]
  }

  /// A remark that states whether this node and those below share their styles.
  var sharing: String {
    var distinct: Set<ObjectIdentifier> = []
    collectStyles(into: &distinct)
    return distinct.count <= Self.styleCount
      ? "sharing kept" : "sharing lost: \(Figure.count(distinct.count)) styles"
  }

  private func collectStyles(into styles: inout Set<ObjectIdentifier>) {
    styles.insert(ObjectIdentifier(style))
    for child in children { child.collectStyles(into: &styles) }
  }
}

extension Workload {
  /// A large class graph.
  static let graph = Workload(name: "graph", countingDivisor: 10) { scale in
    prepareGraph(count: scale.count(20_000), withKeyedArchiver: false)
  }

  /// A class graph small enough for NSKeyedArchiver, whose cost grows with the square of its size on Linux.
  ///
  /// A quick run does not make it smaller.
  static func smallGraph(nodes: Int) -> Workload {
    Workload(name: "graph-\(nodes)", isCounted: false) { _ in
      prepareGraph(count: nodes, withKeyedArchiver: true)
    }
  }

  private static func prepareGraph(count: Int, withKeyedArchiver: Bool) -> PreparedWorkload {
    let root = Node.makeGraph(count: count, seed: 3)
    return PreparedWorkload(
      title: "a class graph of \(Figure.count(count)) nodes that share \(Node.styleCount) styles",
      unit: .nanosecondsPer("node", count: count),
      value: root,
      extras: withKeyedArchiver ? [.keyedArchiving(root)] : [],
      hasRules: true,
      // In a small graph, the styles take more bytes than the nodes.
      targets: withKeyedArchiver ? [] : [SizeTarget(limit: 24, measure: .element("node", count: count))],
      remark: { $0.sharing }
    )
  }
}
