/// A property whose value is read from an archive when you first access it.
///
/// ```swift
/// final class Chapter: Codable {
///   var title = ""
///   @Lazy var pages: [Page] = []
/// }
/// ```
///
/// Objects that several lazy properties of an archive share are one instance, whenever each is read. Several threads
/// may access a property at once.
///
/// The archive stays in memory, or the file mapped, as long as values in it are still to be read. When an
/// ``ArchiveDocument`` is saved, a value that you have not accessed stays in the file unchanged. When you archive its
/// owner elsewhere, the value is read first.
///
/// A getter cannot throw. If the value is damaged, the property is empty (``LazyValue/emptyLazyValue``) and ignores
/// changes in place until you assign another value. `$pages` has the ``error``, and archiving the property throws it,
/// so nothing is lost. To get the error at once, read the value with ``load()``:
///
/// ```swift
/// let pages = try chapter.$pages.load()
/// ```
///
/// If an initializer accesses the property of an object of the same archive, the property is empty, too, and the
/// outermost decode throws. Code that needs it belongs in ``ArchiveAwakening/awakeFromArchive()``.
///
/// Other encoders and decoders, such as those for JSON, treat the property as a plain one. You can add the wrapper to a
/// property, or remove it, and still read older archives. If you added it, the first save of a document reads the value.
@propertyWrapper
public struct Lazy<Value: LazyValue> {
  fileprivate var content: LazyContent<Value>

  /// Creates a property that has its value.
  public init(wrappedValue: Value) {
    content = LazyContent(wrappedValue)
  }

  /// The value, which is read now if necessary; the empty value if it cannot be read.
  public var wrappedValue: Value {
    get { (try? content.load()) ?? Value.emptyLazyValue }
    set { content = LazyContent(newValue) }
    _modify {
      var value = wrappedValue
      let isLoaded = content.isLoaded
      // Content that something else holds stays unchanged: a copy of the structure with the property, or a document.
      if isLoaded, isKnownUniquelyReferenced(&content) { content.clear() }
      // If the value could not be read, the change is dropped, so archiving throws the error and loses nothing.
      defer { if isLoaded { content = LazyContent(value) } }
      yield &value
    }
  }

  /// The property itself, for ``isLoaded``, ``error`` and ``load()``.
  public var projectedValue: Lazy<Value> { self }

  /// Whether the value is in memory, so that accessing the property reads nothing.
  public var isLoaded: Bool { content.isLoaded }

  /// Why the value could not be read; `nil` as long as no attempt has failed.
  public var error: (any Error)? { content.error }

  /// Returns the value, and reads it first if necessary.
  ///
  /// - Throws: `DecodingError`, and errors of an `init(from:)`.
  public func load() throws -> Value { try content.load() }
}

// In a separate extension, so that an optional property is nil by default.
extension Lazy where Value: ExpressibleByNilLiteral {
  /// Creates a property that is nil.
  public init() { self.init(wrappedValue: nil) }
}

// MARK: Coding

extension Lazy: Encodable, NativelyEncodable where Value: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { LazyEncodingPlan<Value>(canBeNil: false) }

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
    // A reader follows the reference after everything else, or never.
    try session.encodeDeferred { try plan.encode(value.content, session) }
  }

  override func standsInline(_ value: Lazy<Value>) -> Bool { true }
}

extension Lazy: Decodable, NativelyDecodable where Value: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { LazyDecodingPlan<Value>() }

  /// Stores the place of the value in an archive; decodes the value from other decoders.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // The container of an archive uses the decoding plan of the type.
    self =
      decoder.placeInArchive != nil
      ? try container.decode(Lazy<Value>.self) : Lazy(wrappedValue: try container.decode(Value.self))
  }

  fileprivate init(_ content: LazyContent<Value>) { self.content = content }
}

private final class LazyDecodingPlan<Value: LazyValue & Decodable>: DecodingPlan<Lazy<Value>> {
  private let isOptional = Value.self is any ExpressibleByNilLiteral.Type

  override var isForLazyValues: Bool { true }

  override func decodeField(
    _ memory: MutablePropertyMemory,
    at offset: Int,
    from cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws {
    if !isOptional, try session.isNil(at: cursor) || session.isLazyNil(at: cursor),
      memory.object is any DefaultKeeping
    {
      // A model keeps its default instead, unless the type has a nil of its own. So this throws now, not on access.
      var start = cursor
      _ = try session.decodeByPlan(Value.self, at: &start, depth)
    }
    try super.decodeField(memory, at: offset, from: &cursor, session, depth)
  }

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Lazy<Value> {
    let start = cursor
    cursor = try session.end(ofValueAt: start)
    let number = try session.lazyBody(at: start)
    if let number {
      if session.settings.isRehearsal { session.rehearse(Value.self, number, at: start) }
      if let known = session.lazies.contents[number]?.object as? LazyContent<Value> { return Lazy(known) }
    }
    try session.charge(DecodingBudget.lazyOverhead, at: start)
    let content = LazyContent<Value>(at: start, session)
    if let number {
      session.lazies.contents[number] = Weak(object: content)
      session.lazies.newObjects?.add(content, number)
    } else {
      session.lazies.add(inline: Weak(object: content))
    }
    return Lazy(content)
  }
}

extension Lazy: NilHolding where Value: NilHolding {
  static var writesItsOwnNil: Bool { true }
  var holdsNil: Bool { isLoaded && wrappedValue.holdsNil }
}

extension KeyedEncodingContainer {
  /// Encodes a lazy optional as a plain one: nothing if it is known to be nil.
  public mutating func encode<Wrapped: Encodable>(_ value: Lazy<Wrapped?>, forKey key: Key) throws {
    let isNil = try value.isLoaded && value.load() == nil
    try encodeIfPresent(isNil ? .none : Optional(value), forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a lazy optional as a plain one: nil if the key is missing.
  public func decode<Wrapped: Decodable>(
    _ type: Lazy<Wrapped?>.Type,
    forKey key: Key
  ) throws -> Lazy<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Lazy(wrappedValue: nil)
  }
}

// MARK: Other conformances

extension Lazy: Equatable where Value: Equatable {
  /// Reads the values and compares them.
  public static func == (left: Lazy, right: Lazy) -> Bool {
    left.content === right.content || left.wrappedValue == right.wrappedValue
  }
}

extension Lazy: Hashable where Value: Hashable {
  /// Reads the value and hashes it.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// The content changes under a lock.
extension Lazy: @unchecked Sendable where Value: Sendable {}
