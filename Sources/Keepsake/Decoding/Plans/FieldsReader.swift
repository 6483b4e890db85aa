/// Reads the properties of one type. Like ``FieldsWriter``, it knows neither that type nor those of the fields.
final class FieldsReader {
  /// The step for one value of a record.
  private struct Step: BitwiseCopyable {
    let kind: FieldKind
    let isOptional: Bool
    let field: Int32
    let offset: Int
  }

  /// The steps for the values of a record of one shape.
  private final class Steps {
    let steps: [Step]
    let properties: ArchivedProperties
    let plans: [AnyDecodingPlan?]
    /// Whether all values are primitive, so that reading them reads only the record itself, none requests a coding path,
    /// and no frame is needed.
    let arePrimitive: Bool

    init(_ steps: [Step], _ properties: ArchivedProperties, _ plans: [AnyDecodingPlan?]) {
      self.steps = steps
      self.properties = properties
      self.plans = plans
      arePrimitive = steps.allSatisfy(\.kind.isPrimitive)
    }
  }

  private let type: Any.Type
  /// The plans of the properties. The first record requests them, since they may be those of types around this one.
  /// Making a plan searches for conformances, so primitive properties have none.
  private var plans: [AnyDecodingPlan?] = []
  /// The steps for each shape that was read, by its stable number.
  @safe @exclusivity(unchecked) private var shapes = NumberedCache<Steps>()

  init(_ type: Any.Type) {
    self.type = type
  }

