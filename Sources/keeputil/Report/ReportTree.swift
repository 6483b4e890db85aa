import Keepsake

/// As many values of an archive as fit on a page, each at the path on which it is first reached. Opens the largest
/// bodies first, and combines small values as "others".
struct ReportTree {
  private(set) var nodes: [ReportNode] = []
  private let image: ArchiveImage
  private let pass: StatisticsPass
  /// For each body, its bytes and those of all bodies that are first reached from it.
  private var totals: [Int]
  /// The nodes whose bodies are not opened yet, the largest first.
  private var pending = LargestList<Int>()

  static let mostNodes = 20_000

  init(_ pass: StatisticsPass) throws(ArchiveError) {
    self.pass = pass
    image = pass.image
    totals = Array(repeating: 0, count: image.directory.bodyCount + 1)
    try sumUp()
    nodes.append(ReportNode(parent: -1, kind: .archive, bytes: image.reader.count))
    try open(0, into: 0)
    try addUnreached()
    ReportTree.addParts(pass.statistics, to: &nodes)
    while nodes.count < ReportTree.mostNodes, let next = pending.popFirst() {
      try open(nodes[next].body, into: next)
    }
    while let next = pending.popFirst() { nodes[next].isFolded = true }
  }

  /// A body is reached after the one that leads to it. So in reverse order, its total is complete when it is added.
  private mutating func sumUp() throws(ArchiveError) {
    let offset = image.directory.offsets.range.lowerBound
    for body in pass.reached.order.reversed() {
      let number = Int(body)
      totals[number] += try image.body(number, at: offset).count
      if pass.reached.isReached(number) { totals[pass.reached.parent(number)] += totals[number] }
    }
    totals[0] += image.directory.topLevel.count
  }

  /// Adds the content of a body to its node.
  private mutating func open(_ number: Int, into node: Int) throws(ArchiveError) {
    // The first bodies must not take all the space.
    let room = max(64, (ReportTree.mostNodes - nodes.count) / 2)
    var drafting = ReportDrafting(pass, totals: totals, limit: room)
    let root = try drafting.draft(number)
    if number != 0 {
      if nodes[node].kind != .object, root.target == 0 { nodes[node].kind = ReportKind(root.kind) }
      nodes[node].count = root.memberCount
      nodes[node].extent = root.extent
      nodes[node].home = number
      nodes[node].typeName = nodes[node].typeName ?? root.typeName.map(ReportTree.shownName)
    }
    let isSingle = root.children.isEmpty && root.foldedCount == 0
    if root.target != 0 || (isSingle && nodes[node].kind == .object) {
      // The body is a single value. In an object, that gets a node of its own.
      try add(root, to: node, home: number)
    } else if isSingle {
      nodes[node].text = try ReportPreview.text(image, root)
    } else {
      try addMembers(of: root, to: node, home: number)
    }
  }

  private mutating func addMembers(of draft: ReportDraft, to node: Int, home: Int) throws(ArchiveError) {
    for child in draft.children { try add(child, to: node, home: home) }
    guard draft.foldedCount > 0 else { return }
    let name: String? =
      switch draft.foldedGroup {
      case .objects(let classNumber)?: ReportTree.shownName(image.classes[classNumber].name)
      case .values(let kind)?: kind.name
      case nil: nil
      }
    var others = ReportNode(parent: node, kind: .others, bytes: draft.foldedBytes, count: draft.foldedCount)
    others.typeName = name
    others.home = home
    nodes.append(others)
  }

  private mutating func add(_ draft: ReportDraft, to parent: Int, home: Int) throws(ArchiveError) {
    var node = ReportNode(
      parent: parent,
      label: draft.label.map { if case .key(let name) = $0 { .key(displayed(name, 120)) } else { $0 } },
      kind: .init(draft.kind),
      bytes: draft.bytes,
      typeName: draft.typeName.map(ReportTree.shownName),
      count: draft.memberCount,
      extent: draft.extent,
      home: home
    )
    if draft.target != 0 {
      let body = try image.numberedBody(draft.target, referredToAt: draft.extent.lowerBound)
      describe(body, &node)
      if !draft.isFirst {
        node.kind = draft.kind == .conditional ? .weak : .reference
        node.ownBytes = 0
      }
    } else if draft.children.isEmpty, draft.foldedCount == 0 {
      node.text = try ReportPreview.text(image, draft)
    }
    nodes.append(node)
    let index = nodes.count - 1
    if draft.isFirst { pending.add(draft.bytes, index) }
    // Drafts are nested no deeper than `ReportDrafting.mostLevels`.
    try addMembers(of: draft, to: index, home: home)
  }

  private func describe(_ body: ArchiveBody, _ node: inout ReportNode) {
    node.kind = body.classNumber == nil ? .record : .object
    node.body = body.number
    node.typeName = body.className.map(ReportTree.shownName) ?? node.typeName
    node.ownBytes = body.byteRange.count
    node.references = pass.summary.referenceCounts[body.number]
  }

  static func shownName(_ name: String) -> String { displayedName(name, 160) }

  private mutating func addUnreached() throws(ArchiveError) {
    let roots = pass.reached.order.map(Int.init).filter { !pass.reached.isReached($0) }
    guard !roots.isEmpty else { return }
    let group = nodes.count
    var rest = roots.reduce(0) { $0 + totals[$1] }
    let count = pass.statistics.unreached.count
    nodes.add("not referred to", .group, .init(count: count, bytes: rest), to: 0)
    let shown = roots.largestFirst { totals[$0] }.prefix(ReportDrafting.mostMembers)
    for number in shown {
      let body = try image.numberedBody(number, referredToAt: image.directory.offsets.range.lowerBound)
      var node = ReportNode(parent: group, kind: .object, bytes: totals[number])
      describe(body, &node)
      nodes.append(node)
      pending.add(node.bytes, nodes.count - 1)
      rest -= node.bytes
    }
    if roots.count > shown.count {
      nodes.add(nil, .others, .init(count: roots.count - shown.count, bytes: rest), to: group)
    }
  }

  /// Adds the parts of the file that are not values.
  static func addParts(_ statistics: ArchiveStatistics, to nodes: inout [ReportNode]) {
    let parts = statistics.parts.filter {
      ![.bodies, .topLevel, .save].contains($0.kind) && !$0.range.isEmpty
    }
    let group = nodes.count
    let bytes = parts.reduce(0) { $0 + $1.range.count }
    nodes.add("tables", .group, .init(count: parts.count, bytes: bytes), to: 0)
    for part in parts {
      nodes.add(part.title, .part, .init(count: part.entryCount ?? 0, bytes: part.range.count), to: group)
    }
  }
}
