/// A stored property that gets its value when everything else is there.
class AnyWaitingProperty: AnyDeferredValue {
  let property: StoredProperty

  fileprivate init(_ property: StoredProperty) {
    self.property = property
    super.init(offset: 0)
  }

  /// Makes the property of `owner` empty.
  ///
  /// - Returns: `false`, without doing anything, if it is none of the class of `owner`.
  fileprivate func empty(in owner: AnyObject) -> Bool { false }

  /// Makes the set or dictionary in the property of `owner` anew, with `others` that were equal to elements of it.
  ///
  /// - Parameter value: what was read for the property, which may have none now.
  /// - Returns: it, and by which hashes; `nil` if it cannot be made anew.
  fileprivate func mend(
    _ value: any HashedValue,
    in owner: AnyObject,
    with others: [Any]
  ) -> (value: any HashedValue, hashes: [Int])? { nil }
}

/// A property of a type that can be empty, which it is as long as it waits.
private final class WaitingProperty<Value: Decodable & ValueThatCanBeEmpty>: AnyWaitingProperty {
  override func empty(in owner: AnyObject) -> Bool {
    property.assign(Value.empty, as: Value.self, in: owner)
  }

  override func decode(_ session: DecodingSession, _ waiting: DeferredQueue.Waiting) throws {
    session.detachFrames(for: waiting.offset)
    var cursor = waiting.offset
    let value = try session.decodeInside(Value.self, at: &cursor, 0)
    // A rehearsal closes no cycle, which nobody would break.
    guard !session.settings.isRehearsal, let owner = session.owner(waiting.number) else { return }
    guard let present = property.value(as: Value.self, in: owner), present.isEmptyForNow,
      property.assign(value, as: Value.self, in: owner)
    else { throw session.isNotEmpty(property, waiting.offset) }
    session.noteHashed(in: self, of: owner, at: waiting.offset)
  }

  override func mend(
    _ value: any HashedValue,
    in owner: AnyObject,
    with others: [Any]
  ) -> (value: any HashedValue, hashes: [Int])? {
    let present = property.value(as: Value.self, in: owner) as? any HashedValue
    guard let mended = (present ?? value).mended(with: others) else { return nil }
    // Before it is assigned: the owner may be an element, and be hashed by the property.
    let hashes = mended.elementHashes
    if present != nil {
      guard let new = mended as? Value, property.assign(new, as: Value.self, in: owner) else { return nil }
    }
    return (mended, hashes)
  }
}

/// A property that may be the place of conditional references, which are not the reason for their objects to be decoded.
private final class ReferenceProperty<Target: AnyObject>: ReferenceReceiver {
  private let property: StoredProperty

  init(_ property: StoredProperty) {
    self.property = property
  }

  override func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession)
    throws
  {
    if session.settings.isRehearsal { return }
    // Where there are weak references to an object, counting takes several times as long.
    if property.ownership == .weak, let owner = session.graph.objects.unretained(reference.owner),
      session.later.readLast.replaced.isEmpty, owner.use({ property.assign(reference: object, in: $0) })
    {
      return
    }
    guard let owner = session.owner(reference.owner) else { return }
    try reference.check(object, isA: Target.self, session)
    guard assign(knownDowncast(object, to: Target.self), in: owner) else {
      throw session.isNotEmpty(property, reference.offset)
    }
  }

  override func waits(for reference: WaitingReference, _ session: DecodingSession) -> Bool {
    guard let owner = session.owner(reference.owner) else { return false }
    if property.ownership != .strong { return property.reference(in: owner) == nil }
    return property.value(as: Target?.self, in: owner).map { $0 == nil } ?? true
  }

  override var target: (any (Decodable & AnyObject).Type)? {
    Target.self as? any (Decodable & AnyObject).Type
  }

  /// Assigns `target` to the property of `owner`, which is empty as long as it waits.
  ///
  /// - Returns: `false` if it is not.
  private func assign(_ target: Target, in owner: AnyObject) -> Bool {
    if property.ownership != .strong { return property.assign(reference: target, in: owner) }
    guard let present = property.value(as: Target?.self, in: owner), present == nil else { return false }
    return property.assign(target, as: Target?.self, in: owner)
  }
}

