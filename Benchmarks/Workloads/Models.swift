import Keepsake

/// A member of a club, as a model without coding code.
final class Member: ArchivedModel, Equatable {
  var name = ""
  var number = 0
  var balance = 0.0
  var isActive = true
  var nickname: String?

  convenience init(_ member: PlainMember) {
    self.init()
    name = member.name
    number = member.number
    balance = member.balance
    isActive = member.isActive
    nickname = member.nickname
  }

  static func == (left: Member, right: Member) -> Bool {
    left.name == right.name && left.number == right.number && left.balance == right.balance
      && left.isActive == right.isActive && left.nickname == right.nickname
  }
}

/// The same member as a class with synthesized coding.
final class PlainMember: Codable, Equatable {
  let name: String
  let number: Int
  let balance: Double
  let isActive: Bool
  let nickname: String?

  init(number: Int, using generator: inout SeededGenerator) {
    name = "\(generator.word(length: 3...9)) \(generator.word(length: 4...12))"
    self.number = number
    balance = Double.random(in: -500...500, using: &generator)
    isActive = generator.chance(percent: 70)
    nickname = generator.chance(percent: 40) ? generator.word(length: 3...8) : nil
  }

  static func == (left: PlainMember, right: PlainMember) -> Bool {
    left.name == right.name && left.number == right.number && left.balance == right.balance
      && left.isActive == right.isActive && left.nickname == right.nickname
  }
}

extension Workload {
  /// An array of models, compared with the same data as a plain class: the cost of the base class.
  static let models = Workload(name: "models") { scale in
    var generator = SeededGenerator(seed: 14)
    let members = (0..<scale.count(20_000)).map { PlainMember(number: $0, using: &generator) }
    let plain = CodableContenders(value: members)
    return PreparedWorkload(
      title: "\(Figure.count(members.count)) models of five properties, beside the same as a plain class, "
        + "which the floor visits and replays",
      unit: .nanosecondsPer("model", count: members.count),
      value: members.map { Member($0) },
      floor: plain.floor,
      alternatives: [
        plain.keepsake(named: "Keepsake, plain class"),
        plain.json.named("JSON, plain class"),
      ]
    )
  }
}
