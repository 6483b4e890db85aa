import Keepsake

/// Reads the graph of an archive. Reads each body once, in the order of the bytes.
struct GraphReader {
  /// A graph with more objects is combined by class, unless `--all` is given.
  static let mostReadable = 60
  /// A picture of more objects or edges would be unreadable.
  static let mostObjects = 1_000
  static let mostEdges = 5_000

  private static let mostFields = 3
  private static let mostTitleCharacters = 34
  private static let mostLineCharacters = 30
  private static let mostLabelCharacters = 22

  private let image: ArchiveImage
  private let progress: Progress
  /// The objects of each class.
  private let tallies: [ArchiveStatistics.Tally]
  /// For each value with a body of its own, its key in the top level.
  private var valueKeys: [Int: PathElement] = [:]

  init(_ image: ArchiveImage, _ progress: Progress) throws {
    self.image = image
    self.progress = progress
    tallies = try progress.wait { try image.classTallies() }
  }

  var objectCount: Int { ArchiveStatistics.Tally.sum(tallies).count }

  mutating func objects() throws -> ObjectGraph {
    var graph = ObjectGraph()
    var nodes: [Int: Int] = [:]
    graph.nodes.append(try topLevelNode())
    for number in image.bodyNumbers {
      let body = try image.numberedBody(number)
      guard let name = body.className else { continue }
      nodes[number] = graph.nodes.count
      let lines = try fields(of: body.value)
      graph.nodes.append(ObjectGraph.Node(title: title(name), note: "#\(number)", lines: lines))
    }
    var edges = EdgeCollector()
    try visitReferences { source, target, isWeak, path in
      let from = source.flatMap { nodes[$0] } ?? 0
      guard let to = nodes[target] else { return }
      edges.add(from, to, isWeak: isWeak) { GraphReader.label(path) }
    }
    graph.edges = edges.graphEdges(hasCounts: false)
    let count = graph.nodes.count - 1
    graph.summary = "\(counted(count, "object")), \(counted(graph.edges.count, "reference"))"
    return graph
  }

  /// A node for each class. If there are very many, only the classes with the most objects have nodes of their own.
  mutating func classes() throws -> ObjectGraph {
    let present = tallies.enumerated().map { (number: $0, tally: $1) }.filter { $0.tally.count > 0 }
    var shown = present
    if present.count > GraphReader.mostReadable {
      let most = present.largestFirst(\.tally.count)
      shown = most.prefix(GraphReader.mostReadable - 1).sorted { $0.number < $1.number }
    }
    var graph = ObjectGraph()
    graph.nodes.append(try topLevelNode())
    // The index of the node for other classes. If no class is left out, no reference needs this node.
    var nodes = image.classes.map { _ in shown.count + 1 }
    for total in shown {
      nodes[total.number] = graph.nodes.count
      let (count, size) = (counted(total.tally.count, "object"), counted(total.tally.bytes, "byte"))
      let name = title(image.classes[total.number].name)
      graph.nodes.append(ObjectGraph.Node(title: name, note: count, lines: [size]))
    }
    if shown.count < present.count {
      let rest = objectCount - ArchiveStatistics.Tally.sum(shown.map(\.tally)).count
      let title = counted(present.count - shown.count, "other class", "other classes")
      graph.nodes.append(ObjectGraph.Node(title: title, note: counted(rest, "object")))
    }
    let edges = try classEdges(nodes)
    graph.edges = edges.graphEdges(hasCounts: true)
    let classes = counted(present.count, "class", "classes")
    graph.summary = "\(counted(objectCount, "object")) of \(classes), by class"
    return graph
  }

  private mutating func classEdges(_ nodes: [Int]) throws -> EdgeCollector {
    var edges = EdgeCollector()
    let image = image
    try visitReferences { source, target, isWeak, path in
      let body = try image.numberedBody(target)
      guard let classNumber = body.classNumber else { return }
      let from = try source.flatMap { (number) throws(ArchiveError) -> Int? in
        try image.numberedBody(number).classNumber.map { nodes[$0] }
      }
      edges.add(from ?? 0, nodes[classNumber], isWeak: isWeak) {
        // The index of an element of an array does not matter here.
        let key = path.suffix(64).last {
          if case .index = $0 { false } else { true }
        }
        return GraphReader.label(key.map { [$0] } ?? [])
      }
    }
    return edges
  }

