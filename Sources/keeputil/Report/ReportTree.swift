import Keepsake

/// The values of an archive by the way on which they are first reached, as many as fit on a page: the largest bodies
/// are opened first, and what is small is folded into "others".
struct ReportTree {
  private(set) var nodes: [ReportNode] = []
  private let image: ArchiveImage
  private let pass: StatisticsPass
  private let summary: ArchiveSummary
  /// For each body its bytes and those of all that are first reached from it.
  private var totals: [Int]
  private var pending = ReportQueue()

  static let mostNodes = 20_000

  init(_ image: ArchiveImage, _ summary: ArchiveSummary, _ pass: StatisticsPass) throws(ArchiveError) {
    self.image = image
    self.summary = summary
    self.pass = pass
    totals = Array(repeating: 0, count: image.directory.bodyCount + 1)
    try sumUp()
    nodes.append(ReportNode(parent: -1, kind: .archive, bytes: image.reader.count))
    try open(0, into: 0)
    try addUnreached()
    addParts()
    while nodes.count < ReportTree.mostNodes, let next = pending.pop() {
      try open(nodes[next].body, into: next)
    }
    while let next = pending.pop() { nodes[next].isFolded = true }
  }

  /// A body was reached after the one that leads to it, so from the end on each is complete when it is added.
  private mutating func sumUp() throws(ArchiveError) {
    let offset = image.directory.offsets.range.lowerBound
    for body in pass.reached.order.reversed() {
      let number = Int(body)
      totals[number] += try image.body(number, at: offset).count
      if pass.reached.isReached(number) { totals[pass.reached.parent(number)] += totals[number] }
    }
    totals[0] += image.directory.topLevel.count
  }

  // MARK: Bodies

  /// Adds what is in a body to the node of it.
  private mutating func open(_ number: Int, into node: Int) throws(ArchiveError) {
    // The first to be opened may not take all the room.
    let room = max(64, (ReportTree.mostNodes - nodes.count) / 2)
    var drafting = ReportDrafting(image, pass.reached, totals: totals, limit: room)
    let root = try drafting.draft(number)
    if number != 0 {
      if nodes[node].kind != .object, root.target == 0 { nodes[node].kind = ReportKind(root.kind) }
      nodes[node].count = root.memberCount
      nodes[node].extent = root.extent
      nodes[node].home = number
      nodes[node].typeName = nodes[node].typeName ?? root.typeName.map(ReportTree.shownName)
    }
    if root.target != 0 || (root.children.isEmpty && root.foldedCount == 0) {
      // A body that is a single value. For an object it stands in it, and otherwise the node is the value.
      if root.target != 0 || nodes[node].kind == .object {
        try add(root, to: node, home: number)
      } else {
        nodes[node].text = try ReportPreview.text(image, root.extent)
      }
      return
    }
    try addMembers(of: root, to: node, home: number)
  }

  private mutating func addMembers(of draft: ReportDraft, to node: Int, home: Int) throws(ArchiveError) {
    for child in draft.children { try add(child, to: node, home: home) }
    guard draft.foldedCount > 0 else { return }
    var others = ReportNode(parent: node, kind: .others, bytes: draft.foldedBytes)
    others.count = draft.foldedCount
    others.home = home
    if let group = draft.foldedGroup {
      others.typeName =
        group >= 0 ? ReportTree.shownName(image.classes[group].name) : ReportKind(rawValue: -1 - group)?.name
    }
    nodes.append(others)
  }

  private mutating func add(_ draft: ReportDraft, to parent: Int, home: Int) throws(ArchiveError) {
    var node = ReportNode(
      parent: parent,
      label: .init(draft.label),
      kind: .init(draft.kind),
      bytes: draft.bytes
    )
    node.typeName = draft.typeName.map(ReportTree.shownName)
    node.count = draft.memberCount
    node.extent = draft.extent
    node.home = home
    if draft.target != 0 {
      try describe(draft, &node)
    } else if draft.children.isEmpty, draft.foldedCount == 0 {
      node.text = try ReportPreview.text(image, valueExtent(draft))
    }
    nodes.append(node)
    let index = nodes.count - 1
    if draft.isFirst { pending.add(index, bytes: draft.bytes) }
    // Drafts are nested no deeper than `ReportDrafting.mostLevels`.
    try addMembers(of: draft, to: index, home: home)
  }