extension DecodingContainerState {
  /// Whether the value of `key` at `start` is read when everything else is there. Until then the property is empty.
  ///
  /// - Parameter needsValue: whether what is empty must be a `Value`, and cannot be nil in its place.
  /// - Returns: `nil` if it is read now, and otherwise whether an empty `Value` stands for it.
  @inline(never)
  func isReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    at start: Int,
    needsValue: Bool
  ) throws -> Bool? {
    let isConditional = try session.reader.byte(at: start) & 0xFC == Tag.conditionalReference
    guard isConditional || session.later.readLast.haveKeys, let object = session.graph.inProgress.last,
      object.number > 0, isRecord(of: object)
    else { return nil }
    let property = session.propertyReadLast(type, key, object, self)
    if try isConditional
      || property.isConditional && session.isReference(at: start) && !session.leadsToLazyValue(start)
    {
      guard let reference = property.reference, !needsValue || type is any OptionalValue.Type,
        let number = try session.referencedBody(at: start)
      else { return nil }
      try session.checkIsObject(number, at: start)
      try session.charge(DecodingBudget.deferredOverhead, at: start)
      session.graph.conditional.append(
        WaitingReference(receiver: reference, number: number, offset: start, owner: object.number)
      )
    } else {
      guard let waiting = property.waiting, !needsValue || property.canBeEmpty else { return nil }
      try session.charge(DecodingBudget.deferredOverhead, at: start)
      session.later.deferred.append(.init(value: waiting, number: object.number, offset: start))
    }
    try advance(past: nextSlot, from: start, to: session.end(ofValueAt: start))
    return property.canBeEmpty
  }

  /// Offers the property that is encoded under `key`, whose value could not be decoded, to the cycle that was met, if it is
  /// part of it and can wait. The way back waits rather than the way there, as in ``EncodingSession``.
  ///
  /// - Parameter needsValue: whether what is empty must be a `Value`, and cannot be nil in its place.
  @inline(never)
  func offerToWait<Value: Decodable, Key: CodingKey>(_ type: Value.Type, _ key: Key, needsValue: Bool) {
    guard let cycle = session.later.readLast.cycle,
      session.graph.objects.state(cycle.target) == .isBeingDecoded,
      let property = propertyThatCanWait(type, key, needsValue: needsValue),
      property.preference > cycle.property?.preference ?? 0
    else { return }
    session.later.readLast.cycle?.property = property
  }

  /// Notes that the sets and dictionaries that were noted behind the first `count` are in the property that is encoded
  /// under `key`, as far as they are in none yet.
  @inline(__always)
  func noteHashed<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    needsValue: Bool,
    _ count: Int,
    at start: Int
  ) {
    if session.later.readLast.hashed.count > count { noteHashed(type, key, needsValue, behind: count, start) }
  }

  @inline(never)
  private func noteHashed<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ needsValue: Bool,
    behind count: Int,
    _ start: Int
  ) {
    guard let object = session.graph.inProgress.last, object.number > 0, isRecord(of: object) else { return }
    if storedProperty(type, key, of: object.type) != nil {
      session.later.readLast.noteStored(by: object.number, behind: count)
    }
    guard let property = propertyThatCanWait(type, key, needsValue: needsValue) else { return }
    session.later.readLast.note(property, ofHashedBehind: count)
    guard session.later.readLast.lastHashedOffset == start, let waiting = property.waiting else { return }
    let number = object.number
    session.later.readLast.changeLastHashed {
      // What the initializer does with a set is not known: elements cannot be added to what it has made of it.
      $0.makeAnew = { [unowned session] value, others in
        others.isEmpty ? session.owner(number).flatMap { waiting.mend(value, in: $0, with: []) } : nil
      }
    }
  }

  private func propertyThatCanWait<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    needsValue: Bool
  ) -> PropertiesReadLast.PropertyOfKey? {
    guard let object = session.graph.inProgress.last, object.number > 0, isRecord(of: object) else {
      return nil
    }
    let property = session.findProperty(type, key, object, isReadLast: true)
    return property.preference > 0 && (!needsValue || property.canBeEmpty) ? property : nil
  }

  /// Whether it has the properties of `object`, or those of a superclass.
  fileprivate func isRecord(of object: TypedValueInProgress) -> Bool {
    offset == object.content || session.later.readLast.isSuperclass(of: object.number, at: offset)
  }

  /// An empty value of `type`, if its values can be empty.
  @inline(never)
  func empty<Value>(_ type: Value.Type) -> Value? {
    (type as? any ValueThatCanBeEmpty.Type)?.empty as? Value
  }
}

/// The property of `owner` in which an initializer stores the value of `key`, unless it makes something else of it.
private func storedProperty<Value, Key: CodingKey>(
  _ type: Value.Type,
  _ key: Key,
  of owner: Any.Type
) -> StoredProperty? {
  guard let property = StoredProperties.of(owner)?.property(named: propertyNames(of: key)),
    property.type == Value.self || property.type == Value?.self
  else { return nil }
  return property
}

extension DecodingSession {
  /// Notes that a reference leads back to the object `number`, whose initializer is running.
  func meetCycle(_ number: Int) {
    // A rehearsal closes no cycle.
    if !settings.isRehearsal { later.readLast.cycle = .init(target: number) }
  }

