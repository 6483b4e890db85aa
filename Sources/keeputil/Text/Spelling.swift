/// Suggestions for an unknown word.
enum Spelling {
  /// Longer words are not compared letter by letter.
  private static let mostLetters = 64
  private static let mostListed = 12

  /// The end of a sentence about an unknown word: the most similar word, and the existing ones.
  ///
  /// - Parameter count: the number of all existing words, of which `words` are the first.
  static func advice(
    _ wanted: String,
    among words: [String],
    count: Int,
    nothing: String = "it has no keys"
  ) -> String {
    guard !words.isEmpty else { return "; \(nothing)" }
    let spelt = { (word: String) in quoted(shortened(word, 40)) }
    let listed = words.prefix(mostListed).map(spelt).joined(separator: ", ")
    let more = count > mostListed ? " and \(grouped(count - mostListed)) more" : ""
    guard let nearest = nearest(to: wanted, among: words) else { return "; there are \(listed)\(more)" }
    return "; did you mean \(spelt(nearest))? There are \(listed)\(more)"
  }

  static func suggestion(_ wanted: String, among words: [String]) -> String {
    nearest(to: wanted, among: words).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// The word most similar to `wanted`, if any: equal except for case, a few changes away, or one begins the other.
  static func nearest(to wanted: String, among words: [String]) -> String? {
    let lowered = wanted.lowercased()
    if let same = words.first(where: { $0.lowercased() == lowered }) { return same }
    var best: (word: String, distance: Int)?
    for word in words {
      guard let distance = distance(lowered, word.lowercased()) else { continue }
      if distance <= max(1, min(wanted.count, word.count) / 3), distance < best?.distance ?? .max {
        best = (word, distance)
      }
    }
    if let best { return best.word }
    guard lowered.count >= 2 else { return nil }
    return words.first {
      $0.lowercased().hasPrefix(lowered) || lowered.hasPrefix($0.lowercased()) && !$0.isEmpty
    }
  }

  /// The number of letters to insert, remove, replace or swap with the next. `nil` for long words.
  private static func distance(_ first: String, _ second: String) -> Int? {
    let (a, b) = (Array(first.prefix(mostLetters + 1)), Array(second.prefix(mostLetters + 1)))
    guard a.count <= mostLetters, b.count <= mostLetters else { return nil }
    var before = [Int](repeating: 0, count: b.count + 1)
    var row = Array(0...b.count)
    for i in a.indices {
      var next = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in b.indices {
        next[j + 1] = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          next[j + 1] = min(next[j + 1], before[j - 1] + 1)
        }
      }
      (before, row) = (row, next)
    }
    return row[b.count]
  }
}
