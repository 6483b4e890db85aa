import Keepsake

/// Divides the bytes of the archive by the classes of the objects that contain them, and by their keys.
enum ReportClassTree {
  static let mostClasses = 500
  static let mostKeys = 60

  static func nodes(_ pass: StatisticsPass) -> [ReportNode] {
    let statistics = pass.statistics
    // As in the other tree, an implied top level counts as if it were stored.
    var nodes = [ReportNode(parent: -1, kind: .archive, bytes: pass.image.reader.count)]
    let keys = Dictionary(grouping: pass.classKeys) { $0.key.owner }
    func addOthers(_ tallies: [ArchiveStatistics.Tally], to parent: Int) {
      guard !tallies.isEmpty else { return }
      let bytes = ArchiveStatistics.Tally.sum(tallies).bytes
      nodes.add(nil, .others, .init(count: tallies.count, bytes: bytes), to: parent)
    }
    func add(
      _ label: String,
      _ kind: ReportKind,
      _ tally: ArchiveStatistics.Tally,
      owner: StatisticsPass.Owner
    ) {
      let parent = nodes.count
      nodes.add(label, kind, tally, to: 0)
      // The order of a dictionary differs from process to process.
      let sorted = (keys[owner] ?? []).sorted { ($0.value.bytes, $1.key.row) > ($1.value.bytes, $0.key.row) }
      for (key, tally) in sorted.prefix(mostKeys) {
        nodes.add(displayed(pass.keys.rows[key.row].name, 120), .key, tally, to: parent)
      }
      addOthers(sorted.dropFirst(mostKeys).map(\.value), to: parent)
    }
    let classes = statistics.classes.filter { $0.bodies.count > 0 }
    for row in classes.prefix(mostClasses) {
      add(ReportTree.shownName(row.entry.name), .type, row.bodies, owner: .object(ofClass: row.number))
    }
    addOthers(classes.dropFirst(mostClasses).map(\.bodies), to: 0)
    if statistics.topLevelValues.count > 0 {
      add("values of the top level", .group, statistics.topLevelValues, owner: .topLevelValue)
    }
    add("top level", .group, .init(count: 0, bytes: statistics.topLevel.bytes), owner: .topLevel)
    ReportTree.addParts(statistics, to: &nodes)
    return nodes
  }
}
