#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Reads archives of a ``KeyedArchiver``, and restores values and shared objects.
///
/// ```swift
/// let library = try KeyedUnarchiver.unarchive(Library.self, fromFile: "library.keepsake")
/// ```
///
/// Create an unarchiver to read single values by key, in any order. Objects that they share are one instance:
///
/// ```swift
/// let unarchiver = try KeyedUnarchiver(forReadingFile: "library.keepsake")
/// let books = try unarchiver.decode([Book].self, forKey: "books")
/// ```
///
/// The same calls read NSKeyedArchiver archives, binary or XML, into the same types: see
/// <doc:MigratingFromNSKeyedArchiver>.
///
/// The unarchiver is also the `Decoder` of the top level: `Point(from: unarchiver)` reads a point whose keys are those
/// of the archive. Use an unarchiver from one thread at a time. Other threads may meanwhile access ``Lazy`` properties of
/// objects that it has decoded, but not while you decode from its containers.
public final class KeyedUnarchiver: Decoder, ArchiveReading {
  private let image: ArchiveImage
  private var openSession: DecodingSession?
  private var isFinished = false
  /// Whether `unarchiverWillFinish(_:)` of the delegate is running.
  private var isFinishing = false
  /// The error of a call that cannot throw, if there was no session to remember it.
  private var failure: (any Error)?

  /// The user info of the decoders that the values get.
  public var userInfo: [CodingUserInfoKey: Any] = [:] {
    didSet { openSession?.change(userInfo: userInfo) }
  }

  /// Limits on what the archive may demand. When the unarchiver opens the archive, it checks the number of bytes, and
  /// translates an NSKeyedArchiver archive as a whole, within the limits that you pass to the initializer.
  public var limits: ArchiveLimits {
    didSet { openSession?.change { $0.limits = limits } }
  }

  /// The types that the archive may name.
  public var classPolicy = ArchiveClassPolicy.byName {
    didSet { openSession?.change { $0.classPolicy = classPolicy } }
  }

  /// Types that stand for types that the program does not have. The unarchiver asks its delegate first, and then takes
  /// the first placeholder that fits the declaration.
  public var placeholders: [any ArchivePlaceholder.Type] = [] {
    didSet { openSession?.change { $0.placeholders = placeholders } }
  }

  /// The delegate, which the unarchiver holds weakly. Set it before you decode the first value.
  public weak var delegate: (any KeyedUnarchiverDelegate)? {
    didSet { observe() }
  }

  private var ownClasses: [String: Any.Type] = [:]

