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
  /// What the sessions have read that still have lazy values of the root object to read.
  private var newObjects: [NewObjects] = []
  /// The objects that the last save did not reach, by their numbers. Unread values may refer to them.
  private var unreached: [(number: Int, object: Weak<AnyObject>)] = []
  /// The objects that only weak references lead to until the lazy values that contain them are read.
  private var awaited: [AnyObject] = []
  /// The unread lazy values that lead to such objects, by the numbers of both.
  private(set) var weakSources: [Int: Int] = [:]

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
    let stored = try decodingErrors(ArchiveImage(data: data, verification: verification, limits: limits))
    guard stored.source == nil else {
      throw ArchiveError.misuse(
        "The file is an archive of NSKeyedArchiver. Read it with KeyedUnarchiver and create a document",
        path: path
      )
    }
    guard try decodingErrors(stored.hasRootAlone) else {
      throw ArchiveError.misuse(
        "The archive is not that of a single root object. Read it with KeyedUnarchiver",
        path: path
      )
    }
    firstByteCount = stored.extent.firstEnd
    guard stored.directory.isShort else {
      (image, longForm, knownObjects) = (stored, nil, known)
      return
    }
    let long = try decodingErrors(ArchiveRewriter(stored, prefersShortForm: false))
    image = try decodingErrors(ArchiveImage(long.buffer.reader(), verification: .disabled, limits: limits))
    (longForm, knownObjects) = (long.buffer, known.renumbered(by: long.newNumbers))
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
    _ classPolicy: ArchiveClassPolicy,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> DecodingSession {
    let image = try decodingErrors(image.asOf(number, verification))
    let session = try decodingErrors(
      DecodingSession(image, userInfo: userInfo, limits: image.limits, hidesRootKey: true)
    )
    session.change { $0.classPolicy = classPolicy }
    // Lazy values keep the session, and nothing tells it when the last of them is gone.
    session.dropSpares()
    return session
  }

  // MARK: A new save

  /// Lets `session` add a save to the file. `changed` are the objects that have changed, if these are known.
  func begin(_ session: EncodingSession, _ changed: [any Encodable & AnyObject]?) throws -> SavedNumbers {
    let numbers = SavedNumbers(
      knownObjects,
      bodyCount: image.directory.bodyCount,
      valueNumber: try decodingErrors(image.rootValueNumber),
      changed: changed,
      readers: newObjects.compactMap(\.session)
    )
    try decodingErrors(session.add(to: image, numbers))
    return numbers
  }

  /// Prepares to list what `session` is about to read.
  func begin(withObjectsReadBy session: DecodingSession) {
    unlisted = session
    newObjects = [NewObjects(of: session)]
  }

  /// Lists the objects of the root object, those that lazy values have read since, and those that the program has kept
  /// from earlier saves.
  ///
  /// Weak references into unread values get their objects; otherwise, they would be nil in the save.
  func noteWhatWasRead() throws {
    for new in newObjects {
      // Reading the last lazy value releases the session.
      guard let session = new.session else {
        knownObjects = knownObjects.adding(new.takeList())
        continue
      }
      try session.turn.take {
        // If there are lazy values, the list has what was read, and most of the file may be unread.
        if session === unlisted, new.list.isEmpty {
          knownObjects = KnownObjects(bodyCount: session.image.directory.bodyCount) { session.known($0) }
        }
        var followed = 0
        awaited += try session.readAwaited(after: &followed)
        knownObjects = knownObjects.adding(new.takeList())
      }
    }
    unlisted = nil
    let kept = exchange(&unreached, with: [])
    knownObjects = knownObjects.adding(kept.compactMap { number, kept in kept.object.map { (number, $0) } })
  }

  /// Encodes `root` for a save, and encodes it again if another thread or the encoding has read lazy values since, so
  /// that the result includes everything that was read. `changed` are the objects that have changed, if these are known.
  func encode<Root: Codable>(
    _ root: Root,
    _ changed: [any Encodable & AnyObject]?,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> DocumentEncoding {
    var encoding: DocumentEncoding
    repeat {
      try noteWhatWasRead()
      encoding = try DocumentEncoding(root, changed: changed, self, userInfo)
    } while encoding.isTooEarly || newObjects.contains(where: \.areThere)
    return encoding
  }

  /// No longer notes what is read, since no saves follow.
  func stopListing() { newObjects = [] }

  /// Knows only what the last save has from now on, so that an object that it does not reach is new if it comes back.
  func keepKnown(_ encoding: DocumentEncoding) {
    let (numbers, session, targets) = (encoding.numbers, encoding.session, encoding.weakTargets)
    knownObjects = numbers.known(by: session) { targets?.areRemoved($0) ?? false }
    if newObjects.isEmpty { return }
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
    newObjects = before.newObjects.filter { $0.session != nil || !$0.list.isEmpty }
    (weakSources, awaited) = (before.weakSources, before.awaited)
    keepKnown(encoding)
    for reader in newObjects.compactMap(\.session) {
      try reader.turn.take {
        // The session compares what it reads from now on as it did before.
        reader.continueReading(try decodingErrors(ArchiveImage(reader.image, andSavesIn: image.reader)))
        // The program has removed these references, or the objects.
        reader.forgetWaiting { !mayBeTarget($0) }
        for (number, object) in numbers.newObjects(of: session) { reader.share(object, number) }
      }
    }
  }

  /// Takes over after a compaction. The session `new` now reads lazy values from the new file.
  func continueAfterCompaction(_ before: SavedState, _ numbers: [Int: Int], _ new: DecodingSession) {
    func renumbered(_ new: NewObjects) -> [(number: Int, object: AnyObject)] {
      new.takeList().compactMap { number, object in numbers[number].map { ($0, object) } }
    }
    var sessions: [(DecodingSession, unlisted: NewObjects)] = []
    for unlisted in before.newObjects {
      if let session = unlisted.session {
        sessions.append((session, unlisted))
      } else {
        // Other threads have read the last lazy value of a session since the last listing.
        knownObjects = knownObjects.adding(renumbered(unlisted))
      }
    }
    guard let first = sessions.first?.0 else { return }
    new.lazies.faults = first.lazies.faults
    knownObjects.forEach(new.share)
    let all = NewObjects(of: new)
    for (session, unlisted) in sessions {
      session.turn.take {
        // What the new file lacks may come back. Then it must share objects with what is in the file.
        session.readLazyValuesIfPossible { numbers[$0] == nil }
        // Other threads may have read weak references since the save. The document keeps their objects, so that saves
        // need not search the lazy values for them; without it, they wait.
        var followed = 0
        if let found = try? session.readAwaited(after: &followed) { awaited += found }
        new.continueWaiting(of: session, numbers)
        for (number, object) in renumbered(unlisted) {
          new.share(object, number)
          all.list.append((number, object))
        }
        for (number, content) in session.lazies.contents {
          guard let content = content.object, let newNumber = numbers[number] else { continue }
          content.move(to: new, body: newNumber)
          new.lazies.contents[newNumber] = Weak(object: content)
        }
      }
    }
    newObjects = [all]
    // Objects that nothing leads to any more, not even a weak reference, are not in the new file.
    awaited += before.awaited.filter { knownObjects.number(of: $0) != nil }
  }

  /// Whether the document may have unread lazy values: only they keep their sessions.
  var mayHaveUnread: Bool { newObjects.contains { $0.session != nil } }

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

  var hasUnread: Bool {
    newObjects.contains { new in
      new.session.map { session in session.turn.take { session.lazies.areUnread } } ?? false
    }
  }
}

extension DecodingSession {
  /// Lets lazy values share an object that is in the file under `number`. The session has its lazy values already.
  fileprivate func share(_ object: AnyObject, _ number: Int) {
    if !(object is AnyLazyContent) { graph.objects.note(object, number) }
  }
}
