#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a document knows about its file: the newest save, and the objects in it.
final class SavedState {
  let image: ArchiveImage
  /// The archive in the long form, if the file has the short one.
  let longForm: ByteBuffer?
  /// The number of bytes of the first save in the file.
  let firstByteCount: Int
  /// The objects in the file, as far as ``noteWhatWasRead()`` has listed them.
  private(set) var knownObjects: KnownObjects
  /// The session that read the root object, until its objects are listed.
  private var unlisted: DecodingSession?
  /// The sessions that still have lazy values of the root object to read.
  private(set) var readers: [Reader] = []
  /// The objects that the last save did not reach, by their numbers. Unread values may refer to them.
  private var unreached: [(number: Int, object: Weak<AnyObject>)] = []
  /// The objects that only weak references lead to until the lazy values that contain them are read.
  private var awaited: [AnyObject] = []
  /// The unread lazy values that lead to such objects, by the numbers of both.
  private(set) var weakSources: [Int: Int] = [:]

  struct Reader {
    private(set) weak var session: DecodingSession?
    /// What the session has read since the last listing.
    fileprivate let new = NewObjects()

    init(_ session: DecodingSession) {
      self.session = session
      session.lazies.newObjects = new
    }

    /// Whether the session has read something since the last listing.
    fileprivate var hasNew: Bool {
      guard let session else { return !new.list.isEmpty }
      return session.turn.take { !new.list.isEmpty }
    }
  }

  /// A save that is not written yet.
  struct Changes {
    fileprivate let assembly: SaveAssembly
    fileprivate let bodies: ChangedBodies

    /// The numbers of the bodies that the file lacks, or has with other bytes.
    var changedNumbers: [Int] { bodies.bodies.map { Int($0.number) } }
  }

  /// - Parameters:
  ///   - data: the file at `path`, mapped into memory.
  ///   - known: the known objects of the file.
  init(
    _ data: Data,
    _ path: String,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    _ known: KnownObjects = KnownObjects()
  ) throws {
    (image, longForm, firstByteCount, knownObjects) = try decodingErrors { () throws(ArchiveError) in
      let stored = try ArchiveImage(data: data, verification: verification, limits: limits)
      guard stored.source == nil else {
        throw .misuse(
          "The file is an archive of NSKeyedArchiver. Read it with KeyedUnarchiver and create a document",
          path: path
        )
      }
      guard try stored.hasRootAlone else {
        throw .misuse(
          "The archive is not that of a single root object. Read it with KeyedUnarchiver",
          path: path
        )
      }
      let byteCount = stored.extent.firstEnd
      guard stored.directory.isShort else { return (stored, nil, byteCount, known) }
      let long = try ArchiveRewriter(stored, prefersShortForm: false)
      let image = try ArchiveImage(long.buffer.reader(), verification: .disabled, limits: limits)
      let (bodies, conditionals) = long.newNumbers
      return (image, long.buffer, byteCount, known.renumbered(bodies: bodies, conditionals: conditionals))
    }
  }

  /// The state of the file after a save was added to it. `data` is the file.
  init(_ before: SavedState, andSaveIn data: Data) throws(ArchiveError) {
    image = try ArchiveImage(before.image, andSavesIn: ByteReader(data))
    // The bytes that are mapped now were compared before, or have just been written.
    image.verifier = nil
    (longForm, firstByteCount, knownObjects) = (nil, before.firstByteCount, KnownObjects())
  }

  /// The state of the same file, with the objects of an earlier save that `session` is about to read.
  init(_ state: SavedState, objectsReadBy session: DecodingSession) {
    (image, longForm, firstByteCount) = (state.image, state.longForm, state.firstByteCount)
    knownObjects = KnownObjects()
    begin(withObjectsReadBy: session)
  }

