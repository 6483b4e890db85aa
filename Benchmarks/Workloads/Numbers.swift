extension Workload {
  /// An array of doubles with full mantissas.
  static let doubles = Workload(name: "doubles", countingDivisor: 100) { scale in
    var generator = SeededGenerator(seed: 4)
    let doubles = (0..<scale.count(1_000_000)).map { _ in Double.random(in: -1_000...1_000, using: &generator)
    }
    return PreparedWorkload(
      title: "\(Figure.count(doubles.count)) doubles",
      unit: .nanosecondsPer("element", count: doubles.count),
      value: doubles,
      extras: [.copying(doubles)],
      alternatives: [CodableContenders(value: doubles).keepsakeWithoutChecksums]
    )
  }

  /// An array of integers, most of them small and some large.
  static let integers = Workload(name: "integers", countingDivisor: 100) { scale in
    var generator = SeededGenerator(seed: 5)
    let integers = (0..<scale.count(1_000_000)).map { _ in generator.mixedInteger() }
    return PreparedWorkload(
      title: "\(Figure.count(integers.count)) integers, small and large",
      unit: .nanosecondsPer("element", count: integers.count),
      value: integers,
      extras: [.copying(integers)],
      alternatives: [CodableContenders(value: integers).keepsakeWithoutChecksums],
      hasRules: true
    )
  }

  /// The outlines of areas on a map: arrays of arrays of points, each of which is an array of two doubles.
  static let coordinates = Workload(name: "coordinates") { scale in
    var generator = SeededGenerator(seed: 8)
    let outlines = (0..<scale.count(480)).map { _ in
      (0..<116).map { _ in
        [Double.random(in: -141 ... -52, using: &generator), Double.random(in: 41...84, using: &generator)]
      }
    }
    let count = outlines.map(\.count).reduce(0, +)
    return PreparedWorkload(
      title: "\(Figure.count(count)) points in outlines, each an array of two doubles",
      unit: .nanosecondsPer("point", count: count),
      value: outlines
    )
  }

  /// An array of integers of which every fifth is missing.
  static let optionals = Workload(name: "optionals", countingDivisor: 40) { scale in
    var generator = SeededGenerator(seed: 6)
    let optionals = (0..<scale.count(200_000)).map { _ in
      generator.chance(percent: 20) ? nil : generator.mixedInteger()
    }
    return PreparedWorkload(
      title: "\(Figure.count(optionals.count)) optional integers, a fifth of them nil",
      unit: .nanosecondsPer("element", count: optionals.count),
      value: optionals
    )
  }
}

extension SeededGenerator {
  /// An integer as in typical programs: half of them are below a hundred, one in fifty has any size.
  fileprivate mutating func mixedInteger() -> Int {
    switch Int.random(in: 0..<50, using: &self) {
    case 0..<25: Int.random(in: 0..<100, using: &self)
    case 25..<40: Int.random(in: -30_000...30_000, using: &self)
    case 40..<49: Int.random(in: 0...4_000_000_000, using: &self)
    default: Int.random(in: Int.min...Int.max, using: &self)
    }
  }
}
