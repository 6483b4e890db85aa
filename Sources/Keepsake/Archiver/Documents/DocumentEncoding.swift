/// The root object of a document, encoded for a save.
struct DocumentEncoding {
  let session: EncodingSession
  let numbers: SavedNumbers
  /// What of it the file does not have; `nil` where it has all of it.
  let changes: SavedState.Changes?

  /// Encodes the objects in `changed`, or all where that is `nil`.
  init<Root: Codable>(
    _ root: Root,
    changed: [any Encodable & AnyObject]?,
    _ state: SavedState,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws {
    // Whatever error there was, a look at everything has it too, or there is none.
    if let changed, let encoding = try? DocumentEncoding(root, changed, state, userInfo),
      encoding.isKnownToBeReadable
    {
      self = encoding
    } else {
      self = try DocumentEncoding(root, nil, state, userInfo)
    }
  }

  private let isKnownToBeReadable: Bool

  private init<Root: Codable>(
    _ root: Root,
    _ changed: [any Encodable & AnyObject]?,
    _ state: SavedState,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws {
    let session = EncodingSession(sortsKeys: true, userInfo: userInfo, hidesRootKey: true)
    session.settings.rehearse = { KeyedUnarchiver.canRead($0, from: $1) }
    defer { session.dropSpares() }
    self.session = session
    numbers = try state.begin(session, changed)
    try session.encode(root: root)
    for object in changed ?? [] { try session.encode(changed: object) }
    guard let content = try session.takeSave() else {
      (changes, isKnownToBeReadable) = (nil, true)
      return
    }
    changes = try state.changes(content)
    isKnownToBeReadable =
      try changed == nil
      || !session.bodies.graph.orderMatters && !NewPaths(content, session.bodies.graph, state.image).leadBack
  }
}

/// The references to bodies that a save has left out.
///
/// What a save has written was played through: none of it is in a cycle that cannot be read (``ReferenceGraph``). A new cycle
/// by way of bodies that were left out has a new reference to one of these, from which a path leads back to what was written.
private struct NewPaths {
  private let content: SaveContent
  private let image: ArchiveImage
  /// The bodies of the save, by their numbers in the file.
  private let written: Set<Int>
  private var starts: Set<Int> = []

  /// More bodies are not looked at: to encode them all would soon take less time.
  private static let mostBodies = 4096

  init(_ content: SaveContent, _ graph: ReferenceGraph, _ image: ArchiveImage) throws {
    (self.content, self.image) = (content, image)
    let bodies = zip(1..., content.lengths).filter { $0.1 > 0 }.map(\.0)
    written = Set(bodies.map { Int(content.numbers[$0 - 1]) })
    for body in bodies {
      var references: Set<KeyedReference> = []
      graph.forEachReference(of: body) { target, property in
        guard content.lengths[target - 1] == 0 else { return }
        references.insert(
          KeyedReference(key: content.key(of: property), target: Int(content.numbers[target - 1]))
        )
      }
      let number = Int(content.numbers[body - 1])
      if !references.isEmpty, number <= image.directory.bodyCount {
        // One under another key is new: what was read last may be no more.
        try image.forEachReference(ofBody: number) { references.remove($0) }
      }
      starts.formUnion(references.map(\.target))
    }
  }

  /// Whether one of them leads back to what was written, or it takes too long to find out.
  var leadBack: Bool {
    get throws {
      var (seen, unseen) = (starts, Array(starts))
      while let number = unseen.popLast() {
        guard seen.count <= NewPaths.mostBodies else { return true }
        var isBack = false
        try image.forEachReference(ofBody: number) { reference in
          if written.contains(reference.target) { isBack = true }
          if seen.insert(reference.target).inserted { unseen.append(reference.target) }
        }
        if isBack { return true }
      }
      return false
    }
  }
}

/// A reference to an object: the key in the record of the body under which it stands, and the number of the object.
private struct KeyedReference: Hashable {
  /// -1 where there is no key of a record.
  let key: Int
  let target: Int
}

extension SaveContent {
  /// The number of the key of a property (``PlayThroughQuestions``).
  fileprivate func key(of property: Int) -> Int {
    property & 1 == 1 ? property >> 1 : shapes.keys(of: property >> 1).last ?? -1
  }
}

extension ArchiveImage {
  /// Calls `visit` with each reference of the body `number` to an object.
  fileprivate func forEachReference(
    ofBody number: Int,
    _ visit: (KeyedReference) -> Void
  ) throws(ArchiveError) {
    var walk = ArchiveWalk(try numberedBody(number, referredToAt: 0).value)
    var key = -1
    var isProperty = false
    while let step = try walk.next() {
      if case .value(let value, _) = step {
        if isProperty { key = walk.keyNumber ?? -1 }
        if value.kind == .object { visit(KeyedReference(key: key, target: try value.referencedNumber())) }
      }
      isProperty = walk.depth == 1
    }
  }
}
