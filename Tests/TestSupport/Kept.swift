/// A wrapper of another library, behind which no property can wait. Its value is encoded as if there were no wrapper.
@propertyWrapper package struct Kept<Value: Codable>: Codable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  package init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(Value.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}
