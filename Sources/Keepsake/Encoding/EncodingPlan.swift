/// How values of one type are encoded; found once per type, not per value.
class AnyEncodingPlan {
  /// The number by which objects that wait for this plan know it; below 0 as long as none has.
  @safe @exclusivity(unchecked) final var pendingNumber = -1
  /// Whether nothing at all has changed where a value could not be encoded.
  final let isAtomic: Bool

  init(isAtomic: Bool = false) {
    self.isAtomic = isAtomic
  }

  /// Whether the values are optionals.
  var isForOptionals: Bool { false }

  /// Writes the content of an object that this plan gave a number.
  func encodeBody(_ object: AnyObject, _ session: EncodingSession) throws {}

  /// Writes the value at `offset`, which is of the type that this plan is for.
  func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {}

  /// Whether the value at `offset` is nil, or a wrapper that holds nil.
  func isNil(_ memory: PropertyMemory, at offset: Int) -> Bool { false }
}

/// The plan for types that have no better one: their own `encode(to:)`.
class EncodingPlan<Value: Encodable>: AnyEncodingPlan {
  /// Writes `value` at the end of the session's buffer.
  func encode(_ value: Value, _ session: EncodingSession) throws {
    try session.encodePlainly(value)
  }

  override func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {
    guard isAtomic, session.observation.observer == nil else {
      return try encodeCopy(memory, offset, session)
    }
    try memory.withValue(Value.self, at: offset) { (value) throws in try encode(value, session) }
  }

  /// The same for values that code of the program encodes, or looks at: that may assign to the property meanwhile.
  @inline(never)
  private func encodeCopy(_ memory: PropertyMemory, _ offset: Int, _ session: EncodingSession) throws {
    try encode(memory.withValue(Value.self, at: offset) { copy $0 }, session)
  }

  override func isNil(_ memory: PropertyMemory, at offset: Int) -> Bool {
    memory.withValue(Value.self, at: offset) { (copy $0 as? any NilHolding)?.holdsNil ?? false }
  }

  /// Whether `value` is so small that at the top level it stands where its key is, without a body of its own.
  func standsInline(_ value: Value) -> Bool { false }

  /// Whether what is written for `value` reads as nil, unless it is marked as being some value.
  var canBeNil: Bool { true }
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

  /// The plan for `Value`, which goes by that and not by `type`, which may be a subclass. So what is stored for a type is
  /// always the plan of that type, which is what makes the downcast sound.
  @inline(__always)
  mutating func plan<Value: Encodable>(for type: Value.Type) -> EncodingPlan<Value> {
    unretained(for: type).use { $0 }
  }

  /// The same, to be used as long as the session is there.
  @inline(__always)
  mutating func unretained<Value: Encodable>(for type: Value.Type) -> Unretained<EncodingPlan<Value>> {
    plans.unretained(for: Value.self) { EncodingPlanCache.makePlan(Value.self) }
      .use { Unretained(knownDowncast($0, to: EncodingPlan<Value>.self)) }
  }

  private static func makePlan<Value: Encodable>(_ type: Value.Type) -> AnyEncodingPlan {
    if let native = type as? any NativelyEncodable.Type { return native.makeEncodingPlan() }
    if let type = type as? any (Encodable & AnyObject).Type { return makeClassPlan(type) }
    if let type = type as? any ArchivedFields.Type { return makeFieldsPlan(type) }
    return EncodingPlan<Value>()
  }

  // That the value is an object is then known to the compiler, which saves a cast at each.
  private static func makeClassPlan<Value: Encodable & AnyObject>(_ type: Value.Type) -> AnyEncodingPlan {
    ClassEncodingPlan<Value>(isAtomic: true)
  }

  private static func makeFieldsPlan<Value: ArchivedFields>(_ type: Value.Type) -> AnyEncodingPlan {
    FieldsEncodingPlan<Value>()
  }
}

extension EncodingSession {
  /// Writes `value` by the plan for its type.
  @inline(__always)
  func write<Value: Encodable>(_ value: Value) throws {
    try types.plans.unretained(for: Value.self).use { (plan) throws in try plan.encode(value, self) }
  }

  /// Lets `value` encode itself into a frame of its own; where the stack is about to end, on a larger one.
  @inline(__always)
  func encodePlainly<Value: Encodable>(_ value: Value) throws {
    guard stack.bounds.hasRoom() else { return try encodeOnLargerStack(value) }
    try push()
    let frame = context.top.id
    try value.encode(to: ValueEncoder(session: self, frame: frame, nested: nil))
    if context.top.id != frame { try pop(to: frame) } else { try pop() }
  }

  // A function of its own, as the closure keeps the value: where it is made that is counted, if it is made or not.
  @inline(never)
  private func encodeOnLargerStack<Value: Encodable>(_ value: Value) throws {
    try onLargerStack { try encodePlainly(value) }
  }
}
