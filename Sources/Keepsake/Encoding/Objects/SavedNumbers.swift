/// The numbers that objects have in a file to which a save is added (Format §13).
///
/// A session numbers the objects of a save in the order in which it reaches them, as for any archive. It writes the
/// numbers of the file instead: an object that was there keeps its number, so that unchanged content has the same
/// bytes, and a new object gets a number that was never used.
final class SavedNumbers {
  /// The objects of the previous save.
  let before: KnownObjects
  /// The numbers in the file of the objects of this save, by their numbers in the session minus one.
  private(set) var numbers: [UInt32] = []
  /// The body of the root value, if that is no object.
  private let valueNumber: UInt32?
  private let firstNew: UInt32
  private var nextNew: UInt32
  /// How many objects the root object has reached. A save of everything may encode others after these.
  private var reachedCount = Int.max
  /// The objects to which conditional references of this save lead, some of which may have been taken back; `nil` if
  /// nobody asks for them.
  private var conditionalTargets: Set<ObjectIdentifier>?
  /// The objects in bodies of the file to which conditional references of this save lead that are declared as other
  /// classes, if bodies are left out.
  private(set) var declaredOtherwise: [Int: AnyObject] = [:]
  /// The objects that have changed, if the caller of the save knows them; the bodies of others are left out.
  private let changed: Set<ObjectIdentifier>?
  /// The sessions that read lazy values of the file.
  private let readers: [AnyObject]

  /// - Parameters:
  ///   - before: the objects of the previous save, and their numbers.
  ///   - bodyCount: how many bodies the file has.
  ///   - valueNumber: the number of the body of the root value, if that is no object.
  ///   - changed: the objects that have changed; `nil` if that is not known.
  ///   - readers: the sessions that read the lazy values of the file that have not been read.
  init(
    _ before: KnownObjects,
    bodyCount: Int,
    valueNumber: Int?,
    changed: [any Encodable & AnyObject]?,
    readers: [AnyObject]
  ) {
    self.before = before
    firstNew = UInt32(truncatingIfNeeded: bodyCount + 1)
    nextNew = firstNew
    self.valueNumber = valueNumber.map { UInt32(truncatingIfNeeded: $0) }
    self.changed = changed.map { Set($0.map { ObjectIdentifier($0) }) }
    self.readers = readers
    if !readers.isEmpty, changed == nil { conditionalTargets = [] }
  }

  /// The objects that the file did not have before this save.
  func newObjects(of session: EncodingSession) -> [(number: Int, object: AnyObject)] {
    zip(numbers, 1...).compactMap { number, index in
      number < firstNew ? nil : session.bodies.objects.object(index).map { (Int(number), $0) }
    }
  }

  /// The objects of this save once it is in the file; if bodies were left out, also those of the previous save.
  ///
  /// - Parameter isRemoved: whether the file has a body of the given number to which nothing leads.
  func known(by session: EncodingSession, isRemoved: (_ number: Int) -> Bool) -> KnownObjects {
    var unarchived = session.unarchivedObjects { object, number in
      number.map { isRemoved(self[$0]) } ?? (unreachedNumber(of: object) == nil)
    }
    guard changed == nil else {
      return KnownObjects(objects: before.objects, numbers: before.numbers, unarchived: unarchived)
        .adding(newObjects(of: session))
    }
    if let conditionals = session.tables.conditionals {
      let isKept = isKept()
      let removed = conditionals.entries(ofBodiesExcept: { isKept($0) && !isRemoved($0) })
      if !removed.isEmpty {
        before.forEach { object, number in
          if let entry = removed[number] { unarchived[entry] = Weak(object: object) }
        }
      }
    }
    return KnownObjects(
      objects: session.bodies.objects.prefix(reachedCount),
      numbers: Array(numbers.prefix(reachedCount)),
      unarchived: unarchived
    )
  }

