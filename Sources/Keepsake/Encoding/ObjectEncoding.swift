/// Class instances: a reference where they are reached, their content in a body of its own (Format §4.9,
/// §4.1).
final class ClassEncodingPlan<Value: Encodable>: EncodingPlan<Value> {
  override func encode(_ value: Value, _ session: EncodingSession) throws {
    let object = value as AnyObject
    guard let (number, isNew) = session.objects.number(for: object) else {
      throw session.tooManyObjects
    }
    if isNew { session.pending.append(self) }
    if ObjectIdentifier(type(of: object)) != ObjectIdentifier(Value.self) {
      try session.notePolymorphism(of: object)
    }
    if session.bodyInProgress { session.graph.addReference(to: number) }
    session.buffer.append(reference: Tag.objectReference, number)
  }

  override func standsInline(_ value: Value) -> Bool { true }
  override var canBeNil: Bool { false }

  override func encodeBody(_ object: AnyObject, _ session: EncodingSession) throws {
    guard let value = object as? Value else { return }
    try session.encodePlainly(value)
  }
}

extension EncodingSession {
  func notePolymorphism(of object: AnyObject) throws {
    classes.markPolymorphic(classNumber(of: type(of: object)))
  }

  var tooManyObjects: EncodingError {
    misuse("An archive holds at most \(ObjectRegistry.mostNumbers) objects", code: .limitExceeded)
  }

  /// The number of a class in the class table; its superclasses get theirs before it.
  func classNumber(of type: AnyClass) -> Int {
    if let number = classes.number(of: type) { return number }
    let superclass = _getSuperclass(type).flatMap { $0 is any Encodable.Type ? classNumber(of: $0) : nil }
    return classes.add(ClassEntry(name: archivedName(of: type), superclass: superclass), type)
  }

  /// The name of a class as it stands in the archive. The names of private and local classes hold an address
  /// of the process, which must not get into a file; of those only the last part is kept.
  private func archivedName(of type: AnyClass) -> String {
    let full = String(reflecting: type)
    return full.contains("(unknown context") ? "(private)." + String(describing: type) : full
  }

  // MARK: Bodies

  /// Encodes the bodies of all objects that were reached and have none yet, and those that they reach.
  func drain() throws {
    let first = assembly.bodyCount + 1
    while let plan = pending.next() {
      let number = assembly.bodyCount + 1
      guard let object = objects.object(number) else { continue }
      try encodeBody(basePath: .object(number), class: classNumber(of: type(of: object))) {
        try plan.encodeBody(object, self)
      }
    }
    if let cycle = graph.findCycle(from: first) { throw unreadable(cycle) }
  }

  private func encodeBody(
    basePath: EncodingContext.BasePath,
    class number: Int?,
    _ encode: () throws -> Void
  ) throws {
    let outer = context
    buffer.exchange(with: assembly.buffer)
    defer {
      buffer.exchange(with: assembly.buffer)
      context = outer
      bodyInProgress = false
    }
    let start = buffer.count
    graph.beginBody()
    buffer.append(varint: number.map { $0 + 1 } ?? 0)
    context = EncodingContext(top: EncodingFrame(id: makeFrameID(), start: start), basePath: basePath)
    bodyInProgress = true
    try encode()
    flattenSplices(from: start)
    assembly.addBody(start..<buffer.count)
  }

  private func unreadable(_ cycle: [Int]) -> EncodingError {
    let names = cycle.compactMap { objects.object($0) }.map { String(describing: type(of: $0)) }
    let first = cycle.first ?? 0
    let ring = (names + names.prefix(1)).joined(separator: " → ")
    let message =
      "Objects refer to each other in a ring that no initializer could read back: \(ring). "
      + "Break the ring: let one of these references be found again from the outside instead of being encoded"
    return EncodingError.invalidValue(
      objects.object(first) as Any,
      .init(
        codingPath: path(ofObject: first),
        debugDescription: message,
        underlyingError: ArchiveError(.cycle, message)
      )
    )
  }

  // MARK: The top level

  /// Encodes a value of the top level: what is small stands there, anything else gets a body of its own, so
  /// that it can be read without what stands before it. Then all objects that were reached are encoded.
  func encodeTopLevel<Value: Encodable>(_ value: Value, _ plan: EncodingPlan<Value>) throws {
    try drain()
    let mark = assembly.mark
    let path = currentPath
    do {
      topLevelPaths.append((objects.count + 1, path))
      if context.top.kind == .singleUsed || context.top.kind == .unkeyed || plan.standsInline(value) {
        try plan.encode(value, self)
      } else {
        guard let number = objects.numberForValue() else { throw tooManyObjects }
        buffer.append(reference: Tag.valueReference, number)
        try encodeBody(basePath: .elements(path), class: nil) { try plan.encode(value, self) }
      }
      try drain()
    } catch {
      assembly.truncate(to: mark)
      topLevelPaths.removeLast()
      throw error
    }
  }

  /// Encodes `value` under `key` at the top level.
  func encode<Value: Encodable>(_ value: Value, forKey key: ArchiveCodingKey) throws {
    var container = ValueEncoder(session: self, frame: 0, nested: nil).container(
      keyedBy: ArchiveCodingKey.self
    )
    try container.encode(value, forKey: key)
  }
}