  /// Notes that the value at `offset` of `container` is the part of a superclass, if the class has one. Otherwise it is
  /// another value, whose keys may be those of properties, too.
  func noteSuperclass(in container: DecodingContainerState, at offset: Int) {
    guard later.readLast.areThere, let object = graph.inProgress.last, object.number > 0,
      RuntimeTypes.superclass(of: object.type) != nil, container.isRecord(of: object)
    else { return }
    later.readLast.noteSuperclass(of: object.number, at: offset)
  }

  /// The object `number` as its initializer made it.
  fileprivate func owner(_ number: Int) -> AnyObject? {
    later.readLast.replaced[number] ?? graph.objects.object(number)
  }

  /// The property for the value of `key`, as far as it can wait.
  fileprivate func propertyReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress,
    _ container: DecodingContainerState
  ) -> PropertiesReadLast.PropertyOfKey {
    guard container.head.isRecord, object.entry >= 0 else {
      return findProperty(type, key, object, isReadLast: false)
    }
    let number = image.shapeKey(container.head.firstSlot + container.nextSlot)
    return property(number, of: object, Value.self) { findProperty(type, key, object, isReadLast: $0) }
  }

  /// The property for the key of that number, found by `find` the first time.
  @inline(__always)
  private func property(
    _ key: Int,
    of object: TypedValueInProgress,
    _ value: Any.Type,
    find: (_ isReadLast: Bool) -> PropertiesReadLast.PropertyOfKey
  ) -> PropertiesReadLast.PropertyOfKey {
    if let known = later.readLast.property(key, of: object.entry), known.owner == object.type,
      known.value == value
    {
      return known
    }
    let found = find(isReadLast(image.keys[key], by: object.entry))
    later.readLast.note(found, key, of: object.entry)
    return found
  }

  /// Empties the property of `owner`, whose value under `key` is at `offset`, and reads it when everything else is there.
  ///
  /// - Returns: `false`, without doing anything, if the property is read now: by `owner`'s class it is not read last, or
  ///   it cannot wait, or `owner` is not the object whose body is being read.
  func readLast(_ property: StoredProperty, _ key: Int, of owner: AnyObject, at offset: Int) throws -> Bool {
    guard let object = graph.inProgress.last, object.number > 0, object.entry >= 0,
      graph.objects.object(object.number) === owner
    else { return false }
    let found = self.property(key, of: object, property.type) {
      .init(
        object.type,
        property.type,
        waiting: $0 || later.readLast.include(property) ? waitingProperty(property) : nil,
        reference: nil
      )
    }
    guard let waiting = found.waiting, waiting.empty(in: owner) else { return false }
    try charge(DecodingBudget.deferredOverhead, at: offset)
    later.deferred.append(.init(value: waiting, number: object.number, offset: offset))
    return true
  }

  /// Offers `property` of `owner`, whose value could not be decoded, to the cycle that was met, if it is part of it and can
  /// wait. That `owner` is there before what it holds closes the cycle only for who meets it first.
  @inline(never)
  func offerToWait(_ property: StoredProperty, of owner: AnyObject) {
    guard let cycle = later.readLast.cycle, graph.objects.state(cycle.target) == .isBeingDecoded,
      let object = graph.inProgress.last, object.number > 0,
      graph.objects.object(object.number) === owner, let waiting = waitingProperty(property)
    else { return }
    let found = PropertiesReadLast.PropertyOfKey(
      property.owner,
      property.type,
      waiting: waiting,
      reference: nil,
      isField: true
    )
    if found.preference > cycle.property?.preference ?? 0 { later.readLast.cycle?.property = found }
  }

  /// What assigns `property` later, if it can wait.
  private func waitingProperty(_ property: StoredProperty) -> AnyWaitingProperty? {
    func make<Stored: Decodable & ValueThatCanBeEmpty>(_ type: Stored.Type) -> AnyWaitingProperty {
      WaitingProperty<Stored>(property)
    }
    guard property.isVariable, property.ownership == .strong,
      let type = property.type as? any (Decodable & ValueThatCanBeEmpty).Type
    else { return nil }
    return make(type)
  }

  private func isReadLast(_ key: String, by entry: Int) -> Bool {
    sequence(first: entry) { self.image.classes[$0].superclass }.contains { number in
      image.classes[number].keysReadLast.contains { ExactString(string: $0) == ExactString(string: key) }
    }
  }

  fileprivate func findProperty<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress,
    isReadLast: Bool
  ) -> PropertiesReadLast.PropertyOfKey {
    var waiting: AnyWaitingProperty?
    var reference: ReferenceReceiver?
    var weak: StoredProperty?
    func makeReference<Target: AnyObject>(_ type: Target.Type, _ property: StoredProperty) {
      reference = ReferenceProperty<Target>(property)
    }
    if let property = storedProperty(type, key, of: object.type), property.isVariable {
      if let target = (property.type as? any OptionalValue.Type)?.wrapped as? any AnyObject.Type {
        makeReference(target, property)
        if property.ownership == .weak { weak = property }
      }
      if isReadLast || later.readLast.include(property) { waiting = waitingProperty(property) }
    }
    return .init(
      object.type,
      Value.self,
      waiting: waiting,
      reference: reference,
      weak: weak,
      isConditional: weak.map(later.readLast.include) ?? false
    )
  }

  // MARK: Hashes

  /// Whether what is hashed in a set of `type` may depend on objects.
  static func mayHoldObjects(_ type: Any.Type) -> Bool {
    func isPlain<Element>(_ type: Element.Type) -> Bool { _isPOD(type) || type is any ReadablePrimitive.Type }
    if _openExistential(type, do: isPlain) { return false }
    if let wrapped = (type as? any OptionalValue.Type)?.wrapped { return mayHoldObjects(wrapped) }
    guard !(type is AnyClass), let properties = StoredProperties.of(type) else { return true }
    return properties.list.contains { mayHoldObjects($0.type) }
  }

  /// Notes a set or dictionary, if properties of what is hashed in it may get their values later.
  @inline(__always)
  func noteHashed(_ value: any HashedValue, _ equal: [Any], at offset: Int) throws {
    guard later.readLast.areThere || graph.haveEarly else { return }
    try charge(DecodingBudget.deferredOverhead, at: offset)
    let object = graph.inProgress.last?.number ?? 0
    later.readLast.noteHashed(HashesOfElements(value, equal, offset, in: object))
  }

  /// Notes that the value at `offset`, if it is the set or dictionary that was noted last, is in a property of `owner`.
  fileprivate func noteHashed(in property: AnyWaitingProperty, of owner: AnyObject, at offset: Int) {
    guard later.readLast.lastHashedOffset == offset else { return }
    later.readLast.changeLastHashed {
      $0.makeAnew = { value, others in property.mend(value, in: owner, with: others) }
    }
  }

  /// Notes that the sets and dictionaries that were noted behind the first `count` are in `property` of `owner`, whose
  /// value is at `offset`, as far as they are in none yet.
  @inline(never)
  func noteHashed(in property: StoredProperty, of owner: AnyObject?, at offset: Int, _ count: Int) {
    guard let owner, let number = graph.inProgress.last?.number else { return }
    later.readLast.noteStored(by: number, behind: count)
    guard let waiting = waitingProperty(property) else { return }
    let found = PropertiesReadLast.PropertyOfKey(
      property.owner,
      property.type,
      waiting: waiting,
      reference: nil
    )
    later.readLast.note(found, ofHashedBehind: count)
    noteHashed(in: waiting, of: owner, at: offset)
  }

  /// Makes the sets and dictionaries anew whose elements had other hashes while properties waited. To be called when none
  /// waits any more.
  ///
  /// Elements may be hashed by sets of their own, so there are as many rounds as sets depend on each other.
  ///
  /// - Throws: where that is not possible, as an initializer has the set. If that can wait, too, it does when the value is
  ///   decoded anew.
  func checkHashes() throws {
    var values = later.readLast.takeHashed()
    var areRight = false
    while !areRight {
      areRight = true
      for index in values.indices {
        let hasLost = values[index].hasLost
        guard hasLost || values[index].haveChanged else { continue }
        if values[index].mend(hasLost: hasLost) {
          areRight = false
          try count(mending: values[index])
        } else if hasLost || values[index].isStored || later.readLast.areThere {
          throw isHashedTooEarly(values[index])
        }
        // Of objects that were known early, a set may be one that an initializer only used.
      }
    }
  }

  private func count(mending value: HashesOfElements) throws {
    do throws(ArchiveError) {
      try countReading(value.count, at: value.offset)
    } catch {
      throw corrupted(error, searchedPath(to: value.offset))
    }
  }

  private func isHashedTooEarly(_ value: HashesOfElements) -> DecodingError {
    // It is made when the properties have their values, if it can wait as well.
    if !settings.isRehearsal {
      later.readLast.cycle = .init(target: 0, property: value.property)
    }
    return corrupted(
      ArchiveError.misuse(
        "The elements of a \(value.type) were hashed before one of their properties had its value, because the property "
          + "closes a cycle. Leave the property out of == and hash(into:), or make the set or dictionary a stored var",
        at: value.offset
      ),
      searchedPath(to: value.offset)
    )
  }

  fileprivate func isNotEmpty(_ property: StoredProperty, _ offset: Int) -> DecodingError {
    let name = "\(property.owner).\(property.name)"
    return corrupted(
      ArchiveError.misuse(
        "\(name) closes a cycle, so it is empty while init(from:) runs and gets its value afterwards. But init(from:) "
          + "stored another value in it. Decode \(name) unchanged, and derive from it in awakeFromArchive()",
        at: offset
      ),
      searchedPath(to: offset)
    )
  }
}
