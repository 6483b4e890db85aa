/// The properties of one archive that get their values when everything else is there (Format §5.3).
struct PropertiesReadLast {
  /// Whether anything in the archive can be read last.
  let areThere: Bool
  /// For each entry of the class table and each key of the archive, the property.
  private var known: [NumberedCache<PropertyOfKey>] = []
  /// Where the records of superclasses are that stand in those of the objects in progress, and whose objects these are.
  private var superclasses: [(object: Int, offset: Int)] = []
  /// What is hashed while properties wait, to look at it when none does any more.
  fileprivate var hashed: [HashesOfElements] = []
  /// Objects whose place the observer gave to others.
  fileprivate var replaced: [Int: AnyObject] = [:]

  /// The property of a key, for objects of `type`.
  struct PropertyOfKey {
    let type: Any.Type
    /// `nil` where the key is not read last, or the class has no property that can wait for the value.
    let waiting: AnyWaitingProperty?
  }

  init(_ image: ArchiveImage) {
    areThere = image.directory.conditionals.count > 0 || image.classes.contains { !$0.keysReadLast.isEmpty }
  }

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
    superclasses.contains { $0.object == number && $0.offset == offset }
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
}

/// A property of a type that can be empty, which it is as long as it waits.
private final class WaitingProperty<Value: Decodable & ValueThatCanBeEmpty>: AnyWaitingProperty {
  override func decode(_ session: DecodingSession, _ waiting: DeferredQueue.Waiting) throws {
    session.detachFrames(for: waiting.offset)
    var place = waiting.offset
    let hashed = session.readLast.hashed.count
    let value = try session.decodeInside(Value.self, at: &place, 0)
    // A rehearsal closes no cycle, which nobody would break.
    guard !session.isRehearsal, let owner = session.owner(waiting.number) else { return }
    guard let present = property.value(as: Value.self, in: owner), present.isEmptyForNow,
      property.assign(value, as: Value.self, in: owner)
    else { throw session.isNotEmpty(property, waiting.offset) }
    if session.readLast.hashed.count > hashed, value is any HashedValue {
      session.readLast.hashed[session.readLast.hashed.count - 1].put { [self] in mendHashes(in: owner) }
    }
  }

  /// Makes the set or dictionary in the property of `object` anew, by the hashes that its elements have now.
  private func mendHashes(in object: AnyObject) -> Bool {
    guard let value = property.value(as: Value.self, in: object) as? any HashedValue else { return true }
    guard let mended = value.mended as? Value else { return false }
    return property.assign(mended, as: Value.self, in: object)
  }
}

/// A conditional reference in a property that is not the reason for its object to be decoded.
private final class WaitingReference<Target: AnyObject>: AnyWeakBox {
  private let property: StoredProperty
  private let owner: Int
  private let offset: Int

  init(_ property: StoredProperty, of owner: Int, to number: Int, _ offset: Int) {
    self.property = property
    self.owner = owner
    self.offset = offset
    super.init(waitingFor: number)
  }

  override func resolve(in session: DecodingSession) throws -> Bool {
    guard let found = session.objects.object(number), found !== ObjectBeingDecoded.marker else {
      return false
    }
    guard found !== ObjectReplacedByNil.marker, !session.isRehearsal, let owner = session.owner(owner) else {
      return true
    }
    guard let target = found as? Target else {
      throw session.isOther(found, Target.self, offset, session.searchedPath(to: offset))
    }
    if property.ownership == .weak { return property.assign(reference: target, in: owner) }
    guard let present = property.value(as: Target?.self, in: owner), present == nil,
      property.assign(target, as: Target?.self, in: owner)
    else { throw session.isNotEmpty(property, offset) }
    return true
  }
}

