/// Makes a graph fit a page. A long row of columns is broken into bands, one under the other, as a text is into lines.
/// References from one band to another, and those that would cross half of a dense picture, are told in words in the box
/// that they come from.
struct GraphFolding {
  /// The graph, some of whose edges became lines of its nodes.
  private(set) var graph: ObjectGraph
  /// The column of each node.
  let ranks: [Int]
  let bandStarts: [Int]

  /// A picture that is not wider is left in one band.
  private static let pageWidth = 2_000.0
  /// How many times as wide as high a folded picture is to be, about.
  private static let shape = 1.6
  /// In a dense picture, an edge to a column further away is told.
  private static let mostColumnsInDense = 2
  /// So many references are told in one box.
  private static let mostTold = 20

  init(_ graph: ObjectGraph, _ sizes: [LayeredLayout.Size], _ links: [LayeredLayout.Link]) {
    self.graph = graph
    ranks = LayeredLayout.ranks(sizes.count, links)
    let columns = LayeredLayout.columnWidths(sizes, links, ranks)
    var heights = columns.map { _ in 0.0 }
    for (rank, size) in zip(ranks, sizes) { heights[rank] += size.height + LayerPlacing.nodeGap }
    bandStarts = GraphFolding.bandStarts(columns.map { $0.width + $0.gap }, heights.max() ?? 0)
    putFarEdgesInWords()
  }

  private static func bandStarts(_ widths: [Double], _ height: Double) -> [Int] {
    let width = widths.reduce(0, +)
    guard width > pageWidth, width > 2 * height else { return [0] }
    let wanted = max(pageWidth, (width * (height + LayeredLayout.bandGap) * shape).squareRoot())
    var starts = [0]
    var filled = 0.0
    for (rank, width) in widths.enumerated() {
      if filled > 0, filled + width > wanted {
        starts.append(rank)
        filled = 0
      }
      filled += width
    }
    return starts
  }

  private mutating func putFarEdgesInWords() {
    func band(_ node: Int) -> Int? { bandStarts.lastIndex { $0 <= ranks[node] } }
    func distance(_ edge: ObjectGraph.Edge) -> Int { abs(ranks[edge.to] - ranks[edge.from]) }
    // Each edge that passes a column takes room there.
    let passing = graph.edges.reduce(0) { $0 + max(0, distance($1) - 1) }
    let isDense = passing > 2 * graph.nodes.count && graph.edges.count > 2 * graph.nodes.count
    var drawn: [ObjectGraph.Edge] = []
    var told: [Int: [ObjectGraph.Edge]] = [:]
    for edge in graph.edges {
      let isFar = isDense && distance(edge) > GraphFolding.mostColumnsInDense
      if isFar || band(edge.from) != band(edge.to) {
        told[edge.from, default: []].append(edge)
      } else {
        drawn.append(edge)
      }
    }
    graph.edges = drawn
    for (node, edges) in told {
      graph.nodes[node].lines += edges.prefix(GraphFolding.mostTold).map(words)
      let rest = edges.count - GraphFolding.mostTold
      if rest > 0 { graph.nodes[node].lines.append("… \(counted(rest, "more reference"))") }
    }
  }

  /// A reference as a line of the node that it comes from.
  private func words(_ edge: ObjectGraph.Edge) -> String {
    let target = graph.nodes[edge.to]
    // Objects are known by their numbers; a class is by its name.
    let name = target.note.hasPrefix("#") ? target.note : target.title
    return "\(edge.label)\(edge.label.isEmpty ? "" : " ")\(edge.isWeak ? "⇢" : "→") \(name)"
  }
}