  /// Where the value itself is: the extent of the draft has the key of a dictionary, too.
  private func valueExtent(_ draft: ReportDraft) throws(ArchiveError) -> Range<Int> {
    guard let label = draft.label else { return draft.extent }
    if case .index = label { return draft.extent }
    return try ReportPreview.valueExtent(image, in: draft.extent)
  }

  private func describe(_ draft: ReportDraft, _ node: inout ReportNode) throws(ArchiveError) {
    let body = try image.numberedBody(draft.target, referredToAt: draft.extent.lowerBound)
    node.body = draft.target
    node.typeName = body.className.map(ReportTree.shownName) ?? node.typeName
    node.references = summary.referenceCounts[draft.target]
    if draft.kind == .conditional {
      node.kind = .weak
    } else if draft.isFirst {
      node.kind = body.classNumber == nil ? .record : .object
      node.ownBytes = body.byteRange.count
    } else {
      node.kind = .reference
    }
  }

  static func shownName(_ name: String) -> String { displayedName(name, 160) }

  // MARK: What is not reached

  /// Bodies to which nothing leads from the top level.
  private mutating func addUnreached() throws(ArchiveError) {
    let roots = pass.reached.order.map(Int.init).filter { !pass.reached.isReached($0) }
    guard !roots.isEmpty else { return }
    nodes.append(
      ReportNode(
        parent: 0,
        label: .text("not referred to"),
        kind: .group,
        bytes: pass.statistics.unreached.bytes,
        count: pass.statistics.unreached.count
      )
    )
    let group = nodes.count - 1
    nodes[group].bytes = roots.reduce(0) { $0 + totals[$1] }
    let shown = roots.sorted { (totals[$0], $1) > (totals[$1], $0) }.prefix(ReportDrafting.mostMembers)
    for number in shown {
      let body = try image.numberedBody(number, referredToAt: image.directory.offsets.range.lowerBound)
      var node = ReportNode(parent: group, kind: .object, bytes: totals[number])
      if body.classNumber == nil { node.kind = .record }
      node.typeName = body.className.map(ReportTree.shownName)
      node.body = number
      node.ownBytes = body.byteRange.count
      node.references = summary.referenceCounts[number]
      nodes.append(node)
      pending.add(nodes.count - 1, bytes: totals[number])
    }
    if roots.count > shown.count {
      let bytes = nodes[group].bytes - shown.reduce(0) { $0 + totals[$1] }
      nodes.append(
        ReportNode(parent: group, kind: .others, bytes: bytes, count: roots.count - shown.count)
      )
    }
  }

  /// What is in the file beside values.
  private mutating func addParts() {
    ReportTree.addParts(pass.statistics, to: &nodes)
  }

  static func addParts(_ statistics: ArchiveStatistics, to nodes: inout [ReportNode]) {
    let parts = statistics.parts.filter {
      ![.bodies, .topLevel, .save].contains($0.kind) && !$0.range.isEmpty
    }
    nodes.append(
      ReportNode(
        parent: 0,
        label: .text("tables"),
        kind: .group,
        bytes: parts.reduce(0) { $0 + $1.range.count },
        count: parts.count
      )
    )
    let group = nodes.count - 1
    for part in parts {
      nodes.append(
        ReportNode(
          parent: group,
          label: .text(part.title),
          kind: .part,
          bytes: part.range.count,
          count: part.entryCount ?? 0
        )
      )
    }
  }
}

/// Nodes that wait for their bodies to be opened: the one with most bytes comes first, of equal ones the earlier.
private struct ReportQueue {
  private var heap: [(bytes: Int, node: Int)] = []

  private func comesFirst(_ left: Int, _ right: Int) -> Bool {
    (heap[left].bytes, heap[right].node) > (heap[right].bytes, heap[left].node)
  }

  mutating func add(_ node: Int, bytes: Int) {
    heap.append((bytes, node))
    var place = heap.count - 1
    while place > 0, comesFirst(place, (place - 1) / 2) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func pop() -> Int? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first.node }
    heap[0] = last
    var place = 0
    while true {
      var best = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && comesFirst(child, best) {
        best = child
      }
      guard best != place else { return first.node }
      heap.swapAt(place, best)
      place = best
    }
  }
}
