import TestSupport
import Testing

@testable import Keepsake

/// The refinement that sorts sets, compared with the simplest possible one.
@Suite struct ContentRefinements {
  /// Distinguishes the parts of a graph in rounds: each part gets a color for its own color and those of its neighbors.
  private struct Simple {
    var colors: [Int] = []
    var references: [ContentRefinement.Reference] = []

    mutating func refine() {
      while true {
        let signs = colors.indices.map { part in
          let there = references.filter { $0.source == part }.map { [$0.position, colors[$0.target]] }
          let back = references.filter { $0.target == part }.map { [~$0.position, colors[$0.source]] }
          return [[colors[part]]] + (there + back).sorted { $0.lexicographicallyPrecedes($1) }
        }
        let kinds = Dictionary(grouping: signs.indices) { signs[$0] }
        let isStable = kinds.count == Set(colors).count
        for (color, parts) in kinds.values.enumerated() {
          for part in parts { colors[part] = color }
        }
        if isStable { return }
      }
    }
  }

  /// For each part, the first one with the same color.
  private func firsts(_ colors: [Int]) -> [Int] {
    colors.map { color in colors.firstIndex(of: color) ?? -1 }
  }

  @Test("random graphs are refined as by the simple algorithm, also after truncation")
  func randomGraphs() {
    var random = SeededGenerator("content refinement")
    for _ in 0..<sized(400, inDebug: 80) {
      var (refinement, simple) = (ContentRefinement(), Simple())
      var marks: [(ContentRefinement.Mark, Simple)] = []
      for _ in 0..<8 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !marks.isEmpty:
          let kept = Int.random(in: 0..<marks.count, using: &random)
          refinement.truncate(to: marks[kept].0)
          simple = marks[kept].1
          marks.removeSubrange(kept...)
        case 1 where !simple.colors.isEmpty:
          let part = Int.random(in: simple.colors.indices, using: &random)
          refinement.singleOut(part)
          simple.colors[part] = -1
          simple.refine()
        default:
          marks.append((refinement.mark, simple))
          let first = simple.colors.count
          let end = first + Int.random(in: 1...20, using: &random)
          let references = (0..<Int.random(in: 0...(2 * (end - first)), using: &random)).map { _ in
            ContentRefinement.Reference(
              source: Int.random(in: first..<end, using: &random),
              position: Int.random(in: 0...1, using: &random),
              target: Int.random(in: 0..<end, using: &random)
            )
          }
          // The known colors distinguish the new parts at first.
          let signs = (first..<end).map { part in
            let known = references.filter { $0.source == part && $0.target < first }
            let colors = known.map { [$0.position, simple.colors[$0.target]] }
            return [[part % 2]] + colors.sorted { $0.lexicographicallyPrecedes($1) }
          }
          // The seed determines the order.
          let classes = Dictionary(grouping: first..<end) { signs[$0 - first] }.values
            .sorted { $0[0] < $1[0] }
          simple.colors += Array(repeating: 0, count: end - first)
          for (index, parts) in classes.enumerated() {
            for part in parts { simple.colors[part] = -1 - index }
          }
          refinement.add(classes, references)
          simple.references += references
          simple.refine()
        }
        guard firsts(refinement.colors) == firsts(simple.colors) else {
          Issue.record("\(refinement.colors) and \(simple.colors): \(simple.references)")
          return
        }
      }
    }
  }
}
