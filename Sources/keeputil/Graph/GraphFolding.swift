/// Makes a graph fit a page. Breaks a long row of columns into bands, one below the other, as text into lines.
/// References between bands, and those that would cross half of a dense picture, become lines of text in the box where
/// they begin.
struct GraphFolding {
  /// The graph. Some of its edges have become lines of its nodes.
  private(set) var graph: ObjectGraph
  /// The column of each node.
  let ranks: [Int]
  let bandStarts: [Int]

  /// A picture up to this width stays in one band.
  private static let pageWidth = 2_000.0
  /// The approximate ratio of width to height of a folded picture.
  private static let shape = 1.6
  /// In a dense picture, an edge across more columns becomes a line of text.
  private static let mostColumnsInDense = 2
  /// The most references in one box that are lines of text.
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
    // An edge takes space in each column that it passes.
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

  /// The line of text for a reference, in the box where it begins.
  private func words(_ edge: ObjectGraph.Edge) -> String {
    let target = graph.nodes[edge.to]
    // A line names an object by its number, and a class by its name.
    let name = target.note.hasPrefix("#") ? target.note : target.title
    return "\(edge.label)\(edge.label.isEmpty ? "" : " ")\(edge.isWeak ? "⇢" : "→") \(name)"
  }
}
