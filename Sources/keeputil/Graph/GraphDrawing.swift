/// A graph with a position for each of its parts.
struct GraphDrawing {
  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func overlaps(_ other: Box) -> Bool {
      x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
  }

  struct Label {
    let text: String
    let box: Box
    /// Whether the text is aligned to the right side of its box.
    let isRight: Bool
  }

  /// A line of curves: its first point, and then two control points and an end for each curve.
  struct Line {
    let points: [Point]
    let isWeak: Bool
    let label: Label?
  }

  let graph: ObjectGraph
  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  static let titleSize = 12.0
  static let lineSize = 11.0
  static let labelSize = 10.0
  static let lineHeight = 15.0
  static let padding = 10.0
  static let margin = 24.0
  private static let portDistance = 16.0

  private let layout: LayeredLayout
  /// The vertical positions of both ends of each edge.
  private var ports: [(left: Double, right: Double)] = []
  /// The labels placed so far, by the columns beside which they are.
  private var placed: [Int: [Box]] = [:]

  init(_ whole: ObjectGraph) {
    let folding = GraphFolding(whole, GraphDrawing.sizes(whole), GraphDrawing.links(whole))
    graph = folding.graph
    let sizes = GraphDrawing.sizes(graph)
    layout = LayeredLayout(sizes, GraphDrawing.links(graph), folding.ranks, folding.bandStarts)
    for (node, size) in sizes.enumerated() {
      let x = GraphDrawing.margin + layout.columnExtents[layout.ranks[node]].x
      let y = GraphDrawing.margin + layout.slots[node].y - size.height / 2
      boxes.append(Box(x: x, y: y, width: size.width, height: size.height))
    }
    findPorts()
    for edge in graph.edges.indices { draw(edge) }
    let all = boxes + lines.compactMap { $0.label?.box }
    let points = lines.flatMap(\.points)
    width = ((points.map(\.x) + all.map { $0.x + $0.width }).max() ?? 0) + GraphDrawing.margin
    height = ((points.map(\.y) + all.map { $0.y + $0.height }).max() ?? 0) + GraphDrawing.margin
  }

  private static func links(_ graph: ObjectGraph) -> [LayeredLayout.Link] {
    graph.edges.map { edge in
      let width = textWidth(edge.label, labelSize)
      return LayeredLayout.Link(from: edge.from, to: edge.to, isStrong: !edge.isWeak, labelWidth: width)
    }
  }

  private static func sizes(_ graph: ObjectGraph) -> [LayeredLayout.Size] {
    zip(graph.nodes, mostParallelEdges(graph)).map { node, count in
      let note = node.note.isEmpty ? "" : "  " + node.note
      let widths = [textWidth(node.title + note, titleSize)] + node.lines.map { textWidth($0, lineSize) }
      let height = Double(node.lines.count + 1) * lineHeight + 2 * padding - 4
      // The label of each edge must fit between it and the edge above it.
      let least = Double(count + 1) * portDistance
      return LayeredLayout.Size(width: (widths.max() ?? 0) + 2 * padding, height: max(height, least))
    }
  }

  /// For each node, the greatest number of edges to one other node, and the number of ends of edges to itself.
  private static func mostParallelEdges(_ graph: ObjectGraph) -> [Int] {
    var counts: [[Int]: Int] = [:]
    for edge in graph.edges where edge.from != edge.to {
      counts[[min(edge.from, edge.to), max(edge.from, edge.to)], default: 0] += 1
    }
    var most = graph.nodes.map { _ in 0 }
    for (pair, count) in counts {
      for node in pair { most[node] = max(most[node], count) }
    }
    for edge in graph.edges where edge.from == edge.to { most[edge.from] += 2 }
    return most
  }

  /// The width of a text in a monospaced font.
  static func textWidth(_ text: String, _ size: Double) -> Double { Double(columnCount(text)) * size * 0.62 }

