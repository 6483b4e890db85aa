/// The content of a picture of an archive: nodes, and references between them.
struct ObjectGraph {
  struct Node {
    /// The name of the class, or a description. It is safe for a terminal, and for XML if its markup is escaped.
    var title: String
    /// The object's number, or the number of objects that the node stands for.
    var note: String
    /// Lines with some of its content.
    var lines: [String] = []
    /// Whether it is the top level of the archive, which is no object.
    var isTopLevel = false
  }

  struct Edge: Hashable {
    let from: Int
    let to: Int
    let isWeak: Bool
    /// The keys of the references.
    var label = ""
  }

  var nodes: [Node] = []
  var edges: [Edge] = []
  /// A sentence that describes the picture.
  var summary = ""
}

/// References from one node to another, combined into one edge.
struct EdgeCollector {
  private struct References {
    /// The edge without its label.
    var edge: ObjectGraph.Edge
    var count = 0
    /// Some of the paths, in the order in which they were found.
    var labels: [String] = []
  }

  /// The most different paths that the label of an edge shows.
  private static let mostLabels = 2

  private var indexes: [ObjectGraph.Edge: Int] = [:]
  private var edges: [References] = []

  /// Counts a reference. `label` is called only if the label is shown.
  mutating func add(_ from: Int, _ to: Int, isWeak: Bool, _ label: () -> String) {
    let edge = ObjectGraph.Edge(from: from, to: to, isWeak: isWeak)
    let index = indexes[edge] ?? edges.count
    if index == edges.count {
      indexes[edge] = index
      edges.append(References(edge: edge))
    }
    edges[index].count += 1
    // Keep one label more than is shown, to know whether there are more.
    guard edges[index].labels.count <= EdgeCollector.mostLabels else { return }
    let text = label()
    if !edges[index].labels.contains(text) { edges[index].labels.append(text) }
  }

  /// - Parameter hasCounts: whether labels have the number of references of the edge.
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