  /// Opens the archive in `data`.
  ///
  /// - Parameters:
  ///   - data: the bytes of the archive.
  ///   - verification: which parts the unarchiver compares with their checksums: by default each part before it first
  ///     reads it, so that one value of a large archive costs no more than its own bytes.
  ///   - limits: limits on what the archive may demand.
  /// - Throws: `DecodingError.dataCorrupted`, whose underlying error is an ``ArchiveError``, when `data` is not an
  ///   archive or is damaged.
  public init(
    forReadingFrom data: Data,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws {
    image = try decodingErrors(ArchiveImage(data: data, verification: verification, limits: limits))
    self.limits = limits
  }

  /// Opens the archive in the file at `path`, and maps it into memory: only the parts that you decode are read.
  ///
  /// The file must not be truncated while the unarchiver, or a decoder of it, is in use. Replacing it, as
  /// ``KeyedArchiver/write(toFile:)`` does, is safe.
  ///
  /// - Throws: ``ArchiveError`` with the path and the system's reason when the file cannot be read, and
  ///   `DecodingError.dataCorrupted` when it is not an archive or is damaged.
  public convenience init(
    forReadingFile path: String,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws {
    try self.init(forReadingFrom: mapArchiveFile(path), verification: verification, limits: limits)
  }

  deinit {
    inTurn { openSession?.dropSpares() }
  }

  private var session: DecodingSession {
    get throws {
      if let openSession { return openSession }
      let session = try decodingErrors(
        DecodingSession(image, userInfo: userInfo, limits: limits, hidesRootKey: false)
      )
      session.change {
        ($0.classPolicy, $0.ownClasses, $0.placeholders) = (classPolicy, ownClasses, placeholders)
      }
      openSession = session
      if delegate != nil { observe() }
      return session
    }
  }

  private func observe() {
    openSession?.change { $0.observer = delegate == nil ? nil : observer }
  }

  // MARK: Class names

  /// Makes `name` refer to `type` in this archive; `nil` removes the name again.
  public func setClass(_ type: (any Decodable.Type)?, forClassName name: String) {
    ownClasses[name] = type
    openSession?.change { $0.ownClasses = ownClasses }
  }

  /// The type that ``setClass(_:forClassName:)-swift.method`` gave to `name` for this archive, or `nil`.
  public func `class`(forClassName name: String) -> Any.Type? {
    ownClasses[name]
  }

  var valueDecoder: ValueDecoder {
    get throws {
      guard !isFinished else {
        let misuse = ArchiveError.misuse("Decoding is finished. Decode before finishDecoding()")
        throw DecodingError.dataCorrupted(misuse.decodingContext([]))
      }
      return try session.topLevelDecoder
    }
  }

  /// The top level, for a call that also throws the error of an earlier call that could not throw.
  private var openTopLevel: ValueDecoder {
    get throws {
      let topLevel = try valueDecoder
      try topLevel.session.throwEarlierFailure()
      return topLevel
    }
  }

  // MARK: Decoding

  /// Decodes the value under `key`.
  ///
  /// - Throws: `DecodingError`: `keyNotFound` if the archive has no such key, otherwise an error that says what is wrong
  ///   with the value, and where; and errors of an `init(from:)`.
  /// - Complexity: O(*n*) in the bytes of the value and of the objects that it reaches and that were not read before,
  ///   however large the rest of the archive is.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
    try inTurn {
      try container(keyedBy: ArchiveCodingKey.self)
        .decode(runtime: type, forKey: ArchiveCodingKey(stringValue: key))
    }
  }

  /// Decodes the value under `key`; `nil` for a missing key and for an archived nil.
  ///
  /// - Throws: as ``decode(_:forKey:)``, except for a key that is missing.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try inTurn {
      try container(keyedBy: ArchiveCodingKey.self)
        .decodeIfPresent(runtime: type, forKey: ArchiveCodingKey(stringValue: key))
    }
  }

  /// Whether the archive has a value under `key`, even nil. A weak reference to a missing object does not count. It is
  /// `false` for an archive whose top level has no keys.
  ///
  /// It is also `false` if the archive is damaged in such a way that the unarchiver cannot find the keys. The next call
  /// that can throw, such as ``decode(_:forKey:)`` for any key, then throws the error; until then it is in ``error``.
  public func containsValue(forKey key: String) -> Bool {
    inTurn { keyedTopLevel?.contains(ArchiveCodingKey(stringValue: key)) ?? false }
  }

  /// The keys of the archive, in the order in which they were encoded. Empty if the top level has no keys.
  ///
  /// If the archive is damaged, or has more keys than the limits allow, these are the keys that could be read. The
  /// next call that can throw then throws the error; until then it is in ``error``.
  public var allKeys: [String] {
    inTurn { keyedTopLevel?.allKeys.map(\.stringValue) ?? [] }
  }

  /// The error of a call that cannot throw, such as ``containsValue(forKey:)`` or ``allKeys``, until another call
  /// throws it; or the error of a ``Lazy`` property that could not be read.
  ///
  /// Check it after your last call, if that cannot throw.
  public var error: (any Error)? {
    inTurn { openSession?.checks.failure ?? openSession?.lazies.faults.first ?? failure }
  }

  /// The top level; `nil` if it has no keys, or if it is damaged, which the next call that can throw says.
  private var keyedTopLevel: KeyedDecodingContainer<ArchiveCodingKey>? {
    do {
      return try valueDecoder.container(keyedBy: ArchiveCodingKey.self)
    } catch {
      // Other errors mean that the top level has no keys.
      guard case DecodingError.dataCorrupted = error else { return nil }
      if let openSession { openSession.remember(error) } else { failure = error }
      return nil
    }
  }

  /// Runs `body` while no other thread reads a lazy value of the archive.
  private func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let openSession else { return try body() }
    return try openSession.turn.take(body)
  }

  /// Ends decoding and releases the decoded objects. Decoding afterwards throws.
  public func finishDecoding() {
    guard !isFinished else { return }
    if !isFinishing {
      isFinishing = true
      defer { isFinishing = false }
      delegate?.unarchiverWillFinish(self)
      // The delegate may have called this method.
      guard !isFinished else { return }
    }
    isFinished = true
    failure = error
    // The spare containers hold the session.
    inTurn { openSession?.dropSpares() }
    openSession = nil
    delegate?.unarchiverDidFinish(self)
  }

  // MARK: Decoder

  /// The path of the top level: empty.
  public var codingPath: [any CodingKey] { [] }

  /// The top level as a keyed container.
  ///
  /// - Throws: `DecodingError.typeMismatch` when the top level has no keys.
  public func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try openTopLevel.container(keyedBy: type)
  }

  /// The top level as an array.
  ///
  /// - Throws: `DecodingError.typeMismatch` when it is not an array.
  public func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try openTopLevel.unkeyedContainer()
  }

  /// The top level as one value.
  public func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try openTopLevel.singleValueContainer()
  }
}

