/// What a picture of an archive shows: nodes, and references between them.
struct ObjectGraph {
  struct Node {
    /// The name of the class, or what it is otherwise; safe for a terminal and for XML but for its markup.
    var title: String
    /// The object's number, or how many objects the node stands for.
    var note: String
    /// Some of what it holds, a line each.
    var lines: [String] = []
    /// Whether it is the top level of the archive, which is no object.
    var isTopLevel = false
  }

  struct Edge: Hashable {
    let from: Int
    let to: Int
    let isWeak: Bool
    /// The keys under which the references stand.
    var label = ""
  }

  var nodes: [Node] = []
  var edges: [Edge] = []
  /// What the picture is of, in a sentence.
  var summary = ""
}

/// References from one node to another, gathered into one edge.
struct EdgeCollector {
  private struct References {
    /// Without its label.
    var edge: ObjectGraph.Edge
    var count = 0
    /// Some of the paths, in the order in which they were met.
    var labels: [String] = []
  }

  /// So many different paths of one edge are told.
  private static let mostLabels = 2

  private var indexes: [ObjectGraph.Edge: Int] = [:]
  private var edges: [References] = []

  /// Counts a reference. `label` is called only if it is shown.
  mutating func add(_ from: Int, _ to: Int, isWeak: Bool, _ label: () -> String) {
    let edge = ObjectGraph.Edge(from: from, to: to, isWeak: isWeak)
    let index = indexes[edge] ?? edges.count
    if index == edges.count {
      indexes[edge] = index
      edges.append(References(edge: edge))
    }
    edges[index].count += 1
    // One more than is shown, to know that there are more.
    guard edges[index].labels.count <= EdgeCollector.mostLabels else { return }
    let text = label()
    if !edges[index].labels.contains(text) { edges[index].labels.append(text) }
  }

  /// - Parameter hasCounts: whether it is told how many references an edge stands for.
  func graphEdges(hasCounts: Bool) -> [ObjectGraph.Edge] {
    edges.map { references in
      var edge = references.edge
      edge.label = references.labels.prefix(EdgeCollector.mostLabels).joined(separator: ", ")
      if references.labels.count > EdgeCollector.mostLabels { edge.label += ", …" }
      if hasCounts, references.count > 1 { edge.label += " ×\(grouped(references.count))" }
      return edge
    }
  }
}
