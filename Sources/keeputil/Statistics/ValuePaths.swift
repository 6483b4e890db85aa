import Keepsake

/// Finds how one gets to values from the top level, in few steps where the way is long.
///
/// All ways are found at once, so that each body on them is walked once at most.
struct ValuePaths {
  private let image: ArchiveImage
  private let reached: ReachedBodies
  /// The way to a place within its body, as text.
  private var ways: [Int: [Int: String]] = [:]

  /// A way through more bodies than both together leaves out those in between.
  private static let firstBodies = 6
  private static let lastBodies = 10
  /// A way through more values of one body does so, too.
  private static let mostSteps = 16
  /// A key that is longer is cut.
  private static let longestKey = 60

  init(_ image: ArchiveImage, _ reached: ReachedBodies) {
    self.image = image
    self.reached = reached
  }

  mutating func texts(for places: [ArchiveStatistics.Place]) throws(ArchiveError) -> [String] {
    var chains: [(steps: [(body: Int, offset: Int)], skipped: Int, isReached: Bool)] = []
    for place in places { chains.append(chain(to: place)) }
    for chain in chains {
      for step in chain.steps { ways[step.body, default: [:]][step.offset] = "" }
    }
    for body in ways.keys.sorted() { try findWays(in: body) }
    return chains.map { chain in
      var text = chain.isReached ? "" : "(unreferenced #\(chain.steps.first?.body ?? 0))"
      for (index, step) in chain.steps.enumerated() {
        if chain.skipped > 0, index == ValuePaths.firstBodies {
          text += "…(\(grouped(chain.skipped)) objects)…"
        }
        text += ways[step.body]?[step.offset] ?? ""
      }
      return text.hasPrefix(".") ? String(text.dropFirst()) : text
    }
  }

  /// The bodies on the way, from the top level on, each with the place in it at which the way continues.
  private func chain(
    to place: ArchiveStatistics.Place
  ) -> (steps: [(body: Int, offset: Int)], skipped: Int, isReached: Bool) {
    var first: [(body: Int, offset: Int)] = []
    var last: [(body: Int, offset: Int)] = []
    var skipped = 0
    var body = place.body
    var offset = place.offset
    while true {
      // From the end to the start: the last steps are kept as they come, and of the others the latest.
      if last.count < ValuePaths.lastBodies {
        last.append((body, offset))
      } else {
        first.append((body, offset))
        if first.count > ValuePaths.firstBodies * 64 {
          skipped += first.count - ValuePaths.firstBodies
          first.removeFirst(first.count - ValuePaths.firstBodies)
        }
      }
      guard body != 0, reached.isReached(body) else { break }
      offset = reached.place(body)
      body = reached.parent(body)
    }
    if first.count > ValuePaths.firstBodies {
      skipped += first.count - ValuePaths.firstBodies
      first.removeFirst(first.count - ValuePaths.firstBodies)
    }
    return (first.reversed() + last.reversed(), skipped, body == 0)
  }

  private mutating func findWays(in number: Int) throws(ArchiveError) {
    guard var wanted = ways[number], let last = wanted.keys.max() else { return }
    let root =
      number == 0
      ? try image.topLevelValue
      : try image.numberedBody(number, referredToAt: image.directory.offsets.range.lowerBound).value
    var walk = ArchiveWalk(root)
    var labels: [PathElement?] = []
    while let step = try walk.next() {
      guard case .value(let value, let label) = step else {
        labels.removeLast()
        continue
      }
      if wanted[value.offset] != nil { wanted[value.offset] = ValuePaths.text(labels, label) }
      if value.offset >= last { break }
      if value.hasMembers { labels.append(label) }
    }
    ways[number] = wanted
  }

  /// The labels of the values around and that of the value itself. Some have none: what is in an optional, say.
  private static func text(_ labels: [PathElement?], _ label: PathElement?) -> String {
    let steps = labels.count <= mostSteps ? labels : Array(labels.suffix(mostSteps))
    let start = labels.count <= mostSteps ? "" : "…(\(grouped(labels.count - mostSteps)) levels)…"
    return start
      + (steps + [label])
      .map { $0.map { PathText.text($0, isFirst: false, longestKey: longestKey) } ?? "" }.joined()
  }
}
