/// A value of JSON or a property list, to be encoded into an archive.
enum PlainValue: Encodable {
  case null
  /// A Boolean, a number, a text, data or a date.
  case single(any Encodable)
  case array([PlainValue])
  case object([PlainMember])

  func encode(to encoder: any Encoder) throws {
    if case .object(let members) = self {
      var container = encoder.container(keyedBy: PlainKey.self)
      for member in members { try member.value.encode(under: PlainKey(member.key), in: &container) }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .single(let value): try container.encode(value)
    case .array(let elements): try PlainValue.encode(elements, to: &container)
    case .null, .object: try container.encodeNil()
    }
  }

  /// Encodes nil and single values, which are frequent, without a container of their own.
  private func encode(under key: PlainKey, in container: inout KeyedEncodingContainer<PlainKey>) throws {
    switch self {
    case .null: try container.encodeNil(forKey: key)
    case .single(let value): try container.encode(value, forKey: key)
    case .array, .object: try container.encode(self, forKey: key)
    }
  }

  /// Encodes an array of numbers of one type as such, so that the archiver packs it.
  private static func encode(
    _ elements: [PlainValue],
    to container: inout any SingleValueEncodingContainer
  ) throws {
    func all<Number: Encodable>(_: Number.Type) -> [Number]? {
      var numbers: [Number] = []
      for element in elements {
        guard case .single(let value) = element, let number = value as? Number else { return nil }
        numbers.append(number)
      }
      return numbers.isEmpty ? nil : numbers
    }
    let lists: [(any Encodable)?] = [all(Int64.self), all(Double.self), all(Bool.self)]
    let packed: any Encodable = lists.compactMap(\.self).first ?? elements
    try container.encode(packed)
  }
}

struct PlainMember {
  let key: String
  var value: PlainValue
}

/// A key with any name. Such keys make a container a map.
struct PlainKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
