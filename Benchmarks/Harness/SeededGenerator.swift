/// A small random number generator (SplitMix64) that gives the same values in every run.
///
/// Each workload has its own seed, so that its data does not depend on which other workloads run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator whose sequence is determined by `seed`.
  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True with a probability of `percent` %.
  mutating func chance(percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  /// A made-up word of lowercase letters.
  mutating func word(length: ClosedRange<Int>) -> String {
    let count = Int.random(in: length, using: &self)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for _ in 0..<count {
      bytes.append(UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &self))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One of `choices`, which must not be empty.
  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