extension DecodingPlace {
  /// Whether the value of `key` at `start` is read when everything else is there. Until then the property is empty.
  ///
  /// - Parameter needsValue: whether what is empty must be a `Value`, and cannot be nil in its place.
  @inline(never)
  func isReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    at start: Int,
    needsValue: Bool
  ) throws -> Bool {
    guard let object = session.inProgress.last, object.number > 0,
      offset == object.content || session.readLast.isSuperclass(of: object.number, at: offset)
    else { return false }
    let tag = try session.reader.byte(at: start)
    if tag & 0xFC == Tag.conditionalReference {
      guard !needsValue || type is any OptionalValue.Type,
        let property = session.property(
          of: key,
          object,
          where: { $0.type == Value.self || $0.type == Value?.self }
        ),
        try session.wait(at: start, for: property, of: object.number)
      else { return false }
    } else {
      guard let property = try session.propertyReadLast(type, key, object, self),
        !needsValue || type is any ValueThatCanBeEmpty.Type
      else { return false }
      try session.charge(DecodingBudget.deferredOverhead, at: start)
      session.deferred.append(.init(value: property, number: object.number, offset: start))
    }
    let (offset, depth, slot) = (offset, depth, session.frames[depth].currentSlot)
    try session.advance(depth, offset, past: slot, to: session.end(ofValueAt: start))
    return true
  }
}

extension DecodingSession {
  /// Notes that the value at `offset` of `container` is the part of a superclass.
  func noteSuperclass(in container: DecodingPlace, at offset: Int) {
    guard readLast.areThere, let object = inProgress.last, object.number > 0,
      container.offset == object.content || readLast.isSuperclass(of: object.number, at: container.offset)
    else { return }
    readLast.noteSuperclass(of: object.number, at: offset)
  }

  /// The object `number` as its initializer made it.
  fileprivate func owner(_ number: Int) -> AnyObject? {
    if let replaced = readLast.replaced[number] { return replaced }
    guard let object = objects.object(number), object !== ObjectReplacedByNil.marker else { return nil }
    return object
  }

  fileprivate func property<Key: CodingKey>(
    of key: Key,
    _ object: TypedValueInProgress,
    where fits: (StoredProperty) -> Bool
  ) -> StoredProperty? {
    guard let property = StoredProperties.of(object.type)?.property(named: propertyNames(of: key)),
      property.isVariable, fits(property)
    else { return nil }
    return property
  }