  /// A session that reads a save, by default the newest. It has its own image, since any thread may read lazy values.
  func decodingSession(
    asOf number: Int?,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    _ classPolicy: ArchiveClassPolicy,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> DecodingSession {
    let session = try decodingErrors { () throws(ArchiveError) in
      let image = try image.asOf(number, limits, verification)
      return try DecodingSession(image, userInfo: userInfo, limits: limits, hidesRootKey: true)
    }
    session.change { $0.classPolicy = classPolicy }
    // Lazy values keep the session, and nothing tells it when the last of them is gone.
    session.dropSpares()
    return session
  }

  // MARK: A new save

  /// Lets `session` add a save to the file. `changed` are the objects that have changed, if these are known.
  func begin(_ session: EncodingSession, _ changed: [any Encodable & AnyObject]?) throws -> SavedNumbers {
    try decodingErrors { () throws(ArchiveError) in
      let numbers = SavedNumbers(
        knownObjects,
        bodyCount: image.directory.bodyCount,
        valueNumber: try image.rootValueNumber,
        changed: changed,
        hasUnread: mayHaveUnread
      )
      try session.add(to: image, numbers)
      return numbers
    }
  }

  /// Prepares to list what `session` is about to read.
  func begin(withObjectsReadBy session: DecodingSession) {
    unlisted = session
    readers = [Reader(session)]
  }

  /// Lists the objects of the root object, those that lazy values have read since, and those that the program has kept
  /// from earlier saves.
  ///
  /// Weak references into unread values get their objects; otherwise, they would be nil in the save.
  func noteWhatWasRead() throws {
    for reader in readers {
      func list() {
        let new = exchange(&reader.new.list, with: []).ordered { $0.number < $1.number }
        knownObjects = knownObjects.adding(new)
      }
      // Reading the last lazy value releases the session.
      guard let session = reader.session else {
        list()
        continue
      }
      try session.turn.take {
        // If there are lazy values, `reader.new` has what was read, and most of the file may be unread.
        if session === unlisted, reader.new.list.isEmpty {
          knownObjects = KnownObjects(bodyCount: session.image.directory.bodyCount) { session.known($0) }
        }
        var followed = 0
        awaited += try session.readAwaited(after: &followed)
        list()
      }
    }
    unlisted = nil
    let kept = exchange(&unreached, with: [])
    knownObjects = knownObjects.adding(kept.compactMap { number, kept in kept.object.map { (number, $0) } })
  }

  /// Calls `encode`, and calls it again if another thread or the encoding has read lazy values since, so that the
  /// result includes everything that was read.
  func encodingKnown(_ encode: () throws -> DocumentEncoding) throws -> DocumentEncoding {
    var encoding: DocumentEncoding
    repeat {
      try noteWhatWasRead()
      encoding = try encode()
    } while encoding.isTooEarly || readers.contains(where: \.hasNew)
    return encoding
  }

  /// Forgets the readers of lazy values, since no saves follow.
  func stopListing() { readers = [] }

  /// Knows only what the last save has from now on, so that an object that it does not reach is new if it comes back.
  func keepKnown(_ encoding: DocumentEncoding) {
    let (numbers, session, targets) = (encoding.numbers, encoding.session, encoding.weakTargets)
    knownObjects = numbers.known(by: session) { targets?.areRemoved($0) ?? false }
    if readers.isEmpty { return }
    unreached = numbers.unreached(by: session)
    if let targets { weakSources = targets.sources }
    let mayBeTarget = encoding.mayBeTarget
    var known: Set<ObjectIdentifier> = []
    awaited = (awaited + unreached.compactMap(\.object.object)).filter {
      // The root object keeps what it reaches.
      !numbers.isReached($0, by: session) && mayBeTarget($0) && known.insert(ObjectIdentifier($0)).inserted
    }
  }

  /// Takes over after a save. Lazy values are now read from that save, and share the objects that it added.
  func continueAfter(_ before: SavedState, _ encoding: DocumentEncoding) throws {
    let (numbers, session) = (encoding.numbers, encoding.session)
    let mayBeTarget = encoding.mayBeTarget
    readers = before.readers.filter { $0.session != nil || !$0.new.list.isEmpty }
    (weakSources, awaited) = (before.weakSources, before.awaited)
    keepKnown(encoding)
    for reader in readers.compactMap(\.session) {
      try reader.turn.take {
        // The session compares what it reads from now on as it did before.
        let newest = try decodingErrors { () throws(ArchiveError) in
          try ArchiveImage(reader.image, andSavesIn: image.reader)
        }
        reader.continueReading(newest)
        // The program has removed these references, or the objects.
        reader.forgetWaiting { !mayBeTarget($0) }
        for (number, object) in numbers.newObjects(of: session) where !(object is AnyLazyContent) {
          reader.graph.objects.note(object, number)
        }
      }
    }
  }

  /// Takes over after a compaction. The session `new` now reads lazy values from the new file.
  func continueAfterCompaction(_ before: SavedState, _ numbers: [Int: Int], _ new: DecodingSession) {
    func renumbered(_ new: NewObjects) -> [(number: Int, object: AnyObject)] {
      exchange(&new.list, with: []).compactMap { number, object in numbers[number].map { ($0, object) } }
    }
    // Objects that other threads have read since the last listing, and with them the last lazy value of a session.
    for reader in before.readers where reader.session == nil {
      knownObjects = knownObjects.adding(renumbered(reader.new))
    }
    let sessions = before.readers.compactMap { reader in reader.session.map { ($0, reader.new) } }
    guard let first = sessions.first?.0 else { return }
    new.lazies.faults = first.lazies.faults
    knownObjects.forEach { object, number in
      if !(object is AnyLazyContent) { new.graph.objects.note(object, number) }
    }
    let reader = Reader(new)
    for (session, unlisted) in sessions {
      session.turn.take {
        // What the new file lacks may come back. Then it must share objects with what is in the file.
        session.readLazyValuesIfPossible { numbers[$0] == nil }
        // Other threads may have read weak references since the save. The new session does not know that they wait.
        var followed = 0
        if let found = try? session.readAwaited(after: &followed) { awaited += found }
        for (number, object) in renumbered(unlisted) {
          if !(object is AnyLazyContent) { new.graph.objects.note(object, number) }
          reader.new.list.append((number, object))
        }
        for (number, content) in session.lazies.contents {
          guard let content = content.object, let newNumber = numbers[number] else { continue }
          content.move(to: new, body: newNumber)
          new.lazies.contents[newNumber] = Weak(object: content)
        }
      }
    }
    readers = [reader]
    // Objects that nothing leads to any more, not even a weak reference, are not in the new file.
    awaited += before.awaited.filter { knownObjects.number(of: $0) != nil }
  }

  /// Whether the document may have unread lazy values: only they keep their sessions.
  var mayHaveUnread: Bool { readers.contains { $0.session != nil } }

  /// Whether the lazy value `number`, which `session` could not read from an earlier save, is unchanged in this one,
  /// with all that it leads to except what was read.
  func hasSame(_ number: Int, as session: DecodingSession) -> Bool {
    var (seen, unseen) = (Set([number]), [number])
    while let number = unseen.popLast() {
      guard let place = try? session.image.extent(ofBody: number, at: 0),
        place == (try? image.extent(ofBody: number, at: 0))
      else { return false }
      // A body that cannot be walked is equally damaged in both. All objects to which it leads must be in that save.
      for target in session.image.references(ofBody: number) {
        if session.known(target) == nil, seen.insert(target).inserted { unseen.append(target) }
      }
    }
    return true
  }

  /// Whether the document has unread lazy values.
  var hasUnread: Bool { knownObjects.contains { ($0 as? AnyLazyContent)?.isArchived == true } }

  /// What the file lacks of `content`; `nil` if it has everything.
  func changes(
    _ content: SaveContent,
    _ layout: EncodingSession.Layout,
    _ targets: WeakTargets?
  ) throws -> Changes? {
    try decodingErrors { () throws(ArchiveError) in
      var content = content
      let changed = try ChangedBodies(content, layout, image)
      let conditionals = try image.conditionals.map { Int($0) }
      for (index, target) in content.conditionals.enumerated() {
        // An unread value may refer to an object that this save did not reach.
        let isKept = target == 0 && changed.hasUnread && index < conditionals.count
        let known = isKept ? conditionals[index] : target
        let new = targets?.areRemoved(known) == true ? 0 : known
        if new != target { content.conditionals[index] = new }
      }
      let before = TablesBefore(
        keyCount: image.keys.count,
        shapeCount: image.shapeCount,
        classes: image.classes,
        stringCount: image.stringCount,
        conditionals: conditionals
      )
      let topLevelIsSame = try image.hasTopLevel(content.topLevel)
      let assembly = SaveAssembly(content: content, before: before, changed: changed.bodies)
      if assembly.isEmpty(topLevelIsSame: topLevelIsSame) { return nil }
      return Changes(assembly: assembly, bodies: changed)
    }
  }

  func bytes(of changes: Changes, date: Double?) -> ByteBuffer {
    changes.assembly.bytes(
      number: image.saves.count + 2,
      date: date,
      start: image.extent.storedByteCount,
      checksumBefore: image.newestChecksum,
      image.extent.hasChecksums ? [] : .withoutChecksums
    )
  }

  /// Smaller files are not compacted: there is nothing to gain.
  private static let leastCompacted = 1 << 16

  /// Whether more than half of the file is out of date after a save of `changes`.
  func isMostlyOutOfDate(with changes: Changes) -> Bool {
    let byteCount = image.extent.storedByteCount + changes.assembly.changedByteCount
    let content = changes.assembly.content
    var outOfDate =
      image.replacedByteCount + changes.bodies.replacedByteCount + content.topLevel.count
    if !changes.bodies.hasUnread {
      // Objects that are gone do not count as replaced.
      let needed = content.byteCount + image.tableByteCount
      outOfDate = max(outOfDate, byteCount - needed)
    }
    return byteCount > SavedState.leastCompacted && outOfDate > byteCount / 2
  }
}

/// The bodies of a save that the file lacks, or has with other bytes.
private struct ChangedBodies {
  private(set) var bodies: [(number: UInt32, range: Range<Int>)] = []
  /// The number of bytes in the file that they replace.
  private(set) var replacedByteCount = 0
  private(set) var hasUnread = false

  init(
    _ content: SaveContent,
    _ layout: EncodingSession.Layout,
    _ image: ArchiveImage
  ) throws(ArchiveError) {
    var start = Header.byteCount
    for (number, length) in zip(content.numbers, content.lengths) {
      let range = start..<(start &+ length)
      start = range.upperBound
      // An unread lazy value stays as it is.
      guard length > 0 else {
        hasUnread = true
        continue
      }
      if number <= image.directory.bodyCount {
        let present = try image.body(Int(number), at: 0)
        if try image.has(content.bodies, range, in: present) { continue }
        // Whatever is wrong with a body in the file, this one replaces it.
        if (try? image.hasSame(content.bodies, range, layout, in: present)) == true { continue }
        replacedByteCount += present.count
      }
      bodies.append((number, range))
    }
  }
}
