import RandomArchives

extension Workload {
  /// Type-erased values. The floor replays only values that are requested by their type.
  static let typeErased = Workload(name: "type-erased") { scale in
    var generator = SeededGenerator(seed: 31)
    let value = AnyValue.list((0..<scale.count(2_000)).map { _ in AnyValue(using: &generator) })
    return PreparedWorkload(
      title: "\(Figure.count(value.count)) type-erased values, which try one type after the other",
      unit: .nanosecondsPer("value", count: value.count),
      value: value,
      hasFloor: false
    )
  }
}

extension AnyValue {
  fileprivate init(using generator: inout SeededGenerator) {
    self = .map([
      "id": .int(Int.random(in: 0...100_000, using: &generator)),
      "name": .string(generator.word(length: 4...20)),
      "score": .double(Double(Int.random(in: 0...1_000, using: &generator)) + 0.5),
      "isActive": .bool(Bool.random(using: &generator)),
      "note": .null,
      "tags": .list([.string(generator.word(length: 3...8)), .string(generator.word(length: 3...8))]),
      "position": .map(["x": .int(1), "y": .double(2.5)]),
    ])
  }
}
