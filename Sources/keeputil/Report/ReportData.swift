import Foundation
import Keepsake

/// What a page has to know about an archive, as JSON that may stand in HTML.
struct ReportData {
  private let statistics: ArchiveStatistics
  private let tree: [ReportNode]
  private let classTree: [ReportNode]
  private let reached: ReachedBodies
  /// The nodes that are values in a body, in their order, and the node that is a body: a long way to a place goes
  /// through very many bodies of which the page knows nothing.
  private var nodesInBody: [Int: [Int]] = [:]
  private var nodeOfBody: [Int: Int] = [:]
  private let name: String
  /// Texts that stand in columns by their numbers, since many are the same.
  private var texts: [String] = []
  private var textNumbers: [ExactName: Int] = [:]
  private var json: JSONWriter

  /// A table of the page has so many rows at most.
  static let mostRows = 500

  init(
    _ image: ArchiveImage,
    _ summary: ArchiveSummary,
    _ pass: StatisticsPass,
    name: String,
    to output: any Output
  ) throws(ArchiveError) {
    statistics = pass.statistics
    reached = pass.reached
    self.name = name
    tree = try ReportTree(image, summary, pass).nodes
    classTree = ReportClassTree.nodes(pass)
    json = JSONWriter(EmbeddedText(output), pretty: false)
    for (index, node) in tree.enumerated() {
      nodesInBody[node.home, default: []].append(index)
      if node.body != 0, node.kind != .reference, node.kind != .weak, nodeOfBody[node.body] == nil {
        nodeOfBody[node.body] = index
      }
    }
  }

  mutating func write() throws {
    try json.open(.object)
    try writeFacts()
    try rows("parts", statistics.parts) { json, part in
      try json.put(part.title)
      try json.put(part.range.count)
      try json.put(part.entryCount ?? -1)
    }
    let classes = statistics.classes.filter { $0.bodies.count > 0 }
    try rows("classes", classes.prefix(ReportData.mostRows)) { json, row in
      try json.put(ReportTree.shownName(row.entry.name))
      try json.put(row.bodies.count)
      try json.put(row.bodies.bytes)
      try json.put(row.entry.version)
    }
    try json.field("moreClasses", max(0, classes.count - ReportData.mostRows))
    try rows("keys", statistics.keys.prefix(ReportData.mostRows)) { json, row in
      try json.put(ReportTree.shownName(row.name))
      try json.put(row.count)
      try json.put(row.ownBytes)
      try json.put(row.totalBytes)
    }
    try json.field("moreKeys", max(0, statistics.keys.count - ReportData.mostRows))
    try rows("kinds", statistics.kinds) { json, row in
      try json.put(row.kind.title)
      try json.put(row.tally.count)
      try json.put(row.tally.bytes)
    }
    try rows("values", statistics.largestValues) { json, place in
      try json.put(place.kind.title)
      try json.put(place)
    }
    try rows("objects", statistics.largestObjects) { json, place in
      try json.put(ReportTree.shownName(place.className ?? ""))
      try json.put(place)
    }
    try rows("shared", statistics.sharing.most) { json, object in
      try json.put(ReportTree.shownName(object.place.className ?? ""))
      try json.put(object.place)
      try json.put(object.referenceCount)
      try json.put(object.savedBytes)
    }
    try json.bracket(.array, "nodeKinds") { for kind in ReportKind.allCases { try $0.string(kind.name) } }
    try writeColumns("byPath", tree)
    try writeColumns("byClass", classTree)
    // What was numbered above.
    try json.bracket(.array, "texts") { for text in texts { try $0.string(text) } }
    try json.close()
    try json.finish()
  }

  private mutating func writeFacts() throws {
    try json.key("facts")
    try json.open(.object)
    try json.field("name", displayed(name))
    if let original = statistics.original {
      try json.field("writer", ArchiveStatistics.Original.writer)
      try json.field("madeOf", "\(original.format) of \(counted(original.byteCount, "byte"))")
    }
    try json.field("bytes", statistics.byteCount)
    try json.field("format", statistics.formatVersion)
    try json.field("hasChecksums", statistics.hasChecksums)
    try json.field("objects", statistics.objectCount)
    try json.field("values", statistics.valueCount)
    try json.field("classes", statistics.classCount)
    try json.field("unreached", statistics.unreached.count)
    try json.field("sharedObjects", statistics.sharing.objectCount)
    try json.field("furtherReferences", statistics.sharing.furtherReferences)
    try json.field("savedBytes", statistics.sharing.savedBytes)
    try json.field("texts", statistics.strings.entryCount)
    try json.field("textReferences", statistics.strings.references.count)
    try json.field("savedTextBytes", statistics.strings.savedBytes)
    try json.field("classNumberBytes", statistics.classNumbers.bytes)
    // What the page does not tell apart.
    try json.field("foldedBytes", tree.reduce(0) { $0 + ($1.kind == .others || $1.isFolded ? $1.bytes : 0) })
    try json.close()
  }

