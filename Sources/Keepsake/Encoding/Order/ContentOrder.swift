/// The order of elements that have none, such as those of a set: by their content, which is the same in every process
/// (Format §A.2, rule 10).
///
/// Objects among the elements, or in them, may lead to the whole graph and back to the elements. So first only the
/// content of each element itself is compared. Equal elements are distinguished by how what they lead to is related
/// (``ContentRefinement``). If that does not distinguish them either, one of them is written first, which distinguishes
/// it from then on. Each object is asked once for its own content, and once for what it leads to, however many sets it
/// is in: the archive has one order for all its sets.
final class ContentOrder {
  /// Something whose content was requested: an object, a value or a set.
  struct Part {
    var key = ContentKey()
    var targets: [Target] = []
    /// The objects to which it refers conditionally.
    var conditionals: [AnyObject] = []
    /// Whether the order of the targets matters.
    var isOrdered = true
  }

  enum Target {
    case object(AnyObject)
    case part(Int)
  }

  /// The maximum depth of sets in sets whose content is compared.
  static let mostSets = 64

  /// The keys of objects, which are retained, so that no other object gets the same address.
  private var keys: [ObjectIdentifier: (object: AnyObject, key: ContentKey)] = [:]
  /// The parts that are compared by what they lead to, and the part of each object.
  private var parts: [Part] = []
  private var objectParts: [ObjectIdentifier: Int] = [:]
  /// The objects that have keys, and those that have parts, in the order in which they got them.
  private var keyedObjects: [ObjectIdentifier] = []
  private var partedObjects: [ObjectIdentifier] = []
  private var refinement = ContentRefinement()
  /// How many objects the archive had when ``noteArchived(_:)`` last checked which of them are parts.
  private var archivedCount = 0
  /// The sessions that are asked for content, one for each depth of sets in sets.
  private var sessions: [EncodingSession] = []
  /// When each sort began, and what was known before.
  private var marks: [(time: FrameID, known: Mark)] = []

  private struct Mark: Equatable {
    let keyCount: Int
    let partedCount: Int
    let partCount: Int
    let refinement: ContentRefinement.Mark
    let archivedCount: Int
    let sessionCount: Int
  }

  /// The elements, sorted.
  ///
  /// - Parameters:
  ///   - content: the part of an element that is compared first.
  ///   - whole: what is compared if that is equal.
  func sorted<Elements: Collection, Content: Encodable, Whole: Encodable>(
    _ elements: Elements,
    _ content: (Elements.Element) -> Content,
    _ whole: (Elements.Element) -> Whole,
    _ session: EncodingSession
  ) throws -> [Elements.Element] {
    noteTime(session.nesting.makeFrameID())
    // Keys are apart from the elements, whose type is generic: tuples of both would take as long as the rest.
    let elements = Array(elements)
    var keys: [ContentKey] = []
    for element in elements { keys.append(try key(of: content(element), session)) }
    let order = keys.indices.ordered { keys[$0] < keys[$1] }
    let runs = order.runs { keys[$0] }
    guard runs.count < order.count else { return order.map { elements[$0] } }
    noteArchived(session)
    // The other elements count, too: they may refer to one of those that are alike.
    let first = parts.count
    let positions = try runs.map { run in
      try run.map {
        let target = try target(of: whole(elements[$0]), session)
        return (position: try position(of: target, session), numbers: numbersInFile(of: target, session))
      }
    }
    try compare(from: first, session)
    return zip(runs, positions).flatMap { run, positions in
      self.order(positions).map { elements[run[run.startIndex + $0]] }
    }
  }

  /// The numbers of an object, or of the objects to which a value refers, in the file to which a save is added. Elements
  /// that nothing else distinguishes stay in this order, so that a save of unchanged ones changes nothing.
  private func numbersInFile(of target: Target, _ session: EncodingSession) -> [UInt32] {
    guard let saved = session.bodies.saved else { return [] }
    let targets = if case .part(let part) = target { parts[part].targets } else { [target] }
    return targets.compactMap {
      if case .object(let object) = $0 { saved.before.number(of: object) ?? UInt32.max } else { nil }
    }
  }

