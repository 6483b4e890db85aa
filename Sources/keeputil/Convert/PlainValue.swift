import Foundation

/// Anything that JSON or a property list can hold, to be encoded into an archive.
enum PlainValue: Encodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case wide(Int128)
  case wideUnsigned(UInt128)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case data(Data)
  case date(Date)
  case array([PlainValue])
  /// The members in their order.
  case object([PlainMember])
}

/// A key and what stands under it.
struct PlainMember {
  let key: String
  var value: PlainValue
}

/// A key of any name. Such keys make a container a map.
struct PlainKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension PlainValue {
  func encode(to encoder: any Encoder) throws {
    if case .object(let members) = self {
      var container = encoder.container(keyedBy: PlainKey.self)
      for member in members { try member.value.encode(under: PlainKey(member.key), in: &container) }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .wide(let value): try container.encode(value)
    case .wideUnsigned(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .array(let elements): try PlainValue.encode(elements, to: &container)
    case .object: break
    }
  }

  /// Writes what is frequent without a container of its own.
  private func encode(under key: PlainKey, in container: inout KeyedEncodingContainer<PlainKey>) throws {
    switch self {
    case .null: try container.encodeNil(forKey: key)
    case .bool(let value): try container.encode(value, forKey: key)
    case .integer(let value): try container.encode(value, forKey: key)
    case .double(let value): try container.encode(value, forKey: key)
    case .string(let value): try container.encode(value, forKey: key)
    default: try container.encode(self, forKey: key)
    }
  }

  /// Arrays of numbers of one kind are written as such, and so are packed.
  private static func encode(_ elements: [PlainValue], to container: inout any SingleValueEncodingContainer)
    throws
  {
    func all<Number>(_ content: (PlainValue) -> Number?) -> [Number]? {
      var numbers: [Number] = []
      for element in elements {
        guard let number = content(element) else { return nil }
        numbers.append(number)
      }
      return numbers
    }
    if elements.isEmpty { return try container.encode(elements) }
    if let integers = all({ if case .integer(let value) = $0 { value } else { nil } }) {
      try container.encode(integers)
    } else if let doubles = all({ if case .double(let value) = $0 { value } else { nil } }) {
      try container.encode(doubles)
    } else if let bools = all({ if case .bool(let value) = $0 { value } else { nil } }) {
      try container.encode(bools)
    } else {
      try container.encode(elements)
    }
  }
}
