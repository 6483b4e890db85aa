/// The properties of one archive that get their values when everything else is there (Format §5.3).
struct PropertiesReadLast {
  /// Whether anything in the archive can be read last.
  private(set) var areThere: Bool
  /// The keys that some class reads last.
  private var keys: Set<ExactString>
  /// For each entry of the class table and each key of the archive, the property.
  private var known: [NumberedCache<PropertyOfKey>] = []
  /// Where the records of superclasses are that stand in those of the objects in progress, and whose objects these are.
  private var superclasses: [(object: Int, offset: Int)] = []
  /// What is hashed while properties wait, to look at it when none does any more.
  fileprivate var hashed: [HashesOfElements] = []
  /// Objects whose place the observer gave to others.
  fileprivate var replaced: [Int: AnyObject] = [:]

  /// The property of a key, for objects of the type `owner` that ask for a value of the type `value`.
  final class PropertyOfKey {
    let owner: Any.Type
    let value: Any.Type
    /// `nil` where the key is not read last, or the class has no property that can wait for the value.
    let waiting: AnyWaitingProperty?
    /// `nil` where the class has no property that can wait for the object of a conditional reference.
    let reference: ReferenceReceiver?
    /// Whether the value can be empty itself, and need not be missing.
    let canBeEmpty: Bool

    init(
      _ owner: Any.Type,
      _ value: Any.Type,
      waiting: AnyWaitingProperty?,
      reference: ReferenceReceiver?
    ) {
      self.owner = owner
      self.value = value
      self.waiting = waiting
      self.reference = reference
      canBeEmpty = value is any ValueThatCanBeEmpty.Type
    }
  }

  init(_ image: ArchiveImage) {
    keys = PropertiesReadLast.keys(in: image)
    areThere = image.hasConditionals || !keys.isEmpty
  }

  private static func keys(in image: ArchiveImage) -> Set<ExactString> {
    // Most archives have no classes.
    if image.classes.isEmpty { return [] }
    guard image.classes.contains(where: { !$0.keysReadLast.isEmpty }) else { return [] }
    return Set(image.classes.lazy.flatMap(\.keysReadLast).map { ExactString(string: $0) })
  }

  /// Makes them those of another archive.
  mutating func startOver(_ image: ArchiveImage) {
    if known.isEmpty, superclasses.isEmpty, hashed.isEmpty, replaced.isEmpty {
      keys = PropertiesReadLast.keys(in: image)
      areThere = image.hasConditionals || !keys.isEmpty
    } else {
      self = PropertiesReadLast(image)
    }
  }

  /// Whether some class has properties that are read last, not only conditional ones.
  var haveKeys: Bool { !keys.isEmpty }

  /// Whether some class reads `key` last.
  func include(_ key: String) -> Bool { haveKeys && keys.contains(ExactString(string: key)) }

  fileprivate func property(_ key: Int, of entry: Int) -> PropertyOfKey? {
    entry < known.count ? known[entry][key] : nil
  }

  fileprivate mutating func note(_ property: PropertyOfKey, _ key: Int, of entry: Int) {
    while known.count <= entry { known.append(NumberedCache()) }
    known[entry][key] = property
  }

  /// Notes that the record of a superclass of the object `number` begins at `offset`.
  fileprivate mutating func noteSuperclass(of number: Int, at offset: Int) {
    superclasses.append((number, offset))
  }

  fileprivate func isSuperclass(of number: Int, at offset: Int) -> Bool {
    // Those of the innermost object are the last ones; around it there may be very many.
    for superclass in superclasses.reversed() {
      guard superclass.object == number else { return false }
      if superclass.offset == offset { return true }
    }
    return false
  }

  /// Notes that the initializer of the object `number` returned or threw.
  @inline(__always)
  mutating func end(_ number: Int) {
    while superclasses.last?.object == number { superclasses.removeLast() }
  }

  mutating func replace(_ object: AnyObject, _ number: Int) { replaced[number] = object }
}

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
}

/// A property of a type that can be empty, which it is as long as it waits.
private final class WaitingProperty<Value: Decodable & ValueThatCanBeEmpty>: AnyWaitingProperty {
  override func empty(in owner: AnyObject) -> Bool {
    property.assign(Value.empty, as: Value.self, in: owner)
  }

  override func decode(_ session: DecodingSession, _ waiting: DeferredQueue.Waiting) throws {
    session.detachFrames(for: waiting.offset)
    var cursor = waiting.offset
    let hashed = session.later.readLast.hashed.count
    let value = try session.decodeInside(Value.self, at: &cursor, 0)
    // A rehearsal closes no cycle, which nobody would break.
    guard !session.settings.isRehearsal, let owner = session.owner(waiting.number) else { return }
    guard let present = property.value(as: Value.self, in: owner), present.isEmptyForNow,
      property.assign(value, as: Value.self, in: owner)
    else { throw session.isNotEmpty(property, waiting.offset) }
    if session.later.readLast.hashed.count > hashed, value is any HashedValue {
      session.later.readLast.hashed[session.later.readLast.hashed.count - 1].put { [self] in
        mendHashes(in: owner)
      }
    }
  }

  /// Makes the set or dictionary in the property of `object` anew, by the hashes that its elements have now.
  private func mendHashes(in object: AnyObject) -> Bool {
    guard let value = property.value(as: Value.self, in: object) as? any HashedValue else { return true }
    guard let mended = value.mended as? Value else { return false }
    return property.assign(mended, as: Value.self, in: object)
  }
}

/// A property that may be the place of conditional references, which are not the reason for their objects to be decoded.
private final class ReferenceProperty<Target: AnyObject>: ReferenceReceiver {
  private let property: StoredProperty
  private let weak: WeakVariable?