extension KeyedUnarchiver {
  /// Decodes the root object of the archive in the file at `path`.
  ///
  /// - Throws: ``ArchiveError`` when the file cannot be read, otherwise as
  ///   ``unarchive(_:from:verification:limits:classPolicy:userInfo:)-(_,Data,_,_,_,_)``.
  public static func unarchive<Root: Decodable>(
    _ type: Root.Type,
    fromFile path: String,
    verification: ArchiveVerification = .everything,
    limits: ArchiveLimits = ArchiveLimits(),
    classPolicy: ArchiveClassPolicy = .byName,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Root {
    let data = try mapArchiveFile(path)
    return try withSession(data, verification, limits, classPolicy, userInfo) { try $0.decodeRoot(type) }
  }

  /// Decodes the root object of the archive in `data`.
  ///
  /// ```swift
  /// let library = try KeyedUnarchiver.unarchive(Library.self, from: data)
  /// ```
  ///
  /// - Throws: `DecodingError`, whose coding path begins at the root object and whose underlying error, except for a
  ///   missing key, is an ``ArchiveError``; and errors of an `init(from:)`.
  /// - Parameters:
  ///   - type: the type of the root object, or a superclass of its class.
  ///   - data: the bytes of the archive.
  ///   - verification: which parts are compared with their checksums: by default all, before any code of yours runs.
  ///   - limits: limits on what the archive may demand.
  ///   - classPolicy: which types the archive may name.
  ///   - userInfo: the user info of the decoders that the values get.
  public static func unarchive<Root: Decodable>(
    _ type: Root.Type,
    from data: Data,
    verification: ArchiveVerification = .everything,
    limits: ArchiveLimits = ArchiveLimits(),
    classPolicy: ArchiveClassPolicy = .byName,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Root {
    try withSession(data, verification, limits, classPolicy, userInfo) { try $0.decodeRoot(type) }
  }

  /// Calls `decode` with a session that reads the archive in `data` and may be used again.
  @inline(__always)
  static func withSession<Root>(
    _ data: Data,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    _ classPolicy: ArchiveClassPolicy,
    _ userInfo: [CodingUserInfoKey: Any],
    _ decode: (DecodingSession) throws -> Root
  ) throws -> Root {
    let session = try decodingErrors(
      SpareDecodingSessions.open(data, verification, limits, userInfo: userInfo)
    )
    do {
      if classPolicy != session.settings.classPolicy { session.change { $0.classPolicy = classPolicy } }
      let value = try decode(session)
      SpareDecodingSessions.giveBack(consume session)
      return value
    } catch {
      // Programs read a value as one type after the other.
      SpareDecodingSessions.giveBack(consume session)
      throw error
    }
  }

  /// Reads what `encoding` has just encoded. Takes classes from there and does not look them up by name.
  static func decodeRoot<Root: Decodable>(
    _ type: Root.Type,
    of encoding: EncodingSession,
    isRehearsal: Bool = false
  ) throws -> Root {
    // The archive is the program's own, and its graph was in memory before.
    var limits = ArchiveLimits()
    limits.maximumAllocation = .max
    let session = try decodingErrors(
      DecodingSession(
        ArchiveImage(encoding.archive.reader(), verification: .disabled),
        userInfo: encoding.settings.userInfo,
        limits: limits,
        hidesRootKey: true,
        knownClasses: encoding.tables.classes.types
      )
    )
    defer { session.dropSpares() }
    session.settings.isRehearsal = isRehearsal
    return try session.decodeRoot(type)
  }
}
