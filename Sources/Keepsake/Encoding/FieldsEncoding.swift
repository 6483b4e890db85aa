/// Values of types that declare their fields: records that are written from their memory, without an `Encoder`, a
/// container or a key (see ``ArchivedFields``).
final class FieldsEncodingPlan<Value: ArchivedFields>: EncodingPlan<Value> {
  /// Made at the first value, since making it asks for the plans of others.
  @safe @exclusivity(unchecked) private var known: FieldsWriter?

  override func encode(_ value: Value, _ session: EncodingSession) throws {
    let writer = try known ?? makeWriter(session)
    try withFieldMemory(of: value) { memory in try writer.encode(memory, session) }
  }

  override func encodeField(_ memory: FieldMemory, at offset: Int, _ session: EncodingSession) throws {
    let writer = try known ?? makeWriter(session)
    try writer.encode(memory.field(at: offset), session)
  }

  override var canBeNil: Bool { false }

  @inline(never)
  private func makeWriter(_ session: EncodingSession) throws -> FieldsWriter {
    let entries: [FieldList<Value>.Entry]
    do { entries = try FieldList<Value>.shared().entries } catch {
      throw session.misuse(error.message, code: error.code)
    }
    let writer = FieldsWriter(
      entries.compactMap { entry in
        entry.property.accept(EncodedFieldMaker(session: session, writesNil: entry.writesNil))
      }
    )
    known = writer
    return writer
  }
}

/// How a field is written, and where it is.
private struct EncodedField {
  let kind: FieldKind
  let isOptional: Bool
  /// Whether nil is written where the field is an optional that is nil.
  let writesNil: Bool
  let offset: Int
  let key: Int
  let plan: AnyEncodingPlan
}

private struct EncodedFieldMaker: FieldVisitor {
  let session: EncodingSession
  let writesNil: Bool

  func visit<Root, Value: Codable>(_ keyPath: WritableKeyPath<Root, Value>, key: ModelKey) -> EncodedField {
    let plan = session.plans.plan(for: Value.self)
    let offset = MemoryLayout<Root>.offset(of: keyPath)
    return EncodedField(
      kind: offset == nil ? .planned : FieldKind.of(Value.self).kind,
      isOptional: Value.self is any OptionalValue.Type,
      writesNil: writesNil,
      offset: offset ?? 0,
      key: session.keys.number(for: key.stringValue),
      plan: offset == nil ? KeyPathEncodingPlan(keyPath, plan) : plan
    )
  }
}

/// A field that has no place in the memory of its value: the key path says what it holds.
private final class KeyPathEncodingPlan<Root, Value: Encodable>: AnyEncodingPlan {
  private let keyPath: WritableKeyPath<Root, Value>
  private let plan: EncodingPlan<Value>

  init(_ keyPath: WritableKeyPath<Root, Value>, _ plan: EncodingPlan<Value>) {
    self.keyPath = keyPath
    self.plan = plan
  }

  override func encodeField(_ memory: FieldMemory, at offset: Int, _ session: EncodingSession) throws {
    try plan.encode(value(memory, offset), session)
  }

  override func isNil(_ memory: FieldMemory, at offset: Int) -> Bool {
    (value(memory, offset) as? any OptionalValue)?.isNone == true
  }

  private func value(_ memory: FieldMemory, _ offset: Int) -> Value {
    memory.withValue(Root.self, at: offset) { (root) in root[keyPath: keyPath] }
  }
}

/// Writes the fields of one type. It knows neither the type nor those of the fields, so that nothing in it is generic
/// and every primitive is written by code of its own.
final class FieldsWriter {
  /// What there is to do for a field, without a reference that would have to be counted.
  private struct Step: BitwiseCopyable {
    let kind: FieldKind
    let isOptional: Bool
    /// Whether nil is written where the field is nil.
    let writesNil: Bool
    /// Which bit says that the field is written; none for one that always is.
    let bit: UInt64
    let offset: Int
    let key: Int
  }

  private let steps: [Step]
  private let plans: [AnyEncodingPlan]
  /// Whether no field calls other code, so that no frame is needed.
  private let isFlat: Bool
  /// How many bytes the head of the last record had.
  @safe @exclusivity(unchecked) private var headByteCount = 1
  /// Where in the trie the shapes end, by the bits of the fields that are written.
  @safe @exclusivity(unchecked) private var ends = [(mask: UInt64, node: Int)](
    repeating: (0, -1),
    count: FieldsWriter.endCount
  )

  private static let endCount = 64

