/// Writes values of types whose stored properties are archived as they are: records written from memory, without an
/// `Encoder`, a container or a key (see ``ArchivedFields``).
final class FieldsEncodingPlan<Value: ArchivedFields>: EncodingPlan<Value> {
  private let source = FieldsWriterSource(Value.self)

  override func encode(_ value: Value, _ session: EncodingSession) throws {
    try source.writer(session).use { (writer) throws in
      try withPropertyMemory(of: value) { memory in try writer.encode(memory, session) }
    }
  }

  override func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {
    try source.writer(session).use { (writer) throws in
      try writer.encode(memory.field(at: offset), session)
    }
  }
}

/// The writer for values of one type. It is made for the first value, since making it requests plans for other types.
final class FieldsWriterSource {
  private let type: Any.Type
  @safe @exclusivity(unchecked) private var known: FieldsWriter?

  init(_ type: Any.Type) {
    self.type = type
  }

  @inline(__always)
  func writer(_ session: EncodingSession) throws -> Unretained<FieldsWriter> {
    if let known { Unretained(known) } else { try makeWriter(session) }
  }

  @inline(never)
  private func makeWriter(_ session: EncodingSession) throws -> Unretained<FieldsWriter> {
    do {
      // Makes a value to find the defaults.
      let properties = try session.whileClosed { () throws(ArchiveError) in try ArchivedProperties.of(type) }
      let writer = try FieldsWriter(properties, session)
      known = writer
      return Unretained(writer)
    } catch { throw session.misuse(error.message, code: error.code) }
  }
}

extension Encoder {
  /// Writes the properties in `memory`, those of a value of `type`, as a record to which keys can be added.
  ///
  /// - Returns: `false` if nothing was written: this encoder writes no archive, or it has begun the value otherwise.
  @inline(__always)
  func writeFields(_ memory: PropertyMemory, of type: Any.Type) throws -> Bool {
    guard let (session, frame) = archiveFrame else { return false }
    return try session.use { (session) throws in
      guard session.context.top.id == frame, session.context.top.kind == .undecided else { return false }
      try session.types.plans.fields(of: type).use { (source) throws in
        try source.writer(session).use { (writer) throws in try writer.encodeIntoFrame(memory, session) }
      }
      return true
    }
  }

  /// The session and the frame of this encoder, if it writes an archive. The encoder retains the session.
  @inline(__always)
  private var archiveFrame: (session: Unretained<EncodingSession>, frame: FrameID)? {
    guard let encoder = exactly(self, as: ValueEncoder.self) else { return nil }
    return (Unretained(encoder.session), encoder.frame)
  }
}

extension EncodingSession {
  /// The plan for a property, by its type and ownership.
  fileprivate func fieldPlan(for property: StoredProperty) throws(ArchiveError) -> AnyEncodingPlan {
    func plan<Value: Encodable>(_ type: Value.Type) -> AnyEncodingPlan { types.plans.plan(for: type) }
    func referencePlan<Target: Encodable & AnyObject>(_ type: Target.Type) -> AnyEncodingPlan {
      if property.ownership == .weak { return WeakFieldEncodingPlan<Target>() }
      return UnownedEncodingPlan<UnownedField<Target>>()
    }
    if property.ownership == .strong, let type = property.type as? any Encodable.Type { return plan(type) }
    if let type = property.target as? EncodableClass { return referencePlan(type) }
    throw .misuse("\(property.owner).\(property.name) is not Encodable")
  }
}

/// An unowned property: the object, as in any other property.
private class UnownedEncodingPlan<Field: ReferenceField>: AnyEncodingPlan where Field.Target: Encodable {
  override func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {
    // It is not called for nil.
    if let object = memory.withValue(Field.self, at: offset, { $0.object }) { try session.write(object) }
  }

  override func isNil(_ memory: PropertyMemory, at offset: Int) -> Bool {
    memory.withValue(Field.self, at: offset) { $0.object == nil }
  }
}

/// A weak property of an object: a conditional reference, like that of ``WeakReference``.
private final class WeakFieldEncodingPlan<Target: Encodable & AnyObject>:
  UnownedEncodingPlan<Weak<Target>>
{
  override func encodeField(_ memory: PropertyMemory, at offset: Int, _ session: EncodingSession) throws {
    try session.encodeConditionally(memory.withValue(Weak<Target>.self, at: offset) { $0.object })
  }
}

/// Writes the properties of one type. It knows neither that type nor those of the fields, so nothing in it is generic,
/// and each primitive type has its own code.
final class FieldsWriter {
  /// The work for one field, without references that would have to be counted.
  private struct Step: BitwiseCopyable {
    let kind: FieldKind
    let isOptional: Bool
    /// Whether nil is written if the field is nil.
    let writesNil: Bool
    /// The bit that says that the field is written; 0 for a field that always is.
    let bit: UInt64
    let offset: Int
    let key: Int
    /// The index of its plan, if it is planned.
    let plan: Int
  }

