/// A property whose value is read from an archive when it is first touched.
///
/// ```swift
/// final class Chapter: Codable {
///   var title = ""
///   @Lazy var pages: [Page] = []
/// }
/// ```
///
/// An archive of many chapters is opened in milliseconds, and of those pages only what is used is ever read. What several
/// lazy properties of one archive share is one object, whenever each is read. Threads may touch a property at the same time.
///
/// The archive stays in memory, or the file mapped, as long as something of it is still to be read. In an
/// ``ArchiveDocument`` a value that was not touched stays in the file as it is when the document is saved. Where its owner
/// is archived elsewhere, it is read first.
///
/// A value that is damaged cannot be thrown by a getter. The property is then empty (``LazyValue/emptyLazyValue``), `$pages`
/// has the ``error``, and archiving the property throws it: nothing is lost because something could not be read. To be told
/// at once, read the value with ``load()``:
///
/// ```swift
/// let pages = try chapter.$pages.load()
/// ```
///
/// An initializer that touches the property of an object of the same archive finds it empty as well, and the outermost decode
/// throws. What needs it belongs into ``ArchiveAwakening/awakeFromArchive()``.
///
/// Other encoders and decoders, such as JSON's, see the value as if the property were a plain one; and a property that was a
/// plain one, or becomes one, reads what is in older archives.
@propertyWrapper
public struct Lazy<Value: LazyValue> {
  fileprivate var content: LazyContent<Value>

  /// A property that has its value.
  public init(wrappedValue: Value) {
    content = LazyContent(wrappedValue)
  }

  /// The value, which is read now if it was not yet; empty if it cannot be read.
  public var wrappedValue: Value {
    get { (try? content.load()) ?? Value.emptyLazyValue }
    set { content = LazyContent(newValue) }
    _modify {
      var value = wrappedValue
      // What others hold stays as it is: a copy of the structure that the property is in, or a document.
      if isKnownUniquelyReferenced(&content) { content.clear() }
      defer { content = LazyContent(value) }
      yield &value
    }
  }

  /// What is known of the value without reading it, and reading it with errors.
  public var projectedValue: Lazy<Value> { self }

  /// Whether the value is there, so that touching the property reads nothing.
  public var isLoaded: Bool { content.isLoaded }

  /// Why the value could not be read; `nil` as long as no attempt has failed.
  public var error: (any Error)? { content.error }

  /// The value, which is read now if it was not yet.
  ///
  /// - Throws: `DecodingError` as the unarchiver does that the property came from, and what an `init(from:)` throws.
  public func load() throws -> Value { try content.load() }
}

// In an extension of its own: only so is an optional property nil without being said to be.
extension Lazy where Value: ExpressibleByNilLiteral {
  /// A property that is nil.
  public init() { self.init(wrappedValue: nil) }
}

// MARK: Coding

extension Lazy: Encodable, NativelyEncodable where Value: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { LazyEncodingPlan<Value>() }

  /// Encodes a reference to the value in an archive, and the value elsewhere.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if encoder.writesArchive {
      try container.encode(self)
    } else {
      try container.encode(load())
    }
  }
}

private final class LazyEncodingPlan<Value: LazyValue & Encodable>: EncodingPlan<Lazy<Value>> {
  override func encode(_ value: Lazy<Value>, _ session: EncodingSession) throws {
    let plan = session.types.plans.plan(for: LazyContent<Value>.self)
    // A reader follows the reference when everything else is there, or never.
    try session.encodeDeferred { try plan.encode(value.content, session) }
  }

  override var canBeNil: Bool { false }
  override func standsInline(_ value: Lazy<Value>) -> Bool { true }
}

extension Lazy: Decodable, NativelyDecodable where Value: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { LazyDecodingPlan<Value>() }

  /// Decodes where the value is from an archive, and the value from anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // An archive's container goes by the plan of the type.
    self =
      decoder.placeInArchive != nil
      ? try container.decode(Lazy<Value>.self) : Lazy(wrappedValue: try container.decode(Value.self))
  }

  fileprivate init(_ content: LazyContent<Value>) { self.content = content }
}

private final class LazyDecodingPlan<Value: LazyValue & Decodable>: DecodingPlan<Lazy<Value>> {
  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Lazy<Value> {
    let start = cursor
    cursor = try session.end(ofValueAt: start)
    guard try session.isObjectReference(at: start) else {
      return Lazy(LazyContent(at: start, session))
    }
    let number = try session.referencedBody(at: start) ?? 0
    if let known = session.lazies.contents[number]?.content as? LazyContent<Value> { return Lazy(known) }
    let content = LazyContent<Value>(at: start, session)
    session.lazies.contents[number] = WeakLazyContent(content: content)
    session.lazies.newNumbers.append(UInt32(truncatingIfNeeded: number))
    return Lazy(content)
  }
}

extension KeyedEncodingContainer {
  /// Encodes a lazy optional that was read, or set, to nil as a plain one: nothing.
  public mutating func encode<Wrapped: Encodable>(_ value: Lazy<Wrapped?>, forKey key: Key) throws {
    if value.isLoaded, try value.load() == nil { return }
    try encodeIfPresent(Optional(value), forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a lazy optional as a plain one: nil where the key is missing.
  public func decode<Wrapped: Decodable>(
    _ type: Lazy<Wrapped?>.Type,
    forKey key: Key
  ) throws -> Lazy<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Lazy(wrappedValue: nil)
  }
}

// MARK: Other conformances

extension Lazy: Equatable where Value: Equatable {
  /// Compares the values, which are read for that.
  public static func == (left: Lazy, right: Lazy) -> Bool {
    left.content === right.content || left.wrappedValue == right.wrappedValue
  }
}

extension Lazy: Hashable where Value: Hashable {
  /// Hashes the value, which is read for that.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// What the content is changes under a lock.
extension Lazy: @unchecked Sendable where Value: Sendable {}
