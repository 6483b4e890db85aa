/// A value of any kind that JSON has. Like most type-erased values, it is read by trying one type after the other.
enum AnyValue: Codable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([AnyValue])
  case members([String: AnyValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([AnyValue].self) {
      self = .list(value)
    } else {
      self = .members(try container.decode([String: AnyValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .members(let values): try container.encode(values)
    }
  }

  /// The number of values in this one, which counts, too.
  var count: Int {
    switch self {
    case .list(let values): values.reduce(1) { $0 + $1.count }
    case .members(let values): values.values.reduce(1) { $0 + $1.count }
    default: 1
    }
  }
}

extension Workload {
  /// Values of which no type says what they hold. The floor replays only what is requested by its type.
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
    self = .members([
      "id": .integer(Int.random(in: 0...100_000, using: &generator)),
      "name": .text(generator.word(length: 4...20)),
      "score": .number(Double(Int.random(in: 0...1_000, using: &generator)) + 0.5),
      "isActive": .bool(Bool.random(using: &generator)),
      "note": .null,
      "tags": .list([.text(generator.word(length: 3...8)), .text(generator.word(length: 3...8))]),
      "position": .members(["x": .integer(1), "y": .number(2.5)]),
    ])
  }
}
