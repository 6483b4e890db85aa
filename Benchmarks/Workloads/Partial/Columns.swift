/// A record, of which a reader needs one property.
struct Measured: Codable, Equatable {
  var identifier: Int
  var station: String
  var operatorName: String
  var balance: Double
  var isValid: Bool
  var remark: String?

  init(identifier: Int, using generator: inout SeededGenerator) {
    self.identifier = identifier
    station = "station \(Int.random(in: 0..<500, using: &generator))"
    operatorName = generator.word(length: 4...14)
    balance = Double.random(in: -100...100, using: &generator)
    isValid = generator.chance(percent: 95)
    remark = generator.chance(percent: 10) ? generator.word(length: 5...30) : nil
  }
}

/// The part of a record that the reader declares.
private struct Balance: Codable, Equatable {
  var balance: Double
}

extension Workload {
  /// One property of each of very many records.
  ///
  /// The floor replays only the reader's part. The property list is left out: it takes longer to write a million
  /// records once than everything else together.
  static let partialColumn = Workload(name: "partial-column", countingDivisor: 200) { scale in
    var generator = SeededGenerator(seed: 17)
    let records = (0..<scale.count(1_000_000)).map { Measured(identifier: $0, using: &generator) }
    let column = records.map { Balance(balance: $0.balance) }
    let partial = PartialContenders(whole: records, part: column)
    return PreparedWorkload(
      title: "one of six properties read from \(Figure.count(records.count)) records",
      unit: .nanosecondsPer("record", count: records.count),
      contenders: [CodableContenders(value: column).floor.onlyDecoding()] + partial.keepsake + [partial.json]
    )
  }
}
