#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An open file with a root object, whose saves write what has changed.
///
/// ```swift
/// let document = try ArchiveDocument<Library>(opening: "library.keepsake")
/// document.root.books.append(book)
/// try document.save()
/// ```
///
/// A save appends the objects that are new or have changed. You need not mark changes: the document encodes the objects
/// and compares them with the file. Once ``save(date:)`` has returned, the save survives a crash or a power cut; until
/// then, the file has the previous save or this one, whole.
///
/// Earlier saves stay in the file until it is compacted: see ``saves``, ``root(asOf:)`` and ``revert(to:date:)``. Any
/// archive of a root object is a document with one save. ``KeyedUnarchiver`` reads the newest save of a document.
///
/// While a document is open, no other document, in any process, can open its file; readers can. Use a document from one
/// thread at a time. An actor can keep it, and you can send it to one.
///
/// The document keeps all objects of the last save alive until the next save, even those that the root object no
/// longer reaches.
public final class ArchiveDocument<Root: Codable> {
  /// The root object. Replace it or change what it leads to, then call ``save(date:)``.
  public var root: Root

  /// Whether a save compacts the file when more than half of it is out of date. True by default. Files of up to 64 KB
  /// are never compacted automatically.
  public var compactsAutomatically = true

  /// The user info of the coders that the values get.
  public let userInfo: [CodingUserInfoKey: Any]

  private var file: DocumentFile?
  private var state: SavedState
  /// How what the document reads later is compared with checksums.
  private let verification: ArchiveVerification
  private let classPolicy: ArchiveClassPolicy
  private let path: String
  /// Why lazy values of the root object could not be read.
  private var faults = LazyFaults()
  /// Whether a save is running, which may call code of the program.
  private var isSaving = false

