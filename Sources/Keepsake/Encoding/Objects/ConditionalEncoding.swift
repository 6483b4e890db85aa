/// A reference to an object that is archived only if something else archives it (Format §4.9).
struct ConditionalReference<Object: AnyObject>: ValueStandIn {
  let object: Object?
  var original: Any { object as Any }
}

extension ConditionalReference: Encodable, NativelyEncodable where Object: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { ConditionalEncodingPlan<Object>(isAtomic: true) }

  /// Other encoders cannot refer to an object, and a conditional reference is no reason to write it.
  func encode(to encoder: any Encoder) throws {
    do { try encoder.refuseCopy() } catch { throw EncodingError.invalid(original, error, encoder.codingPath) }
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
    try encodeConditionally(object, declared: Object.self)
  }

  /// Writes a conditional reference to `object`, which is declared as `declared`.
  func encodeConditionally(_ object: AnyObject, declared: AnyClass) throws {
    let isDeclaredOtherwise = ObjectIdentifier(type(of: object)) != ObjectIdentifier(declared)
    // Until the archive is finished, another object may still be archived in place of this one.
    let number = replacesObjects ? nil : bodies.objects.knownNumber(of: object)
    if replacesObjects { noteDeclaration(of: object, declared) }
    if tables.conditionals == nil { tables.conditionals = ConditionalRegistry() }
    let body =
      bodies.isAdded
      ? bodies.saved?.noteConditional(object, number, isDeclaredOtherwise: isDeclaredOtherwise) : nil
    guard
      let entry = tables.conditionals?
        .entry(for: object, number, body: body, isDeclaredOtherwise: isDeclaredOtherwise)
    else { throw tooManyObjects }
    // Nothing looks at this object again.
    if isDeclaredOtherwise, tables.conditionals?.isInFile(entry) == true {
      try notePolymorphism(of: type(of: object))
    }
    buffer.append(reference: Tag.conditionalReference, entry)
  }

  /// For each entry of the conditional table, the body of its object, or 0 if the object was not archived.
  ///
  /// - Parameters:
  ///   - written: the body of the object with the given number in this archive.
  ///   - isKept: whether the file to which a save is added keeps the body of the given number.
  ///   - unreached: the body of an object without a number, if that file has one.
  func conditionalBodies(
    _ written: (Int) -> Int,
    isKept: (Int) -> Bool = { _ in false },
    unreached: (AnyObject) -> Int? = { _ in nil }
  ) throws -> [Int] {
    guard let conditionals = tables.conditionals else { return [] }
    return try conditionals.map { (target, isDeclaredOtherwise) in
      switch target {
      case nil: return 0
      case .inFile(let body)?: return isKept(body) ? body : 0
      case .numbered(let number)?:
        if isDeclaredOtherwise, let object = bodies.objects.object(number) {
          try notePolymorphism(of: type(of: object))
        }
        return written(number)
      case .other(let entry)?:
        let known = entry.use { $0 }
        let replacement = observation.replacements[ObjectIdentifier(known)]
        // If nil replaces the object, that counts here, even if the object itself replaces another.
        guard let object = replacement == nil ? known : replacement?.object,
          let number = bodies.objects.knownNumber(of: object).map(written) ?? unreached(object)
        else { return 0 }
        if object !== known, let declared = observation.declarations[ObjectIdentifier(known)]?.declared {
          try checkReplacement(object, declared)
        }
        if isDeclaredOtherwise { try notePolymorphism(of: type(of: object)) }
        return number
      }
    }
  }

  /// The entries of the conditional table, except those of bodies that the file had before, with their objects.
  var conditionalEntries: [(number: Int, object: AnyObject)] {
    guard let conditionals = tables.conditionals else { return [] }
    let objects = conditionals.map { (target, _) -> AnyObject? in
      switch target {
      case nil, .inFile?: nil
      case .numbered(let number)?: bodies.objects.object(number)
      case .other(let object)?: object.use { $0 }
      }
    }
    return objects.enumerated().compactMap { (entry) in entry.element.map { (entry.offset, $0) } }
  }
}