  /// The objects of the file that a save of everything has not reached from the root object. Unread values may refer to
  /// them.
  func unreached(by session: EncodingSession) -> [(number: Int, object: Weak<AnyObject>)] {
    guard changed == nil else { return [] }
    var unreached: [(number: Int, object: Weak<AnyObject>)] = []
    func add(_ object: AnyObject, _ number: Int) {
      unreached.append((number, Weak(object: object)))
    }
    for index in stride(from: reachedCount, to: session.bodies.objects.count, by: 1) {
      if let object = session.bodies.objects.object(index + 1) { add(object, self[index + 1]) }
    }
    forEachUnreached(by: session, add)
    return unreached
  }

  /// Calls `body` with each object of the previous save that `session` has not encoded, and its number in the file.
  func forEachUnreached(
    by session: EncodingSession,
    _ body: (AnyObject, Int) throws -> Void
  ) rethrows {
    try before.forEach { if session.bodies.objects.knownNumber(of: $0) == nil { try body($0, $1) } }
  }

  /// Whether the root object leads to `object`; `false` if only the objects that have changed were encoded.
  func isReached(_ object: AnyObject, by session: EncodingSession) -> Bool {
    guard changed == nil, let number = session.bodies.objects.knownNumber(of: object) else { return false }
    return number <= reachedCount
  }

  /// Records that a conditional reference leads to `object`, which the session or ``before`` retains.
  ///
  /// - Parameters:
  ///   - number: the number of the object in the session, if it has one.
  ///   - isDeclaredOtherwise: whether the reference is declared as another class than that of the object.
  /// - Returns: the number of its body in the file, if it has one.
  @inline(never)
  func noteConditional(_ object: AnyObject, _ number: Int?, isDeclaredOtherwise: Bool) -> Int? {
    conditionalTargets?.insert(ObjectIdentifier(object))
    let body = number.map { self[$0] } ?? before.number(of: object).map { Int($0) }
    if isDeclaredOtherwise, changed != nil, let body, body < firstNew { declaredOtherwise[body] = object }
    return body
  }

  /// Whether a conditional reference may lead to `object`; `true` if these references were not recorded.
  func mayBeConditional(_ object: AnyObject) -> Bool {
    conditionalTargets?.contains(ObjectIdentifier(object)) ?? true
  }

  /// Encodes the objects of the file that the root object no longer reaches, since unread values may refer to them.
  ///
  /// If one cannot be encoded, leaves out those that were removed, which need not be encodable.
  ///
  /// - Parameter reached: returns the numbers of the bodies in the file to which the given ones lead.
  func encodeUnreached(by session: EncodingSession, _ reached: (_ bodies: [Int]) -> Set<Int>) throws {
    reachedCount = session.bodies.objects.count
    var needed: Set<Int>?
    try forEachUnreached(by: session) { (object, number) throws in
      guard !(object is AnyLazyContent), needed?.contains(number) ?? true,
        let object = object as? any Encodable & AnyObject
      else { return }
      do { try session.encode(unreached: object) } catch {
        let lengths = session.bodies.assembly.lengths.prefix(reachedCount)
        let known = needed ?? reached(zip(numbers, lengths).filter { $0.1 == 0 }.map { Int($0.0) })
        if known.contains(number) { throw error }
        needed = known
      }
    }
  }

  /// Records the number in the file of an object that just got the number `number` in the session.
  func note(_ object: AnyObject, _ number: Int) {
    forget(from: number)
    numbers.append(before.number(of: object, near: number) ?? newNumber())
  }

  /// Records the number of the body of the root value, which is no object.
  func noteValue(_ number: Int) {
    forget(from: number)
    numbers.append(valueNumber ?? newNumber())
  }

  private func newNumber() -> UInt32 {
    defer { nextNew += 1 }
    return nextNew
  }

  /// Forgets the numbers of objects that have been taken back since, so that every number is used.
  func forget(from number: Int) {
    while numbers.count >= number {
      if let last = numbers.popLast(), last >= firstNew { nextNew -= 1 }
    }
  }