  /// Distributes the ends of edges over the sides of their nodes, in the order of their other ends.
  private mutating func findPorts() {
    ports = graph.edges.map { _ in (0, 0) }
    /// For each side of each node, the edges that end there: the edge, whether this is its left end, and the height of
    /// its other end.
    var sides: [[(edge: Int, isLeft: Bool, height: Double)]] = Array(repeating: [], count: 2 * boxes.count)
    for (index, edge) in graph.edges.enumerated() {
      let way = layout.ways[index]
      if way.isEmpty {
        // An edge within a column is on the right side of both nodes.
        let (from, to) = (layout.slots[edge.from].y, layout.slots[edge.to].y)
        sides[2 * edge.from + 1].append((index, true, edge.from == edge.to ? from - 1 : to))
        sides[2 * edge.to + 1].append((index, false, edge.from == edge.to ? from + 1 : from))
      } else {
        sides[2 * way[0] + 1].append((index, true, layout.slots[way[1]].y))
        sides[2 * way[way.count - 1]].append((index, false, layout.slots[way[way.count - 2]].y))
      }
    }
    for (side, ends) in sides.enumerated() {
      let box = boxes[side / 2]
      let sorted = ends.sorted {
        ($0.height, $0.edge, $0.isLeft ? 0 : 1) < ($1.height, $1.edge, $1.isLeft ? 0 : 1)
      }
      for (index, end) in sorted.enumerated() {
        let y = box.y + box.height * Double(index + 1) / Double(sorted.count + 1)
        if end.isLeft { ports[end.edge].left = y } else { ports[end.edge].right = y }
      }
    }
  }

  private mutating func draw(_ index: Int) {
    let edge = graph.edges[index]
    var points: [Point]
    if layout.isFlat(index) {
      let (from, to) = (boxes[edge.from], boxes[edge.to])
      let start = Point(x: from.x + from.width, y: ports[index].left)
      let end = Point(x: to.x + to.width, y: ports[index].right)
      let bulge = max(start.x, end.x) + 34
      points = [start, Point(x: bulge, y: start.y), Point(x: bulge, y: end.y), end]
    } else {
      points = curves(index)
      if layout.isReversed[index] { points.reverse() }
    }
    lines.append(Line(points: points, isWeak: edge.isWeak, label: label(index, points)))
  }

  /// The path of an edge from left to right.
  private func curves(_ index: Int) -> [Point] {
    let way = layout.ways[index]
    let (first, last) = (way[0], way[way.count - 1])
    let start = Point(x: boxes[first].x + boxes[first].width, y: ports[index].left)
    let end = Point(x: boxes[last].x, y: ports[index].right)
    var points = [start]
    func curve(to end: Point) {
      let start = points[points.count - 1]
      let middle = (start.x + end.x) / 2
      points += [Point(x: middle, y: start.y), Point(x: middle, y: end.y), end]
    }
    // To the right of a narrow node, the rest of its column is free.
    let column = layout.columnExtents[layout.ranks[first]]
    let edge = GraphDrawing.margin + column.x + column.width
    if edge > start.x + 1 { curve(to: Point(x: edge, y: start.y)) }
    for slot in way.dropFirst().dropLast() {
      let column = layout.columnExtents[layout.slots[slot].rank]
      let y = GraphDrawing.margin + layout.slots[slot].y
      curve(to: Point(x: GraphDrawing.margin + column.x, y: y))
      curve(to: Point(x: GraphDrawing.margin + column.x + column.width, y: y))
    }
    curve(to: end)
    return points
  }

  private mutating func label(_ index: Int, _ points: [Point]) -> Label? {
    let edge = graph.edges[index]
    guard !edge.label.isEmpty, let start = points.first, let end = points.last else { return nil }
    let width = GraphDrawing.textWidth(edge.label, GraphDrawing.labelSize)
    let height = GraphDrawing.labelSize + 3
    func box(_ point: Point, isRight: Bool, isAbove: Bool) -> Label {
      let x = isRight ? point.x - width - 14 : point.x + 14
      let y = isAbove ? point.y - height - 1 : point.y + 2
      return Label(text: edge.label, box: Box(x: x, y: y, width: width, height: height), isRight: isRight)
    }
    let (isFlat, isReversed) = (layout.isFlat(index), layout.isReversed[index])
    // The left end is on the right side of its node, and the right end on the left side.
    let left = isReversed ? end : start
    let right = isReversed ? start : end
    let (leftNode, rightNode) = isReversed ? (edge.to, edge.from) : (edge.from, edge.to)
    let behindRight = layout.ranks[rightNode] - (isFlat ? 0 : 1)
    var ends = [
      (point: left, isRight: false, column: layout.ranks[leftNode]),
      (point: right, isRight: !isFlat, column: behindRight),
    ]
    // There is more room where fewer edges meet.
    if !isFlat, layout.slots[rightNode].before.count < layout.slots[leftNode].after.count {
      ends.swapAt(0, 1)
    }
    let candidates = [true, false].flatMap { isAbove in
      ends.map { (label: box($0.point, isRight: $0.isRight, isAbove: isAbove), column: $0.column) }
    }
    let free = candidates.first { candidate in
      !(placed[candidate.column] ?? []).contains { $0.overlaps(candidate.label.box) }
    }
    let chosen = free ?? candidates[0]
    placed[chosen.column, default: []].append(chosen.label.box)
    return chosen.label
  }
}
