/// Values of types that declare their fields: records that are read into their memory, without a `Decoder`, a container
/// or a search for a key (see ``ArchivedFields``).
final class FieldsDecodingPlan<Value: ArchivedFields>: DecodingPlan<Value> {
  /// Made at the first value, since making it asks for the plans of others.
  @safe @exclusivity(unchecked) private var known: FieldsReader?

  override func decode(at place: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    guard let record = try RecordHead(session, at: place) else {
      return try session.decodePlainly(Value.self, at: &place, depth)
    }
    let reader = try known ?? makeReader(session)
    var value = Value()
    try withMutableFieldMemory(of: &value) { memory in
      try reader.decode(into: memory, record, at: &place, session, depth)
    }
    return value
  }

  override func decodeField(
    _ memory: MutableFieldMemory,
    at offset: Int,
    from place: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    guard let record = try RecordHead(session, at: place) else {
      return memory.store(try session.decodePlainly(Value.self, at: &place, depth), at: offset)
    }
    let reader = try known ?? makeReader(session)
    // Not into what is there: what the record has no value for is to be as in `Value()`.
    try memory.replace(at: offset, { Value() }) { memory in
      try reader.decode(into: memory, record, at: &place, session, depth)
    }
  }

  @inline(never)
  private func makeReader(_ session: DecodingSession) throws -> FieldsReader {
    let reader = FieldsReader(
      try FieldList<Value>.shared().entries.compactMap { entry in
        entry.property.accept(DecodedFieldMaker(session: session))
      }
    )
    known = reader
    return reader
  }
}

/// How a field is read, and where to.
private struct DecodedField {
  let kind: FieldKind
  let isOptional: Bool
  let offset: Int
  /// The number of the key in the archive; -1 when no record has it.
  let key: Int
  let type: Any.Type
  let plan: AnyDecodingPlan
}

private struct DecodedFieldMaker: FieldVisitor {
  let session: DecodingSession

  func visit<Root, Value: Codable>(_ keyPath: WritableKeyPath<Root, Value>, key: ModelKey) -> DecodedField {
    let plan = session.plans.plan(for: Value.self)
    let offset = MemoryLayout<Root>.offset(of: keyPath)
    let (kind, isOptional) = FieldKind.of(Value.self)
    return DecodedField(
      kind: offset == nil ? .planned : kind,
      isOptional: isOptional,
      offset: offset ?? 0,
      key: session.keyNumber(key.stringValue),
      type: Value.self,
      plan: offset == nil ? KeyPathDecodingPlan(keyPath, plan) : plan
    )
  }
}

/// A field that has no place in the memory of its value: it is set through its key path.
private final class KeyPathDecodingPlan<Root, Value: Decodable>: AnyDecodingPlan {
  private let keyPath: WritableKeyPath<Root, Value>
  private let plan: DecodingPlan<Value>

  init(_ keyPath: WritableKeyPath<Root, Value>, _ plan: DecodingPlan<Value>) {
    self.keyPath = keyPath
    self.plan = plan
  }

  override func decodeField(
    _ memory: MutableFieldMemory,
    at offset: Int,
    from place: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    let value = try plan.decode(at: &place, session, depth)
    memory.withValue(Root.self, at: offset) { root in root[keyPath: keyPath] = value }
  }
}

/// Reads the fields of one type. Like ``FieldsWriter`` it knows neither the type nor those of the fields.
final class FieldsReader {
  /// What there is to do for a value of a record.
  private struct Step: BitwiseCopyable {
    let kind: FieldKind
    let isOptional: Bool
    let field: Int32
    let offset: Int
  }

  private let fields: [DecodedField]
  private let plans: [AnyDecodingPlan]
  /// Whether a field may ask for a coding path, so that a frame is needed.
  private let isFlat: Bool
  /// For each shape that was met, what there is to do for its values one by one.
  @safe @exclusivity(unchecked) private var shapes = NumberedCache<[Step]>()

  fileprivate init(_ fields: [DecodedField]) {
    self.fields = fields
    plans = fields.map(\.plan)
    isFlat = !fields.contains { $0.kind == .planned || $0.kind == .strings }
  }