  private mutating func writeColumns(_ name: String, _ nodes: [ReportNode]) throws {
    try json.key(name)
    try json.open(.object)
    try column("parent", nodes) { _, node in node.parent }
    // A text by its number, -1 for none, and an index i as -2 - i.
    try column("label", nodes) { data, node in
      switch node.label {
      case .none: -1
      case .text(let text): data.number(text)
      case .index(let index): -2 - index
      }
    }
    try column("kind", nodes) { _, node in node.kind.rawValue }
    try column("bytes", nodes) { _, node in node.bytes }
    try column("own", nodes) { _, node in node.ownBytes }
    try column("type", nodes) { data, node in node.typeName.map { data.number($0) } ?? -1 }
    try column("body", nodes) { _, node in node.body }
    try column("text", nodes) { data, node in node.text.map { data.number($0) } ?? -1 }
    try column("count", nodes) { _, node in node.count }
    try column("references", nodes) { _, node in node.references }
    try column("folded", nodes) { _, node in node.isFolded ? 1 : 0 }
    try json.close()
  }

  private mutating func column(
    _ name: String,
    _ nodes: [ReportNode],
    _ number: (inout ReportData, ReportNode) -> Int
  ) throws {
    try json.key(name)
    try json.open(.array)
    for node in nodes { try json.integer(String(number(&self, node))) }
    try json.close()
  }

  private mutating func number(_ text: String) -> Int {
    let exact = ExactName(text: text)
    if let number = textNumbers[exact] { return number }
    textNumbers[exact] = texts.count
    texts.append(text)
    return texts.count - 1
  }

  // MARK: Places

  /// The node that a place is, or else the innermost one that it is in.
  private func node(_ place: ArchiveStatistics.Place) -> Int {
    var body = place.body
    var offset = place.offset
    if place.kind == .object, let node = nodeOfBody[body] { return node }
    while true {
      let around = (nodesInBody[body] ?? []).filter { tree[$0].extent.contains(offset) }
      // A node stands behind the one that it is in: the last of those around is the innermost.
      if let innermost = around.last { return innermost }
      if let node = nodeOfBody[body] { return node }
      guard body != 0, reached.isReached(body) else { return 0 }
      offset = reached.place(body)
      body = reached.parent(body)
    }
  }

  // MARK: Pieces

  private mutating func rows<Rows: Sequence>(
    _ name: String,
    _ rows: Rows,
    _ cells: (inout ReportData, Rows.Element) throws -> Void
  ) throws {
    try json.key(name)
    try json.open(.array)
    for row in rows {
      try json.open(.array)
      try cells(&self, row)
      try json.close()
    }
    try json.close()
  }

  private mutating func put(_ number: Int) throws { try json.integer(String(number)) }
  private mutating func put(_ text: String) throws { try json.string(text) }

  private mutating func put(_ place: ArchiveStatistics.Place) throws {
    try put(place.bytes)
    try put(place.path)
    try put(node(place))
  }
}

/// JSON without the characters that mean something in HTML. In JSON they stand in texts only, where an escape is the
/// same; so nothing in an archive can end the element that the data is in.
private final class EmbeddedText: Output {
  private let output: any Output

  init(_ output: any Output) {
    self.output = output
  }

  func write(_ text: String) throws(CommandFailure) {
    guard text.utf8.contains(where: { $0 == 0x3C || $0 == 0x3E || $0 == 0x26 }) else {
      return try output.write(text)
    }
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": safe += "\\u003c"
      case ">": safe += "\\u003e"
      case "&": safe += "\\u0026"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    try output.write(safe)
  }

  func write(_ data: Data) throws(CommandFailure) { try output.write(data) }
}