  /// The indices of `elements` in their order.
  private func order(_ elements: [(position: Position, numbers: [UInt32])]) -> [Int] {
    var order: [Int] = []
    let positions = elements.map(\.position)
    var rest = elements.indices
      .ordered { elements[$0].numbers.lexicographicallyPrecedes(elements[$1].numbers) }
      .map { (index: $0, color: color(positions[$0])) }
    while !rest.isEmpty {
      rest = rest.ordered { $0.color < $1.color }
      // Elements that have got another color since then come after the others.
      var later: [(index: Int, color: Int)] = []
      for (index, color) in rest {
        let now = self.color(positions[index])
        if color != now {
          later.append((index, now))
          continue
        }
        order.append(index)
        if case .part(let part) = positions[index] { refinement.singleOut(part) }
      }
      rest = later.map { ($0.index, color(positions[$0.index])) }
    }
    return order
  }

  /// Distinguishes objects by the numbers that they have got in the archive.
  private func noteArchived(_ session: EncodingSession) {
    let count = session.bodies.objects.count
    if !parts.isEmpty, archivedCount < count {
      for number in (archivedCount + 1)...count {
        guard let object = session.bodies.objects.object(number) else { continue }
        if let part = objectParts[ObjectIdentifier(object)] { refinement.singleOut(part) }
      }
    }
    archivedCount = count
  }

  /// Records that a sort begins.
  private func noteTime(_ time: FrameID) {
    let known = Mark(
      keyCount: keyedObjects.count,
      partedCount: partedObjects.count,
      partCount: parts.count,
      refinement: refinement.mark,
      archivedCount: archivedCount,
      sessionCount: sessions.count
    )
    // If nothing was learned, there is nothing to forget.
    if marks.last?.known == known { marks.removeLast() }
    marks.append((time, known))
  }

  /// Forgets what was sorted since `time`, and what was learned for that, since it was taken back.
  func truncate(to time: FrameID) {
    var first: Mark?
    while let last = marks.last, last.time > time { first = marks.removeLast().known }
    guard let first else { return }
    for object in keyedObjects[first.keyCount...] { keys[object] = nil }
    keyedObjects.removeSubrange(first.keyCount...)
    for object in partedObjects[first.partedCount...] { objectParts[object] = nil }
    partedObjects.removeSubrange(first.partedCount...)
    parts.removeSubrange(first.partCount...)
    refinement.truncate(to: first.refinement)
    archivedCount = first.archivedCount
    for session in sessions[first.sessionCount...] { session.dropSpares() }
    sessions.removeSubrange(first.sessionCount...)
  }

  /// Forgets the parts from `first` on: they are of a set in a value that was asked for its content and taken back.
  func forgetParts(from first: Int) {
    parts.removeSubrange(first...)
  }

  /// Releases the sessions, whose containers hold them.
  func end() {
    for session in exchange(&sessions, with: []) { session.dropSpares() }
  }

  // MARK: Content

  private func key(of value: some Encodable, _ session: EncodingSession) throws -> ContentKey {
    let object = object(value)
    if let object, let known = keys[ObjectIdentifier(object)] { return known.key }
    let count = parts.count
    // None of the parts that this may add is compared yet.
    defer { parts.removeLast(parts.count - count) }
    // The observer is asked only for elements that have the same content without it.
    let observer = exchange(&session.observation.observer, with: nil)
    defer { session.observation.observer = observer }
    guard let object else { return try ask(value, session).key }
    let key = try ask(object: object, session).key
    note(key, of: object)
    return key
  }

  private func note(_ key: ContentKey, of object: AnyObject) {
    let id = ObjectIdentifier(object)
    if keys.updateValue((object, key), forKey: id) == nil { keyedObjects.append(id) }
  }

  private func object<Value>(_ value: Value) -> AnyObject? {
    Value.self is AnyClass ? value as AnyObject : nil
  }

  /// Asks for the content of a value that is in as many sets as `session` is.
  private func ask(_ value: some Encodable, _ session: EncodingSession) throws -> Part {
    if sessions.count == session.ordering.depth { sessions.append(session.sessionForContents(self)) }
    let asked = sessions[session.ordering.depth]
    asked.settings.userInfo = session.settings.userInfo
    asked.settings.ownClassNames = session.settings.ownClassNames
    asked.observation.observer = session.observation.observer
    // What the observer answers now counts for the archive, too.
    swap(&asked.observation.replacements, &session.observation.replacements)
    defer { swap(&asked.observation.replacements, &session.observation.replacements) }
    do { return try asked.content(of: value, ofObject: object(value) != nil) } catch {
      throw (error as? EncodingError)?.below(session.currentPath) ?? error
    }
  }

  private func ask(object: AnyObject, _ session: EncodingSession) throws -> Part {
    var archived: AnyObject? = object
    if let known = session.observation.replacements[ObjectIdentifier(object)] { archived = known.object }
    guard let value = archived as? any Encodable else { return Part() }
    return try ask(value, session)
  }

