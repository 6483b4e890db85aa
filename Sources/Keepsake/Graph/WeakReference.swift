/// A weak property that is archived only if something else archives its object, earlier or later.
///
/// ```swift
/// final class Node: Codable {
///   var children: [Node] = []
///   @WeakReference var parent: Node?
/// }
/// ```
///
/// If the object is not in the archive, the decoded property is nil. Otherwise it gets its value when the outermost
/// call that decodes the object returns.
///
/// Other encoders, such as those for JSON, have no references: they write nil, and other decoders read nil.
@propertyWrapper
public struct WeakReference<Object: AnyObject> {
  /// The object in the box is an `Object`.
  private(set) var box: WeakBox?

  /// Creates a reference to an object, or a nil one.
  public init(wrappedValue: Object?) {
    if let wrappedValue { box = WeakBox(wrappedValue) }
  }

  /// The object, as long as a strong reference to it exists.
  public var wrappedValue: Object? {
    get {
      // Whoever creates a box ensures this type.
      if let object = box?.object { knownDowncast(object, to: Object.self) } else { nil }
    }
    set { self = WeakReference(wrappedValue: newValue) }
  }
}

// In a separate extension, so that memberwise initializers take the object itself.
extension WeakReference {
  /// Creates a reference that is nil.
  public init() {
    self.init(wrappedValue: nil)
  }
}

/// For other wrappers around this one: their property is then nil by default.
extension WeakReference: ExpressibleByNilLiteral {
  /// Creates a reference that is nil.
  public init(nilLiteral: ()) {
    self.init(wrappedValue: nil)
  }
}

extension WeakReference: NilHolding {
  var holdsNil: Bool { wrappedValue == nil }
}

// MARK: Coding

extension WeakReference: Encodable, NativelyEncodable where Object: Encodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { WeakEncodingPlan<Object>() }

  /// Encodes a conditional reference in an archive, nil elsewhere.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(ConditionalReference(object: wrappedValue))
  }
}

private final class WeakEncodingPlan<Object: AnyObject & Encodable>: EncodingPlan<WeakReference<Object>> {
  override func encode(_ value: WeakReference<Object>, _ session: EncodingSession) throws {
    try session.encodeConditionally(value.wrappedValue)
  }

  override func standsInline(_ value: WeakReference<Object>) -> Bool { true }
}

extension WeakReference: Decodable, NativelyDecodable where Object: Decodable {
  static func makeDecodingPlan() -> AnyDecodingPlan { WeakDecodingPlan<Object>() }

  /// Decodes the reference from an archive; from anything else it is nil.
  public init(from decoder: any Decoder) throws {
    guard decoder.placeInArchive != nil else {
      try decoder.refuseCopy()
      return
    }
    self = try decoder.singleValueContainer().decode(WeakReference<Object>.self)
  }
}

private final class WeakDecodingPlan<Object: AnyObject & Decodable>: DecodingPlan<WeakReference<Object>> {
  override func decode(
    at cursor: inout Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> WeakReference<Object> {
    WeakReference(try session.decodeConditional(Object.self, at: &cursor))
  }
}

extension WeakReference {
  fileprivate init(_ box: WeakBox?) {
    self.box = box
  }
}

extension KeyedEncodingContainer {
  /// Encodes a weak reference as an optional: nothing if it is nil.
  public mutating func encode<Object: Encodable>(_ value: WeakReference<Object>, forKey key: Key) throws {
    try encodeConditional(value.wrappedValue, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a weak reference as an optional: nil if the key is missing.
  public func decode<Object: Decodable>(
    _ type: WeakReference<Object>.Type,
    forKey key: Key
  ) throws -> WeakReference<Object> {
    try decodeIfPresent(type, forKey: key) ?? WeakReference()
  }
}

/// The box of a reference changes when its object is decoded. Other threads see it before or after that.
extension WeakReference: @unchecked Sendable where Object: Sendable {}
