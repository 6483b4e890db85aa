/// An enum whose cases carry different payloads.
enum Event: Codable, Equatable {
  case moved(x: Double, y: Double)
  case renamed(String)
  case tagged(label: String, count: Int)
  case closed
}

extension Workload {
  /// An array of enum values with payloads.
  static let enumeration = Workload(name: "enum", countingDivisor: 40) { scale in
    var generator = SeededGenerator(seed: 10)
    let events = (0..<scale.count(50_000)).map { _ in Event(using: &generator) }
    return PreparedWorkload(
      title: "\(Figure.count(events.count)) values of an enum with payloads",
      unit: .nanosecondsPer("value", count: events.count),
      value: events
    )
  }
}

extension Event {
  fileprivate init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      self = .moved(
        x: Double.random(in: 0...1_920, using: &generator),
        y: Double.random(in: 0...1_080, using: &generator)
      )
    case 1: self = .renamed(generator.word(length: 4...20))
    case 2:
      self = .tagged(
        label: generator.word(length: 3...10),
        count: Int.random(in: 0...1_000, using: &generator)
      )
    default: self = .closed
    }
  }
}
