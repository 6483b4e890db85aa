import Keepsake

/// Finds the paths of values from the top level, and shortens long ones.
///
/// It finds all paths at once, so it walks each body on them at most once.
struct ValuePaths {
  private struct Step {
    let body: Int
    /// The offset of the value in the body at which the path continues.
    let offset: Int
  }

  private let image: ArchiveImage
  private let reached: ReachedBodies
  /// For each body, the texts of the paths within it, by the offsets to which they lead.
  private var paths: [Int: [Int: String]] = [:]
  /// For each body, the number of bodies that contain it on its path, and the one of these, or itself, with the last of
  /// the first references. So a path needs no more steps than it shows.
  private var depths: [UInt32]
  private var starts: [UInt32]

  /// A path through more bodies than both together omits those in the middle.
  private static let firstBodies = 6
  private static let lastBodies = 10
  /// A path through more values of one body omits the first of them.
  private static let mostSteps = 16
  private static let longestKey = 60

  init(_ image: ArchiveImage, _ reached: ReachedBodies) {
    self.image = image
    self.reached = reached
    depths = Array(repeating: 0, count: image.directory.bodyCount + 1)
    starts = depths
    for body in reached.order where reached.isReached(Int(body)) {
      let parent = reached.parent(Int(body))
      depths[Int(body)] = depths[parent] + 1
      starts[Int(body)] = depths[parent] < ValuePaths.firstBodies ? body : starts[parent]
    }
  }

  mutating func texts(for values: [ArchiveStatistics.ListedValue]) throws(ArchiveError) -> [String] {
    let chains = values.map(chain)
    for step in chains.flatMap(\.steps) { paths[step.body, default: [:]][step.offset] = "" }
    for body in paths.keys.sorted() { try findPaths(in: body) }
    return chains.map { chain in
      let start = chain.steps.first?.body ?? 0
      var texts = [start == 0 ? "" : "(unreferenced #\(start))"]
      texts += chain.steps.map { paths[$0.body]?[$0.offset] ?? "" }
      if chain.skipped > 0 {
        texts.insert("…(\(grouped(chain.skipped)) objects)…", at: ValuePaths.firstBodies + 1)
      }
      let text = texts.joined()
      return text.hasPrefix(".") ? String(text.dropFirst()) : text
    }
  }

  /// The bodies on the path from the top level, and the number of those left out after the first ones.
  private func chain(to value: ArchiveStatistics.ListedValue) -> (steps: [Step], skipped: Int) {
    var steps = [Step(body: value.body, offset: value.offset)]
    var (body, skipped) = (value.body, 0)
    while body != 0, reached.isReached(body) {
      if steps.count == ValuePaths.lastBodies, depths[body] > ValuePaths.firstBodies {
        skipped = Int(depths[body]) - ValuePaths.firstBodies
        body = Int(starts[body])
      }
      steps.append(Step(body: reached.parent(body), offset: reached.offset(body)))
      body = reached.parent(body)
    }
    return (steps.reversed(), skipped)
  }

  private mutating func findPaths(in number: Int) throws(ArchiveError) {
    guard var wanted = paths[number], let last = wanted.keys.max() else { return }
    var walk = ArchiveWalk(try image.content(ofBody: number))
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
    paths[number] = wanted
  }

  /// The labels of the enclosing values and of the value. Some have none, such as the content of an optional.
  private static func text(_ labels: [PathElement?], _ label: PathElement?) -> String {
    let skipped = max(0, labels.count - mostSteps)
    return (skipped > 0 ? "…(\(grouped(skipped)) levels)…" : "")
      + (labels.dropFirst(skipped) + [label])
      .map { $0.map { PathText.text($0, isFirst: false, longestKey: longestKey) } ?? "" }.joined()
  }
}

extension ArchiveImage {
  /// The content of a body; number 0 is the top level.
  func content(ofBody number: Int) throws(ArchiveError) -> ArchiveValue {
    if number == 0 { return try topLevelValue }
    return try numberedBody(number, referredToAt: directory.offsets.range.lowerBound).value
  }
}
