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
    let session = EncodingSession(.sortedKeys, userInfo, hidesRootKey: true)
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

/// The references to bodies that a save has left out. What it has written was played through (``ReferenceGraph``): so a new
/// cycle has a new reference to one of these, from which a path leads back to what was written.
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
      var targets: Set<Int> = []
      graph.forEachReference(of: body) { target in
        if content.lengths[target - 1] == 0 { targets.insert(Int(content.numbers[target - 1])) }
      }
      let number = Int(content.numbers[body - 1])
      if !targets.isEmpty, number <= image.directory.bodyCount {
        targets.subtract(try image.bodiesReferredTo(byBody: number))
      }
      starts.formUnion(targets)
    }
  }

  /// Whether one of them leads back to what was written, or it takes too long to find out.
  var leadBack: Bool {
    get throws {
      var (seen, unseen) = (starts, Array(starts))
      while let number = unseen.popLast() {
        guard seen.count <= NewPaths.mostBodies else { return true }
        for target in try image.bodiesReferredTo(byBody: number) {
          if written.contains(target) { return true }
          if seen.insert(target).inserted { unseen.append(target) }
        }
      }
      return false
    }
  }
}

extension ArchiveImage {
  /// The numbers of the objects that the body `number` refers to.
  fileprivate func bodiesReferredTo(byBody number: Int) throws(ArchiveError) -> Set<Int> {
    var numbers: Set<Int> = []
    var walk = ArchiveWalk(try numberedBody(number, referredToAt: 0).value)
    while let step = try walk.next() {
      if case .value(let value, _) = step, value.kind == .object {
        numbers.insert(try value.referencedNumber())
      }
    }
    return numbers
  }
}
