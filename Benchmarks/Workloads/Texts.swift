extension Workload {
  /// An array of short strings. Hardly any occurs twice, and every twentieth has letters beyond ASCII.
  static let strings = Workload(name: "strings", countingDivisor: 40) { scale in
    var generator = SeededGenerator(seed: 9)
    let strings = (0..<scale.count(200_000)).map { _ in
      let word = generator.word(length: 3...24)
      return generator.chance(percent: 5) ? "ż" + word + "é" : word
    }
    return PreparedWorkload(
      title: "\(Figure.count(strings.count)) short strings",
      unit: .nanosecondsPer("string", count: strings.count),
      value: strings,
      hasRules: true
    )
  }
}