  /// Reads the values of the record at `place`, which then moves behind it.
  func decode(
    into memory: MutableFieldMemory,
    _ record: RecordHead,
    at place: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    guard session.stackGuard.hasRoom() else {
      return try session.onLargerStack { try decode(into: memory, record, at: &place, session, depth) }
    }
    let steps = try shapes[record.shape] ?? findSteps(record.shape, session, at: place)
    if !isFlat {
      try openFrame(at: place, record, session, depth)
    } else if session.isUnusuallyDeep(below: depth) {
      try session.descend(to: place, from: depth)
    }
    var value = record.payload
    var slot = 0
    do {
      while slot < steps.count {
        let step = steps[slot]
        switch step.kind {
        case .bool: try get(Bool.self, step, slot, memory, &value, place, record, session, depth)
        case .int: try get(Int.self, step, slot, memory, &value, place, record, session, depth)
        case .int8: try get(Int8.self, step, slot, memory, &value, place, record, session, depth)
        case .int16: try get(Int16.self, step, slot, memory, &value, place, record, session, depth)
        case .int32: try get(Int32.self, step, slot, memory, &value, place, record, session, depth)
        case .int64: try get(Int64.self, step, slot, memory, &value, place, record, session, depth)
        case .uint: try get(UInt.self, step, slot, memory, &value, place, record, session, depth)
        case .uint8: try get(UInt8.self, step, slot, memory, &value, place, record, session, depth)
        case .uint16: try get(UInt16.self, step, slot, memory, &value, place, record, session, depth)
        case .uint32: try get(UInt32.self, step, slot, memory, &value, place, record, session, depth)
        case .uint64: try get(UInt64.self, step, slot, memory, &value, place, record, session, depth)
        case .float: try get(Float.self, step, slot, memory, &value, place, record, session, depth)
        case .double: try get(Double.self, step, slot, memory, &value, place, record, session, depth)
        case .string: try get(String.self, step, slot, memory, &value, place, record, session, depth)
        case .strings:
          session.frames[depth + 1].currentSlot = slot
          var end = value
          memory.store(try session.decodeStrings(at: &end, depth + 1), at: step.offset)
          value = end
        case .planned: try getPlanned(step, slot, memory, &value, session, depth)
        case .skipped: value = try session.image.end(ofValueAt: value, in: session.reader)
        }
        slot &+= 1
      }
    } catch {
      throw described(error, place, record, slot, value, steps[slot], session, depth)
    }
    place = value
  }

  @inline(__always)
  private func get<Value: ReadablePrimitive>(
    _ type: Value.Type,
    _ step: Step,
    _ slot: Int,
    _ memory: MutableFieldMemory,
    _ place: inout Int,
    _ start: Int,
    _ record: RecordHead,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    guard step.isOptional else {
      return memory.store(try Value.readValue(session, at: &place), at: step.offset)
    }
    let tag = try session.reader.byte(at: place)
    if tag == Tag.none {
      place &+= 1
      return memory.store(Value?.none, at: step.offset)
    }
    // What marks an optional and what may turn out to be nil is left to the plan for optionals.
    guard tag != Tag.some, tag & 0xFC != Tag.conditionalReference else {
      try openFrame(at: start, record, session, depth)
      return try getPlanned(step, slot, memory, &place, session, depth)
    }
    memory.store(Optional.some(try Value.readValue(session, at: &place)), at: step.offset)
  }

  @inline(__always)
  private func getPlanned(
    _ step: Step,
    _ slot: Int,
    _ memory: MutableFieldMemory,
    _ place: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    session.frames[depth + 1].currentSlot = slot
    var end = place
    try plans[Int(step.field)].decodeField(memory, at: step.offset, from: &end, session, depth + 1)
    place = end
  }

  /// Makes the frame below `depth` that of the record at `place`, for the coding path of what is in it.
  @inline(__always)
  private func openFrame(
    at place: Int,
    _ record: RecordHead,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    let slots = try session.image.shape(record.shape, at: place)
    try session.descend(to: place, from: depth)
    session.frames[depth + 1].setRecord(slots, payload: record.payload)
  }

  @inline(never)
  private func findSteps(_ shape: Int, _ session: DecodingSession, at place: Int) throws -> [Step] {
    var byKey: [Int: Int32] = [:]
    for (index, field) in fields.enumerated() where field.key >= 0 { byKey[field.key] = Int32(index) }
    let steps = try session.image.shape(shape, at: place).map { slot in
      guard let index = byKey[session.image.shapeKey(slot)] else {
        return Step(kind: .skipped, isOptional: false, field: -1, offset: 0)
      }
      let field = fields[Int(index)]
      return Step(kind: field.kind, isOptional: field.isOptional, field: index, offset: field.offset)
    }
    shapes[shape] = steps
    return steps
  }

  /// The error for the caller, where `error` was thrown for the value at `place` of the record at `start`.
  @inline(never)
  private func described(
    _ error: any Error,
    _ start: Int,
    _ record: RecordHead,
    _ slot: Int,
    _ place: Int,
    _ step: Step,
    _ session: DecodingSession,
    _ depth: Int
  ) -> any Error {
    guard error is ReadingFault || error is ArchiveError else { return error }
    do { try openFrame(at: start, record, session, depth) } catch { return error }
    session.frames[depth + 1].currentSlot = slot
    let path = session.path(toValueAt: place, in: depth + 1)
    switch error {
    case let fault as ReadingFault:
      return session.error(fault, step.field < 0 ? Any.self : fields[Int(step.field)].type, path)
    case let damage as ArchiveError: return session.corrupted(damage, path)
    default: return error
    }
  }
}