  fileprivate init(_ fields: [EncodedField]) {
    var steps: [Step] = []
    var bitCount: UInt64 = 0
    for field in fields {
      let mayBeAbsent = field.isOptional && !field.writesNil && bitCount < 64
      steps.append(
        Step(
          kind: field.kind,
          isOptional: field.isOptional,
          // An optional for which there is no bit is always written.
          writesNil: !mayBeAbsent,
          bit: mayBeAbsent ? 1 << bitCount : 0,
          offset: field.offset,
          key: field.key
        )
      )
      if mayBeAbsent { bitCount += 1 }
    }
    self.steps = steps
    plans = fields.map(\.plan)
    isFlat = !fields.contains { $0.kind == .planned }
  }

  /// Writes a record of the fields in `memory`.
  func encode(_ memory: FieldMemory, _ session: EncodingSession) throws {
    guard session.stackGuard.hasRoom() else {
      return try session.onLargerStack { try encode(memory, session) }
    }
    if isFlat {
      try session.countLevel()
    } else {
      try session.push()
      session.context.top.kind = .walkedFields
    }
    let buffer = session.buffer
    let start = buffer.count
    // Fields may hold records of the same type, which change the property.
    let kept = headByteCount
    for _ in 0..<kept { buffer.append(0) }
    let mask = try encodeFields(memory, session)
    let shape = session.shapes.number(of: end(mask, session))
    let change = session.setRecordHead(at: start, kept: kept, shape: shape)
    // The next one is likely to be as long.
    if change != 0 { headByteCount = kept + change }
    if !isFlat { session.dropTop() }
  }

  /// Writes the fields.
  ///
  /// - Returns: the bits of those that are written.
  @inline(__always)
  private func encodeFields(_ memory: FieldMemory, _ session: EncodingSession) throws -> UInt64 {
    var mask: UInt64 = 0
    for index in steps.indices {
      let step = steps[index]
      switch step.kind {
      case .bool: put(Bool.self, step, memory, session, &mask)
      case .int: put(Int.self, step, memory, session, &mask)
      case .int8: put(Int8.self, step, memory, session, &mask)
      case .int16: put(Int16.self, step, memory, session, &mask)
      case .int32: put(Int32.self, step, memory, session, &mask)
      case .int64: put(Int64.self, step, memory, session, &mask)
      case .uint: put(UInt.self, step, memory, session, &mask)
      case .uint8: put(UInt8.self, step, memory, session, &mask)
      case .uint16: put(UInt16.self, step, memory, session, &mask)
      case .uint32: put(UInt32.self, step, memory, session, &mask)
      case .uint64: put(UInt64.self, step, memory, session, &mask)
      case .float: put(Float.self, step, memory, session, &mask)
      case .double: put(Double.self, step, memory, session, &mask)
      case .string: put(String.self, step, memory, session, &mask)
      case .strings:
        if !isFlat { session.context.top.place = step.key }
        try memory.withValue([String].self, at: step.offset) { (strings) throws in
          try session.encode(strings: strings)
        }
      case .planned: try encodePlanned(index, step, memory, session, &mask)
      case .skipped: break
      }
    }
    return mask
  }

  @inline(__always)
  private func put<Value: ArchivePrimitive>(
    _ type: Value.Type,
    _ step: Step,
    _ memory: FieldMemory,
    _ session: EncodingSession,
    _ mask: inout UInt64
  ) {
    guard step.isOptional else {
      return memory.withValue(Value.self, at: step.offset) { (value) in Value.write(value, to: session) }
    }
    let isWritten = memory.withValue(Value?.self, at: step.offset) { (value) -> Bool in
      guard let value else { return false }
      Value.write(value, to: session)
      return true
    }
    if isWritten { mask |= step.bit } else if step.writesNil { session.buffer.append(Tag.none) }
  }

  @inline(__always)
  private func encodePlanned(
    _ index: Int,
    _ step: Step,
    _ memory: FieldMemory,
    _ session: EncodingSession,
    _ mask: inout UInt64
  ) throws {
    let plan = plans[index]
    if step.isOptional, plan.isNil(memory, at: step.offset) {
      if step.writesNil { session.buffer.append(Tag.none) }
      return
    }
    mask |= step.bit
    session.context.top.place = step.key
    try plan.encodeField(memory, at: step.offset, session)
  }

  // MARK: Shapes

  /// Where in the trie a record ends of which the fields of `mask` are written.
  @inline(__always)
  private func end(_ mask: UInt64, _ session: EncodingSession) -> Int {
    let slot = Int(truncatingIfNeeded: mask ^ mask &>> 6 ^ mask &>> 17) & (FieldsWriter.endCount - 1)
    let known = ends[slot]
    return known.mask == mask && known.node >= 0 ? known.node : findEnd(mask, slot, session)
  }

  @inline(never)
  private func findEnd(_ mask: UInt64, _ slot: Int, _ session: EncodingSession) -> Int {
    var node = ShapeTrie.root
    // No two fields have one key, so there is a step for each.
    for step in steps where step.bit == 0 || mask & step.bit != 0 {
      node = session.shapes.step(from: node, key: step.key) ?? node
    }
    ends[slot] = (mask, node)
    return node
  }
}