  /// Called with the number of the object that contains a reference (`nil` for the top level and the values of its
  /// keys), the number of the object to which the reference leads, and the path to the reference.
  private typealias Visit = (_ source: Int?, _ target: Int, _ isWeak: Bool, [PathElement]) throws -> Void

  private mutating func visitReferences(_ visit: Visit) throws {
    try visitReferences(in: image.topLevelValue, nil, [], visit)
    for number in image.bodyNumbers {
      let body = try image.numberedBody(number)
      let start = valueKeys[number].map { [$0] } ?? []
      let isObject = body.classNumber != nil
      try visitReferences(in: body.value, isObject ? number : nil, isObject ? [] : start, visit)
      if number & 0xFF == 0 { progress.update(number, of: image.directory.bodyCount) }
    }
  }

  private mutating func visitReferences(
    in value: ArchiveValue,
    _ source: Int?,
    _ start: [PathElement],
    _ visit: Visit
  ) throws {
    var path = start
    /// For each open value, the length of its path.
    var depths: [Int] = []
    var walk = ArchiveWalk(value)
    while let step = try walk.next() {
      guard case .value(let value, let label) = step else {
        depths.removeLast()
        continue
      }
      path.removeSubrange((depths.last ?? start.count)...)
      if let label { path.append(label) }
      if value.hasMembers { depths.append(path.count) }
      switch value.kind {
      case .object, .conditional:
        guard let number = try value.bodyNumber else { continue }
        try visit(source, number, value.kind == .conditional, path)
      case .value:
        if source == nil, start.isEmpty, let number = try value.bodyNumber { valueKeys[number] = path.last }
      default:
        break
      }
    }
  }

  private func title(_ name: String) -> String {
    displayed(name, GraphReader.mostTitleCharacters)
  }

  /// The path to a reference, or the end of a long one.
  private static func label(_ path: [PathElement]) -> String {
    guard !path.isEmpty else { return "" }
    let text = PathText.text(path.suffix(3))
    let tail = text.suffix(mostLabelCharacters)
    return path.count > 3 || tail.count < text.count ? "…" + tail : text
  }

  private func topLevelNode() throws -> ObjectGraph.Node {
    var node = ObjectGraph.Node(title: "top level", note: "", isTopLevel: true)
    node.lines = try fields(of: image.topLevelValue)
    return node
  }

  /// Some of the content of a value: values of its keys that are not containers, or the number of its elements.
  private func fields(of value: ArchiveValue) throws -> [String] {
    guard let content = try value.unwrapped(atMost: 8) else { return [] }
    guard content.kind == .map || content.kind == .record else {
      switch content.kind {
      case .object, .value, .conditional, .empty: return []
      case .array, .numbers: return [counted(try content.count ?? 0, "element")]
      default: return [line(try BriefText.text(of: content))]
      }
    }
    var lines: [String] = []
    var walk = ArchiveWalk(content)
    while lines.count < GraphReader.mostFields, let member = try walk.nextMember() {
      if let label = member.label, let text = try scalar(member.value) {
        let key = displayed(label.keyText, GraphReader.mostLineCharacters)
        lines.append(line("\(key): \(text)"))
      }
    }
    return lines
  }

  private func scalar(_ value: ArchiveValue) throws -> String? {
    switch value.kind {
    case .bool, .integer, .float32, .float64, .date, .uuid, .decimal, .url, .string, .bytes:
      return try BriefText.text(of: value)
    case .value:
      guard let target = try value.target, !target.value.hasMembers else { return nil }
      return try scalar(target.value)
    default:
      return nil
    }
  }

  private func line(_ text: String) -> String { shortened(text, GraphReader.mostLineCharacters) }
}