  private func target(of value: some Encodable, _ session: EncodingSession) throws -> Target {
    if let object = object(value) { return .object(object) }
    return .part(add(try ask(value, session)))
  }

  var partCount: Int { parts.count }

  private func add(_ part: Part) -> Int {
    parts.append(part)
    return parts.count - 1
  }

  /// The contents of the elements of a set, in a value that is asked for its content: their keys, and a part that
  /// stands for all of them.
  func contents<Elements: Collection, Content: Encodable>(
    _ elements: Elements,
    _ content: (Elements.Element) -> Content,
    _ session: EncodingSession
  ) throws -> (keys: [ContentKey], part: Int) {
    let targets = try elements.map { try target(of: content($0), session) }
    let keys = targets.map { target in
      if case .part(let part) = target { parts[part].key } else { ContentKey() }
    }
    return (keys.ordered(by: <), add(Part(targets: targets, isOrdered: false)))
  }

  // MARK: What they lead to

  /// What distinguishes an element from others with the same content.
  private enum Position {
    /// The number in the archive of an object that was never compared.
    case archived(Int)
    case part(Int)
  }

  private func color(_ position: Position) -> Int {
    switch position {
    case .archived(let number): number - ObjectRegistry.mostNumbers - 1
    case .part(let part): refinement.colors[part]
    }
  }

  private func position(of target: Target, _ session: EncodingSession) throws -> Position {
    switch target {
    case .part(let part): return .part(part)
    case .object(let object):
      if let position = knownPosition(of: object, session) { return position }
      let id = ObjectIdentifier(try session.replacement(for: object, declared: Any.self) ?? object)
      if let part = objectParts[id] { return .part(part) }
      let part = try ask(object: object, session)
      let number = add(part)
      objectParts[id] = number
      partedObjects.append(id)
      if session.observation.observer == nil { note(part.key, of: object) }
      return .part(number)
    }
  }

  private func knownPosition(of object: AnyObject, _ session: EncodingSession) -> Position? {
    let archived = session.observation.replacements[ObjectIdentifier(object)]?.object ?? object
    if let part = objectParts[ObjectIdentifier(archived)] { return .part(part) }
    return session.bodies.objects.knownNumber(of: archived).map(Position.archived)
  }

  /// Compares the parts from `first` on, and those to which they lead.
  private func compare(from first: Int, _ session: EncodingSession) throws {
    var references: [ContentRefinement.Reference] = []
    var constants: [[[Int]]] = []
    let refer = { (source: Int, edge: Int, position: Position) in
      var isKnown = true
      if case .part(let target) = position {
        references.append(.init(source: source, position: edge, target: target))
        isKnown = target < first
      }
      if isKnown { constants[source - first].append([edge, self.color(position)]) }
    }
    var index = first
    while index < parts.count {
      let part = parts[index]
      constants.append([])
      for (edge, target) in part.targets.enumerated() {
        refer(index, part.isOrdered ? edge : 0, try position(of: target, session))
      }
      index += 1
    }
    // A conditional reference counts only if its object is reached otherwise.
    for (index, part) in parts.enumerated().dropFirst(first) {
      for (number, object) in part.conditionals.enumerated() {
        if let position = knownPosition(of: object, session) {
          refer(index, part.targets.count + number, position)
        }
      }
    }
    refinement.add(classes(from: first, constants), references)
    // From here on only their colors matter.
    for index in first..<parts.count { parts[index] = Part() }
  }

  /// The new parts in sorted classes. Those of a class hold the same and lead to the same, as far as that is known.
  private func classes(from first: Int, _ constants: [[[Int]]]) -> [[Int]] {
    let constants = constants.map { $0.ordered { $0.lexicographicallyPrecedes($1) } }
    let isLess = { (left: Int, right: Int) -> Bool in
      if self.parts[left].isOrdered != self.parts[right].isOrdered { return self.parts[left].isOrdered }
      if self.parts[left].key != self.parts[right].key { return self.parts[left].key < self.parts[right].key }
      return constants[left - first].lexicographicallyPrecedes(constants[right - first]) {
        $0.lexicographicallyPrecedes($1)
      }
    }
    var classes: [[Int]] = []
    for part in (first..<parts.count).ordered(by: isLess) {
      if let last = classes.last?.last, !isLess(last, part) {
        classes[classes.count - 1].append(part)
      } else {
        classes.append([part])
      }
    }
    return classes
  }
}
