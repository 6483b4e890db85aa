extension DecodingContainerState {
  /// Whether the value of `key` at `start` is read last. Until then the property is empty.
  ///
  /// - Parameter needsValue: whether the caller needs a `Value`, even if empty, and cannot use nil.
  /// - Returns: `nil` if the value is read now; otherwise whether an empty `Value` replaces it.
  @inline(never)
  func isReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    at start: Int,
    needsValue: Bool
  ) throws -> Bool? {
    let isConditional = try session.reader.byte(at: start) & 0xFC == Tag.conditionalReference
    guard
      try isConditional || session.later.readLast.haveKeys
        || session.lazies.areArchived && session.isReference(at: start),
      let object = owner
    else { return nil }
    let property = session.propertyReadLast(type, key, object, self)
    if let error = session.later.failed[start], property.isStored || property.waiting != nil {
      throw error
    }
    guard !needsValue || property.canBeEmpty, try session.wait(property, of: object, at: start)
    else { return nil }
    try advance(past: nextSlot, from: start, to: session.end(ofValueAt: start))
    return property.canBeEmpty
  }

  /// Whether the value of `key` at `start` is read last, and the property is nil until then. An initializer that asks does
  /// not decode the value.
  @inline(never)
  func isNilForNow(_ key: some CodingKey, at start: Int) throws -> Bool {
    guard session.later.failed[start] == nil, let property = owner?.property(for: key),
      let type = RuntimeMetadata.wrappedType(of: property.type) as? any Decodable.Type
    else { return false }
    return try isReadLast(type, key, at: start, needsValue: false) != nil
  }

  /// `decoder`, which is that of the value of `key`. If the value is read last, and the property is empty until then, a
  /// decoder of an empty collection, for an initializer that reads the elements one by one.
  @inline(never)
  func emptied(_ decoder: ValueDecoder, _ key: some CodingKey) throws -> any Decoder {
    let start = decoder.offset
    guard try !session.isNil(at: start), session.later.failed[start] == nil,
      let property = owner?.property(for: key), let type = property.type as? any Decodable.Type,
      (RuntimeMetadata.wrappedType(of: type) ?? type) is any ValueThatCanBeEmpty.Type,
      try isReadLast(type, key, at: start, needsValue: true) != nil
    else { return decoder }
    guard (try? decoder.container(keyedBy: ArchiveCodingKey.self)) != nil else {
      return PackedUnkeyedDecoder(session: session, codingPath: decoder.codingPath, numbers: PackedArray([]))
    }
    session.nesting.frames[decoder.depth].setKeyed(KeyedHead(isElsewhere: true, payload: start))
    return decoder
  }

  /// Throws an error if the value of `key` at `start` is read last.
  @inline(never)
  func throwIfReadLast<Value: Decodable>(_ type: Value.Type, _ key: some CodingKey, at start: Int) throws {
    guard try isReadLast(type, key, at: start, needsValue: false) != nil else { return }
    throw session.corrupted(
      ArchiveError(
        .cycle,
        "The property for this value closes a cycle, and gets the value after everything else. Decode it with "
          + "decodeIfPresent",
        byteOffset: start
      ),
      session.path(toValueAt: start, in: depth)
    )
  }

  /// Does what is possible about `error`, which decoding the value of `key` at `start` threw, if it reports a cycle or
  /// that values are nested too deep.
  ///
  /// If the initializer catches it and leaves the property empty, the property can still wait.
  ///
  /// - Parameter needsValue: whether the caller needs a `Value`, even if empty, and cannot use nil.
  @inline(never)
  func handle<Value: Decodable, Key: CodingKey>(
    _ error: any Error,
    _ type: Value.Type,
    _ key: Key,
    at start: Int,
    needsValue: Bool
  ) {
    guard let object = owner else { return }
    func find() -> PropertiesReadLast.PropertyOfKey {
      session.findProperty(type, key, object, isReadLast: true)
    }
    session.offerToWait {
      let property = find()
      return canWait(property, needsValue) ? property : nil
    }
    guard let loss = session.loss(error), loss.code != .damaged else { return }
    if (try? session.wait(find(), of: object, at: start)) == true {
      session.later.caught.forget(at: loss.offset)
    }
  }

  /// Notes that the sets and dictionaries noted after the first `count` are in the property for `key`, except those
  /// that already have a holder.
  @inline(never)
  func noteHashed<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    needsValue: Bool,
    after count: Int,
    at start: Int
  ) {
    guard let object = owner else { return }
    let property = session.findProperty(type, key, object, isReadLast: true)
    guard property.isStored else { return }
    session.later.hashed.noteStored(by: object.number, after: count)
    guard canWait(property, needsValue) else { return }
    session.later.hashed.note(property, after: count)
    guard session.later.hashed.lastOffset == start, let waiting = property.waiting else { return }
    let number = object.number
    // The initializer may have changed the set, so no elements are added to it.
    session.later.hashed.noteReplacement { [unowned session] value, others in
      others.isEmpty ? session.owner(number).flatMap { waiting.replace(value, in: $0, with: []) } : nil
    }
  }

  private func canWait(_ property: PropertiesReadLast.PropertyOfKey, _ needsValue: Bool) -> Bool {
    property.preference > 0 && (!needsValue || property.canBeEmpty)
  }

  /// The object that is being decoded, if this container has its properties, or those of a superclass.
  fileprivate var owner: TypedValueInProgress? {
    guard let object = session.graph.inProgress.last, object.number > 0,
      offset == object.content || session.later.readLast.isSuperclass(of: object.number, at: offset)
    else { return nil }
    return object
  }

  /// An empty value of `type`; `nil` if its values cannot be empty.
  @inline(never)
  func empty<Value>(_ type: Value.Type) -> Value? {
    (type as? any ValueThatCanBeEmpty.Type)?.empty as? Value
  }
}

