/// A value behind a protocol, which is archived with its type (Format §4.10); an object is archived as an object.
struct TypedValue: Encodable, NativelyEncodable, ValueStandIn {
  let value: any Encodable
  /// The protocol or other type that is declared for the value.
  let declared: Any.Type
  var original: Any { value }

  static func makeEncodingPlan() -> AnyEncodingPlan { TypedValueEncodingPlan() }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

final class TypedValueEncodingPlan: EncodingPlan<TypedValue> {
  override func encode(_ value: TypedValue, _ session: EncodingSession) throws {
    try session.encodeTyped(value.value, value.declared)
  }
}

extension EncodingSession {
  func encodeTyped<Value: Encodable>(_ value: Value, _ declared: Any.Type) throws {
    guard Value.self is AnyClass else {
      buffer.append(Tag.typed)
      buffer.append(varint: try valueTypeNumber(of: value))
      return try write(value)
    }
    var object = value as AnyObject
    if replacesObjects {
      guard let other = try replacement(for: object, declared: declared) else {
        return buffer.append(Tag.none)
      }
      object = other
    }
    guard let encodable = object as? any Encodable & AnyObject else {
      throw misuse(
        "The delegate replaces an object by one of the class \(type(of: object)), which is not Encodable"
      )
    }
    try encodeTypedReference(to: encodable)
  }

  private func encodeTypedReference<Value: Encodable & AnyObject>(to object: Value) throws {
    try notePolymorphism(of: type(of: object))
    try append(referenceTo: object, types.plans.plan(for: Value.self))
  }
}
