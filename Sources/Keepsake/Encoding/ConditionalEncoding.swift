/// A reference to an object that is archived only if something else archives it (Format §4.9).
struct ConditionalReference<Object: AnyObject>: ValueStandIn {
  let object: Object?
  var original: Any { object as Any }
}

extension ConditionalReference: Encodable, NativelyEncodable where Object: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { ConditionalEncodingPlan<Object>(isAtomic: true) }

  /// Other encoders have no way to refer to an object, and a conditional reference is no reason to write it.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

final class ConditionalEncodingPlan<Object: AnyObject & Encodable>: EncodingPlan<ConditionalReference<Object>>
{
  override func encode(_ value: ConditionalReference<Object>, _ session: EncodingSession) throws {
    try session.encodeConditionally(value.object)
  }

  override func standsInline(_ value: ConditionalReference<Object>) -> Bool { true }
}

extension EncodingSession {
  @inline(never)
  func encodeConditionally<Object: AnyObject & Encodable>(_ object: Object?) throws {
    guard let object else { return buffer.append(Tag.none) }
    let isDeclaredOtherwise = ObjectIdentifier(type(of: object as AnyObject)) != ObjectIdentifier(Object.self)
    guard let number = tables.conditionals.number(for: object, isDeclaredOtherwise: isDeclaredOtherwise)
    else {
      throw tooManyObjects
    }
    buffer.append(reference: Tag.conditionalReference, number)
  }

  /// For each entry of the conditional table the body of its object, 0 where that was not archived.
  ///
  /// - Parameter bodyNumber: the body of an object, if it has one.
  func conditionalBodies(_ bodyNumber: (AnyObject) -> Int?) throws -> [Int] {
    guard tables.conditionals.isInUse else { return [] }
    return try tables.conditionals.map { (entry, isDeclaredOtherwise) in
      let object =
        observation.replacements.isEmpty
        ? entry : observation.replacements[ObjectIdentifier(entry)]?.object ?? entry
      guard let number = bodyNumber(object) else { return 0 }
      if isDeclaredOtherwise { try notePolymorphism(of: type(of: object)) }
      return number
    }
  }
}
