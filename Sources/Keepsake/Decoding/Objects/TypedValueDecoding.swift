/// Values behind a protocol, each decoded as its original type (Format §4.10).
extension ValueDecoder {
  /// The object or value at this decoder, as the type that the archive names, which must be an `Expected`.
  func decodeTypedValue<Expected>(as type: Expected.Type) throws -> Expected {
    do {
      session.claimFrame(depth, for: offset)
      var cursor = offset
      func completed<Value>(_ value: Value) throws -> Expected {
        session.nesting.complete(offset, cursor)
        if let typed = value as? Expected { return typed }
        throw session.otherType(
          type,
          "Expected \(type) but the value is a \(Swift.type(of: value as Any))",
          offset,
          codingPath
        )
      }
      if let content = try session.contentOfLazyReference(at: offset) {
        let inner = ValueDecoder(session: session, offset: content, depth: depth)
        let value = try inner.decodeTypedValue(as: type)
        session.nesting.complete(offset, try session.end(ofValueAt: offset))
        return value
      }
      if (try? session.reader.byte(at: cursor)) == Tag.typed {
        let value = try session.decodeTypedContent(at: &cursor, behind: type, depth)
        return session.isStandIn(value) ? try completed(shown(value)) : try completed(value)
      } else if try session.isReference(at: cursor),
        case let (number, entry) = try session.referencedObject(at: cursor),
        !TranslatedArchive.isValue(ofClass: session.image.classes[entry].name)
      {
        let known = try session.type(ofEntry: entry, behind: type, cursor, depth)
        do {
          return try completed(session.decodeByPlan(known, at: &cursor, depth))
        } catch {
          // What the observer gave for the object need not be of its class.
          guard session.settings.observer != nil, let other = session.graph.objects.object(number) else {
            throw error
          }
          cursor = try session.end(ofValueAt: offset)
          return try completed(other)
        }
      } else if let untyped = try session.decodeUntyped(at: &cursor, behind: type, depth),
        untyped is Expected || session.image.source != nil
      {
        return try completed(untyped)
      } else if try session.isNil(at: offset) {
        throw session.mismatch(type, offset, codingPath)
      } else {
        throw session.otherType(
          type,
          "Expected \(type) but found a value without the name of its type: it was not archived as @Polymorphic",
          offset,
          codingPath
        )
      }
    } catch ReadingFault.replacedByNil(let offset) {
      // Handled by the optional around the value.
      throw ReadingFault.replacedByNil(offset)
    } catch {
      throw session.publicError(error, as: type, codingPath)
    }
  }
}

extension DecodingSession {
  /// Whether `value` stands for a value of the program. Asking the plan avoids a look-up in the runtime for each value.
  fileprivate func isStandIn<Value: Decodable>(_ value: Value) -> Bool {
    types.plans.plan(for: Value.self).use { $0.isForStandIns }
  }

  /// - Parameter placeholder: the type to use if none is found.
  func decodeTypedContent(
    at cursor: inout Int,
    behind expected: Any.Type,
    _ depth: Int,
    orElse placeholder: (any Decodable.Type)? = nil
  ) throws -> any Decodable {
    let start = cursor
    let entry = try image.valueTypeNumber(at: &cursor)
    let type: any Decodable.Type
    do { type = try self.type(ofEntry: entry, behind: expected, start, depth) } catch {
      guard let placeholder else { throw error }
      type = placeholder
    }
    // The end need not be known, since the innermost value in progress counts.
    graph.inProgress.append(
      TypedValueInProgress(number: 0, entry: entry, type: type, range: start..<reader.count)
    )
    defer { graph.inProgress.removeLast() }
    return try decodeByPlan(type, at: &cursor, depth)
  }

  /// The number of the object to which the reference at `offset` leads, and that of its class.
  func referencedObject(at offset: Int) throws -> (number: Int, entry: Int) {
    guard let number = try referencedBody(at: offset) else { throw ReadingFault.mismatch(offset) }
    return (number, try image.objectBody(number, at: offset).classNumber)
  }

  func decodeByPlan(_ type: any Decodable.Type, at cursor: inout Int, _ depth: Int) throws -> any Decodable {
    func decode<Value: Decodable>(_ type: Value.Type) throws -> any Decodable {
      // A large value has memory of its own.
      if MemoryLayout<Value>.size >= DecodingBudget.largeValue {
        try charge(MemoryLayout<Value>.stride, at: cursor)
      }
      return try types.plans.plan(for: type).use { try $0.decode(at: &cursor, self, depth) }
    }
    return try decode(type)
  }

  @inline(__always)
  func decodeByPlan<Value: Decodable>(_ type: Value.Type, at cursor: inout Int, _ depth: Int) throws -> Value
  {
    try types.plans.plan(for: type).use { try $0.decode(at: &cursor, self, depth) }
  }
}