  private let properties: ArchivedProperties
  private let steps: [Step]
  private let plans: [AnyEncodingPlan]
  private let hasConstants: Bool
  /// Whether no field calls other code, so that no frame is needed.
  private let isFlat: Bool
  /// The index of the head's length in ``EncodedTypes/headByteCounts``.
  private let tableNumber: UInt32
  /// The nodes of the trie at which the shapes end, cached by the bits of the fields that are written.
  @safe @exclusivity(unchecked) private var ends = [(mask: UInt64, node: Int)](
    repeating: (0, -1),
    count: FieldsWriter.endCount
  )

  private static let endCount = 64

  fileprivate init(_ properties: ArchivedProperties, _ session: EncodingSession) throws(ArchiveError) {
    var steps: [Step] = []
    var plans: [AnyEncodingPlan] = []
    var bitCount: UInt64 = 0
    for entry in properties.entries {
      let kind = FieldKind.of(entry.property).kind
      let mayBeAbsent = entry.isOptional && !entry.writesNil && bitCount < 64
      steps.append(
        Step(
          kind: kind,
          isOptional: entry.isOptional,
          // An optional without a bit is always written.
          writesNil: !mayBeAbsent,
          bit: mayBeAbsent ? 1 << bitCount : 0,
          offset: entry.property.offset,
          key: session.tables.keys.number(for: entry.key.stringValue),
          plan: plans.count
        )
      )
      if mayBeAbsent { bitCount += 1 }
      // Making a plan searches for conformances, so only those are made that are used.
      if kind == .planned { plans.append(try session.fieldPlan(for: entry.property)) }
    }
    self.properties = properties
    tableNumber = session.types.addHead(byteCount: 1)
    self.steps = steps
    self.plans = plans
    isFlat = !steps.contains { $0.kind == .planned }
    hasConstants = !properties.constants.isEmpty
  }

  /// Writes a record of the properties in `memory`.
  func encode(_ memory: PropertyMemory, _ session: EncodingSession) throws {
    guard session.stack.bounds.hasRoom() else {
      return try session.onLargerStack { try encode(memory, session) }
    }
    guard isFlat else {
      try session.push()
      try encodeIntoFrame(memory, session)
      return session.pop()
    }
    if hasConstants { try checkConstants(memory, session) }
    try session.countLevel()
    let (start, kept) = (session.buffer.count, session.keepHead(tableNumber))
    let node = end(try encodeFields(memory, session), session)
    session.fillHead(at: start, kept: kept, tableNumber, node: node)
  }

  /// Writes the same into the innermost frame, which becomes that of a record to which keys can be added.
  func encodeIntoFrame(_ memory: PropertyMemory, _ session: EncodingSession) throws {
    if hasConstants { try checkConstants(memory, session) }
    session.context.top.kind = .walkedFields
    session.context.top.tableNumber = tableNumber
    session.context.top.headByteCount = session.keepHead(tableNumber)
    let mask = try encodeFields(memory, session)
    session.context.top.kind = .record
    session.context.top.position = end(mask, session)
  }

  /// Call this before the frame is one of fields: no property is being written yet, so the path ends at the value.
  @inline(never)
  private func checkConstants(_ memory: PropertyMemory, _ session: EncodingSession) throws {
    do { try properties.checkConstants(in: memory) } catch {
      throw session.misuse(error.message, code: error.code)
    }
  }

  /// Writes the fields.
  ///
  /// - Returns: the bits of those that are written.
  @inline(__always)
  private func encodeFields(_ memory: PropertyMemory, _ session: EncodingSession) throws -> UInt64 {
    var mask: UInt64 = 0
    for step in steps {
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
        if !isFlat { session.context.top.position = step.key }
        try memory.withValue([String].self, at: step.offset) { (strings) throws in
          try session.encode(strings: strings)
        }
      case .planned: try encodePlanned(step, memory, session, &mask)
      case .readLast, .skipped: break
      }
    }
    return mask
  }

  @inline(__always)
  private func put<Value: ArchivePrimitive>(
    _ type: Value.Type,
    _ step: Step,
    _ memory: PropertyMemory,
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
    _ step: Step,
    _ memory: PropertyMemory,
    _ session: EncodingSession,
    _ mask: inout UInt64
  ) throws {
    let plan = plans[step.plan]
    if step.isOptional, plan.isNil(memory, at: step.offset) {
      if step.writesNil { session.buffer.append(Tag.none) }
      return
    }
    mask |= step.bit
    session.context.top.position = step.key
    try plan.encodeField(memory, at: step.offset, session)
  }

  // MARK: Shapes

  /// The node of the trie at which a record with the fields of `mask` ends.
  @inline(__always)
  private func end(_ mask: UInt64, _ session: EncodingSession) -> Int {
    let slot = Int(truncatingIfNeeded: mask ^ mask &>> 6 ^ mask &>> 17) & (FieldsWriter.endCount - 1)
    let known = ends[slot]
    return known.mask == mask && known.node >= 0 ? known.node : findEnd(mask, slot, session)
  }

  @inline(never)
  private func findEnd(_ mask: UInt64, _ slot: Int, _ session: EncodingSession) -> Int {
    var node = ShapeTrie.root
    // No two fields have the same key, so there is a step for each.
    for step in steps where step.bit == 0 || mask & step.bit != 0 {
      node = session.tables.shapes.step(from: node, key: step.key) ?? node
    }
    ends[slot] = (mask, node)
    return node
  }
}