  /// Opens the document in the file at `path`, and reads the root object.
  ///
  /// - Parameters:
  ///   - path: the file. It may be any archive whose only key is that of the root object.
  ///   - verification: which parts are compared with their checksums.
  ///   - limits: limits on what the archive may demand.
  ///   - classPolicy: which classes the archive may name.
  ///   - userInfo: the user info of the coders that the values get.
  /// - Throws: ``ArchiveError`` when the file cannot be opened; with the code ``ArchiveError/Code/fileInUse`` when it
  ///   is already open as a document. Otherwise the errors of
  ///   ``KeyedUnarchiver/unarchive(_:fromFile:verification:limits:classPolicy:userInfo:)``.
  public init(
    opening path: String,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits(),
    classPolicy: ArchiveClassPolicy = .byName,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws {
    let file = try DocumentFile(path)
    let state = try SavedState(file.map(), path, verification, limits)
    self.verification = verification == .disabled ? .disabled : .onDemand
    (self.file, self.state) = (file, state)
    (self.path, self.classPolicy, self.userInfo) = (path, classPolicy, userInfo)
    let session = try state.decodingSession(asOf: nil, self.verification, classPolicy, userInfo)
    state.begin(withObjectsReadBy: session)
    root = try session.decodeRoot(Root.self)
    faults = session.lazies.faults
  }

  /// Creates the document in a new file at `path`, and saves the root object to it.
  ///
  /// - Throws: ``ArchiveError`` when there is a file already, or when it cannot be written; `EncodingError`, and errors
  ///   of an `encode(to:)`.
  public init(creating path: String, root: Root, userInfo: [CodingUserInfoKey: Any] = [:]) throws {
    self.root = root
    let whole = try WholeSave(root, userInfo)
    let file = try DocumentFile(creating: path) { (file) throws(ArchiveError) in
      try file.append(whole.bytes)
    }
    (self.path, self.userInfo) = (path, userInfo)
    (verification, classPolicy) = (.onDemand, .byName)
    state = try SavedState(file.map(), path, .onDemand, ArchiveLimits(), whole.objects)
    self.file = file
  }

  deinit {
    close()
  }

  // MARK: Saving

  /// Saves what has changed since the last save.
  ///
  /// - Parameter date: a date that is kept with the save; none by default, so that the same changes give the same
  ///   bytes. A save that compacts the file keeps no date.
  /// - Returns: whether anything had changed. If not, nothing is written.
  /// - Throws: ``ArchiveError`` when the document is closed, the file cannot be written, another program has replaced
  ///   it, or a lazy value could not be read; `EncodingError`, and errors of an `encode(to:)`. The file then keeps the
  ///   previous save, and the document can be saved again.
  /// - Complexity: O(*n*) in the values of the document, all of which are encoded and compared, except lazy ones that
  ///   were not read. It writes what has changed.
  @discardableResult
  public func save(date: Date? = nil) throws -> Bool {
    try whileSaving { try save(nil, date, mayCompact: compactsAutomatically) }
  }

  /// Saves the given objects if they have changed since the last save, and skips all others.
  ///
  /// ```swift
  /// note.text = "changed"
  /// document.root.notes.append(Note())
  /// try document.save(changed: [note, document.root])
  /// ```
  ///
  /// The save includes new objects to which the given ones refer, and a root object that is a structure. If you leave
  /// out an object that has changed, the next ``save(date:)`` finds it. If the changes may have made a cycle through
  /// objects that you did not list, the document compares everything.
  ///
  /// - Parameters:
  ///   - objects: the objects of the document whose properties have changed since the last save.
  ///   - date: a date that is kept with the save.
  /// - Returns: whether anything had changed. If not, nothing is written.
  /// - Throws: as ``save(date:)``.
  /// - Complexity: O(*n*) in the values of `objects` and in the new ones; with a small factor, also in the strings of the
  ///   file that occur more than once, in the objects to which weak references lead, and in those saved since the file
  ///   was last written whole.
  @discardableResult
  public func save(changed objects: [any Encodable & AnyObject], date: Date? = nil) throws -> Bool {
    try whileSaving { try save(objects, date, mayCompact: compactsAutomatically) }
  }

  /// Calls `save`, or throws if a save is running: that one would continue with a file that this one has changed.
  private func whileSaving<Result>(_ save: () throws -> Result) throws -> Result {
    guard !isSaving else {
      throw ArchiveError.misuse(
        "Code that a save calls cannot save the document. Wait until the save has returned",
        path: path
      )
    }
    isSaving = true
    defer { isSaving = false }
    return try save()
  }

  private func save(_ changed: [any Encodable & AnyObject]?, _ date: Date?, mayCompact: Bool) throws -> Bool {
    let file = try openFile
    try checkFaults()
    let encoding = try state.encode(root, changed, userInfo)
    guard let save = encoding.changes else {
      state.keepKnown(encoding)
      try file.checkIsInPlace()
      try file.synchronizeFolder()
      return false
    }
    if mayCompact, save.leavesMostOutOfDate {
      // If compacting fails for lack of space, or as an unread value is damaged, the changes can still be appended.
      do { try replaceFile(date) } catch { _ = try self.save(changed, date, mayCompact: false) }
      return true
    }
    let (bytes, image) = (save.bytes(date: date?.timeIntervalSinceReferenceDate), state.image)
    let newState: SavedState
    if let long = state.longForm {
      // A file in the short form gets the long form, to which saves can be added, and this save in one step.
      newState = try file.replace(with: long, bytes) { try SavedState($0, path, .disabled, image.limits) }
    } else {
      let end = image.extent.storedByteCount
      newState = try file.append(bytes, at: end) { try SavedState(state, andSaveIn: $0) }
    }
    try newState.continueAfter(state, encoding)
    state = newState
    try file.synchronizeFolder()
    return true
  }

  /// Replaces the file by an archive of the current root object, without earlier saves.
  ///
  /// The file then equals, byte for byte, what
  /// ``KeyedArchiver/archive(rootObject:toFile:outputFormatting:userInfo:)`` writes with
  /// ``ArchiveFormatting/sortedKeys``; the order of the tables may differ if ``Lazy`` properties were not read. The new
  /// file replaces the old one atomically, and programs that read the old one continue.
  ///
  /// - Throws: as ``save(date:)``, but the file may already have the changes, as another save.
  /// - Complexity: O(*n*) in the values of the document and in the bytes of those that were not read.
  public func compact() throws {
    try whileSaving { try replaceFile(nil) }
  }

  /// - Parameter date: the date of a save that precedes the compaction, and stays if that fails.
  private func replaceFile(_ date: Date?) throws {
    let file = try openFile
    try checkFaults()
    let whole: WholeSave
    try state.noteWhatWasRead()
    if state.hasUnread {
      _ = try save(nil, date, mayCompact: false)
      try state.noteWhatWasRead()
      // Opens the archive again to compare checksums: nothing has compared those of unread values yet.
      whole = try WholeSave(rewriting: state.image.asOf(nil), state.knownObjects)
    } else {
      whole = try WholeSave(root, userInfo)
    }
    let (newState, reader) = try file.replace(with: whole.bytes) { data in
      let newState = try SavedState(data, path, .onDemand, state.image.limits, whole.objects)
      return (newState, try newState.decodingSession(asOf: nil, verification, classPolicy, userInfo))
    }
    if let numbers = whole.newNumbers { newState.continueAfterCompaction(state, numbers, reader) }
    state = newState
    try file.synchronizeFolder()
  }

  // MARK: Earlier saves

  /// The saves in the file, the oldest first.
  public var saves: [ArchiveSave] {
    [ArchiveSave(number: 1, byteCount: state.firstByteCount, date: nil)]
      + state.image.saves.map { save in
        let date = save.date.map { Date(timeIntervalSinceReferenceDate: $0) }
        return ArchiveSave(number: save.number, byteCount: save.range.count, date: date)
      }
  }

  /// Decodes the root object of the save `number`. It shares no objects with ``root``.
  ///
  /// - Throws: as ``init(opening:verification:limits:classPolicy:userInfo:)``; ``ArchiveError`` if it does not exist.
  public func root(asOf number: Int) throws -> Root {
    try session(asOf: number).decodeRoot(Root.self)
  }

  /// Returns to the root object of save `number`, and saves it. Later saves stay in the file, unless this one compacts
  /// it. Loses unsaved changes. Reads all lazy values of that save; one that cannot be read stays as it is in the file.
  ///
  /// - Throws: as ``root(asOf:)`` and ``save(date:)``, and why a lazy value cannot be read if a later save has changed
  ///   what it leads to.
  public func revert(to number: Int, date: Date? = nil) throws {
    try whileSaving { try returnTo(number, date) }
  }

  private func returnTo(_ number: Int, _ date: Date?) throws {
    let session = try session(asOf: number)
    let newState = SavedState(state, objectsReadBy: session)
    let root = try session.decodeRoot(Root.self)
    // A save keeps unread values as they are in the newest save.
    try session.turn.take { try session.readLazyValues { state.hasSame($0, as: session) } }
    let (rootBefore, faultsBefore, stateBefore) = (self.root, faults, state)
    (self.root, faults, state) = (root, session.lazies.faults, newState)
    do { _ = try save(nil, date, mayCompact: compactsAutomatically) } catch {
      // If the file has the save already, it only may not survive a power cut.
      if state === newState { (self.root, faults, state) = (rootBefore, faultsBefore, stateBefore) }
      throw error
    }
  }

  private func session(asOf number: Int) throws -> DecodingSession {
    try state.decodingSession(asOf: number, verification, classPolicy, userInfo)
  }

  // MARK: Closing

  /// Closes the file, so that other documents can open it. Unsaved changes are not written. You can still use ``root``,
  /// but saving throws.
  public func close() {
    file = nil
    state.stopListing()
  }

  /// Throws if something could not be read: a save would lose it.
  private func checkFaults() throws(ArchiveError) {
    faults.readAgain()
    guard let fault = faults.first else { return }
    throw ArchiveError(
      .damaged,
      "A @Lazy property of the document could not be read, and would be lost: \(fault). Go back to an earlier save, or "
        + "write what is there to another file",
      path: path
    )
  }

  private var openFile: DocumentFile {
    get throws(ArchiveError) {
      guard let file else { throw .misuse("The document is closed. Open it again", path: path) }
      return file
    }
  }
}

/// A save of a document.
public struct ArchiveSave: Sendable, Hashable {
  /// 1 for the first save of the file.
  public let number: Int
  /// The number of bytes that the save has written.
  public let byteCount: Int
  /// The date that the program gave for the save, if any.
  public let date: Date?
}
