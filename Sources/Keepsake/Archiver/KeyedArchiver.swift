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
/// The archiver writes each instance once, however many references lead to it, and the reader makes one instance of it.
/// Create an archiver to save several values under keys; objects that they share stay shared:
///
/// ```swift
/// let archiver = KeyedArchiver()
/// try archiver.encode(books, forKey: "books")
/// try archiver.encode(loans, forKey: "loans")
/// try archiver.write(toFile: "library.keepsake")
/// ```
///
/// The archiver is also the `Encoder` of its top level: with `point.encode(to: archiver)`, the keys of the point become
/// the keys of the archive. Use an archiver from one thread at a time. Code that it calls while it encodes a value (an
/// `encode(to:)`, its delegate) can neither encode another value with it nor finish it.
public final class KeyedArchiver: Encoder, ArchiveWriting {
  /// The key of the root object in archives of a single value: "root".
  public static let rootKey = EncodingSession.rootKey

  private var openSession: EncodingSession?
  /// The bytes, once they were requested. This copy shares them, so a caller that changes them changes only its own.
  private var givenData: Data?
  /// Whether `archiverWillFinish(_:)` of the delegate is running.
  private var isFinishing = false

  /// How the archive is written. Set it before you encode the first value.
  public var outputFormatting: ArchiveFormatting = []

  /// The user info of the encoders that the values get.
  public var userInfo: [CodingUserInfoKey: Any] = [:] {
    didSet { openSession?.settings.userInfo = userInfo }
  }

  /// The delegate, which the archiver holds weakly. Set it before you encode the first value.
  public weak var delegate: (any KeyedArchiverDelegate)? {
    didSet { observe() }
  }

  private var ownClassNames: [ObjectIdentifier: String] = [:]

  /// Creates an archiver with an empty archive.
  public init() {}

  deinit {
    openSession?.dropSpares()
  }

  /// The session, created with the settings at its first use.
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

  /// Gives `type` another name in this archive, which overrides all others; `nil` removes the name again.
  ///
  /// Encoding an instance throws if the name is empty or reserved by the format, such as `Keepsake.Lazy`.
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

  /// Encodes `value` under `key`, and replaces a value that was encoded under the same key before. The archive keeps the
  /// bytes of that value, although no reader uses them.
  ///
  /// When this returns, all objects that the value reaches are archived in their current state.
  ///
  /// - Throws: `EncodingError` when the archive is finished, when the archiver is encoding another value, when no
  ///   reader could close a cycle of objects, when values are nested too deep, or when readers could not find a type by
  ///   its name; and errors of an `encode(to:)`. The archive then contains nothing of the value.
  /// - Complexity: O(*n*) in the value and in the objects that it reaches and that are not archived yet.
  public func encode<Value: Encodable>(_ value: Value, forKey key: String) throws {
    try session.encode(value, forKey: ArchiveCodingKey(stringValue: key))
  }

  /// Completes the archive. Afterwards you cannot encode values; calling this again does nothing.
  ///
  /// - Throws: errors of an `encode(to:)` of objects that are still to be encoded; `EncodingError` when the archiver is
  ///   encoding a value, which it then continues to do.
  public func finishEncoding() throws {
    let session = session
    guard !session.outcome.isFinished else { return try session.finish() }
    try session.checkIdle()
    if !isFinishing {
      isFinishing = true
      defer { isFinishing = false }
      delegate?.archiverWillFinish(self)
      // The delegate may have asked for the bytes, which finishes the archive.
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
      let data = givenData ?? session.archive.takeData()
      givenData = data
      return data
    }
  }