extension DecodingSession {
  /// Lets `property` of `object` get its value, which is at `start`, after everything else.
  ///
  /// - Returns: `false`, without doing anything, if the property cannot wait for that value.
  fileprivate func wait(
    _ property: PropertiesReadLast.PropertyOfKey,
    of object: TypedValueInProgress,
    at start: Int
  ) throws -> Bool {
    let isConditional = try reader.byte(at: start) & 0xFC == Tag.conditionalReference
    if let reference = property.reference,
      try isConditional || property.isConditional && isReference(at: start) && lazyBody(at: start) == nil
    {
      guard let number = try referencedBody(at: start) else { return false }
      try checkIsObject(number, at: start)
      try charge(DecodingBudget.deferredOverhead, at: start)
      graph.conditional.append(
        WaitingReference(receiver: reference, number: number, offset: start, owner: object.number)
      )
    } else {
      guard let waiting = isConditional ? property.retained : property.waiting else { return false }
      // The initializer may ask twice.
      if !later.deferred.hasLately(start, of: object.number) {
        try charge(DecodingBudget.deferredOverhead, at: start)
        later.deferred.append(.init(value: waiting, number: object.number, offset: start))
      }
    }
    return true
  }

  /// Notes that the value at `offset` in `container` is the part of a superclass, if the class has a superclass.
  /// Otherwise it is another value, whose keys may also be those of properties.
  func noteSuperclass(in container: DecodingContainerState, at offset: Int) {
    guard later.readLast.areThere, let object = container.owner,
      RuntimeTypes.superclass(of: object.type) != nil
    else { return }
    later.readLast.superclasses.append((object.number, offset))
  }

