/// How values of one type are encoded; found once per type, not per value.
class AnyEncodingPlan {
  /// The number of this plan in ``PendingObjects``, below 0 until it has one.
  @safe @exclusivity(unchecked) final var pendingNumber = -1
  /// Whether a value that cannot be encoded leaves nothing changed.
  final let isAtomic: Bool
  /// Whether what is written for a value can read as nil unless the optional around it marks it as some value.
  final let canBeNil: Bool

  init(isAtomic: Bool = false, canBeNil: Bool = true) {
    self.isAtomic = isAtomic
    self.canBeNil = canBeNil
  }

  /// Writes the content of an object that this plan gave a number.
  func encodeBody(_ object: AnyObject, _ session: EncodingSession) throws {}

  /// Writes the value at `offset`, which has the type of this plan.
  func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {}

  /// Whether the value at `offset` is nil, or a wrapper that holds nil.
  func isNil(_ memory: PropertyMemory, at offset: Int) -> Bool { false }
}

/// How values of the type `Value` are encoded.
///
/// `Value` is not constrained to `Encodable`: to make the metadata of each subclass, the runtime would search for the
/// conformance.
class EncodingPlan<Value>: AnyEncodingPlan {
  /// Writes `value` at the end of the session's buffer. Each plan implements this.
  func encode(_ value: Value, _ session: EncodingSession) throws {}

  override func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {
    guard isAtomic, session.observation.observer == nil else {
      return try encodeCopy(memory, offset, session)
    }
    try memory.withValue(Value.self, at: offset) { (value) throws in try encode(value, session) }
  }

  /// Encodes a copy, since code of the program that encodes or sees the value may assign to the property.
  @inline(never)
  private func encodeCopy(_ memory: PropertyMemory, _ offset: Int, _ session: EncodingSession) throws {
    try encode(memory.withValue(Value.self, at: offset) { copy $0 }, session)
  }

  override func isNil(_ memory: PropertyMemory, at offset: Int) -> Bool {
    memory.withValue(Value.self, at: offset) { (copy $0 as? any NilHolding)?.holdsNil ?? false }
  }

  /// Whether `value` is so small that at the top level it is written at its key, without a body of its own.
  func standsInline(_ value: Value) -> Bool { false }
}

/// The plan for types that have no better one: their own `encode(to:)`.
final class PlainEncodingPlan<Value: Encodable>: EncodingPlan<Value> {
  override func encode(_ value: Value, _ session: EncodingSession) throws {
    try session.encodePlainly(value)
  }
}

/// A type that has a plan of its own.
protocol NativelyEncodable: Encodable {
  /// An `EncodingPlan<Self>`.
  static func makeEncodingPlan() -> AnyEncodingPlan
}

/// The plans of a session.
struct EncodingPlanCache {
  private var plans = TypeCache<AnyEncodingPlan>()
  private var fields = TypeCache<FieldsWriterSource>()

  /// What writes the properties of objects of a class.
  @inline(__always)
  mutating func fields(of type: Any.Type) -> Unretained<FieldsWriterSource> {
    fields.unretained(for: type) { FieldsWriterSource(type) }
  }

  /// The plan for `Value`, not for `type`, which may be a subclass. So the plan that is stored for a type is always the
  /// plan of that type, which makes the downcast sound.
  @inline(__always)
  mutating func plan<Value: Encodable>(for type: Value.Type) -> EncodingPlan<Value> {
    unretained(for: type).use { $0 }
  }

  /// The same, to be used only as long as the session exists.
  @inline(__always)
  mutating func unretained<Value: Encodable>(for type: Value.Type) -> Unretained<EncodingPlan<Value>> {
    plans.unretained(for: Value.self) { EncodingPlanCache.makePlan(Value.self) }
      .use { Unretained(knownDowncast($0, to: EncodingPlan<Value>.self)) }
  }

  private static func makePlan<Value: Encodable>(_ type: Value.Type) -> AnyEncodingPlan {
    // Common, and the cast below would search for two conformances.
    if type == [String].self { return StringsEncodingPlan(isAtomic: true, canBeNil: false) }
    if RuntimeMetadata.mayConform(type, to: (any NativelyEncodable).self),
      let native = type as? any NativelyEncodable.Type
    {
      return native.makeEncodingPlan()
    }
    if let type = RuntimeMetadata.classType(type) { return makeClassPlan(type) }
    if let type = RuntimeMetadata.fieldsType(type) { return makeFieldsPlan(type) }
    return PlainEncodingPlan<Value>()
  }

  // The compiler then knows that the value is an object, which saves a cast for each. If the observer replaces an object
  // by nothing, that is the nil of the optional around it.
  private static func makeClassPlan<Value: Encodable & AnyObject>(_ type: Value.Type) -> AnyEncodingPlan {
    ClassEncodingPlan<Value>(isAtomic: true, canBeNil: false)
  }

  private static func makeFieldsPlan<Value: ArchivedFields>(_ type: Value.Type) -> AnyEncodingPlan {
    FieldsEncodingPlan<Value>(canBeNil: false)
  }
}

extension EncodingSession {
  /// Writes `value` by the plan for its type.
  @inline(__always)
  func write<Value: Encodable>(_ value: Value) throws {
    try types.plans.unretained(for: Value.self).use { (plan) throws in try plan.encode(value, self) }
  }

  /// Calls the `encode(to:)` of `value` in a frame of its own; on a larger stack if this one is about to end.
  @inline(__always)
  func encodePlainly<Value: Encodable>(_ value: Value) throws {
    guard stack.bounds.hasRoom(holding: Value.self) else { return try encodeOnLargerStack(value) }
    try push()
    let frame = context.top.id
    try value.encode(to: ValueEncoder(session: self, frame: frame, nested: nil))
    try pop(to: frame)
  }

  // A function of its own: a function with a closure retains what that captures, even if it never makes the closure.
  @inline(never)
  private func encodeOnLargerStack<Value: Encodable>(_ value: Value) throws {
    try onLargerStack { try encodePlainly(value) }
  }
}
