/// SplitMix64: the same numbers for a seed in every process, so that a seed and a number identify a mutant.
package struct HostileGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// The generator of one of many mutants, which needs none of those before it.
  package init(seed: UInt64, mutant: Int) {
    var first = HostileGenerator(seed: seed &+ UInt64(truncatingIfNeeded: mutant) &* 0xD6E8_FEB8_6659_FD93)
    state = first.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 to `end` - 1, or 0 if there is none.
  package mutating func below(_ end: Int) -> Int {
    end > 1 ? Int(truncatingIfNeeded: next() % UInt64(end)) : 0
  }

  /// True in one of `count` cases.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// A random element; `nil` if there is none.
  package mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  /// A range of bytes, mostly a short one.
  package mutating func range(in count: Int) -> Range<Int> {
    let start = below(count)
    let longest = oneIn(4) ? count - start : min(16, count - start)
    return start..<(start + below(longest + 1))
  }
}
