/// A stored property that gets its value after everything else.
class AnyWaitingProperty: AnyDeferredValue {
  let property: StoredProperty

  init(_ property: StoredProperty) {
    self.property = property
  }

  /// Makes the property of `owner` empty, or lets it keep its default.
  ///
  /// - Returns: what assigns the value later; `nil` if the class of `owner` does not have the property.
  func beginWaiting(in owner: AnyObject) -> AnyWaitingProperty? { nil }

  /// Empties the property of `owner`, if its type has an empty value.
  ///
  /// - Returns: whether it is empty now.
  @discardableResult
  func empty(in owner: AnyObject) -> Bool { false }

  /// Replaces the set or dictionary of the property of `owner` by one with `others`, which were equal to its elements.
  ///
  /// - Parameter value: the value that was read for the property, in case it has none now.
  /// - Returns: `nil`, without doing anything, if that is not possible.
  func replace(
    _ value: any HashedValue,
    in owner: AnyObject,
    with others: [Any]
  ) -> HashesOfElements.Rehashed? { nil }
}

/// A property of an object that exists before its properties are read. It keeps its default while it waits.
class WaitingProperty<Value: Decodable>: AnyWaitingProperty {
  /// The default, if it is an object.
  private let kept: AnyObject?

  init(_ property: StoredProperty, keeping kept: AnyObject? = nil) {
    self.kept = kept
    super.init(property)
  }

  override func beginWaiting(in owner: AnyObject) -> AnyWaitingProperty? {
    guard Value.self is AnyClass else { return self }
    return property.value(as: Value.self, in: owner).map {
      WaitingProperty(property, keeping: $0 as AnyObject)
    }
  }

  /// Whether no initializer has stored another value in the property of `owner`, as far as that can be told.
  fileprivate func waits(in owner: AnyObject) -> Bool {
    kept == nil || kept === property.value(as: Value.self, in: owner) as AnyObject
  }

  override final func decode(_ session: DecodingSession, _ waiting: DeferredQueue.Waiting) throws {
    session.detachFrames(for: waiting.offset)
    var cursor = waiting.offset
    let value = try session.decodeInside(Value.self, at: &cursor, 0)
    // A rehearsal closes no cycle, which nobody would break.
    guard !session.settings.isRehearsal, let owner = session.owner(waiting.number) else { return }
    guard waits(in: owner), property.assign(value, as: Value.self, in: owner) else {
      // An initializer may have stored the same object, as that of a parent does in its children.
      if let present = property.value(as: Value.self, in: owner),
        present as AnyObject === value as AnyObject
      {
        return
      }
      throw session.isNotEmpty(property, waiting.offset)
    }
    session.noteHashed(in: self, of: owner, at: waiting.offset)
  }
}

/// A property of a type that can be empty. It is empty while it waits.
final class WaitingEmptyProperty<Value: Decodable & ValueThatCanBeEmpty>: WaitingProperty<Value> {
  override func beginWaiting(in owner: AnyObject) -> AnyWaitingProperty? {
    empty(in: owner) ? self : nil
  }

  override func empty(in owner: AnyObject) -> Bool {
    property.assign(Value.empty, as: Value.self, in: owner)
  }

  override func waits(in owner: AnyObject) -> Bool {
    if property.ownership == .unowned { return property.reference(in: owner) == nil }
    return property.withValue(as: Value.self, in: owner) { $0.isEmptyForNow } == true
  }

  override func replace(
    _ value: any HashedValue,
    in owner: AnyObject,
    with others: [Any]
  ) -> HashesOfElements.Rehashed? {
    let present = property.value(as: Value.self, in: owner) as? any HashedValue
    guard let new = (present ?? value).madeAgain(with: others) else { return nil }
    // Before the assignment: the owner may be an element that is hashed by the property.
    let hashes = new.elementHashes
    if present != nil {
      guard let new = new as? Value, property.assign(new, as: Value.self, in: owner) else { return nil }
    }
    return (new, hashes)
  }
}

/// A weak or unowned property that may have conditional references. These are no reason to decode their objects.
final class ReferenceProperty<Target: AnyObject>: ReferenceReceiver {
  private let property: StoredProperty

  init(_ property: StoredProperty) {
    self.property = property
  }

  func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession) throws {
    if session.settings.isRehearsal { return }
    // Reference counting takes several times as long if an object has weak references to it.
    if property.ownership == .weak, let owner = session.graph.objects.unretained(reference.owner),
      session.later.readLast.replaced.isEmpty, owner.use({ property.assign(reference: object, in: $0) })
    {
      return
    }
    guard let owner = session.owner(reference.owner) else { return }
    try reference.check(object, isA: Target.self, session)
    guard property.assign(reference: object, in: owner) else {
      throw session.isNotEmpty(property, reference.offset)
    }
  }

  func waits(for reference: WaitingReference, _ session: DecodingSession) -> Bool {
    guard let owner = session.owner(reference.owner) else { return false }
    return property.reference(in: owner) == nil
  }

  var target: DecodableClass? { Target.self as? DecodableClass }
}

extension DecodingSession {
  /// The object `number` as its initializer made it.
  func owner(_ number: Int) -> AnyObject? {
    later.readLast.replaced[number] ?? graph.objects.object(number)
  }

  fileprivate func isNotEmpty(_ property: StoredProperty, _ offset: Int) -> DecodingError {
    let name = "\(property.owner).\(property.shownName)"
    return misuse(
      "\(name) closes a cycle, so it gets its value after init(from:) has run. But init(from:) stored another value "
        + "in it. Decode \(name) unchanged, and derive from it in awakeFromArchive()",
      at: offset
    )
  }
}
