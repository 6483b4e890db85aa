import Foundation

/// A struct nested in a record.
struct Address: Codable, Equatable {
  var street: String
  var city: String
  var postalCode: Int
}

/// A record of mixed fields: integers, strings, a double, a bool, strings in an array, a struct, an optional.
struct Record: Codable, Equatable {
  var identifier: Int
  var visits: Int32
  var name: String
  var email: String
  var balance: Double
  var isActive: Bool
  var tags: [String]
  var address: Address
  var nickname: String?
}

extension Record {
  private static let tagChoices = [
    "new", "premium", "newsletter", "beta", "press", "partner", "trial", "archived",
  ]
  private static let cities = ["Rotterdam", "Łódź", "Graz", "Porto", "Aarhus", "Lyon", "Bilbao", "Gdynia"]

  /// Makes a record with the given identifier.
  init(identifier: Int, using generator: inout SeededGenerator) {
    let first = generator.word(length: 3...9)
    let last = generator.word(length: 4...12)
    let tagCount = Int.random(in: 0...4, using: &generator)
    self.init(
      identifier: identifier,
      visits: Int32.random(in: 0...50_000, using: &generator),
      name: "\(first.capitalized) \(last.capitalized)",
      email: "\(first).\(last)@example.com",
      balance: Double.random(in: -10_000...10_000, using: &generator),
      isActive: generator.chance(percent: 70),
      tags: (0..<tagCount).map { _ in generator.pick(Self.tagChoices) },
      address: Address(
        street: "\(generator.word(length: 5...14).capitalized) \(Int.random(in: 1...250, using: &generator))",
        city: generator.pick(Self.cities),
        postalCode: Int.random(in: 10_000...99_999, using: &generator)
      ),
      nickname: generator.chance(percent: 40) ? generator.word(length: 3...8) : nil
    )
  }

  /// Makes `count` records.
  static func make(count: Int, seed: UInt64) -> [Record] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { Record(identifier: $0, using: &generator) }
  }
}

extension Workload {
  /// An array of mixed records.
  static let records = Workload(name: "records") { scale in
    let records = Record.make(count: scale.count(20_000), seed: 1)
    return PreparedWorkload(
      title: "\(Figure.count(records.count)) mixed records",
      unit: .nanosecondsPer("record", count: records.count),
      value: records,
      alternatives: [
        CodableContenders(value: records.map(DeclaredRecord.init)).keepsake(
          named: "Keepsake, declared fields"
        )
      ],
      hasRules: true,
      targets: [
        SizeTarget(limit: 0.92, measure: .contender(Contender.protocolBuffersName)),
        SizeTarget(limit: 0.65, measure: .contender(Contender.messagePackName)),
      ]
    )
  }

  /// A dictionary of records by name.
  static let dictionary = Workload(name: "dictionary") { scale in
    let records = Record.make(count: scale.count(5_000), seed: 2)
    let byKey = Dictionary(records.map { ("customer-\($0.identifier)", $0) }) { first, _ in first }
    return PreparedWorkload(
      title: "a dictionary of \(Figure.count(byKey.count)) string keys to records",
      unit: .nanosecondsPer("entry", count: byKey.count),
      value: byKey
    )
  }
}