  /// The property that waits for the value of `key`, if that is read last and there is one.
  fileprivate func propertyReadLast<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress,
    _ container: DecodingPlace
  ) throws -> AnyWaitingProperty? {
    let frame = frames[container.depth]
    guard frame.kind == .record, object.entry >= 0 else { return nil }
    let number = image.shapeKey(frame.firstSlot + frame.currentSlot)
    if let known = readLast.property(number, of: object.entry), known.type == object.type {
      return known.waiting
    }
    let waiting = isReadLast(image.keys[number], by: object.entry) ? findProperty(type, key, object) : nil
    readLast.note(.init(type: object.type, waiting: waiting), number, of: object.entry)
    return waiting
  }

  private func isReadLast(_ key: String, by entry: Int) -> Bool {
    sequence(first: entry) { self.image.classes[$0].superclass }.contains { number in
      image.classes[number].keysReadLast.contains { ExactString(string: $0) == ExactString(string: key) }
    }
  }

  private func findProperty<Value: Decodable, Key: CodingKey>(
    _ type: Value.Type,
    _ key: Key,
    _ object: TypedValueInProgress
  ) -> AnyWaitingProperty? {
    let property = property(of: key, object) { $0.type == Value.self || $0.type == Value?.self }
    guard let property, property.ownership == .strong,
      let stored = property.type as? any (Decodable & ValueThatCanBeEmpty).Type
    else { return nil }
    func make<Stored: Decodable & ValueThatCanBeEmpty>(_ type: Stored.Type) -> AnyWaitingProperty {
      WaitingProperty<Stored>(property)
    }
    return make(stored)
  }

  /// Lets `property` wait for the object of the conditional reference at `offset`, which may be there already.
  ///
  /// - Returns: false where the property is no optional object.
  fileprivate func wait(at offset: Int, for property: StoredProperty, of owner: Int) throws -> Bool {
    guard let target = (property.type as? any OptionalValue.Type)?.wrapped as? any AnyObject.Type,
      let number = try referencedBody(at: offset)
    else { return false }
    _ = try objectBody(number, at: offset)
    try charge(DecodingBudget.deferredOverhead, at: offset)
    func wait<Target: AnyObject>(_ type: Target.Type) {
      conditional.append(WaitingReference<Target>(property, of: owner, to: number, offset))
    }
    wait(target)
    return true
  }

  // MARK: Hashes

  /// Notes the set or dictionary at `offset`, if what is hashed in it may have properties that wait.
  @inline(__always)
  func noteHashed<Element>(_ value: @autoclosure () -> any HashedValue, of type: Element.Type, at offset: Int)
  {
    guard readLast.areThere, !(type is any ReadablePrimitive.Type) else { return }
    readLast.hashed.append(HashesOfElements(value(), offset))
  }

  /// Makes the sets and dictionaries anew whose elements had other hashes while properties waited. To be called when none
  /// waits any more.
  ///
  /// - Throws: where that is not possible, as an initializer has the set.
  func checkHashes() throws {
    for value in exchange(&readLast.hashed, with: []) where !value.isRight {
      throw corrupted(
        ArchiveError(
          .misuse,
          "A \(value.type) was made while a property that its elements are hashed by had no value yet, as it closes a "
            + "cycle. Leave that property out of == and hash(into:), or declare the set or dictionary as a var that is "
            + "read last, too",
          byteOffset: value.offset
        ),
        searchedPath(to: value.offset)
      )
    }
  }

  fileprivate func isNotEmpty(_ property: StoredProperty, _ offset: Int) -> DecodingError {
    let name = "\(property.owner).\(property.name)"
    return corrupted(
      ArchiveError(
        .misuse,
        "\(name) closes a cycle, so it is empty while init(from:) runs and gets its value afterwards. But init(from:) "
          + "stores something else in it: decode \(name) as it is, and derive from it in awakeFromArchive()",
        byteOffset: offset
      ),
      searchedPath(to: offset)
    )
  }
}

/// A set or dictionary, which is no use if its elements have other hashes than when it was made.
protocol HashedValue {
  /// The hashes of its elements or keys, in the order in which it has them.
  var elementHashes: [Int] { get }
  /// The same elements by the hashes that they have now; `nil` where some are equal now.
  var mended: (any HashedValue)? { get }
}

extension Set: HashedValue {
  var elementHashes: [Int] { map(\.hashValue) }
  var mended: (any HashedValue)? {
    let mended = Set(Array(self))
    return mended.count == count ? mended : nil
  }
}

extension Dictionary: HashedValue {
  var elementHashes: [Int] { keys.map(\.hashValue) }
  var mended: (any HashedValue)? {
    let mended = Dictionary(map { ($0, $1) }) { first, _ in first }
    return mended.count == count ? mended : nil
  }
}

/// By which hashes a set or dictionary was made.
private struct HashesOfElements {
  private let value: any HashedValue
  private let hashes: [Int]
  /// Where it is in the archive.
  let offset: Int
  /// Makes it anew where it is.
  private var mend: (() -> Bool)?

  var type: Any.Type { Swift.type(of: value) }

  init(_ value: any HashedValue, _ offset: Int) {
    self.value = value
    self.offset = offset
    hashes = value.elementHashes
  }

  /// Notes how it is made anew where it was put.
  mutating func put(_ mend: @escaping () -> Bool) { self.mend = mend }

  /// Whether each element is found, if need be after it was made anew.
  var isRight: Bool { value.elementHashes == hashes || mend?() == true }
}
