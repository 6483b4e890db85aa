/// The root object of a document, encoded for a save.
struct DocumentEncoding {
  let session: EncodingSession
  let numbers: SavedNumbers
  /// The objects to which only weak references and unread values lead; `nil` if some objects were left out.
  let weakTargets: WeakTargets?
  /// What the file lacks; `nil` if it has everything.
  let changes: SaveChanges?
  /// Whether weak references got objects from another archive after they may have been encoded.
  let isTooEarly: Bool

  /// Encodes the objects in `changed`, or all objects if that is `nil`.
  init<Root: Codable>(
    _ root: Root,
    changed: [any Encodable & AnyObject]?,
    _ state: SavedState,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws {
    // If this fails, encoding everything fails, too, or shows that nothing is wrong.
    if let changed, !state.knownObjects.areMerged,
      let encoding = try? DocumentEncoding(root, changed, state, userInfo), encoding.isKnownToBeReadable
    {
      self = encoding
    } else {
      self = try DocumentEncoding(root, nil, state, userInfo)
    }
  }

  private let isKnownToBeReadable: Bool

  /// Returns whether weak references to an object of the file may remain.
  var mayBeTarget: (AnyObject) -> Bool {
    let removed = weakTargets?.removedObjects ?? []
    return { [numbers] in numbers.mayBeConditional($0) && !removed.contains(ObjectIdentifier($0)) }
  }

  private init<Root: Codable>(
    _ root: Root,
    _ changed: [any Encodable & AnyObject]?,
    _ state: SavedState,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws {
    let session = EncodingSession(.sortedKeys, userInfo, hidesRootKey: true)
    defer { session.dropSpares() }
    self.session = session
    numbers = try state.begin(session, changed)
    try session.encode(root: root)
    let awaitedCount = session.bodies.awaited.count
    // The owner of such an object may be left out.
    for object in changed ?? [] where numbers.unreachedNumber(of: object) != nil {
      try session.encode(unreached: object)
    }
    var targets: WeakTargets?
    if changed == nil, state.mayHaveUnread {
      targets = WeakTargets(numbers, session)
      try numbers.encodeUnreached(by: session) { state.image.bodies(reachedFrom: $0) }
    }
    isTooEarly = session.bodies.awaited.count > awaitedCount
    let content = try session.takeSave(numbers)
    targets?.follow(content, session, state.image, sourcesBefore: state.weakSources)
    let changes = try decodingErrors(SaveChanges(content, session, state.image, targets))
    (self.changes, weakTargets) = (changes, targets)
    isKnownToBeReadable =
      try changed == nil
      || session.isReadable(NewPaths(content, changes, session, state.image))
        && !session.hidesClass(content, numbers.declaredOtherwise, state.image)
  }
}

/// The references by which a save may have made a cycle through bodies that it left out.
///
/// The archiver has played through what the save wrote, so no cycle within it is unreadable (``ReferenceGraph``). A new
/// cycle has a new reference. If that leads to a body that was left out, a path leads from there back to a written
/// body. If it leads to another written body, the cycle leaves the written bodies by any reference, and comes back.
private struct NewPaths {
  private let image: ArchiveImage
  /// The bodies of the save, as ``SaveContent/written``.
  private let written: [Int: Int]
  private var starts: Set<Int> = []
  /// Whether an object of the file has other references than before, or in another order; or the root is another.
  private(set) var areThere: Bool

  /// The search stops at more bodies: to encode them all would soon take less time.
  private static let mostBodies = 4096

  init(
    _ content: SaveContent,
    _ changes: SaveChanges?,
    _ session: EncodingSession,
    _ image: ArchiveImage
  ) throws {
    self.image = image
    let (graph, keys) = (session.bodies.graph, session.tables.keys)
    areThere = try !image.hasTopLevel(content.topLevel)
    let numbers = content.numbers.map { Int($0) }
    written = content.written
    var connectsWritten = false
    // Where the file has the same bytes, it has the same references.
    for number in changes?.changedNumbers ?? [] where number <= image.directory.bodyCount {
      guard let body = written[number] else { continue }
      // Not in the closure: that would copy `content` for each reference.
      var found: [(target: Int, property: Int)] = []
      graph.forEachReference(of: body) { found.append(($0, $1)) }
      let references = found.map { target, property in
        KeyedReference(key: content.key(of: property), target: numbers[target - 1])
      }
      var before: [KeyedReference] = []
      try image.forEachReference(ofBody: number) { target, key in
        let number = key.flatMap { keys.existingNumber(for: $0) }
        before.append(KeyedReference(key: number ?? -1, target: target))
      }
      if references == before { continue }
      areThere = true
      // A reference under a new key is new: only the old key may be read last. New objects are part of their referrers.
      let known = Set(before)
      var open = references.filter { !known.contains($0) }.map(\.target)
      var seen: Set<Int> = [number]
      while let target = open.popLast() {
        guard seen.insert(target).inserted else { continue }
        if let index = written[target] {
          guard target > image.directory.bodyCount, seen.count <= NewPaths.mostBodies else {
            connectsWritten = true
            break
          }
          graph.forEachReference(of: index) { target, _ in open.append(numbers[target - 1]) }
        } else {
          starts.insert(target)
        }
      }
    }
    guard connectsWritten else { return }
    let lengths = content.lengths
    for body in written.values {
      graph.forEachReference(of: body) { target, _ in
        if lengths[target - 1] == 0 { starts.insert(numbers[target - 1]) }
      }
    }
  }

  /// Whether a path leads from `starts` back to what was written, or it takes too long to find out.
  var leadBack: Bool {
    get throws {
      var (seen, unseen) = (starts, Array(starts))
      while let number = unseen.popLast() {
        guard seen.count <= NewPaths.mostBodies else { return true }
        var isBack = false
        try image.forEachReference(ofBody: number) { target, _ in
          if written[target] != nil { isBack = true }
          if seen.insert(target).inserted { unseen.append(target) }
        }
        if isBack { return true }
      }
      return false
    }
  }
}

extension EncodingSession {
  /// Whether the bodies that were left out can certainly be read with those that were written.
  fileprivate func isReadable(_ paths: NewPaths) throws -> Bool {
    try !bodies.graph.orderMatters && !(paths.areThere && mayKnowSomeEarly) && !paths.leadBack
  }

  /// Whether a body that was left out has a class whose name does not lead to its type any more, but counts from now on.
  /// `weakTargets` are objects of the file, by their numbers there, that the save may not have reached.
  fileprivate func hidesClass(
    _ content: SaveContent,
    _ weakTargets: [Int: AnyObject],
    _ image: ArchiveImage
  ) throws -> Bool {
    var classes = tables.classes
    func isHidden(_ number: Int) -> Bool { classes.isUnclaimedClass(number, polymorphic: false) }
    guard classes.entries.contains(where: \.isPolymorphic), classes.entries.indices.contains(where: isHidden)
    else { return false }
    func isHiding(_ object: AnyObject, _ number: Int) throws -> Bool {
      guard let new = classes.number(of: type(of: object)), classes.entries[new].isPolymorphic else {
        return false
      }
      return isHidden(try image.objectBody(number, at: 0).classNumber)
    }
    for (index, length) in content.lengths.enumerated() where length == 0 {
      guard let object = bodies.objects.object(index + 1) else { continue }
      if try isHiding(object, Int(content.numbers[index])) { return true }
    }
    if weakTargets.isEmpty { return false }
    let written = content.written
    return try weakTargets.contains { try written[$0] == nil && isHiding($1, $0) }
  }

  /// Whether the file may have objects that are known early as well as others. Then the object with which a reader
  /// begins may decide whether a cycle can be read, and any reference may decide where it begins.
  private var mayKnowSomeEarly: Bool {
    var (some, others) = (false, false)
    for (entry, type) in zip(tables.classes.entries, tables.classes.types)
    where !entry.isValueType && entry.name != ClassEntry.lazyName {
      guard let type = type != Never.self ? type : ClassNames.types(foundBy: entry.name).first else {
        return true
      }
      if Keepsake.isKnownEarly(type) { some = true } else { others = true }
    }
    return some && others
  }
}

/// A reference to an object: the key in the body that contains it, and the number of the object.
private struct KeyedReference: Hashable {
  /// The number of the key in the session; -1 if it has none, so that nothing can be read last under it.
  let key: Int
  let target: Int
}

extension SaveContent {
  /// The number of the key of a property (``PlayThroughQuestions``), or -1.
  fileprivate func key(of property: Int) -> Int {
    property & 1 == 1 ? property >> 1 : shapes.lastKey(of: property >> 1)
  }
}

extension ArchiveImage {
  /// The numbers of the objects to which body `number` refers, as far as it can be read.
  func references(ofBody number: Int) -> [Int] {
    var targets: [Int] = []
    try? forEachReference(ofBody: number) { target, _ in targets.append(target) }
    return targets
  }

  /// The numbers of the bodies to which `bodies` lead, as far as they can be read.
  func bodies(reachedFrom bodies: [Int]) -> Set<Int> {
    var (seen, unseen) = (Set(bodies), bodies)
    while let number = unseen.popLast() {
      for target in references(ofBody: number) where seen.insert(target).inserted { unseen.append(target) }
    }
    return seen
  }

  /// Calls `visit` with the number of each object to which body `number` refers, and the key in the body's value.
  func forEachReference(
    ofBody number: Int,
    _ visit: (_ target: Int, _ key: String?) -> Void
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(try numberedBody(number).value)
    var key: String?
    var isProperty = false
    while let step = try walk.next() {
      if case .value(let value, let label) = step {
        if isProperty {
          if case .key(let name) = label { key = name } else { key = nil }
        }
        if value.kind == .object {
          let target = try value.referencedNumber()
          // Throws if there is no such body.
          _ = try extent(ofBody: target, at: value.offset)
          visit(target, key)
        }
      }
      isProperty = walk.depth == 1
    }
  }
}
