#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Saves graphs of `Codable` values and class instances to one compact archive.
///
/// One line saves a graph, whatever its root is:
///
/// ```swift
/// try KeyedArchiver.archive(rootObject: library, toFile: "library.keepsake")
/// ```
///
/// The archiver writes an instance that is reached twice once, and the reader makes one instance of it. Create an
/// archiver to save several values under keys; what they share stays shared:
///
/// ```swift
/// let archiver = KeyedArchiver()
/// try archiver.encode(books, forKey: "books")
/// try archiver.encode(loans, forKey: "loans")
/// try archiver.write(toFile: "library.keepsake")
/// ```
///
/// The archiver is also the `Encoder` of its top level: `point.encode(to: archiver)` makes the keys of the point the
/// keys of the archive. An archiver belongs to one thread at a time. Code that it calls while it encodes a value (an
/// `encode(to:)`, its delegate) can neither encode another value with it nor finish it.
public final class KeyedArchiver: Encoder, ArchiveWriting {
  /// The key under which the one-liners keep the root object: "root".
  public static let rootKey = EncodingSession.rootKey

  private var openSession: EncodingSession?
  /// The bytes, once they were requested. As this copy shares them, a caller that changes them changes only its own.
  private var givenData: Data?
  /// Whether the delegate is being told that the archive is about to be completed.
  private var isFinishing = false

  /// How the archive is written. Set it before you encode the first value.
  public var outputFormatting: ArchiveFormatting = []

  /// What `encode(to:)` of the values finds in its encoder.
  public var userInfo: [CodingUserInfoKey: Any] = [:] {
    didSet { openSession?.settings.userInfo = userInfo }
  }

  /// The delegate, which follows the archiving and may replace objects. Set it before you encode the first value.
  public weak var delegate: (any KeyedArchiverDelegate)? {
    didSet { observe() }
  }

  private lazy var observer = ArchiverObserver(self)
  private var ownClassNames: [ObjectIdentifier: String] = [:]

  /// Makes an archiver with an empty archive.
  public init() {}

  deinit {
    openSession?.dropSpares()
  }

  /// The session, begun with the settings at the time of its first use.
  private var session: EncodingSession {
    if let openSession { return openSession }
    let session = EncodingSession(outputFormatting, userInfo, hidesRootKey: false)
    session.settings.ownClassNames = ownClassNames
    openSession = session
    observe()
    return session
  }

  private func observe() {
    openSession?.observation.observer = delegate == nil ? nil : observer
  }

  // MARK: Class names

  /// Gives `type` another name in this archive, whatever it is called elsewhere; `nil` takes it back.
  ///
  /// Call it before you encode an instance.
  public func setClassName(_ name: String?, for type: Any.Type) {
    ownClassNames[ObjectIdentifier(type)] = name
    openSession?.settings.ownClassNames = ownClassNames
  }

  /// The name that ``setClassName(_:for:)-swift.method`` gave to `type` for this archive, or `nil`.
  public func className(for type: Any.Type) -> String? {
    ownClassNames[ObjectIdentifier(type)]
  }

  // MARK: Encoding

  /// Encodes `value` under `key`, and replaces a value that was encoded under the same key before.
  ///
  /// Before this returns, all objects that the value reaches are archived in their present state.
  ///
  /// - Throws: `EncodingError` when the archive is finished, when the archiver is encoding another value just now, when
  ///   objects refer to each other in a cycle that could not be read back, or when values are nested too deep; and what
  ///   an `encode(to:)` throws. Nothing of the value is in the archive then.
  /// - Complexity: O(*n*) in the value and in the objects that it reaches and that are not archived yet.
  public func encode<Value: Encodable>(_ value: Value, forKey key: String) throws {
    try session.encode(value, forKey: ArchiveCodingKey(stringValue: key))
  }

  /// Completes the archive. You cannot encode further values; calling it again does nothing.
  ///
  /// - Throws: what an `encode(to:)` of an object throws that is still to be written; `EncodingError` when the archiver
  ///   is encoding a value just now, which it continues with.
  public func finishEncoding() throws {
    let session = session
    guard !session.outcome.isFinished else { return try session.finish() }
    try session.checkIdle()
    if !isFinishing {
      isFinishing = true
      defer { isFinishing = false }
      delegate?.archiverWillFinish(self)
      // The delegate may have taken the archive, which is finished then.
      guard !session.outcome.isFinished else { return try session.finish() }
    }
    try session.finish()
    delegate?.archiverDidFinish(self)
  }

  /// The bytes of the archive. Finishes the archive if necessary.
  ///
  /// - Complexity: O(1) once the archive is finished, except for archives of less than 16 KB, which are copied.
  public var encodedData: Data {
    get throws {
      try finishEncoding()
      if let givenData { return givenData }
      let data = session.archive.takeData()
      givenData = data
      return data
    }
  }

  /// Writes the archive to the file at `path`. Finishes the archive if necessary.
  ///
  /// When this returns, the file is on the disk. Until then, a crash or a power cut leaves the old file or the new
  /// one, whole. The file keeps its permissions, and a symbolic link is followed.
  ///
  /// - Throws: ``ArchiveError`` with the path and the system's reason when the file cannot be written, and the old one
  ///   is then untouched; or when the new one is in place, as the message says, and the disk failed to make sure that it
  ///   stays. Otherwise as ``finishEncoding()``.
  public func write(toFile path: String) throws {
    try finishEncoding()
    if let givenData { return try givenData.writeArchive(toFile: path) }
    try session.archive.write(toFile: path)
  }