  /// The number in the file of the object `number` of the session.
  subscript(number: Int) -> Int { Int(numbers[number - 1]) }

  /// Whether the file has the object `number` of the session already.
  func isInFile(_ number: Int) -> Bool { number <= numbers.count && numbers[number - 1] < firstNew }

  /// Whether the body of an object that is in the file is left out, since the object is known to be unchanged.
  func isLeftOut(_ object: AnyObject, _ number: Int) -> Bool {
    guard let changed, isInFile(number) else { return false }
    // Nobody can list objects that the library itself has made.
    return !changed.contains(ObjectIdentifier(object)) && !(object is AnyLazyContent)
  }

  func isReader(_ session: AnyObject) -> Bool { readers.contains { $0 === session } }

  /// The number in the file of an object that this save has not reached, if bodies that may refer to it are left out.
  func unreachedNumber(of object: AnyObject) -> Int? {
    changed == nil ? nil : before.number(of: object).map { Int($0) }
  }

  /// How many bodies the file has with this save.
  var bodyCount: Int { Int(nextNew - 1) }

  /// Whether the file keeps the body `number`: this save has reached its object, or bodies are left out.
  func isKept() -> (_ number: Int) -> Bool {
    if changed != nil { return { _ in true } }
    var areReached = [Bool](repeating: false, count: bodyCount + 1)
    for number in numbers { areReached[Int(number)] = true }
    return { areReached[$0] }
  }
}

/// Objects that a file has, and their numbers there. The objects are retained, so that no other object gets the same
/// address.
struct KnownObjects {
  /// In the order in which they were reached or read.
  fileprivate var objects = ObjectRegistry()
  /// By the numbers in the registry, minus one.
  fileprivate var numbers: [UInt32] = []
  /// The objects to which only conditional references lead, by the entries of the conditional table. A later save may
  /// archive them without the objects that refer to them.
  fileprivate var unarchived: [Int: Weak<AnyObject>] = [:]
  /// Whether an object has several numbers, as initializers returned it for several objects of the file. Then bodies that
  /// nobody has changed refer to numbers that a save no longer writes.
  fileprivate(set) var areMerged = false

  /// These objects, and others that were read or saved since.
  func adding(_ others: some Collection<(number: Int, object: AnyObject)>) -> KnownObjects {
    if others.isEmpty { return self }
    var all = self
    // A save that failed may have added more.
    all.objects = objects.prefix(numbers.count)
    for (number, object) in others {
      guard let known = all.objects.number(for: object) else { continue }
      let number = UInt32(truncatingIfNeeded: number)
      if known.isNew {
        all.numbers.append(number)
      } else if all.numbers[known.number - 1] == 0 {
        // The object was not in the file for some time.
        all.numbers[known.number - 1] = number
      } else if all.numbers[known.number - 1] != number {
        all.areMerged = true
      }
    }
    return all
  }

  /// Calls `body` with each object and its number.
  func forEach(_ body: (AnyObject, Int) throws -> Void) rethrows {
    for (index, number) in numbers.enumerated() where number > 0 {
      if let object = objects.object(index + 1) { try body(object, Int(number)) }
    }
  }

  /// The number of `object`, if it is in the file. Objects are mostly reached in the same order, so no table is searched
  /// if it has the number `expected` in the registry.
  func number(of object: AnyObject, near expected: Int = 0) -> UInt32? {
    let isSame = objects.unretained(expected)?.isSame(as: object) ?? false
    let known = isSame ? expected : objects.knownNumber(of: object)
    guard let known, known <= numbers.count, numbers[known - 1] > 0 else { return nil }
    return numbers[known - 1]
  }