  init(_ property: StoredProperty, _ type: Target.Type) {
    self.property = property
    weak = WeakVariable(property, to: type)
  }

  override func receive(_ object: AnyObject, for reference: WaitingReference, _ session: DecodingSession)
    throws
  {
    if session.settings.isRehearsal { return }
    // Where there are weak references to an object, counting takes several times as long.
    if let weak, let owner = session.graph.objects.unretained(reference.owner),
      session.later.readLast.replaced.isEmpty, owner.use({ weak.assign(object, in: $0) })
    {
      return
    }
    guard let owner = session.owner(reference.owner) else { return }
    try reference.check(object, isA: Target.self, session)
    guard assign(knownDowncast(object, to: Target.self), in: owner) else {
      throw session.isNotEmpty(property, reference.offset)
    }
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
      object.number > 0,
      offset == object.content || session.later.readLast.isSuperclass(of: object.number, at: offset)
    else { return nil }
    let property = session.propertyReadLast(type, key, object, self)
    if isConditional {
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

  /// An empty value of `type`, if its values can be empty.
  @inline(never)
  func empty<Value>(_ type: Value.Type) -> Value? {
    (type as? any ValueThatCanBeEmpty.Type)?.empty as? Value
  }
}

extension DecodingSession {
  /// Notes that the value at `offset` of `container` is the part of a superclass.
  func noteSuperclass(in container: DecodingContainerState, at offset: Int) {
    guard later.readLast.areThere, let object = graph.inProgress.last, object.number > 0,
      container.offset == object.content
        || later.readLast.isSuperclass(of: object.number, at: container.offset)
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
    if let known = later.readLast.property(number, of: object.entry), known.owner == object.type,
      known.value == Value.self
    {
      return known
    }
    let isReadLast = isReadLast(image.keys[number], by: object.entry)
    let property = findProperty(type, key, object, isReadLast: isReadLast)
    later.readLast.note(property, number, of: object.entry)
    return property
  }

  /// Empties the property of `owner`, whose value under `key` is at `offset`, and reads it when everything else is there.
  ///
  /// - Returns: `false`, without doing anything, if the property is read now: by `owner`'s class it is not read last, or
  ///   it cannot wait, or `owner` is not the object whose body is being read.
  func readLast(_ property: StoredProperty, _ key: Int, of owner: AnyObject, at offset: Int) throws -> Bool {
    guard let object = graph.inProgress.last, object.number > 0, object.entry >= 0,
      graph.objects.object(object.number) === owner,
      let waiting = waitingField(property, key, object), waiting.empty(in: owner)
    else { return false }
    try charge(DecodingBudget.deferredOverhead, at: offset)
    later.deferred.append(.init(value: waiting, number: object.number, offset: offset))
    return true
  }

  private func waitingField(_ property: StoredProperty, _ key: Int, _ object: TypedValueInProgress)
    -> AnyWaitingProperty?
  {
    if let known = later.readLast.property(key, of: object.entry), known.owner == object.type,
      known.value == property.type
    {
      return known.waiting
    }
    let isReadLast = isReadLast(image.keys[key], by: object.entry)
    let waiting = isReadLast ? waitingProperty(property) : nil
    later.readLast.note(
      .init(object.type, property.type, waiting: waiting, reference: nil),
      key,
      of: object.entry
    )
    return waiting
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

  private func findProperty<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress,
    isReadLast: Bool
  ) -> PropertiesReadLast.PropertyOfKey {
    var waiting: AnyWaitingProperty?
    var reference: ReferenceReceiver?
    func makeReference<Target: AnyObject>(_ type: Target.Type, _ property: StoredProperty) {
      reference = ReferenceProperty(property, type)
    }
    if let property = StoredProperties.of(object.type)?.property(named: propertyNames(of: key)),
      property.isVariable, property.type == Value.self || property.type == Value?.self
    {
      if let target = (property.type as? any OptionalValue.Type)?.wrapped as? any AnyObject.Type {
        makeReference(target, property)
      }
      if isReadLast { waiting = waitingProperty(property) }
    }
    return .init(object.type, Value.self, waiting: waiting, reference: reference)
  }

  // MARK: Hashes

  /// Notes the set or dictionary at `offset`, if what is hashed in it may have properties that wait.
  @inline(__always)
  func noteHashed<Element>(_ value: @autoclosure () -> any HashedValue, of type: Element.Type, at offset: Int)
  {
    guard later.readLast.areThere, !(type is any ReadablePrimitive.Type) else { return }
    later.readLast.hashed.append(HashesOfElements(value(), offset))
  }

  /// Makes the sets and dictionaries anew whose elements had other hashes while properties waited. To be called when none
  /// waits any more.
  ///
  /// - Throws: where that is not possible, as an initializer has the set.
  func checkHashes() throws {
    for value in exchange(&later.readLast.hashed, with: []) where !value.isRight {
      throw corrupted(
        ArchiveError.misuse(
          "A \(value.type) was made while a property that its elements are hashed by had no value yet, as it closes a "
            + "cycle. Leave that property out of == and hash(into:), or declare the set or dictionary as a var that is "
            + "read last, too",
          at: value.offset
        ),
        searchedPath(to: value.offset)
      )
    }
  }

  fileprivate func isNotEmpty(_ property: StoredProperty, _ offset: Int) -> DecodingError {
    let name = "\(property.owner).\(property.name)"
    return corrupted(
      ArchiveError.misuse(
        "\(name) closes a cycle, so it is empty while init(from:) runs and gets its value afterwards. But init(from:) "
          + "stores something else in it: decode \(name) as it is, and derive from it in awakeFromArchive()",
        at: offset
      ),
      searchedPath(to: offset)
    )
  }
}