  /// Writes the archive to the file at `path`. Finishes the archive if necessary.
  ///
  /// When this returns, the file is on the disk. Until then, a crash or a power cut leaves the old file or the new
  /// one, whole. The file keeps its permissions, and a symbolic link is followed.
  ///
  /// - Throws: ``ArchiveError`` with the path and the system's reason when the file cannot be written. The old file
  ///   then stays unchanged, unless the message says that the new one is in place but may not survive a power cut.
  ///   Otherwise as ``finishEncoding()``.
  public func write(toFile path: String) throws {
    try KeyedArchiver.write(encodedData, toFile: path)
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
  /// The archiver writes what is complete while it encodes the rest. So it does not need memory for the archive, but
  /// about 25 bytes for each object, and more if objects refer to each other in cycles.
  ///
  /// - Throws: `EncodingError`, errors of an `encode(to:)`, or ``ArchiveError`` when the file cannot be written.
  public static func archive<Root: Encodable>(
    rootObject: Root,
    toFile path: String,
    outputFormatting: ArchiveFormatting = [],
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws {
    let file = try DurableFile(replacing: path)
    let session = EncodingSession(outputFormatting, userInfo, hidesRootKey: true)
    defer { session.dropSpares() }
    session.bodies.assembly.stream(to: file)
    do { try session.encodeRoot(rootObject) } catch is AwaitedObjects {
      // The session keeps the awaited objects during the second attempt.
      return try withExtendedLifetime(session) {
        try archive(
          rootObject: rootObject,
          toFile: path,
          outputFormatting: outputFormatting,
          userInfo: userInfo
        )
      }
    }
    try file.commit()
  }

  /// Returns the archive of `rootObject` and all that it reaches.
  ///
  /// - Throws: `EncodingError`, and errors of an `encode(to:)`.
  public static func archivedData<Root: Encodable>(
    withRootObject rootObject: Root,
    outputFormatting: ArchiveFormatting = [],
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Data {
    let session = SpareEncodingSessions.take(userInfo: userInfo)
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

  /// Returns a deep copy of `object` and all that it reaches. Each object is copied once, so shared objects stay
  /// shared, and objects keep their classes.
  ///
  /// - Parameters:
  ///   - object: the value to copy.
  ///   - userInfo: the user info of the encoders and decoders that the values get.
  /// - Throws: `EncodingError` or `DecodingError`, and errors of an `encode(to:)` or `init(from:)`.
  public static func copy<Root: Codable>(
    of object: Root,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Root {
    let session = EncodingSession([], userInfo, hidesRootKey: true)
    defer { session.dropSpares() }
    session.settings.classesAreKnown = true
    try session.encodeRoot(object)
    return try KeyedUnarchiver.decodeRoot(Root.self, of: session)
  }

  /// Returns a deep copy, as ``copy(of:userInfo:)`` does, that you can send to another actor or task:
  ///
  /// ```swift
  /// let snapshot = try KeyedArchiver.disconnectedCopy(of: library)
  /// Task.detached { report(on: snapshot) }
  /// ```
  ///
  /// The copy and the original share no objects, so you can change one while the other is in use. The compiler
  /// rejects types whose conformance to `Codable` is isolated to an actor, since the copy could contain state of that
  /// actor.
  public static func disconnectedCopy<Root: Codable & SendableMetatype>(
    of object: Root,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> sending Root {
    Disconnected(value: try copy(of: object, userInfo: userInfo)).value
  }
}

/// A copy to which nothing else refers, which the compiler cannot know.
// Safe: initializers that are isolated to no actor made it, from bytes and sendable values.
private struct Disconnected<Value>: @unchecked Sendable {
  let value: Value
}

extension EncodingSession {
  convenience init(
    _ formatting: ArchiveFormatting,
    _ userInfo: [CodingUserInfoKey: Any],
    hidesRootKey: Bool
  ) {
    self.init(userInfo: userInfo, hidesRootKey: hidesRootKey)
    format(formatting)
  }

  fileprivate func format(_ formatting: ArchiveFormatting) {
    settings.sortsKeys = formatting.contains(.sortedKeys)
    if formatting.contains(.withoutChecksums) { bodies.assembly.leaveOutChecksums() }
    bodies.assembly.prefersShortForm = !formatting.contains(.longForm)
    if settings.rehearse == nil {
      settings.rehearse = { (try? KeyedUnarchiver.decodeRoot($0, of: $1, isRehearsal: true)) != nil }
    }
  }
}