  // MARK: Encoder

  /// The path of the top level: empty.
  public var codingPath: [any CodingKey] { [] }

  /// The top level as a keyed container.
  public func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    topLevel.container(keyedBy: type)
  }

  /// The top level as an array: for values that encode themselves as one. It then has no keys.
  public func unkeyedContainer() -> any UnkeyedEncodingContainer {
    topLevel.unkeyedContainer()
  }

  /// The top level as one value: for values that encode themselves as one. It then has no keys.
  public func singleValueContainer() -> any SingleValueEncodingContainer {
    topLevel.singleValueContainer()
  }

  private var topLevel: ValueEncoder { ValueEncoder(session: session, frame: 0, nested: nil) }
}

extension KeyedArchiver {
  /// Archives `rootObject` and all that it reaches to the file at `path`, as ``write(toFile:)`` does.
  ///
  /// ```swift
  /// try KeyedArchiver.archive(rootObject: library, toFile: "library.keepsake")
  /// ```
  ///
  /// The archiver writes what is complete while it encodes the rest. So memory does not grow with the archive, except
  /// for about 20 bytes for each object.
  ///
  /// - Throws: `EncodingError`, what an `encode(to:)` throws, or ``ArchiveError`` when the file cannot be written.
  public static func archive<Root: Encodable>(
    rootObject: Root,
    toFile path: String,
    outputFormatting: ArchiveFormatting = [],
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws {
    try stream(rootObject, toFile: path, outputFormatting, userInfo)
  }

  /// - Returns: the most bytes of the archive that were in memory when some of them were to be written.
  @discardableResult
  package static func stream<Root: Encodable>(
    _ rootObject: Root,
    toFile path: String,
    _ outputFormatting: ArchiveFormatting = [],
    _ userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Int {
    let sink = ArchiveFileSink(path: path)
    let session = EncodingSession(outputFormatting, userInfo, hidesRootKey: true)
    defer { session.dropSpares() }
    session.bodies.assembly.stream(to: sink)
    do { try session.encodeRoot(rootObject) } catch is AwaitedObjects {
      // The session keeps them meanwhile.
      return try withExtendedLifetime(session) {
        try stream(rootObject, toFile: path, outputFormatting, userInfo)
      }
    }
    try sink.commit()
    return session.bodies.assembly.mostHeld
  }

  /// The archive of `rootObject` and all that it reaches.
  ///
  /// - Throws: `EncodingError`, or what an `encode(to:)` throws.
  public static func archivedData<Root: Encodable>(
    withRootObject rootObject: Root,
    outputFormatting: ArchiveFormatting = [],
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Data {
    let sortsKeys = outputFormatting.contains(.sortedKeys)
    let session = SpareEncodingSessions.take(sortsKeys: sortsKeys, userInfo: userInfo)
    do {
      session.format(outputFormatting)
      try session.encodeRoot(rootObject)
    } catch {
      session.dropSpares()
      throw error
    }
    let data = session.archive.takeData()
    SpareEncodingSessions.giveBack(consume session)
    return data
  }

  /// A deep copy of `object` and all that it reaches. Each object is copied once, so what was shared is shared in the
  /// copy, and keeps its class.
  ///
  /// - Throws: `EncodingError` or `DecodingError`, and what an `encode(to:)` or `init(from:)` throws.
  public static func copy<Root: Codable>(of object: Root) throws -> Root {
    let session = EncodingSession([], [:], hidesRootKey: true)
    defer { session.dropSpares() }
    session.settings.classesAreKnown = true
    try session.encodeRoot(object)
    return try KeyedUnarchiver.decodeRoot(Root.self, of: session)
  }

  /// A deep copy, as of ``copy(of:)``, that you can send to another actor or task:
  ///
  /// ```swift
  /// let snapshot = try KeyedArchiver.disconnectedCopy(of: library)
  /// Task.detached { report(on: snapshot) }
  /// ```
  ///
  /// The copy and the original share no objects, so you can change one while the other is in use. The compiler
  /// refuses types whose conformance to `Codable` is isolated to an actor, since state of that actor could get into
  /// the copy.
  public static func disconnectedCopy<Root: Codable & SendableMetatype>(of object: Root) throws
    -> sending Root
  {
    Disconnected(value: try copy(of: object)).value
  }
}

/// A copy of which the compiler cannot know that nothing else leads to it.
// Safe: it was made of bytes, by initializers that are isolated to no actor and were given nothing but these.
private struct Disconnected<Value>: @unchecked Sendable {
  let value: Value
}

extension EncodingSession {
  convenience init(
    _ formatting: ArchiveFormatting,
    _ userInfo: [CodingUserInfoKey: Any],
    hidesRootKey: Bool
  ) {
    self.init(
      sortsKeys: formatting.contains(.sortedKeys),
      userInfo: userInfo,
      hidesRootKey: hidesRootKey
    )
    format(formatting)
  }

  fileprivate func format(_ formatting: ArchiveFormatting) {
    if formatting.contains(.withoutChecksums) { bodies.assembly.leaveOutChecksums() }
    bodies.assembly.prefersShortForm = !formatting.contains(.longForm)
    if settings.rehearse == nil { settings.rehearse = { KeyedUnarchiver.canRead($0, from: $1) } }
  }
}
