/// A value behind a protocol: it is archived with its type (Format §4.10), an object as an object.
struct TypedValue: Encodable, NativelyEncodable {
  let value: any Encodable

  static func makeEncodingPlan() -> AnyEncodingPlan { TypedValueEncodingPlan() }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

final class TypedValueEncodingPlan: EncodingPlan<TypedValue> {
  override func encode(_ value: TypedValue, _ session: EncodingSession) throws {
    try session.encodeTyped(value.value)
  }
}

extension EncodingSession {
  fileprivate func encodeTyped<Value: Encodable>(_ value: Value) throws {
    let plan = plans.plan(for: Value.self)
    guard Value.self is AnyClass else {
      buffer.append(Tag.typed)
      buffer.append(varint: try valueTypeNumber(of: Value.self))
      return try plan.encode(value, self)
    }
    let object =
      observer == nil ? value as AnyObject : try replacement(for: value as AnyObject, declared: Value.self)
    if let object { try notePolymorphism(of: type(of: object)) }
    try plan.encode(value, self)
  }
}
