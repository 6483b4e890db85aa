/// A value of any kind that JSON has. Like most type-erased values, it is read by trying one type after another.
package enum AnyValue: Codable, Equatable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case list([AnyValue])
  case map([String: AnyValue])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([AnyValue].self) {
      self = .list(value)
    } else {
      self = .map(try container.decode([String: AnyValue].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .map(let values): try container.encode(values)
    }
  }

  /// The number of values in this one, including itself.
  package var count: Int {
    switch self {
    case .list(let values): values.reduce(1) { $0 + $1.count }
    case .map(let values): values.values.reduce(1) { $0 + $1.count }
    default: 1
    }
  }
}
