/// How to decode the values of one type, determined once per type and not per value.
class AnyDecodingPlan {
  /// Whether the values are lazy, so that nothing may read what they lead to.
  var isForLazyValues: Bool { false }

  /// Reads the value at `cursor`, and moves past it, into the property at `offset`, which is of the type of this plan;
  /// `depth` is that of the record.
  func decodeField(
    _ memory: MutablePropertyMemory,
    at offset: Int,
    from cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {}
}

/// How to decode values of the type `Value`, which is not constrained for the reason of ``EncodingPlan``.
class DecodingPlan<Value>: AnyDecodingPlan {
  /// Whether the values are stand-ins for values of the program.
  private(set) lazy var isForStandIns =
    RuntimeMetadata.mayConform(Value.self, to: (any ValueStandIn).self) && Value.self is any ValueStandIn.Type

  /// Reads the value at `cursor`, and moves past it; `depth` is that of its container. Each plan implements this.
  func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    throw ArchiveError.misuse("\(Value.self) has no plan")
  }

  override func decodeField(
    _ memory: MutablePropertyMemory,
    at offset: Int,
    from cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    memory.store(Value.self, try decode(at: &cursor, session, depth), at: offset)
  }
}

/// The plan for types without a better one. It calls their own `init(from:)`.
final class PlainDecodingPlan<Value: Decodable>: DecodingPlan<Value> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    try session.decodePlainly(Value.self, at: &cursor, depth)
  }
}

/// The types that were found for entries of the class table where one type is declared.
final class TypesOfEntries {
  @safe @exclusivity(unchecked) var types = NumberedCache<any Decodable.Type>()
}

/// A type with a plan of its own.
protocol NativelyDecodable: Decodable {
  /// A `DecodingPlan<Self>`.
  static func makeDecodingPlan() -> AnyDecodingPlan
}

/// The plans of a session.
struct DecodingPlanCache {
  private var plans = TypeCache<AnyDecodingPlan>()
  private var behind = TypeCache<TypesOfEntries>()
  private var fields = TypeCache<FieldsReader>()
  /// The generation of the process-wide names of types for which the plans are made.
  let namesGeneration = ClassNames.generation

  /// What reads the properties of objects of the class `type`.
  @inline(__always)
  mutating func fields(of type: Any.Type) -> Unretained<FieldsReader> {
    fields.unretained(for: type) { FieldsReader(type) }
  }

  /// The types that were found where the program declares `expected`.
  mutating func typesBehind(_ expected: Any.Type) -> TypesOfEntries {
    behind.unretained(for: expected) { TypesOfEntries() }.use { $0 }
  }

  /// The plan for `Value`, valid while the outermost value is being decoded. The key is `Value` and not `type`, which
  /// may be a subclass. So the plan that is stored for a type is always of that type, and the downcast is sound.
  @inline(__always)
  mutating func plan<Value: Decodable>(for type: Value.Type) -> Unretained<DecodingPlan<Value>> {
    plans.unretained(for: Value.self) { DecodingPlanCache.makePlan(Value.self) }
      .use { Unretained(knownDowncast($0, to: DecodingPlan<Value>.self)) }
  }

  private static func makePlan<Value: Decodable>(_ type: Value.Type) -> AnyDecodingPlan {
    if type == [String].self { return StringsDecodingPlan() }
    if RuntimeMetadata.mayConform(type, to: (any NativelyDecodable).self),
      let native = type as? any NativelyDecodable.Type
    {
      return native.makeDecodingPlan()
    }
    if let type = RuntimeMetadata.classType(type) { return makeClassPlan(type) }
    if let type = RuntimeMetadata.fieldsType(type) { return makeFieldsPlan(type) }
    if let check = CheckedTypes.check(for: type) { return CheckedDecodingPlan<Value>(check) }
    return PlainDecodingPlan<Value>()
  }

  // The compiler then knows that the values are objects, which saves a cast for each.
  private static func makeClassPlan<Value: Decodable & AnyObject>(_ type: Value.Type) -> AnyDecodingPlan {
    ClassDecodingPlan<Value>()
  }

  private static func makeFieldsPlan<Value: ArchivedFields>(_ type: Value.Type) -> AnyDecodingPlan {
    FieldsDecodingPlan<Value>()
  }
}

extension DecodingSession {
  /// Lets `Value` decode itself at `cursor`, in a frame of its own. If the stack is about to end, continues on a larger
  /// one.
  @inline(__always)
  func decodePlainly<Value: Decodable>(_ type: Value.Type, at cursor: inout Int, _ depth: Int) throws -> Value
  {
    guard stack.bounds.hasRoom(holding: type) else {
      return try onLargerStack { try decodePlainly(type, at: &cursor, depth) }
    }
    try descend(to: cursor, from: depth)
    let value = try Value(from: ValueDecoder(session: self, offset: cursor, depth: depth + 1))
    cursor = try end(ofDecoded: cursor, depth: depth + 1)
    return value
  }
}