  /// The same objects with new numbers, if they have any.
  func renumbered(by new: (bodies: [Int: Int], conditionals: [Int: Int])) -> KnownObjects {
    var renumbered = self
    // 0 is the number of no object.
    renumbered.numbers = numbers.map { UInt32(truncatingIfNeeded: new.bodies[Int($0)] ?? 0) }
    renumbered.unarchived = unarchived.reduce(into: [:]) { known, entry in
      if let number = new.conditionals[entry.key] { known[number] = entry.value }
    }
    return renumbered
  }
}

extension KnownObjects {
  /// The objects of an archive that is complete.
  init(of session: EncodingSession) {
    let count = UInt32(truncatingIfNeeded: session.bodies.objects.count)
    self.init(
      objects: session.bodies.objects,
      numbers: count == 0 ? [] : Array(1...count),
      unarchived: session.unarchivedObjects { _, number in number == nil }
    )
  }

  /// The objects that were read from a file with `bodyCount` bodies.
  init(bodyCount: Int, _ object: (_ number: Int) -> AnyObject?) {
    self.init()
    for number in stride(from: 1, through: bodyCount, by: 1) {
      guard let known = object(number).flatMap({ objects.number(for: $0) }) else { continue }
      if known.isNew { numbers.append(UInt32(truncatingIfNeeded: number)) } else { areMerged = true }
    }
  }
}

extension EncodingSession {
  /// The objects of conditional references that are not archived, by their entries. `isUnarchived` gets each object and
  /// its number here, if it has one.
  fileprivate func unarchivedObjects(
    _ isUnarchived: (AnyObject, _ number: Int?) -> Bool
  ) -> [Int: Weak<AnyObject>] {
    var objects: [Int: Weak<AnyObject>] = [:]
    for (entry, object) in conditionalEntries
    where isUnarchived(object, bodies.objects.knownNumber(of: object)) {
      objects[entry] = Weak(object: object)
    }
    return objects
  }

  /// Makes this the session of a save that is added to `image`: what has a number there keeps it.
  func add(to image: ArchiveImage, _ numbers: SavedNumbers) throws(ArchiveError) {
    bodies.saved = numbers
    bodies.assembly.prefersShortForm = false
    for key in image.keys { _ = tables.keys.number(for: key) }
    for number in 0..<image.shapeCount {
      tables.shapes.takeOver(try image.shape(number, at: 0).map { image.shapeKey($0) })
    }
    tables.classes.takeOver(image.classes)
    let stringCount = image.stringCount
    for number in 0..<stringCount {
      let range = try image.stringRange(number, at: 0)
      try image.reader.withBytes(range) { tables.strings.takeOver($0) }
    }
    let entries = try image.conditionals
    if !entries.isEmpty {
      tables.conditionals = ConditionalRegistry(ofFile: entries, bodyCount: image.directory.bodyCount) {
        numbers.before.unarchived[$0]?.object
      }
    }
  }

  /// The number by which the file refers to the object or value `number`.
  @inline(__always)
  func writtenNumber(_ number: Int) -> Int { bodies.isAdded ? savedNumber(number) : number }

  @inline(never)
  private func savedNumber(_ number: Int) -> Int { bodies.saved?[number] ?? number }

  /// The content of the save, when all of it has been encoded.
  func takeSave(_ saved: SavedNumbers) throws -> SaveContent {
    try checkIdle()
    try drainLeftovers()
    let targets = try conditionalBodies(
      { saved[$0] },
      isKept: tables.conditionals == nil ? { _ in false } : saved.isKept(),
      unreached: saved.unreachedNumber
    )
    try closeTopLevel()
    saved.forget(from: bodies.objects.count + 1)
    return SaveContent(
      topLevel: buffer,
      bodies: bodies.assembly.buffer,
      lengths: bodies.assembly.lengths,
      numbers: saved.numbers,
      bodyCount: saved.bodyCount,
      shapes: tables.shapes,
      keyNames: tables.keys.names,
      classes: tables.classes.entries,
      strings: tables.strings,
      conditionals: targets
    )
  }
}
