/// SplitMix64: a few instructions for each number, and the same numbers for the same seed on every machine.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose numbers are determined by `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// The seed of part `number` of a sequence with this seed, as unlike other parts as those of other seeds.
  public static func seed(_ seed: UInt64, part number: Int) -> UInt64 {
    mixed(mixed(seed) &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension SplitMix {
  /// True with the given probability.
  public mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}
