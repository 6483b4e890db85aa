/// Values of types whose stored properties are archived as they are. The library reads a record into their memory,
/// without a `Decoder`, a container, or a search for a key (see ``ArchivedFields``).
final class FieldsDecodingPlan<Value: ArchivedFields>: DecodingPlan<Value> {
  private let reader = FieldsReader(Value.self)

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    guard cursor != session.lookups.topLevelOffset, let record = try RecordHead(session, at: cursor) else {
      return try session.decodePlainly(Value.self, at: &cursor, depth)
    }
    guard session.stack.bounds.hasRoom(holding: Value.self) else {
      return try session.onLargerStack { try decode(at: &cursor, session, depth) }
    }
    var value = Value()
    try withMutablePropertyMemory(of: &value) { memory in
      cursor = try reader.decode(into: memory, record, session, depth)
    }
    return value
  }
}

extension DecodingSession {
  /// Reads the properties in `memory`, those of a value of `type` whose decoder is at `place`.
  ///
  /// - Returns: `false`, without doing anything, if the value is not a record, if it is the top level, whose values may
  ///   be elsewhere, or if it is read outside of an outermost decode: each property is an outermost value then, and the
  ///   session may drop plans between them.
  @inline(__always)
  func readFields(_ memory: MutablePropertyMemory, of type: Any.Type, at place: ArchivePlace) throws -> Bool {
    let start = place.offset
    guard start != lookups.topLevelOffset, later.isActive, let record = try RecordHead(self, at: start) else {
      return false
    }
    let end = try types.plans.fields(of: type).use { reader in
      let unwalked = graph.unwalked
      // If all values are primitive, reading them shows what the walk would: that their number is right, and that
      // nothing else is in the body. Each takes at least a byte.
      let mostValues = unwalked.lowerBound == start ? unwalked.upperBound &- record.payload : -1
      let isWalk = try !unwalked.isEmpty && reader.primitiveCount(record, self) <= mostValues
      if !isWalk { try walkUnwalked() }
      do {
        let end = try reader.decode(into: memory, record, self, place.depth &- 1)
        if isWalk, end == unwalked.upperBound { graph.unwalked = 0..<0 } else { try walkUnwalked() }
        return end
      } catch {
        // An error about the body as a whole comes first, even if the program continues after it.
        try walkUnwalked()
        throw error
      }
    }
    nesting.complete(start, end)
    return true
  }
}

extension DecodingSession {
  /// The plan for a property, by its type and its ownership.
  func fieldPlan(for property: StoredProperty) throws(ArchiveError) -> AnyDecodingPlan {
    func plan<Value: Decodable>(_ type: Value.Type) -> AnyDecodingPlan {
      types.plans.plan(for: type).use { $0 }
    }
    func referencePlan<Target: Decodable & AnyObject>(_ type: Target.Type) -> AnyDecodingPlan {
      ReferenceFieldDecodingPlan<Target>(property)
    }
    // Common, and the cast would search for two conformances.
    if property.type == [String].self { return plan([String].self) }
    if property.ownership == .strong, let type = property.type as? any Decodable.Type { return plan(type) }
    if let type = property.target as? DecodableClass { return referencePlan(type) }
    throw .misuse("\(property.owner).\(property.name) is not Decodable")
  }
}

/// A property that is not strong. If it is weak, it waits for its object like a ``WeakReference``.
private final class ReferenceFieldDecodingPlan<Target: Decodable & AnyObject>: AnyDecodingPlan {
  private let property: StoredProperty

  init(_ property: StoredProperty) {
    self.property = property
  }

  override func decodeField(
    _ memory: MutablePropertyMemory,
    at offset: Int,
    from cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    guard property.ownership != .weak else {
      let box = try session.decodeConditional(Target.self, at: &cursor)
      // All weak references have the same layout, whatever class they are declared with.
      memory.withValue(Weak<AnyObject>.self, at: offset) { $0.object = nil }
      if let owner = memory.object { box?.whenFound(for: owner, property) }
      return
    }
    let target: Target? =
      property.type == Target.self
      ? try session.decodeByPlan(Target.self, at: &cursor, depth)
      : try session.decodeByPlan(Target?.self, at: &cursor, depth)
    memory.store(unowned: target, property)
  }
}