  /// Reads the values of `record`. Returns its end.
  func decode(
    into memory: MutablePropertyMemory,
    _ record: RecordHead,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> Int {
    var slot = 0
    var value = record.payload
    try steps(record, session).use { shape in
      if !shape.arePrimitive {
        try openFrame(record, session, depth)
      } else if session.isUnusuallyDeep(below: depth) {
        try session.descend(to: record.offset, from: depth)
      }
      let steps = shape.steps
      while slot < steps.count {
        do {
          try readPrimitives(steps, &slot, memory, &value, session)
          guard slot < steps.count else { break }
          let step = steps[slot]
          switch step.kind {
          case .readLast where try waits(step, shape, record, slot, memory, at: value, session):
            value = try session.end(ofValueAt: value)
          case .skipped: value = try session.image.end(ofValueAt: value, in: session.reader)
          default:
            if shape.arePrimitive { try openFrame(record, session, depth) }
            try readPlanned(step, shape, slot, memory, &value, session, depth)
          }
        } catch {
          try keepDefault(shape, insteadOf: error, record, slot, memory, &value, session, depth)
        }
        slot &+= 1
      }
    }
    return value
  }

  /// The number of values in `record` if all are primitive; otherwise more than there can be.
  @inline(__always)
  func primitiveCount(_ record: RecordHead, _ session: DecodingSession) throws -> Int {
    try steps(record, session).use { $0.arePrimitive ? $0.steps.count : .max }
  }

  @inline(__always)
  private func steps(_ record: RecordHead, _ session: DecodingSession) throws -> Unretained<Steps> {
    let shape = session.image.tables.shapes.stableNumber(record.shape)
    if let known = shapes.unretained(shape) { return known }
    return Unretained(try findSteps(record, session))
  }

  /// Reads primitive values from `slot` on, as long as there are any.
  // Not inlined, so that nested values take less of the stack: this function decodes none.
  @inline(never)
  private func readPrimitives(
    _ steps: [Step],
    _ slot: inout Int,
    _ memory: MutablePropertyMemory,
    _ value: inout Int,
    _ session: DecodingSession
  ) throws {
    // Local variables, which need not be in memory.
    var (next, cursor) = (slot, value)
    defer { (slot, value) = (next, cursor) }
    while next < steps.count {
      let step = steps[next]
      let isRead =
        switch step.kind {
        case .bool: try get(Bool.read, step, memory, &cursor, session)
        case .int: try get(Int.read, step, memory, &cursor, session)
        case .int8: try get(Int8.read, step, memory, &cursor, session)
        case .int16: try get(Int16.read, step, memory, &cursor, session)
        case .int32: try get(Int32.read, step, memory, &cursor, session)
        case .int64: try get(Int64.read, step, memory, &cursor, session)
        case .uint: try get(UInt.read, step, memory, &cursor, session)
        case .uint8: try get(UInt8.read, step, memory, &cursor, session)
        case .uint16: try get(UInt16.read, step, memory, &cursor, session)
        case .uint32: try get(UInt32.read, step, memory, &cursor, session)
        case .uint64: try get(UInt64.read, step, memory, &cursor, session)
        case .float: try get(Float.read, step, memory, &cursor, session)
        case .double: try get(Double.read, step, memory, &cursor, session)
        case .string: try get(String.read, step, memory, &cursor, session)
        case .strings, .planned, .readLast, .skipped: false
        }
      guard isRead else { return }
      next &+= 1
    }
  }

  /// - Returns: `false` if the plan for the property must read the value.
  @inline(__always)
  private func get<Value: ReadablePrimitive>(
    _ read: (DecodingSession, inout Int) throws(ReadingFault) -> Value,
    _ step: Step,
    _ memory: MutablePropertyMemory,
    _ cursor: inout Int,
    _ session: DecodingSession
  ) throws -> Bool {
    guard step.isOptional else {
      memory.store(Value.self, try Value.readValue(session, at: &cursor, by: read), at: step.offset)
      return true
    }
    let tag = try session.reader.byte(at: cursor)
    if tag == Tag.none {
      cursor &+= 1
      memory.store(Value?.self, nil, at: step.offset)
      return true
    }
    // Leave marked optionals, and references that may turn out to be nil, to the plan for optionals.
    guard tag != Tag.some, tag & 0xFC != Tag.conditionalReference, tag & 0xFC != Tag.objectReference else {
      return false
    }
    memory.store(Value?.self, try Value.readValue(session, at: &cursor, by: read), at: step.offset)
    return true
  }

  @inline(__always)
  private func readPlanned(
    _ step: Step,
    _ shape: Steps,
    _ slot: Int,
    _ memory: MutablePropertyMemory,
    _ cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    let field = Int(step.field)
    session.nesting.frames[depth + 1].showPlanned(slot, at: cursor)
    var end = cursor
    let hashed = session.later.hashed.count
    // The session keeps the plans of primitive types.
    let plan =
      try shape.plans[field].map { Unretained($0) }
      ?? Unretained(session.fieldPlan(for: shape.properties.entries[field].property))
    try plan.use {
      try $0.decodeField(memory, at: step.offset, from: &end, session, depth + 1)
    }
    if session.later.hashed.count != hashed {
      session.noteHashed(
        in: shape.properties.entries[field].property,
        of: memory.object,
        at: cursor,
        hashed
      )
    }
    cursor = end
  }

  /// Moves past the value if it is nil and the property keeps its default. Otherwise throws the error.
  @inline(never)
  private func keepDefault(
    _ shape: Steps,
    insteadOf error: any Error,
    _ record: RecordHead,
    _ slot: Int,
    _ memory: MutablePropertyMemory,
    _ cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    if shape.properties.keepsDefaults, isMismatch(error),
      try session.isNil(at: cursor) || session.isLazyNil(at: cursor)
    {
      // Nil for a property that is not optional. The type was asked first, since it may have a nil of its own.
      cursor = try session.image.end(ofValueAt: cursor, in: session.reader)
      return
    }
    let field = Int(shape.steps[slot].field)
    let property = field < 0 ? nil : shape.properties.entries[field].property
    if let owner = memory.object, let property { session.offerToWait(property, of: owner) }
    guard error is ReadingFault || error is ArchiveError else { throw error }
    try openFrame(record, session, depth)
    session.nesting.frames[depth + 1].currentSlot = slot
    throw session.publicError(
      error,
      as: property?.type ?? Any.self,
      session.path(toValueAt: cursor, in: depth + 1)
    )
  }

  /// Whether the value at `offset` is read last. Until then the property is empty.
  @inline(never)
  private func waits(
    _ step: Step,
    _ shape: Steps,
    _ record: RecordHead,
    _ slot: Int,
    _ memory: MutablePropertyMemory,
    at offset: Int,
    _ session: DecodingSession
  ) throws -> Bool {
    guard let object = memory.object, try !session.isNil(at: offset) else { return false }
    let key = session.image.shapeKey(try session.image.shape(record.shape, at: offset).lowerBound + slot)
    let property = shape.properties.entries[Int(step.field)].property
    return try session.readLast(property, key, of: object, at: offset)
  }

  /// Makes the frame below `depth` that of `record`, for the coding paths of its values.
  @inline(__always)
  private func openFrame(_ record: RecordHead, _ session: DecodingSession, _ depth: Int) throws {
    let slots = try session.image.shape(record.shape, at: record.offset)
    try session.descend(to: record.offset, from: depth)
    session.nesting.frames[depth + 1].setKeyed(KeyedHead(record: slots, payload: record.payload), .planned)
  }

  @inline(never)
  private func findSteps(_ record: RecordHead, _ session: DecodingSession) throws -> Steps {
    let properties = try ArchivedProperties.of(type)
    if plans.isEmpty {
      plans = try properties.entries.map(\.property).map {
        FieldKind.of($0).kind.isPrimitive ? nil : try session.fieldPlan(for: $0)
      }
    }
    let slots = try session.image.shape(record.shape, at: record.offset)
    let keys = Set(slots.map { session.image.shapeKey($0) })
    let wasObservable = keys.contains(session.keyNumber(ObservableKeyNames.registrar))
    var byKey: [Int: Int] = [:]
    for (index, entry) in properties.entries.enumerated() where entry.constant == nil {
      let others = entry.otherKeys.map(\.stringValue) + (wasObservable ? ["_" + entry.key.stringValue] : [])
      let candidates = ([entry.key.stringValue] + others).lazy.map { session.keyNumber($0) }
      if let key = candidates.first(where: keys.contains) { byKey[key] = index }
    }
    let steps = Steps(
      slots.map { slot in
        let key = session.image.shapeKey(slot)
        guard let index = byKey[key] else {
          return Step(kind: .skipped, isOptional: false, field: -1, offset: 0)
        }
        let property = properties.entries[index].property
        let (kind, isOptional) = FieldKind.of(property)
        let readLast = session.later.readLast
        let mayWait =
          kind == .planned && (readLast.include(session.image.keys[key]) || readLast.include(property))
        return Step(
          kind: mayWait ? .readLast : kind,
          isOptional: isOptional,
          field: Int32(index),
          offset: property.offset
        )
      },
      properties,
      plans
    )
    shapes[session.image.tables.shapes.stableNumber(record.shape)] = steps
    return steps
  }
}
