import Keepsake

/// The data of a report as JSON that is safe in HTML.
struct ReportData {
  private let statistics: ArchiveStatistics
  private let tree: [ReportNode]
  private let classTree: [ReportNode]
  private let reached: ReachedBodies
  /// For each body, the nodes of its values in order, and its own node. A long path may lead through very many bodies
  /// that are not on the page.
  private var nodesInBody: [Int: [Int]] = [:]
  private var nodeOfBody: [Int: Int] = [:]
  /// For bodies that are not on the page, the innermost node that contains them, once it was requested.
  private var nodesAround: [Int: Int] = [:]
  private let name: String
  /// The texts of the columns. The columns have their numbers, since many texts are the same.
  private var texts: [String] = []
  private var textNumbers: [ExactString: Int] = [:]
  private let output: any Output

  static let mostRows = 500

  init(_ pass: StatisticsPass, name: String, to output: any Output) throws(ArchiveError) {
    statistics = pass.statistics
    reached = pass.reached
    self.name = name
    tree = try ReportTree(pass).nodes
    classTree = ReportClassTree.nodes(pass)
    self.output = output
    for (index, node) in tree.enumerated() {
      nodesInBody[node.home, default: []].append(index)
      if node.isBody, nodeOfBody[node.body] == nil { nodeOfBody[node.body] = index }
    }
  }

  mutating func write() throws {
    let columns: JSONFields = ["byPath": columns(tree), "byClass": columns(classTree)]
    let kinds: JSONFields = ["nodeKinds": ReportKind.allCases.map(\.name)]
    // Written after the columns, which number the texts.
    var json = JSONWriter(output, pretty: false, isInHTML: true)
    try json.value(tables() + kinds + columns + ["texts": texts])
    try json.finish()
  }

  private mutating func tables() -> JSONFields {
    let classes = statistics.classes.filter { $0.bodies.count > 0 }
    return [
      "facts": facts,
      "parts": statistics.parts.map { [$0.title, $0.range.count, $0.entryCount ?? -1] as JSONRow },
      "classes": classes.prefix(ReportData.mostRows).map { row in
        let name = ReportTree.shownName(row.entry.name)
        return [name, row.bodies.count, row.bodies.bytes, row.entry.version] as JSONRow
      },
      "moreClasses": max(0, classes.count - ReportData.mostRows),
      "keys": statistics.keys.prefix(ReportData.mostRows).map { row in
        [ReportTree.shownName(row.name), row.count, row.ownBytes, row.totalBytes] as JSONRow
      },
      "moreKeys": max(0, statistics.keys.count - ReportData.mostRows),
      "kinds": statistics.kinds.map { [$0.kind.title, $0.tally.count, $0.tally.bytes] as JSONRow },
      "values": statistics.largestValues.map { row($0, $0.kind.title) },
      "objects": statistics.largestObjects.map { row($0) },
      "shared": statistics.sharing.most.map { value in
        var row = row(value)
        row.values += [value.referenceCount, value.savedBytes]
        return row
      },
    ]
  }

  private var facts: JSONFields {
    let original = statistics.original
    return [
      "name": displayed(name),
      "writer": original.map { _ in ArchiveStatistics.Original.writer },
      "madeOf": original.map { "\($0.format) of \(counted($0.byteCount, "byte"))" },
      "bytes": statistics.byteCount,
      "format": statistics.formatVersion,
      "hasChecksums": statistics.hasChecksums,
      "objects": statistics.objectCount,
      "values": statistics.valueCount,
      "classes": statistics.classCount,
      "unreached": statistics.unreached.count,
      "sharedObjects": statistics.sharing.objectCount,
      "savedBytes": statistics.sharing.savedBytes,
      "texts": statistics.strings.entryCount,
      "textReferences": statistics.strings.references.count,
      "savedTextBytes": statistics.strings.savedBytes,
      // The bytes of nodes that the page does not show one by one.
      "foldedBytes": tree.reduce(0) { $0 + ($1.kind == .others || $1.isFolded ? $1.bytes : 0) },
    ]
  }

  private mutating func row(_ value: ArchiveStatistics.ListedValue, _ title: String? = nil) -> JSONRow {
    [title ?? ReportTree.shownName(value.className ?? ""), value.bytes, value.path, node(value)]
  }

  private mutating func columns(_ nodes: [ReportNode]) -> JSONFields {
    [
      "parent": nodes.map(\.parent),
      // The number of a text, -1 for none, or -2 - i for an index i.
      "label": nodes.map { node in
        if case .index(let index)? = node.label { -2 - index } else { number(node.label?.keyText) }
      },
      "kind": nodes.map(\.kind.rawValue),
      "bytes": nodes.map(\.bytes),
      "own": nodes.map(\.ownBytes),
      "type": nodes.map { number($0.typeName) },
      "body": nodes.map(\.body),
      "text": nodes.map { number($0.text) },
      "count": nodes.map(\.count),
      "references": nodes.map(\.references),
      "folded": nodes.map { $0.isFolded ? 1 : 0 },
    ]
  }

  /// The number of a text, -1 for none.
  private mutating func number(_ text: String?) -> Int {
    guard let text else { return -1 }
    let exact = ExactString(string: text)
    if let number = textNumbers[exact] { return number }
    textNumbers[exact] = texts.count
    texts.append(text)
    return texts.count - 1
  }

  /// The node of a value, or the innermost node that contains it.
  private mutating func node(_ value: ArchiveStatistics.ListedValue) -> Int {
    var (body, offset) = (value.body, value.offset)
    if value.kind == .object, let node = nodeOfBody[body] { return node }
    var passed: [Int] = []
    while true {
      // A node comes after the node that contains it, so the last one around the offset is the innermost.
      let innermost = nodesInBody[body]?.last { tree[$0].extent.contains(offset) }
      let isOutermost = body == 0 || !reached.isReached(body)
      if let node = innermost ?? nodeOfBody[body] ?? nodesAround[body] ?? (isOutermost ? 0 : nil) {
        for body in passed { nodesAround[body] = node }
        return node
      }
      passed.append(body)
      offset = reached.offset(body)
      body = reached.parent(body)
    }
  }
}
