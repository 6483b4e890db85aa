import Keepsake

/// The same bytes by the classes of the objects that hold them, and by their keys.
enum ReportClassTree {
  static let mostClasses = 500
  static let mostKeys = 60

  static func nodes(_ pass: StatisticsPass) -> [ReportNode] {
    let statistics = pass.statistics
    // As in the other tree, a top level that is implied counts as if it were there.
    var nodes = [ReportNode(parent: -1, kind: .archive, bytes: pass.image.reader.count)]
    var keys: [Int: [(row: Int, tally: ArchiveStatistics.Tally)]] = [:]
    for (pair, tally) in pass.classKeys { keys[pair.owner, default: []].append((pair.row, tally)) }
    func add(_ node: ReportNode, owner: Int) {
      nodes.append(node)
      let place = nodes.count - 1
      // The order of a dictionary is not the same each time.
      let sorted = (keys[owner] ?? []).sorted { ($0.tally.bytes, $1.row) > ($1.tally.bytes, $0.row) }
      for key in sorted.prefix(mostKeys) {
        var node = ReportNode(
          parent: place,
          label: .text(displayed(pass.keys.rows[key.row].name, 120)),
          kind: .key,
          bytes: key.tally.bytes
        )
        node.count = key.tally.count
        nodes.append(node)
      }
      let rest = sorted.dropFirst(mostKeys)
      guard !rest.isEmpty else { return }
      nodes.append(
        ReportNode(
          parent: place,
          kind: .others,
          bytes: rest.reduce(0) { $0 + $1.tally.bytes },
          count: rest.count
        )
      )
    }
    let classes = statistics.classes.filter { $0.bodies.count > 0 }
    for row in classes.prefix(mostClasses) {
      var node = ReportNode(
        parent: 0,
        label: .text(ReportTree.shownName(row.entry.name)),
        kind: .type,
        bytes: row.bodies.bytes
      )
      node.count = row.bodies.count
      add(node, owner: row.number)
    }
    let rest = classes.dropFirst(mostClasses)
    if !rest.isEmpty {
      let bytes = rest.reduce(0) { $0 + $1.bodies.bytes }
      nodes.append(ReportNode(parent: 0, kind: .others, bytes: bytes, count: rest.count))
    }
    if statistics.topLevelValues.count > 0 {
      var node = ReportNode(
        parent: 0,
        label: .text("values of the top level"),
        kind: .group,
        bytes: statistics.topLevelValues.bytes
      )
      node.count = statistics.topLevelValues.count
      add(node, owner: -1)
    }
    add(
      ReportNode(parent: 0, label: .text("top level"), kind: .group, bytes: statistics.topLevel.bytes),
      owner: -2
    )
    ReportTree.addParts(statistics, to: &nodes)
    return nodes
  }
}