  /// The property for the value of `key`, with what can wait for the value.
  fileprivate func propertyReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress,
    _ container: DecodingContainerState
  ) -> PropertiesReadLast.PropertyOfKey {
    guard container.head.isRecord, object.entry >= 0 else {
      let isReadLast = object.entry >= 0 && image.classes.readLast(key.stringValue, by: object.entry)
      return findProperty(type, key, object, isReadLast: isReadLast)
    }
    let number = image.shapeKey(container.head.firstSlot + container.nextSlot)
    return property(number, of: object, Value.self) { findProperty(type, key, object, isReadLast: $0) }
  }

  /// The property for the key with the number `key`. `find` finds it the first time.
  @inline(__always)
  private func property(
    _ key: Int,
    of object: TypedValueInProgress,
    _ value: Any.Type,
    find: (_ isReadLast: Bool) -> PropertiesReadLast.PropertyOfKey
  ) -> PropertiesReadLast.PropertyOfKey {
    if let known = later.readLast.known[object.entry, key], known.owner == object.type, known.value == value {
      return known
    }
    let found = find(image.classes.readLast(image.keys[key], by: object.entry))
    later.readLast.known[object.entry, key] = found
    return found
  }

  /// Empties the property of `owner`, whose value under `key` is at `offset`, and reads the value last.
  ///
  /// - Returns: `false`, without doing anything, if the value is read now: the class of `owner` does not read the
  ///   property last, the property cannot wait, or `owner` is not the object whose body is being read.
  func readLast(_ property: StoredProperty, _ key: Int, of owner: AnyObject, at offset: Int) throws -> Bool {
    guard let object = inProgress(owner), object.entry >= 0 else { return false }
    if let error = later.failed[offset] { throw error }
    let found = self.property(key, of: object, property.type) {
      .init(
        object.type,
        property.type,
        waiting: $0 || later.readLast.include(property) ? waitingProperty(property, isField: true) : nil
      )
    }
    guard let waiting = found.waiting?.beginWaiting(in: owner) else { return false }
    try charge(DecodingBudget.deferredOverhead, at: offset)
    later.deferred.append(.init(value: waiting, number: object.number, offset: offset))
    return true
  }

  /// Offers `property` of `owner`, whose value could not be decoded, to the cycle that was met. `owner` is known early,
  /// which closes the cycle only for a reader that meets `owner` first.
  @inline(never)
  func offerToWait(_ property: StoredProperty, of owner: AnyObject) {
    offerToWait { inProgress(owner) == nil ? nil : fieldThatCanWait(property) }
  }

  /// Offers the property that `find` finds to the cycle that was met, if there is one. The way back waits rather than
  /// the way there, as in ``EncodingSession``.
  fileprivate func offerToWait(_ find: () -> PropertiesReadLast.PropertyOfKey?) {
    guard var cycle = later.readLast.cycle, graph.objects.state(cycle.target) == .isBeingDecoded,
      let property = find(), property.preference > cycle.property?.preference ?? 0
    else { return }
    cycle.property = property
    // Not through the optional: the optimizer of Swift 6.3 then never releases the property that was there.
    later.readLast.cycle = cycle
  }

  /// The object that is being decoded, if it is `owner`.
  private func inProgress(_ owner: AnyObject) -> TypedValueInProgress? {
    guard let object = graph.inProgress.last, object.number > 0,
      graph.objects.object(object.number) === owner
    else { return nil }
    return object
  }

  /// `property`, which is read from memory, if it can wait.
  func fieldThatCanWait(_ property: StoredProperty) -> PropertiesReadLast.PropertyOfKey? {
    waitingProperty(property, isField: true).map {
      .init(property.owner, property.type, waiting: $0, isField: true)
    }
  }

  /// What assigns `property` later, if it can wait.
  private func waitingProperty(_ property: StoredProperty, isField: Bool) -> AnyWaitingProperty? {
    func makeEmpty<Stored: Decodable & ValueThatCanBeEmpty>(_ type: Stored.Type) -> AnyWaitingProperty {
      WaitingEmptyProperty<Stored>(property)
    }
    func make<Stored: Decodable>(_ type: Stored.Type) -> AnyWaitingProperty {
      WaitingProperty<Stored>(property)
    }
    guard isField ? property.canWaitAsField : property.canWait else { return nil }
    if let type = property.type as? any (Decodable & ValueThatCanBeEmpty).Type { return makeEmpty(type) }
    return (property.type as? any Decodable.Type).map { make($0) }
  }

  fileprivate func findProperty<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress,
    isReadLast: Bool
  ) -> PropertiesReadLast.PropertyOfKey {
    var waiting: AnyWaitingProperty?
    var reference: (any ReferenceReceiver)?
    var retained: AnyWaitingProperty?
    var weak: StoredProperty?
    func makeReference<Target: AnyObject>(_ type: Target.Type, _ property: StoredProperty) {
      reference = ReferenceProperty<Target>(property)
    }
    let property = object.property(for: key)
    let isStored = property?.type == Value.self || property?.type == Value?.self
    if isStored || later.readLast.throwsForValues, let property, property.isVariable {
      if isStored, property.ownership == .strong {
        retained = waitingProperty(property, isField: false)
      } else if isStored, let target = RuntimeMetadata.wrappedType(of: property.type) as? any AnyObject.Type {
        makeReference(target, property)
        if property.ownership == .weak { weak = property }
      }
      if isReadLast || later.readLast.include(property) {
        waiting = retained ?? waitingProperty(property, isField: false)
      }
    }
    return .init(
      object.type,
      Value.self,
      waiting: waiting,
      reference: reference,
      retained: retained,
      weak: weak,
      // Only a lazy value may hold the object, so it would not stay.
      isConditional: weak.map { lazies.areArchived || later.readLast.include($0) } ?? false,
      isStored: isStored
    )
  }
}

extension TypedValueInProgress {
  /// The stored property that `key` names.
  fileprivate func property(for key: some CodingKey) -> StoredProperty? {
    StoredProperty.all(of: type)?.property(named: propertyNames(of: key))
  }
}
