import Keepsake

/// A value in a body, with those of its members that are large enough to be shown. The other members are only counted.
struct ReportDraft {
  var label: PathElement?
  var kind: StatisticKind
  /// The bytes of the value in its body, including its key in a dictionary.
  var extent: Range<Int>
  /// The offset of the value itself.
  let offset: Int
  /// The bytes of other bodies that are first reached from here.
  var extraBytes = 0
  var typeName: String?
  /// The body to which a reference leads, and whether it is the first reference to it.
  var target = 0
  var isFirst = false
  var memberCount = 0
  var children: [ReportDraft] = []
  /// The kind of a draft, which names the row into which it may be folded.
  enum Group: Equatable {
    /// An object that is first reached here.
    case objects(ofClass: Int)
    case values(ReportKind)
  }

  var group: Group
  var foldedCount = 0
  var foldedBytes = 0
  /// The group of all folded values. `nil` if none are folded, or if they belong to several groups.
  private(set) var foldedGroup: Group?

  init(label: PathElement? = nil, kind: StatisticKind, start: Int, offset: Int) {
    self.label = label
    self.kind = kind
    self.offset = offset
    extent = start..<start
    group = .values(ReportKind(kind))
  }

  var bytes: Int { extent.count + extraBytes }

  mutating func fold(_ child: ReportDraft) {
    foldedGroup = foldedCount == 0 || foldedGroup == child.group ? child.group : nil
    foldedCount += 1
    foldedBytes += child.bytes
  }

  /// Folds values with fewer bytes, at all levels. Drafts are nested no deeper than `ReportDrafting.mostLevels`.
  mutating func fold(below threshold: Int) {
    for child in children where child.bytes < threshold { fold(child) }
    children.removeAll { $0.bytes < threshold }
    for index in children.indices { children[index].fold(below: threshold) }
  }

  /// Folds all children except the largest, which stay in order.
  mutating func keepLargest(_ most: Int) {
    guard children.count > most else { return }
    let order = children.indices.largestFirst { children[$0].bytes }
    for index in order[most...] { fold(children[index]) }
    children = order[..<most].sorted().map { children[$0] }
  }

  mutating func keepLargestEverywhere(_ most: Int) {
    keepLargest(most)
    for index in children.indices { children[index].keepLargestEverywhere(most) }
  }

  var size: Int { children.reduce(1) { $0 + $1.size } }
}

/// Makes the draft of a body in one walk, within a limit of memory.
struct ReportDrafting {
  private let image: ArchiveImage
  private let reached: ReachedBodies
  private let totals: [Int]
  /// The approximate number of drafts that are kept.
  private let limit: Int
  private var threshold = 0
  private var most = mostMembers
  private var keptCount = 0
  private var frames: [ReportDraft] = []

  /// Values that are nested deeper in one body are only counted.
  static let mostLevels = 40
  /// The most members of one container that are shown if there is space for them and their content; and the number to
  /// which that is reduced before small values are folded everywhere.
  static let mostMembers = 1_000
  static let fewMembers = 120

  init(_ pass: StatisticsPass, totals: [Int], limit: Int) {
    image = pass.image
    reached = pass.reached
    self.totals = totals
    self.limit = limit
  }

  /// - Parameter number: the body, or 0 for the top level.
  mutating func draft(_ number: Int) throws(ArchiveError) -> ReportDraft {
    let root = try image.content(ofBody: number)
    var walk = ArchiveWalk(root)
    while let step = try walk.next() {
      if case .value(let value, let label) = step {
        let kind = try StatisticKind(value)
        let start = walk.parentKind == .map ? walk.keyOffset : value.offset
        var draft = ReportDraft(label: label, kind: kind, start: start, offset: value.offset)
        // The members of a reference's target count where the target is shown.
        if [.array, .numbers, .map, .record].contains(value.kind) {
          draft.memberCount = try value.count ?? 0
        }
        draft.typeName = try value.typeName
        if let target = try value.bodyNumber { try note(target, in: &draft, from: number) }
        if kind == .url { try walk.skipMembers() }
        frames.append(draft)
        if value.hasMembers, kind != .url { continue }
      }
      guard var draft = frames.popLast() else { continue }
      draft.extent = draft.extent.lowerBound..<(try walk.cursor)
      if draft.foldedCount == 0, draft.kind == .typed || draft.kind == .some, draft.children.count == 1 {
        draft = unwrapped(draft)
      }
      draft.keepLargest(most)
      if frames.isEmpty { return draft }
      add(draft)
    }
    // A walk always has a first value, and ends with it.
    return ReportDraft(kind: .none, start: root.offset, offset: root.offset)
  }

  /// Notes the body to which a reference in the body `number` leads.
  private func note(_ target: Int, in draft: inout ReportDraft, from number: Int) throws(ArchiveError) {
    draft.target = target
    draft.isFirst = draft.kind != .conditional && reached.isFirst(target, from: number, at: draft.offset)
    guard draft.isFirst else { return }
    draft.extraBytes = totals[target]
    let body = try image.numberedBody(target, referredToAt: draft.offset)
    if let number = body.classNumber { draft.group = .objects(ofClass: number) }
  }

  private mutating func add(_ child: ReportDraft) {
    let last = frames.count - 1
    frames[last].extraBytes += child.extraBytes
    if last >= ReportDrafting.mostLevels || child.bytes < threshold {
      frames[last].fold(child)
      keptCount -= child.size - 1
      return
    }
    frames[last].children.append(child)
    keptCount += 1
    if frames[last].children.count >= 2 * most {
      frames[last].keepLargest(most)
      recount()
    }
    while keptCount > limit, threshold <= Int.max / 4 {
      if most > ReportDrafting.fewMembers {
        // Fewer members with all their content are better than more members without.
        most = max(ReportDrafting.fewMembers, most / 2)
        for index in frames.indices { frames[index].keepLargestEverywhere(most) }
      } else {
        threshold = max(2, threshold * 2)
        for index in frames.indices { frames[index].fold(below: threshold) }
      }
      recount()
    }
  }

  private mutating func recount() { keptCount = frames.reduce(0) { $0 + $1.size - 1 } }

  /// The value in an optional or behind a protocol, in place of its wrapper.
  private func unwrapped(_ wrapper: ReportDraft) -> ReportDraft {
    var content = wrapper.children[0]
    content.label = wrapper.label
    content.extent = wrapper.extent
    content.typeName = wrapper.typeName ?? content.typeName
    return content
  }
}
